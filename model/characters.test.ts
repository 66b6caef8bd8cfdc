// Which characters of a name decide, and how many of one.
import { expect, test } from 'vitest'
import { post } from '../history/exchange.ts'
import { printJson } from '../history/json.ts'
import { firstDifference } from '../history/value-kinds.ts'
import { fakeExchange } from '../tests/fakes/fake-exchange.ts'
import { wordsOfCount, wordsOfDifference } from './characters.ts'
import { isolate } from './isolation/isolate.ts'
import { Seen } from './isolation/seen.ts'

const created = (name: string, status: number, seq: number, more = {}) =>
  fakeExchange(post('/pets', printJson({ name, categoryId: 1n, ...more })), {
    status,
    body: '{}',
    seq,
  })

const named = (tail: string, status: number, seq: number, more = {}) =>
  created(`petvet-a-${seq}${tail}`, status, seq, more)

const wordsAt = (last: ReturnType<typeof created>, ...others: ReturnType<typeof created>[]) =>
  isolate(last, new Seen([...others, last]))?.parts.map(({ words }) => words)

// As long as all others are.
const plain = named('-and-more', 201, 1)
const one = named("x'x", 201, 2)

test('a kind of characters decides, unless a name with it passes', () => {
  expect(wordsAt(named("x'x", 500, 3), plain)).toEqual(['with an apostrophe in the name'])
  expect(wordsAt(named("x'x'x", 500, 3), plain, one)).toEqual(['with two apostrophes in the name'])
  expect(wordsAt(named('x<x', 500, 3), plain, named('x;x', 201, 2))).toEqual([
    'with "<" in the name',
  ])
})

test('each odd or even number of a character', () => {
  const [odd, three] = [named("x'x", 500, 3), named("x'x'x'x", 500, 4)]
  const two = named("x'x'x", 201, 5)
  expect(wordsAt(odd, plain, two, three)).toEqual(['with an odd number of apostrophes in the name'])
  expect(wordsAt(odd, plain, two, three, named("x'x'x'x'x", 500, 6))).not.toEqual(
    wordsAt(odd, plain, two, three),
  )
})

test('a status is not named where the characters of the names differ', () => {
  const sold = named("x'x'x", 500, 3, { status: 'sold' })
  expect(wordsAt(sold, plain, one)).toBeUndefined()
  expect(wordsAt(named('', 500, 3, { status: 'sold' }), plain)).toEqual(['with status "sold"'])
})

test('a name that an earlier pet has, where each such name fails', () => {
  const [first, again] = [created('petvet-a-1', 201, 1), created('petvet-a-1', 500, 3)]
  expect(wordsAt(again, first)).toEqual(['with the name of an earlier pet'])
  expect(wordsAt(again, first, created('petvet-a-1', 201, 2))).not.toEqual(wordsAt(again, first))
})

test.each([
  ['\u200d', 1, false, 'with U+200D in the name'],
  [' ', 1, false, 'with a space in the name'],
  ['"', 3, false, 'with 3 double quotes in the name'],
  ['<', 2, true, 'with an even number of "<" in the name'],
])('a character %j in words, and how many: %i', (of, least, isOfEach, words) => {
  expect(wordsOfCount({ of, least, isOfEach })).toBe(words)
})

test.each([
  ['petvet-1 %2F ..', 'petvet-1 / ..', '"/" in place of "%2F"'],
  ["it's", "it''s", '"\'" added'],
  ['na\u00efve', 'nave', '"\u00ef" left out'],
  ['a\u200db', 'ab', 'U+200D left out'],
  [`a ${'\u{1d49f} \u{1d4d0}\u{1d4d1} '.repeat(4)}`, `a ${'  '.repeat(4)}`, '"\u{1d49f}" left out'],
])('what differs first between %o and %o', (before, after, words) => {
  const difference = firstDifference(before, after)
  expect(difference && wordsOfDifference(difference)).toBe(words)
})

test('no first difference where the rest is another text, or there is none', () => {
  expect(firstDifference('one text altogether', 'and quite another one')).toBeUndefined()
  expect(firstDifference('Rex', 'Rex')).toBeUndefined()
})
