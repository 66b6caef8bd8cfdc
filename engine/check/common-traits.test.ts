// What responses that are wrong have in common, and few that are valid, in words.
import { expect, test } from 'vitest'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { findCommon } from './common-traits.ts'
import type { AnsweredExchange } from './exchange.ts'

const pets = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, id) => ({ id: id + 1 })))

const lists = (path: string, counts: readonly number[], key = 'pro-1'): AnsweredExchange[] =>
  counts.map((count, seq) => fakeExchange(path, { status: 200, body: pets(count), key, seq }))

const ofManyChecks = (all: readonly AnsweredExchange[]) =>
  all.map((one, at) => ({ ...one, check: `check-${at}` }))

const times = (count: number, value: number): number[] => Array(count).fill(value)

test('a parameter that no wrong request has', () => {
  const bad = ofManyChecks(lists('/pets', times(8, 3)))
  const valid = lists('/pets?status=sold', times(60, 3))
  expect(findCommon(bad, valid)).toBe('without status')
})

test('a number that all that is wrong reaches, and the plan of the key', () => {
  const bad = ofManyChecks(lists('/pets?limit=60', times(8, 50), 'free-1'))
  const valid = [
    ...lists('/pets?limit=60', times(40, 60)),
    ...lists('/pets?limit=5', times(400, 5), 'free-1'),
  ]
  expect(findCommon(bad, valid)).toBe('with a limit of 60 and with a key of the plan free')
})

test('nothing, where as many others have it, or few responses are wrong', () => {
  const valid = lists('/pets?status=sold', times(60, 3))
  const same = ofManyChecks(lists('/pets?status=sold', times(8, 3)))
  expect(findCommon(same, valid)).toBeUndefined()
  const few = ofManyChecks(lists('/pets', times(5, 3)))
  expect(findCommon(few, valid)).toBeUndefined()
})

test('the requests of one check count as few', () => {
  const valid = [...lists('/pets', times(4, 3)), ...lists('/pets?status=sold', times(40, 3))]
  const bad = lists('/pets', times(8, 3))
  expect(findCommon(bad, valid)).toBeUndefined()
  expect(findCommon(ofManyChecks(bad), valid)).toBe('without status')
})
