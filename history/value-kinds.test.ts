// Kinds of value: each is named for what happened to it, and for nothing else.
import { expect, test } from 'vitest'
import type { Json } from './json.ts'
import { describeChange, describeForm, describeTimeForm } from './value-kinds.ts'

test.each<[Json | undefined, Json | undefined, string]>([
  [1152926683602843897n, 1152926683602844000n, 'rounded to a double'],
  [4294967297n, 1n, 'cut to 32 bits'],
  [2n ** 64n + 5n, 5n, 'wrapped to 64 bits'],
  [-(2n ** 63n), 0n, 'another value'],
  [2n ** 63n, -(2n ** 63n), 'wrapped to 64 bits'],
  [7n, -7n, 'negated'],
  [7n, 8n, 'one more'],
  [7n, 6n, 'one less'],
  [2n ** 70n + 1n, 2n ** 63n - 1n, 'clamped'],
  [7n, '7', 'a string instead of a number'],
  ['7', 7n, 'a number instead of a string'],
  ['Rex', null, 'null'],
  ['Rex', undefined, 'missing'],
  [' Rex ', 'Rex', 'trimmed'],
  ['e\u0301', '\u00e9', 'normalized to NFC'],
  ['\u00e9', 'e\u0301', 'normalized to NFD'],
  ['ﬁ', 'fi', 'normalized to NFKC'],
  ['Rex', 'REX', 'in upper case'],
  ['Rex', 'rex', 'in lower case'],
  ['Rex the dog', 'Rex the', 'cut'],
  ['é', 'Ã©', 'UTF-8 read as Latin-1'],
  ['Ã©', 'é', 'Latin-1 read as UTF-8'],
  ['a & b', 'a &amp; b', 'with HTML escapes'],
  ['say "a"', 'say \\"a\\"', 'escaped twice'],
  ["O'Neil", "O''Neil", 'with quotes doubled'],
  ['a "b\'c"', 'a "b\'\'c"', 'with quotes doubled'],
  ['a%20b', 'a b', 'percent-decoded'],
  ['a  b', 'a b', 'with spaces joined'],
  ['Rex 🐈', 'Rex ?', 'with characters replaced'],
  ['Rex🐈Rex', 'RexRex', 'with characters left out'],
  ['Rex', 'Bello', 'another value'],
  [undefined, 'sold', 'another value'],
  // What a hostile target makes of a member, if something took it for a number.
  [{ toString: 1n }, { toString: 1n, valueOf: 2n }, 'another value'],
])('%s that comes back as %s is %s', (sent, got, change) => {
  expect(describeChange(sent, got)).toBe(change)
})

test.each([
  ['-1', 'negative'],
  ['59.5', 'with decimals'],
  ['1,000', 'with separators'],
  ['null', 'null'],
  ['', 'empty'],
  ['2026-11-20T12:00:00Z', 'a date'],
  ['60;w=60', 'a structured field'],
  ['60, 60', 'several values'],
  ['60 in a minute, as your plan has it', 'no number'],
  ['60s', 'with a unit'],
  ['60', 'an integer'],
  ['soon', 'no number'],
])('a header %j is %s', (value, form) => {
  expect(describeForm(value)).toBe(form)
})

test.each([
  ['1795435177902', 'in milliseconds'],
  ['60', 'seconds from now'],
  ['0', 'zero'],
  ['-1', 'negative'],
  ['99999999', 'another time'],
])('a Reset %j is %s', (value, form) => {
  expect(describeTimeForm(value)).toBe(form)
})
