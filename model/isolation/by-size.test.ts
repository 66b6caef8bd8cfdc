// From which limit on lists have a wrong number of pets.
import { expect, test } from 'vitest'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { limitIn } from './by-size.ts'

const list = (query: string, count: number, seq: number) => {
  const pets = Array.from({ length: count }, (_, at) => ({ id: at + 1 }))
  return fakeExchange(`/pets?${query}`, { status: 200, body: JSON.stringify(pets), seq })
}

const wordsOf = (
  failing: readonly ReturnType<typeof list>[],
  ...others: ReturnType<typeof list>[]
) => limitIn(failing, [...others, ...failing]).map(({ words }) => words)

test('too many pets above a limit that is met although there are more', () => {
  const failing = [list('limit=11', 12, 5), list('limit=50', 51, 6)]
  const [more, met] = [list('limit=9&a=1', 30, 1), list('limit=10', 10, 2)]
  expect(wordsOf(failing, more, met)).toEqual(['with a limit above 10'])
  // No more pets than the limit had been seen.
  expect(wordsOf(failing, met)).toEqual([])
  expect(wordsOf(failing, more, met, list('limit=12', 12, 3))).toEqual([])
  expect(wordsOf(failing.slice(1), more, met)).toEqual([])
  expect(wordsOf([...failing, list('status=sold', 21, 7)], more, met)).toEqual([])
})

test('too few pets above a limit that is met, whatever else was seen', () => {
  const failing = [list('limit=51', 20, 5), list('limit=100', 20, 6)]
  expect(wordsOf(failing, list('limit=50', 50, 1))).toEqual(['with a limit above 50'])
  expect(wordsOf(failing, list('limit=49', 49, 1))).toEqual([])
})
