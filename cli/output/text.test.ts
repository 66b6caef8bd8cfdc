// Prose fits a terminal; what is piped stays as it is.
import { expect, test } from 'vitest'
import { wrapLine } from './text.ts'

test('a line keeps its indentation', () => {
  const line = '    A pet is named by its creator, always'
  expect(wrapLine(line, 30)).toEqual(['    A pet is named by its', '    creator, always'])
  expect([wrapLine(line, null), wrapLine('', 30)]).toEqual([[line], ['']])
})
