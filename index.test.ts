// The programmatic API: its events, its run file, and how a run is ended early.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as api from './index.ts'
import { UsageError, type VetOptions, vet, writeReports } from './index.ts'
import { emptyFolder } from './tests/e2e/petvet.ts'
import { serveReference } from './tests/serve-reference.ts'

const key = 'petvet-test-key-face'

const started = async (): Promise<VetOptions> => {
  const keys = [{ plan: 'free' as const, key }]
  const { url, clockUrl } = await serveReference({ keys, clockPort: 0 })
  return {
    target: url,
    keys: [{ plan: 'free', key }],
    only: ['list'],
    seed: 7,
    ...(clockUrl !== null && { clock: clockUrl }),
  }
}

/** With a core to itself it loads in one second, on a busy machine in twenty. */
const maxMs = 120_000
const slow = { timeout: maxMs + 10_000 }

const runProgram = (program: string, cwd: string, flags: string[] = []): Promise<string> =>
  new Promise((resolve) => {
    const all = [...flags, '--input-type=module', '--eval', program]
    execFile(process.execPath, all, { timeout: maxMs, cwd }, (error, stdout, stderr) => {
      resolve(`${error?.signal ?? error?.code ?? 0} ${stdout}${stderr}`)
    })
  })

test('yields each result as it is recorded, and all of them at the end', async () => {
  const vetting = vet(await started())
  const ids: string[] = []
  for await (const event of vetting) if (event.kind === 'result') ids.push(event.result.id)
  const run = await vetting.run
  expect(run).toMatchObject({ seed: 7, impossible: null, interrupted: false })
  expect(run.checks.length).toBeGreaterThan(10)
  expect(ids.toSorted()).toEqual(run.checks.map(({ id }) => id).toSorted())
})

test('its reports are written with the exchanges that it passed on', async () => {
  const folder = emptyFolder()
  const lines: string[] = []
  const results: string[] = []
  const onExchange = (line: string) => lines.push(line)
  const onResult = ({ id }: { id: string }) => results.push(id)
  const run = await vet({ ...(await started()), onExchange, onResult }).run
  expect(lines).toHaveLength(run.requests)
  expect(results.toSorted()).toEqual(run.checks.map(({ id }) => id).toSorted())
  writeReports(run, ['html', 'badge'], join(folder, 'new'))
  expect(readdirSync(join(folder, 'new')).toSorted()).toEqual([
    ...['badge.json', 'report.html', 'run.json'],
  ])
  expect(() => writeReports(run, ['pdf'], folder)).toThrow(UsageError)
})

test('leaving the loop interrupts the run', async () => {
  const vetting = vet(await started())
  for await (const event of vetting) if (event.kind === 'result') break
  const run = await vetting.run
  expect(run.interrupted).toBe(true)
  expect(run.checks.some(({ because }) => because === 'interrupted')).toBe(true)
})

test('a program that leaves the loop, and waits for nothing, ends by itself', slow, async () => {
  const options = JSON.stringify(await started())
  // It names what holds it, if something does: that is no matter of how busy the machine is.
  const program = `import { vet } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))}
    for await (const event of vet(${options})) if (event.kind === 'result') break
    console.log('left')
    setTimeout(() => console.log(process.getActiveResourcesInfo()), 10_000).unref()`
  expect(await runProgram(program, import.meta.dirname)).toBe('0 left\n')
})

test('in a checkout that nobody built a link to it works', slow, async () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(import.meta.dirname, join(folder, 'node_modules/petvet'))
  const program = `import * as api from 'petvet'; console.log(Object.keys(api).join())`
  expect(await runProgram(program, folder)).toBe(`0 ${Object.keys(api).toSorted().join()}\n`)
  const flags = ['--preserve-symlinks']
  expect(await runProgram(program, folder, flags)).toMatch(
    /\n\[?petvet is linked .* `npm pack` .*\n/,
  )
})

describe('a mistake in the options is reported at once, without the key', () => {
  const valid: VetOptions = { target: 'http://127.0.0.1:1/v1', keys: [{ plan: 'free', key }] }
  test.for<[string, object]>([
    ['no target', { target: undefined }],
    ['no key', { keys: [] }],
    ['a strange member', { tarGet: 'http://127.0.0.1:1/v1' }],
    ['a category beyond int64', { categories: [2n ** 63n] }],
    ['no such check', { only: ['nothing-like-it'] }],
  ])('%s', ([, wrong]) => {
    const asked = () => vet({ ...valid, ...wrong } as VetOptions)
    expect(asked).toThrow(UsageError)
    expect(asked).not.toThrow(key)
  })
})
