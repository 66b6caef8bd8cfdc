// Prose fits a terminal; tables, and what is piped, stay as they are.
import { expect, test } from 'vitest'
import { wrapLine, wrapText } from './text.ts'

const text = [
  'Duration: a minute.',
  'It holds for a minute of the clock, and',
  'for no other.',
  '',
  'suite           on keys  without a key',
  'authentication       12              3',
  '',
  'Left out: 2 checks.',
  '  --allow write alone would add both of them',
  '',
].join('\n')

test('paragraphs are wrapped, and tables are not', () => {
  expect(wrapText(text, 30).split('\n')).toEqual([
    'Duration: a minute. It holds',
    'for a minute of the clock, and',
    'for no other.',
    '',
    'suite           on keys  without a key',
    'authentication       12              3',
    '',
    'Left out: 2 checks.',
    '  --allow write alone would',
    '  add both of them',
    '',
  ])
})

test.for([null, 80])('at %s columns it stays as it is', (columns) => {
  expect(wrapText(text, columns)).toBe(text)
})

test('a line keeps its indentation', () => {
  const line = '    A pet is named by its creator, always'
  expect(wrapLine(line, 30)).toEqual(['    A pet is named by its', '    creator, always'])
  expect([wrapLine(line, null), wrapLine('', 30)]).toEqual([[line], ['']])
})
