// The shipped fault dictionary is what the suites find at the mutants now.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { DictionaryText } from '../../causes/dictionary.ts'
import { sample } from '../../tests/sample.ts'
import { workThrough } from './pool.ts'
import { entriesOf } from './signatures.ts'
import { subjects } from './subject.ts'

const file = new URL('../../causes/dictionary.json', import.meta.url)

test('the dictionary holds what its mutants fail', { timeout: 40 * 60_000 }, async () => {
  const stored: DictionaryText = JSON.parse(readFileSync(file, 'utf8'))
  // Those that share an entry come together.
  const ids = new Set(sample(stored, 300).flatMap(({ mutants }) => mutants))
  const servers = subjects.filter(({ id }) => ids.has(id))
  expect(servers.length).toBeGreaterThan(1)
  const signal = new AbortController().signal
  const found = entriesOf(await workThrough(servers, 'signatures', 7, () => {}, signal))
  const expected = stored.filter(({ mutants }) => mutants.some((id) => ids.has(id)))
  expect(found).toEqual(expected)
})
