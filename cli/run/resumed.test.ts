// A run resumes with the options that it was started with; others are refused in one line.
import { appendFileSync, openSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandGiven } from '../../config/given-keys.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { folderWith, interruptAfter, type Kept, nothingKept } from '../../tests/interrupted-run.ts'
import { testOptions } from '../../tests/vet-reference.ts'
import type { CheckFlags } from '../flags.ts'
import { inFolder } from '../output/folder.ts'
import { readOrRefuse, readResumed } from './earlier-run.ts'

const target = 'http://127.0.0.1:9/v1'
const kept = nothingKept()

// A run against an unreachable target: its head, and the request without a response.
beforeAll(async () => {
  const keys = [{ plan: 'free', key: 'petvet-resumed-key', quota: plans.free }] as const
  const command = commandGiven('check', { 'base-url': target, allow: ['write'] }, null)
  const options = testOptions(target, { keys, allow: ['write'], seed: 41, command })
  await interruptAfter(catalogue, options, kept, 99)
})

const given = (differing: Partial<CheckFlags>): CheckFlags => ({
  config: false,
  key: ['free=petvet-resumed-key'],
  ...differing,
})

const opened = (differing: Partial<CheckFlags>, folder = folderWith(kept)) =>
  readResumed(given(differing), folder)

test('options that are not given are those of the interrupted run', () => {
  const { settings, past, over } = opened({ 'max-requests': 9_000 })
  const { run, target: found } = settings
  const { seed, maxRequests } = run
  expect([seed, maxRequests, found?.baseUrl, found?.allow]).toEqual([41, 9_000, target, ['write']])
  expect([past.seq, over]).toEqual([1, null])
})

test.for<[Partial<CheckFlags>, string]>([
  [
    { 'base-url': 'http://127.0.0.1:10/v1' },
    'started with another value of baseUrl: resume it with the same, or',
  ],
  [{ key: ['free=another'] }, 'another value of keys'],
  [{ key: ['pro=petvet-resumed-key'] }, 'another value of keys'],
  [{ key: undefined }, 'no API key'],
  [{ seed: 42 }, 'another value of seed'],
  [{ allow: ['write,exhaust'] }, 'another value of allow'],
  [{ clock: 'http://127.0.0.1:11/clock' }, 'another value of clockUrl'],
  [{ category: ['7'] }, 'another value of categories'],
])('%j is refused', ([differing, message]) => {
  expect(() => opened(differing)).toThrow(message)
})

const damaged = (change: (kept: Kept) => Partial<Kept>) => folderWith({ ...kept, ...change(kept) })
const otherHead = (differing: object) => (own: Kept) => ({
  journal: own.journal.map((line) => {
    const entry = JSON.parse(line)
    return JSON.stringify(entry.kind === 'head' ? { ...entry, ...differing } : entry)
  }),
})

test('the flags of the run are kept where they are not given', () => {
  const command = { name: 'check', arguments: [[target], ['--allow', 'write'], ['--no-wait']] }
  const folder = damaged(otherHead({ command }))
  const { run } = opened({}, folder).settings
  expect(run.noWait).toBe(true)
  expect(opened({ wait: true }, folder).settings.run.noWait).toBe(false)
})

const half = JSON.stringify({ kind: 'resumed', at: '2026-11-20T12:00:00Z', interruptedAt: '' })

describe('a journal', () => {
  test.for<[string, (kept: Kept) => Partial<Kept>, string]>([
    ['of garbage', ({ journal }) => ({ journal: [...journal, 'x', '{}'] }), 'it is no JSON'],
    ['of no form', ({ journal }) => ({ journal: [...journal, '{}', '{}'] }), 'of no kind'],
    ['of half an entry', ({ journal }) => ({ journal: [...journal, half] }), 'must have lost'],
    ['of no time', otherHead({ startedAt: 'noon' }), '/startedAt must match pattern'],
    ['of arrays', () => ({ journal: ['[]', '7', 'null'] }), 'line 1 of journal.ndjson'],
    ['of another version', otherHead({ petvet: '9.9.9' }), 'of petvet 9.9.9'],
    ['of a hostile seed', otherHead({ seed: '$(id)' }), '--seed takes a whole number'],
    ['of nothing', () => ({ journal: [], exchanges: [] }), 'before it started'],
  ])('%s is refused in one line', ([, change, message]) => {
    const folder = damaged(change)
    expect(() => opened({}, folder)).toThrow(message)
    expect(() => opened({}, folder)).toThrow(/^.*$/)
  })

  test('with a line of a gigabyte is refused, and not read', () => {
    const folder = folderWith(kept)
    const file = join(folder, 'journal.ndjson')
    truncateSync(file, 1024 ** 3)
    const before = process.memoryUsage().rss
    expect(() => opened({}, folder)).toThrow('journal.ndjson is too long')
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2)
  })

  test('whose last line is incomplete is read without it', () => {
    const folder = folderWith(kept)
    appendFileSync(join(folder, 'journal.ndjson'), '{"kind":"resu')
    writeSync(openSync(join(folder, 'exchanges.ndjson'), 'a'), '{"seq":')
    expect(opened({}, folder).past.seq).toBe(1)
  })

  test('identifies a folder without a run file', () => {
    const folder = folderWith(kept)
    expect(() => readOrRefuse(folder)).toThrow(/interrupted after 0 of \d+ checks, 1 requests/)
    expect(() => readOrRefuse(folder)).toThrow(`--allow write --resume ${folder}`)
  })
})

test('a folder that is not there is refused', async () => {
  const folder = folderWith({ journal: [], exchanges: [] })
  const said = 'none: no such folder'
  await expect(inFolder(join(folder, 'none'), () => {}, true)).rejects.toThrow(said)
})
