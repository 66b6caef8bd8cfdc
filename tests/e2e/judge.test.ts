// `petvet judge` as a command: the recipes of its page, exit codes, standard input, broken files.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createStore, type Entry } from '../har.ts'
import { emptyFolder, petvet } from './petvet.ts'

const key = 'a-free-key-of-the-page-5f21c09b'

/** The traffic of some tests of a store, or of one with a fault. */
const recorded = async (mutant?: string): Promise<string> => {
  const entries: Entry[] = []
  const send = await createStore([{ plan: 'free', key }], entries, mutant)
  for (const name of ['Rex', 'Tom', 'Kit']) {
    await send('POST', '/pets', key, JSON.stringify({ name, categoryId: 1, status: 'sold' }))
  }
  await send('GET', '/pets?limit=2', key)
  await send('GET', '/pets/0', key)
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'a test' }, entries } })
}

const page = readFileSync(join(import.meta.dirname, '../../docs/recorded-traffic.md'), 'utf8')
const commands = [...page.matchAll(/^petvet (judge .*)$/gm)].map(([, command = '']) => command)

test('the recipes of the page judge what they name', async () => {
  const folder = emptyFolder()
  const env = { FREE_KEY: key }
  for (const name of ['session.har', 'e2e.har']) writeFileSync(join(folder, name), await recorded())
  const old = await petvet(['judge', 'e2e.har', '--out', 'petvet-runs/OLD'], { folder, env })
  expect(old.code).toBe(0)
  expect(commands).toHaveLength(3)
  for (const [at, command] of commands.entries()) {
    const words = command.split(' ').map((word) => word.replaceAll("'", ''))
    const { code, stdout } = await petvet([...words, '--out', `new-${at}`], { folder, env })
    expect(stdout).toContain('no violations found')
    expect(stdout).not.toContain('seed')
    expect(code).toBe(0)
  }
})

test('a fault is found in a compressed file, and compared as that of a run', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'bad.har.gz'), gzipSync(await recorded('list-limit-one-more')))
  writeFileSync(join(folder, 'good.har'), await recorded())
  const bad = await petvet(['judge', 'bad.har.gz', '--out', 'bad'], { folder })
  expect(bad.code).toBe(1)
  expect(bad.stdout).toContain('list-limit-most')
  expect(bad.stdout).toContain('Reproduce petvet judge bad.har.gz\n')
  expect(bad.stdout).not.toContain(key)
  expect((await petvet(['judge', 'good.har', '--out', 'good'], { folder })).code).toBe(0)
  expect((await petvet(['compare', 'good', 'bad'], { folder })).code).toBe(1)
})

test('a cut file is judged as far as it goes; of nothing the exit code is 2', async () => {
  const folder = emptyFolder()
  const har = await recorded('list-limit-one-more')
  const cut = har.slice(0, har.length - 200)
  const { code, stdout } = await petvet(['judge', '--out', 'cut'], { folder, input: cut })
  expect(stdout).toMatch(
    /standard input is broken at byte \d+, its end: 4 entries were read before/,
  )
  expect(code).toBe(1)
  writeFileSync(join(folder, 'other.har'), har.replaceAll('/v1/pets', '/pets'))
  writeFileSync(join(folder, 'empty.har'), '')
  const none = /^petvet: there is no exchange in it: expected a HAR file, .+\n$/
  for (const [file, message] of [
    ['other.har', /^petvet: none of 5 entries is a request for \/pets below .+--base\n$/],
    ['empty.har', none],
    // Not the record of a run, but its results.
    ['cut/run.json', none],
    ['missing.har', /^petvet: missing.har: no such file\n$/],
  ] as const) {
    const refused = await petvet(['judge', file], { folder })
    expect([file, refused.code]).toEqual([file, 2])
    expect(refused.stderr).toMatch(message)
  }
})
