// What a run sends where its budget has no room for all: the first values of each row, and others
// that are drawn.

import { describe, expect, test } from 'vitest'
import { get } from '../../history/exchange.ts'
import { measureRun, oneFreeKey } from '../../proof/measure-run.ts'
import { catalogue } from '../../suites/index.ts'
import { check } from '../../tests/plain-checks.ts'
import { allValues, type Check, type Stage, sendsRequests, type Value } from '../check/declare.ts'
import { runnableChecks } from './check-order.ts'
import { Draw, rowBudget } from './draw.ts'

const { keys } = oneFreeKey
const [free] = keys as [(typeof keys)[number]]

describe('the budget of rows', () => {
  test.for([
    ['four minutes of each key', { keys: [free, free] }, 480],
    ['one where the run does not wait', { noWait: true }, 60],
    ['what the time has', { budget: { maxTimeMs: 600_000 } }, 600],
    ['a minute of it at least', { budget: { maxTimeMs: 5_000 } }, 60],
    ['no more than a day', { budget: { maxTimeMs: 7_200_000 } }, 1_000],
    ['the requests that were given', { budget: { maxRequests: 900 } }, 900],
    ['both bounds', { budget: { maxRequests: 90, maxTimeMs: 120_000 } }, 90],
    ['everything with a test clock', { clockUrl: 'http://127.0.0.1/clock' }, Infinity],
  ] as const)('%s', ([, own, calls]) => {
    expect(rowBudget({ ...oneFreeKey, ...own })).toBe(calls)
  })
})

const values = (count: number, words: string): Value[] =>
  Array.from({ length: count }, (_, nth) => [`${words} ${nth}`, () => get('/pets')])

const rowOf = (id: string, first: number, more: number, stage: Stage = 'reads'): Check => ({
  ...check(id, 'list.success', { stage }, async () => {}),
  values: values(first, id),
  more: values(more, `more of ${id}`),
})

const rows = [rowOf('small', 130, 0), rowOf('large', 1, 150), rowOf('other', 1, 150)]
const drawOf = (checks: readonly Check[], seed = 7) => new Draw(checks, { ...oneFreeKey, seed })
const wordsOf = (draw: Draw, id: string) =>
  rows.filter((row) => row.id === id).flatMap((row) => draw.valuesOf(row).map(([words]) => words))

test('a row that is selected sends what it sends in a whole run', () => {
  const selected = rows.filter(({ id }) => id === 'large')
  const alone = new Draw(selected, { ...oneFreeKey, whole: rows, seed: 7 })
  const sent = wordsOf(alone, 'large')
  expect(sent).toEqual(wordsOf(drawOf(rows), 'large'))
  expect(sent.length).toBeLessThan(60)
  expect(alone.sharesAfter([])).toEqual({ list: [0, 151] })
})

test('a row that is added takes room, and leaves the order of the others', () => {
  const before = new Set(wordsOf(drawOf(rows), 'large'))
  const after = wordsOf(drawOf([...rows, rowOf('added', 9, 0)]), 'large')
  expect(after.length).toBeLessThan(before.size)
  expect(after.filter((words) => !before.has(words))).toEqual([])
})

test('one Free key gets four minutes of rows, and the run says how many of how many', async () => {
  const added = [rowOf('added-first-200', 3, 4), rowOf('added-second-200', 3, 4)]
  const whole = runnableChecks(catalogue, oneFreeKey)
  const all = whole.flatMap((each) => (each.values ? allValues(each) : [])).length
  for (const [checks, most] of [
    [catalogue, all],
    [[...catalogue, ...added], all + 14],
  ] as const) {
    const { run, sent, lengthMs } = await measureRun(checks, oneFreeKey)
    const keyed = [...sent].reduce((sum, [, each]) => sum + each.keyed, 0)
    expect(keyed).toBeGreaterThan(220)
    expect(keyed).toBeLessThan(260)
    expect(lengthMs).toBeLessThan(5 * 60_000)
    const shares = Object.values(run.values ?? {})
    expect(shares.reduce((sum, [, of]) => sum + of, 0)).toBe(most)
    expect(run.notes.join()).toContain(`of ${most} values of rows were sent (`)
  }
  expect(catalogue.filter(sendsRequests).length).toBeGreaterThan(whole.length)
})
