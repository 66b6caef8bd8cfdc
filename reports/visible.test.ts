// Control characters are made visible; ordinary text stays.
import { expect, test } from 'vitest'
import { inertJson, visible, wrapLine } from './visible.ts'

test.for([
  ['an escape', '\u001b[2J', '\\u{1b}[2J'],
  ['a C1 control', '\u009b31m', '\\u{9b}31m'],
  ['a delete', '\u007f', '\\u{7f}'],
  ['line ends', 'a\r\nb\tc', 'a\\r\\nb\\tc'],
  ['a line separator', '\u2028', '\\u{2028}'],
  ['a turn of direction', '\u202eevil\u2066', '\\u{202e}evil\\u{2066}'],
  ['an invisible mark', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
  ['half a pair', '\ud800!', '\\u{d800}!'],
  ['a tag character', '\u{e0041}', '\\u{e0041}'],
  [
    'a command of a runner',
    'a ##[error]b ##Vso[task.setvariable x]c',
    'a #\\u{23}[error]b #\\u{23}Vso[task.setvariable x]c',
  ],
  ['what XML lacks', '\uffff\u0000', '\\u{ffff}\\u{0}'],
])('%s is shown', ([, text = '', shown]) => {
  expect(visible(text)).toBe(shown)
})

test('JSON says the same, and no runner or terminal obeys it', () => {
  const value = { '##[a]': ['###vso[b]c', '\u009b31m', '\u202e', 'Zoë # ## [x]'] }
  const text = inertJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).not.toMatch(/##\w*\[|[\u0080-\u009f\u202e]/)
  expect(text).toContain('Zoë # ## [x]')
})

test('scripts, accents and emoji stay', () => {
  const text = 'Zoë Łódź 猫 كلب e\u0301 🐈 "quoted"'
  expect(visible(text)).toBe(text)
})

test('a line keeps its indentation, and one that is piped stays as it is', () => {
  const line = '    A pet is named by its creator, always'
  expect(wrapLine(line, 30)).toEqual(['    A pet is named by its', '    creator, always'])
  expect([wrapLine(line, null), wrapLine('', 30)]).toEqual([[line], ['']])
})
