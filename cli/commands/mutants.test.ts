// The kill table says what it is of.
import { expect, test } from 'vitest'
import { killTable } from './mutants.ts'

test('of an interrupted proof the table says how many are missing', () => {
  expect(killTable([], 34)).toContain('interrupted, and 34 more not proven')
  expect(killTable([], null)).not.toContain('interrupted')
})
