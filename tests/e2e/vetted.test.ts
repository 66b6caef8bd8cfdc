// The adapter in a project of its own: which tests it declares, how they are named, how they end.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mutants } from '../../reference/mutants.ts'
import { startReference } from '../../reference/start.ts'
import { root } from '../layout/sources.ts'
import { emptyFolder } from './petvet.ts'

const key = 'petvet-test-key-vetted'

interface Told {
  readonly title: string
  readonly status: string
  readonly ancestorTitles: readonly string[]
  readonly failureMessages: readonly string[]
}

/** The options of a target that ignores `limit`. */
const target = async (): Promise<string> => {
  const variant = mutants.find(({ id }) => id === 'list-limit-ignored')
  if (!variant) throw new Error('there is no such mutant')
  const { url, clockUrl, close } = await startReference({
    keys: [{ plan: 'free', key }],
    ...{ variant, store: 'memory', port: 0, clockPort: 0, onFault: () => {} },
  })
  onTestFinished(close)
  return `target: '${url}', clock: '${clockUrl}', keys: [{ plan: 'free', key: '$KEY' }]`
}

/** What vitest makes of a file of these lines. */
const toldOf = async (...lines: readonly string[]): Promise<readonly Told[]> => {
  const folder = emptyFolder()
  const imports = `import { vetted } from ${JSON.stringify(join(root, 'vitest.ts'))}`
  writeFileSync(join(folder, 'own.test.ts'), [imports, ...lines].join('\n'))
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const flags = ['run', '--root', folder, '--reporter', 'json', '--outputFile', 'told.json']
  const env = { PATH: process.env.PATH, HOME: folder, KEY: key }
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [vitest, ...flags], { cwd: folder, env }, () => resolve())
  })
  const text = readFileSync(join(folder, 'told.json'), 'utf8')
  expect(text).not.toContain(key)
  return JSON.parse(text).testResults[0].assertionResults
}

test('a test for each check, as only, skip, bail and the signal have it', async () => {
  const limits = `${await target()}, only: ['list-limit-*']`
  const told = await toldOf(
    `vetted({ ${limits}, skip: ['list-limit-most'], seed: 7 })`,
    `vetted({ ${limits}, bail: true, seed: 8 })`,
    `vetted({ ${limits}, signal: AbortSignal.abort(), seed: 9 })`,
  )
  const title = /^petvet http:\/\/127\.0\.0\.1:\d+\/v1, seed (\d)$/
  const of = (seed: string) =>
    told.filter(({ ancestorTitles }) => title.exec(ancestorTitles.join())?.[1] === seed)
  const statusesOf = (seed: string) => new Set(of(seed).map(({ status }) => status))

  const whole = of('7').map((each) => `${each.title} ${each.status}`)
  expect(whole).toContain('list-limit-no-fewer failed')
  expect(whole.join()).not.toContain('list-limit-most ')
  expect(whole.filter((line) => line.endsWith(' failed')).length).toBeGreaterThan(1)

  const failed = of('8').filter(({ status }) => status === 'failed')
  expect(failed).toHaveLength(1)
  const message = failed[0]?.failureMessages.join() ?? ''
  expect(message).toMatch(
    /^Error: [\w.]+: .+\. \(.+, must\)\nexpected: .+\nactual: {3}.+\ncurl .+\nTo/,
  )
  expect(message).toContain('export PETVET_KEY="$KEY"')
  expect(message).toMatch(/petvet explain list-limit-\S+$/)
  // What was expected stands there once.
  const [, expected = ''] = /expected: (.+)/.exec(message) ?? []
  expect(message.split(expected)).toHaveLength(2)
  expect(statusesOf('8')).toContain('skipped')
  // What an aborted run did not ask is no failure, and not green.
  expect([...statusesOf('9')]).toEqual(['skipped'])
}, 60_000)
