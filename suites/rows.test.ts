// No row is declared valid whose request leaves the status open.
import { expect, test } from 'vitest'
import type { Context } from '../engine/check/context.ts'
import { allValues, sendsRequests } from '../engine/check/declare.ts'
import { buildRequest, drawnParts } from '../engine/check/parts.ts'
import { pickBy } from '../engine/check/row.ts'
import { read } from '../model/read.ts'
import { catalogue } from './index.ts'

const context = {
  seed: 7,
  names: { fresh: () => 'petvet-5f21c09b-1' },
  knownPets: { count: () => 30, seen: new Map(), creations: [] },
  categories: { free: true, known: [], any: 7n },
  newPet: (members = {}) => ({ name: 'petvet-5f21c09b-1', categoryId: 7n, ...members }),
} as unknown as Context

const packed = catalogue.flatMap((check) =>
  sendsRequests(check) && check.pack ? [[check.id, check.pack, allValues(check)] as const] : [],
)

test.each(packed)('%s is valid', (_id, operation, values) => {
  expect(values.length).toBeGreaterThan(0)
  if (operation === 'get') throw new Error('no such row is packed')
  for (const [words, , parts = {}] of values) {
    const apiRequest = buildRequest(operation, context, drawnParts(parts, context, pickBy(7)))
    const open = read({ apiRequest }).parts.filter(({ is }) => is !== 'valid')
    expect([words, open]).toEqual([words, []])
  }
})

test('so is the largest pack of fields', () => {
  const fields = packed.flatMap(([, , values]) =>
    values.flatMap(([, , parts = {}]) =>
      Object.entries(parts).filter(([part]) => part.startsWith('field ')),
    ),
  )
  const longest = Object.entries(Object.groupBy(fields, ([part]) => part))
    .map(
      ([part, all = []]) =>
        [
          part,
          all
            .map(([, lines]) => lines as readonly (readonly string[])[])
            .toSorted((a, b) => b.join().length - a.join().length)[0],
        ] as const,
    )
    .toSorted(([, a], [, b]) => (b?.join().length ?? 0) - (a?.join().length ?? 0))
  const apiRequest = buildRequest('list', context, Object.fromEntries(longest.slice(0, 24)))
  expect(read({ apiRequest }).parts.filter(({ kind }) => kind === 'long')).toEqual([])
})
