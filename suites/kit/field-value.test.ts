// The value of a field without the blanks around it, in time that grows with its length alone.
import { expect, test } from 'vitest'
import { withoutEnds } from './field-value.ts'

test.each([
  ['', ''],
  [' \t ', ''],
  ['a', 'a'],
  [' \ta \t b\t ', 'a \t b'],
  // No other space is meant (RFC 9110, 5.6.3).
  ['\u00a0a\u00a0', '\u00a0a\u00a0'],
])('%j is %j', (value, bare) => {
  expect(withoutEnds(value)).toBe(bare)
})

test('a million blanks inside cost no more than a look at each', () => {
  const value = `a${' '.repeat(1_000_000)}b`
  const startMs = performance.now()
  expect(withoutEnds(value)).toBe(value)
  // By a pattern that looks for them at each place it takes minutes.
  expect(performance.now() - startMs).toBeLessThan(1_000)
})
