// Recorded traffic: legal servers draw no violation whatever became of the file, faults are found
// as in the run that was recorded, and no key is in anything written. Samples; all with
// PETVET_RUNS.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { judge, writeReports } from '../index.ts'
import type { Condition } from '../proof/conditions.ts'
import { isServer, subjects } from '../proof/subjects.ts'
import { chances } from '../proof/virtual.ts'
import { formats } from '../reports/formats.ts'
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { itemsOf } from '../traffic/files.ts'
import { prepareJudge } from '../traffic/judge.ts'
import { createStore, damaged, damages, type Entry, recordRun } from './har.ts'
import { compareFindings } from './same-findings.ts'

const isWhole = process.env.PETVET_RUNS !== undefined
/** A run is judged in nine ways: half a minute of a processor, which others may use too. */
const slow = { timeout: 300_000 }
const seed = Number(process.env.PETVET_SEED ?? 7)

const drawn = (kind: 'legal' | 'mutant', most: number): string[] => {
  const chance = chances(seed)
  return subjects
    .filter((one) => one.kind === kind && isServer(one))
    .map(({ id }) => [chance(), id] as const)
    .toSorted(([a], [b]) => a - b)
    .slice(0, most)
    .map(([, id]) => id)
}

const violated = ({ checks }: RunFile) =>
  checks.filter(({ outcome }) => ['fail', 'warn', 'error'].includes(outcome))

const requirementOf = new Map(catalogue.map((check) => [check.id, check.requirement]))

/** What a legal variant is accused of: a should that it violates on purpose is none. */
const alarmsAt = (run: RunFile, warns: readonly string[]): string[] => {
  const mayViolate = new Set(warns.map((id) => requirementOf.get(id)))
  return violated(run)
    .filter(({ outcome, requirement }) => outcome !== 'warn' || !mayViolate.has(requirement))
    .map(({ id, detail }) => `${id}: ${detail}`)
}

const cases: readonly (readonly [Condition, string])[] = [
  ...drawn('legal', isWhole ? Number.POSITIVE_INFINITY : 4).map((id) => ['oneKey', id] as const),
  ...drawn('legal', isWhole ? Number.POSITIVE_INFINITY : 1).map((id) => ['full', id] as const),
]

test.for(cases)(
  '%s: %s draws no violation, whatever became of the file',
  slow,
  async ([condition, id]) => {
    const { subject, entries, lines } = await recordRun(id, condition)
    for (const how of Object.keys(damages) as (keyof typeof damages)[]) {
      const alone = how === 'as it is' || how === 'in another order'
      for (const options of alone ? [{}, { alone }] : [{}]) {
        const run = await judge(damaged(how, entries, seed), options)
        expect([how, alarmsAt(run, subject.warns)]).toEqual([how, []])
      }
    }
    expect(alarmsAt(await judge(lines, { alone: true }), subject.warns)).toEqual([])
  },
)

test.for([...drawn('mutant', isWhole ? 100 : 8), 'date-stands-still'])(
  '%s: a HAR file of a run, and its own record, show what it found, but for what they leave open',
  slow,
  async (id) => {
    for (const { open, more } of await compareFindings(id, 'oneKey')) {
      expect(open.filter(([, why]) => why === undefined)).toEqual([])
      expect(more).toEqual([])
    }
  },
)

const key = 'a-key-of-the-tests-5f21c09b'
const wrongKey = 'not+a/valid-key-77aa=='
const pet = (name: string, categoryId = 1) => JSON.stringify({ name, categoryId, status: 'sold' })

/** The same few tests again, on a store that is emptied before each, with a count of ids anew. */
const testedStore = async (mutant?: string): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (let times = 0; times < 3; times += 1) {
    const send = await createStore([{ plan: 'free', key }], entries, mutant)
    for (const name of ['Rex', 'Tom', `Kit ${times}`]) await send('POST', '/pets', key, pet(name))
    await send('GET', '/pets?limit=100', key)
    await send('POST', '/pets', key, pet('Rex', -5))
    await send('POST', '/pets', key, '{"name":null,"categoryId":1}')
    await send('GET', '/pets', wrongKey)
    await send('GET', '/pets', undefined)
    await send('GET', '/pets/1', key)
    await send('GET', '/pets?limit=100', key)
  }
  return entries
}

test('tests that empty the store, with wrong keys and categories, draw no violation', async () => {
  const run = await judge(await testedStore())
  expect(alarmsAt(run, [])).toEqual([])
  expect(run.notes.join()).toContain('the store may have been emptied 2 times')
  expect(run.checks.find(({ id }) => id === 'create-each-echoed')?.outcome).toBe('pass')
})

test('a store that is emptied between the calls of several keys draws no violation', async () => {
  const entries: Entry[] = []
  const others = ['another-key-of-the-tests-90', 'a-third-key-of-the-tests-17'] as const
  const keys = [key, ...others].map((each) => ({ plan: 'pro' as const, key: each }))
  for (let times = 0; times < 3; times += 1) {
    const send = await createStore(keys, entries)
    // Nothing shows yet that the store is another one.
    await send('GET', '/pets?status=sold&limit=2', key)
    for (const [at, own] of [others[1], key, others[0]].entries()) {
      await send('POST', '/pets', own, pet(`Kit ${times} ${at}`, 1 + ((times + at) % 3)))
      await send('GET', '/pets?status=sold&limit=2', others[0])
    }
    await send('GET', '/pets?limit=100', key)
  }
  const run = await judge(entries)
  expect(alarmsAt(run, [])).toEqual([])
  expect(run.checks.find(({ id }) => id === 'create-ids-all-distinct')?.outcome).toBe('pass')
})

// A client that does not refuse a coding may get one; an unread creation shows no pet.
test.for(['headers-coding-negotiated', 'members-longer-than-read'])(
  '%s: tests that empty the store draw no violation',
  async (id) => {
    expect(alarmsAt(await judge(await testedStore(id)), [])).toEqual([])
  },
)

test('a pet that is missing while others as old are there is a violation', async () => {
  const entries = await testedStore()
  const last = entries.at(-1)
  if (!last) throw new Error('nothing was recorded')
  const shown = JSON.parse(last.response.content.text ?? '') as object[]
  const text = JSON.stringify(shown.slice(1))
  const response = {
    ...last.response,
    content: { size: text.length, text },
    headers: [] as never[],
  }
  const later = new Date(Date.parse(last.startedDateTime) + 5_000).toISOString()
  const run = await judge([...entries, { ...last, startedDateTime: later, response }])
  expect(violated(run).map(({ id }) => id)).toContain('list-limit-no-fewer')
})

/** With the lines of its exchanges. */
const judgeLines = async (entries: readonly Entry[], keys: readonly KeyOption[]) => {
  const lines: string[] = []
  const given = { base: undefined, keys, alone: false, strict: false }
  const sink = { event: () => {}, exchange: (line: string) => lines.push(line) }
  const judgeAll = await prepareJudge(catalogue, itemsOf(entries), given)
  return { run: await judgeAll(sink), lines }
}

test('what does not fit into memory at once is judged in pieces', slow, async () => {
  const entries: Entry[] = []
  const send = await createStore([{ plan: 'free', key }], entries, 'name-lower-cased')
  const notes = 'x'.repeat(600_000)
  for (let times = 0; times < 24; times += 1) {
    const body = JSON.stringify({ name: `Rex ${times}`, categoryId: 1, notes })
    await send('POST', '/pets', key, body)
  }
  await send('GET', '/pets?limit=100', wrongKey)
  entries[0]?.request.headers.push({ name: 'X-Trace', value: wrongKey })
  const { run, lines } = await judgeLines(entries, [])
  expect(lines.length).toBe(25)
  // It is sent as a key in the last piece only.
  expect(lines.join()).not.toContain(wrongKey)
  expect(run.notes.join()).toContain('25 of 25 entries')
  expect(run.notes.join()).toContain('in 2 pieces')
  // Both pieces show it.
  const [found] = violated(run)
  expect([found?.id, found?.findings?.length]).toEqual(['create-each-echoed', 1])
})

test('methods in lower case, and fields twice, are what an exporter made of them', async () => {
  const changed = (entries: readonly Entry[]) =>
    entries.map(({ request: { method, headers, ...request }, ...one }) => {
      const fields = [...headers, { name: 'User-Agent', value: 'tests' }]
      const doubled = [...fields, ...fields]
      return { ...one, request: { ...request, method: method.toLowerCase(), headers: doubled } }
    })
  expect(alarmsAt(await judge(changed(await testedStore())), [])).toEqual([])
  const run = await judge(changed(await testedStore('name-lower-cased')))
  expect(violated(run).map(({ id }) => id)).toContain('create-each-echoed')
})

test.for([
  ['those that --key names', [{ plan: 'free', key, quota: plans.free }] as const],
  ['others', []],
] as const)('no key is in any report, of %s, nor a cookie of a browser', async ([, keys]) => {
  const entries = await testedStore('name-lower-cased')
  const cookie = 'session-of-somebody-4711'
  for (const { request, response } of entries) {
    request.headers.push({ name: 'Cookie', value: `sid=${cookie}` })
    for (const { headers } of [request, response]) {
      for (const secret of [key, wrongKey]) {
        headers.push({ name: 'X-Trace', value: `${secret} ${encodeURIComponent(secret)}` })
        headers.push({ name: 'X-Copy', value: Buffer.from(secret).toString('base64') })
      }
    }
  }
  const { run, lines } = await judgeLines(entries, keys)
  const folder = mkdtempSync(join(tmpdir(), 'petvet-traffic-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeReports(run, Object.keys(formats), folder)
  const files = readdirSync(folder)
  expect(files.length).toBe(Object.keys(formats).length + 1)
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
  const written = [...texts, ...lines].join()
  for (const secret of [key, wrongKey, cookie]) {
    expect(written).not.toContain(secret)
    expect(written).not.toContain(encodeURIComponent(secret))
    expect(written).not.toContain(Buffer.from(secret).toString('base64'))
  }
})
