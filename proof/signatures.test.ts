// The shipped fault dictionary is what the suites find at the mutants now.
import { expect, test } from 'vitest'
import type { DictionaryText } from '../causes/dictionary.ts'
import { textOf } from '../tests/layout/sources.ts'
import { sample } from '../tests/sample.ts'
import { findEntries } from './signatures.ts'

test('the dictionary holds what its mutants fail', { timeout: 40 * 60_000 }, async () => {
  const stored: DictionaryText = JSON.parse(textOf('causes/dictionary.json'))
  // Those that share an entry come together.
  const expected = sample(stored, 300)
  const ids = expected.flatMap(({ mutants }) => mutants)
  expect(ids.length).toBeGreaterThan(1)
  expect(await findEntries(ids, () => {})).toEqual(expected)
})
