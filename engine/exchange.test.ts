// The value of a header is read without the blanks around it, in time that grows with its length.
import { expect, test } from 'vitest'
import { header } from './exchange.ts'

const readBack = (value: string) =>
  header({ at: '', response: { headers: [['X-Name', value]] } }, 'x-name')

test.each([
  ['', ''],
  [' \t ', ''],
  ['a', 'a'],
  [' \ta \t b\t ', 'a \t b'],
  // No other space is meant (RFC 9110, 5.6.3).
  ['\u00a0a\u00a0', '\u00a0a\u00a0'],
])('%j is %j', (value, bare) => {
  expect(readBack(value)).toBe(bare)
})

test('a million blanks inside take no minutes, as they would by a regular expression', () => {
  const value = `a${' '.repeat(1_000_000)}b`
  expect(readBack(value)).toBe(value)
})
