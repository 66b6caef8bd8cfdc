// The shipped fault dictionary is what the suites find at the mutants now.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { DictionaryText } from '../../causes/dictionary.ts'
import { sample } from '../sample.ts'
import { findEntries } from './signatures.ts'

const file = new URL('../../causes/dictionary.json', import.meta.url)

test('the dictionary holds what its mutants fail', { timeout: 40 * 60_000 }, async () => {
  const stored: DictionaryText = JSON.parse(readFileSync(file, 'utf8'))
  // Those that share an entry come together.
  const expected = sample(stored, 300)
  const ids = expected.flatMap(({ mutants }) => mutants)
  expect(ids.length).toBeGreaterThan(1)
  expect(await findEntries(ids, () => {})).toEqual(expected)
})
