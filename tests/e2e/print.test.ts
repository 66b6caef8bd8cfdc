// Commands that print or write and send nothing, two runs compared, known failures from file to
// exit code, and JSON on standard output.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import sample from '../../reports/samples/run.json' with { type: 'json' }
import { textOf } from '../layout/sources.ts'
import { serveReference, textLists } from '../serve-reference.ts'
import { emptyFolder, folderWith, folderWithRuns, petvet, readRunFile } from './petvet.ts'

describe('known failures', () => {
  const run = async (known: string, ...more: string[]) => {
    const keys = [{ plan: 'free' as const, key: 'key-1' }]
    const { url } = await serveReference({ keys, variant: textLists })
    const folder = folderWith({ 'known.txt': known })
    const flags = ['--known', 'known.txt']
    const only = ['--only', 'body-media-type-json', '--only', 'auth-unissued-*']
    const args = ['check', url, '--key', 'free=key-1', '--out', 'run', ...only, ...flags, ...more]
    return { folder, ...(await petvet(args, { folder })) }
  }

  test('exit 0 with one', async () => {
    const { code, stdout } = await run('body-media-type-json  The proxy says so.\n')
    expect(stdout).toContain('body-media-type-json: The proxy says so.')
    expect(code).toBe(0)
  })

  test('exit 1 with a stale one in addition', async () => {
    const known = 'body-media-type-json  The proxy.\nauth-unissued-list-401  It was so.\n'
    const { code, stderr } = await run(known, '--quiet')
    expect(stderr).toContain('1 failure known, 1 stale line')
    expect(code).toBe(1)
  })

  test('exit 2, and nothing sent, with a line about an unknown check', async () => {
    const known = '# known\nlist-limt-most  It was so.\nremoved-held@a.example  Another.\n'
    const { code, stdout, stderr, folder } = await run(known)
    expect(stderr).toBe(
      'petvet: --known known.txt: no check is called "list-limt-most"; ' +
        'did you mean list-limit-most?\n',
    )
    expect([code, stdout, existsSync(join(folder, 'run'))]).toEqual([2, '', false])
  })
})

test('list prints the selected checks only, and reports a glob that matches nothing', async () => {
  const folder = emptyFolder()
  const args = ['list', '--only', 'list.limit*', '--skip', '*-no-integer', '--level', 'must']
  const { stdout } = await petvet(args, { folder })
  expect(stdout).toContain('    list-limit-most: ')
  expect(stdout).not.toMatch(/\((?:should|open)\)|list-limit-no-integer|create-/)
  const { code, stderr } = await petvet(['list', '--only', 'bann'], { folder })
  expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean ban?')])
})

test('check --json prints the run file, and no key', async () => {
  const key = 'sesame-0123456789'
  const { url } = await serveReference({ keys: [{ plan: 'free', key }] })
  const folder = emptyFolder()
  const flags = ['--only', 'list-valid-200', '--out', 'run', '--json']
  const args = ['check', url, '--key', 'free=$PET_KEY', ...flags]
  const { code, stdout, stderr } = await petvet(args, { folder, env: { PET_KEY: key } })
  expect([code, JSON.parse(stdout)]).toEqual([0, readRunFile(join(folder, 'run'))])
  expect(stderr).toMatch(/^petvet: target \S+\/v1\npetvet: seed \d+\n$/)
  expect(stdout + stderr).not.toContain(key)
})

/** Each sample run, changed, as a run of its own: with every pass as a fail, interrupted, later. */
const runs = (): string => {
  const passing = (changed: object) =>
    sample.checks.map((check) => (check.outcome === 'pass' ? { ...check, ...changed } : check))
  const cut = passing({ outcome: 'untested', because: 'interrupted' })
  const texts = {
    'old/run.json': { ...sample, fromAnotherVersion: true },
    'new/run.json': { ...sample, checks: passing({ outcome: 'fail' }) },
    'cut/run.json': { ...sample, checks: cut, interrupted: true },
    'later.json': { ...sample, schema: 2 },
  }
  const files = Object.entries(texts).map(([name, run]) => [name, JSON.stringify(run)] as const)
  return folderWith({ ...Object.fromEntries(files), 'strange.json': 'strange' })
}

test.for([
  ['what got worse', ['old', 'new'], 1, /Newly failing[\s\S]*petvet: worse\n$/],
  ['what got better', ['new', 'old/run.json', '--json'], 0, /"newlyFailing": ?\[\]/],
  [
    'an interrupted run',
    ['old', 'cut'],
    1,
    /^Verdict .+ → interrupted, so far not conformant$[\s\S]*petvet: worse\n$/m,
  ],
] as const)('%s is shown by compare, and by its exit code', async ([, args, code, shown]) => {
  const compared = await petvet(['compare', ...args], { folder: runs() })
  expect(compared).toEqual({ code, stdout: expect.stringMatching(shown), stderr: '' })
})

test.for([
  ['what is no run', ['compare', 'old', 'strange.json'], /strange.json/],
  ['a later form', ['compare', 'old', 'later.json'], /not a run that this version can read/],
] as const)('%s is a mistake of one line', async ([, args, said]) => {
  const { code, stdout, stderr } = await petvet(args, { folder: runs() })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(said)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('the script calls petvet, which lists commands and flags and runs nothing', async () => {
  const folder = emptyFolder()
  const option = '--get-yargs-completions'
  const listed = async (...words: string[]) => {
    const { code, stdout, stderr } = await petvet([option, 'petvet', ...words], { folder })
    expect([code, stderr]).toEqual([0, ''])
    return stdout.trimEnd().split('\n')
  }
  const script = await petvet(['completion'], { folder })
  expect([script.code, script.stderr]).toEqual([0, ''])
  expect(script.stdout).toContain(`petvet ${option} `)
  expect(await listed('')).toEqual(expect.arrayContaining(['check', 'domains', 'completion']))
  expect(await listed('domains', '')).toEqual(expect.arrayContaining(['lint', 'watch']))
  expect(await listed('check', '--')).toEqual(expect.arrayContaining(['--key', '--seed']))
  expect(await listed('demo', '--only', 'list-*', '--no-mock', '--quiet', 'x')).toEqual([''])
  expect(readdirSync(folder)).toEqual([])
})

/** The members of each document that docs/json.md lists. */
const page = textOf('docs/json.md')

const sections = page
  .split(/^## /m)
  .map((text) => ({
    command: /^petvet (.+)\n/.exec(text)?.[1] ?? '',
    members: [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name),
  }))
  .filter(({ command }) => command !== '')

test('the page has each command that prints a document of its own', () => {
  const names = new Set(sections.map(({ command }) => command.split(' ', 1)[0]))
  expect([...names].sort()).toEqual(['compare', 'explain', 'list', 'mutants', 'plan'])
})

/** A plan of all checks takes whole runs in virtual time. */
const few = ['--only', 'list-limit*']

test.for(sections)('$command', { timeout: 60_000 }, async ({ command, members }) => {
  const folder = folderWithRuns(['OLD', 'NEW'])
  const isPlan = command.startsWith('plan')
  const { stdout, stderr } = await petvet([...command.split(' '), ...(isPlan ? few : [])], {
    folder,
  })
  expect(stdout, stderr).not.toBe('')
  const shown = JSON.parse(stdout)
  const items: object[] = Array.isArray(shown) ? shown : [shown]
  expect(items.length).toBeGreaterThan(0)
  for (const item of items) expect(Object.keys(item).sort()).toEqual([...members].sort())
})
