// What a text of JSON would cost to read: right for texts of any kind, and never slow.
import { expect, test } from 'vitest'
import { measureJson } from './json-measure.ts'

test.each([
  ['', { depth: 0, values: 1, hasOddNumber: false }],
  ['[1,{"a":[true,null]}]', { depth: 3, values: 6, hasOddNumber: false }],
  ['"[[[[,,,,1.5"', { depth: 0, values: 1, hasOddNumber: false }],
  ['["\\"[", "\\\\", []]', { depth: 2, values: 5, hasOddNumber: false }],
  ['999999999999999', { depth: 0, values: 1, hasOddNumber: false }],
  ['9999999999999999', { depth: 0, values: 1, hasOddNumber: true }],
  ['[-12.5]', { depth: 1, values: 2, hasOddNumber: true }],
  ['[1e5]', { depth: 1, values: 2, hasOddNumber: true }],
  ['[1E5]', { depth: 1, values: 2, hasOddNumber: true }],
  ['[false, "1e5"]', { depth: 1, values: 3, hasOddNumber: false }],
])('%s', (text, measure) => {
  expect(measureJson(text)).toEqual(measure)
})

test.each([
  ['a string of escaped quotes that is never closed', `"${'\\"'.repeat(500_000)}`],
  ['a string of backslashes', `"${'\\'.repeat(1_000_001)}`],
  ['many openings', '['.repeat(1_000_000)],
])('%s is looked through once', (_what, text) => {
  const startMs = performance.now()
  measureJson(text)
  expect(performance.now() - startMs).toBeLessThan(1_000)
})
