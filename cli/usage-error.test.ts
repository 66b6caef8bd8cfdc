// The nearest word: letters too many, missing, wrong, swapped; and none if no word is near.
import { expect, test } from 'vitest'
import { nearest } from './usage-error.ts'

const flags = ['key', 'seed', 'skip', 'strict', 'max-requests']

test.for([
  ['kye', 'key'],
  ['sed', 'seed'],
  ['sede', 'seed'],
  ['seeed', 'seed'],
  ['max-request', 'max-requests'],
  ['tsrict', 'strict'],
])('%s is meant for %s', ([word = '', meant]) => {
  expect(nearest(word, flags)).toBe(meant)
})

test.for(['', 'x', 'scenario', 'k'.repeat(5_000)])('%.10s is near to none', (word) => {
  expect(nearest(word, flags)).toBeUndefined()
})
