// The committed kill table has a line for each mutant, and a comparison names what is lost.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { catalogue } from '../suites/index.ts'
import {
  compareTables,
  findAlarms,
  findersOf,
  findIdleChecks,
  type KillLine,
  makeOrder,
  readKillTable,
} from './kill-table.ts'
import { subjects } from './subjects.ts'

test('it has all mutants, each once; no two subjects share an id', () => {
  const facts = ({ id, caughtBy }: { id: string; caughtBy: string | null }) => `${id} ${caughtBy}`
  const mutants = subjects.filter(({ kind }) => kind === 'mutant')
  expect(readKillTable().map(facts).sort()).toEqual(mutants.map(facts).sort())
  const ids = subjects.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('each headline that is pinned is of a mutant', () => {
  const text = readFileSync(new URL('headlines.txt', import.meta.url), 'utf8')
  const pinned = [...text.matchAll(/^([a-z0-9-]+): /gm)].map(([, id]) => id)
  const known = readKillTable().map(({ id }) => id)
  expect(pinned.filter((id) => id === undefined || !known.includes(id))).toEqual([])
  expect(pinned).toHaveLength(60)
})

const line = (id: string, full: readonly string[], oneKey: readonly string[] = []): KillLine => ({
  ...{ id, caughtBy: 'list-limit-most', full, oneKey, shownBy: [] },
})

test('a mutant that is found by nothing any more is lost; by another check it is not', () => {
  const stored = [line('one', ['a', 'b'], ['a']), line('two', ['b']), line('three', [], ['a'])]
  const now = [line('one', ['a', 'c']), line('two', ['c']), line('three', [])]
  const { lost, report } = compareTables(now, stored)
  expect(lost).toEqual([
    'one is found by nothing any more with one Free key; before by a',
    'three is found by nothing any more with one Free key; before by a',
  ])
  expect(report).toEqual([
    ...['2 of 3 mutants found with all keys and a clock (2 before)', '  one: -b +c'],
    ...['  two: -b +c', '0 of 3 mutants found with one Free key (2 before)', '  one: -a'],
    '  three: -a',
  ])
})

test('the check that claims a mutant finds it, with all keys and a clock', () => {
  const isMissed = ({ full, caughtBy }: KillLine) => !full.includes(caughtBy)
  expect(readKillTable().filter(isMissed)).toEqual([])
})

test('a mutant without a committed line is neither lost nor named', () => {
  const { lost, report } = compareTables([line('new', ['a'])], [])
  expect([lost, report.join()]).toEqual([[], expect.not.stringContaining('new')])
})

test('a binding check that finds no mutant is named, an observation is not', () => {
  const table = readKillTable()
  expect(findIdleChecks(table)).toEqual([])
  const without = table.map((each) => ({
    ...each,
    full: each.full.filter((id) => id !== 'quota-free'),
    oneKey: each.oneKey.filter((id) => id !== 'quota-free'),
  }))
  expect(findIdleChecks(without)).toEqual(['quota-free'])
})

test('a must that fails at a mutant of a should alone is a false alarm', () => {
  const ofShould = { ...line('date', ['date-advances']), caughtBy: 'date-advances' }
  const both = { ...ofShould, oneKey: ['date-advances', 'header-reset-ahead'] }
  expect(findAlarms([both], new Map([['date', both]]))).toEqual([])
  expect(findAlarms([both], new Map([['date', ofShould]]))).toEqual([
    'mutant date violates a should alone, and fails header-reset-ahead',
  ])
})

test('the order takes what finds most per request, and less what finds a fault again', () => {
  const finders = [
    ['list-limit-bounds-200', 'list-limit-out-of-range'],
    ['list-limit-out-of-range'],
    ['list-limit-out-of-range', 'get-id-word-refused'],
    ['get-id-word-refused'],
  ].map((each) => new Set(each))
  const sent = new Map(
    ['list-limit-bounds-200', 'list-limit-out-of-range', 'get-id-word-refused'].map((id, at) => [
      id,
      { keyed: at === 0 ? 2 : 1, anonymous: 0 },
    ]),
  )
  const room = 1
  const first = makeOrder(catalogue, finders, sent, room)
  expect(first).toEqual(['list-limit-out-of-range'])
  expect(makeOrder(catalogue, finders, sent, 2).toSorted()).toEqual([
    'get-id-word-refused',
    'list-limit-out-of-range',
  ])
})

test('the check that was made for a mutant has no part in the order', () => {
  const own = { ...line('one', ['a']), caughtBy: 'a', oneKey: ['a', 'b'], shownBy: ['c'] }
  expect([...findersOf(own)]).toEqual(['b', 'c'])
})
