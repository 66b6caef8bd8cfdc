// Generated values are what they say, and the same ones for the same seed.
import { expect, test } from 'vitest'
import { withJson } from '../../engine/check/parts.ts'
import { isOrdinaryName } from '../../model/read-body.ts'
import { riskyNames, unlikelyCategory } from './arbitraries.ts'

test('unknown categories are of their size, the same ones for the same seed', () => {
  for (const seed of [7, 8, -9]) {
    expect(unlikelyCategory(seed, 'below 10^6', 0)).toBeLessThan(10n ** 6n)
    expect(unlikelyCategory(seed, 'below 10^8', 0)).toBeLessThan(10n ** 8n)
    expect(unlikelyCategory(seed, 'below 2^31', 0)).toBeLessThan(2n ** 31n)
    expect(unlikelyCategory(seed, 'beyond 2^32', 0)).toBeGreaterThan(2n ** 31n)
    expect(unlikelyCategory(seed, 'beyond 2^53', 0)).toBeGreaterThan(2n ** 53n)
    const ids = [0, 1].map((nth) => unlikelyCategory(seed, 'beyond 2^53', nth))
    expect(new Set(ids).size).toBe(2)
    expect(unlikelyCategory(seed, 'beyond 2^53', 1)).toBe(ids[1])
  }
})

test('a name has room for a text of each column, and for what a form of JSON needs', () => {
  const texts = Object.values(riskyNames).flat()
  const longest = [0, 1, 2].map((column) =>
    texts
      .filter(([, own]) => own === column)
      .map(([text]) => text)
      .reduce((a, b) => (a.length < b.length ? b : a)),
  )
  const { 'text form': needed } = withJson(String, true)
  expect(isOrdinaryName([...longest, needed].join(' '))).toBe(true)
})
