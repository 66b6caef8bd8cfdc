// Requests without a valid key: none has a valid bearer token, and a shell derives the same keys.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { Context, Forgery } from '../../engine/check/context.ts'
import { get } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { credentials } from './credentials.ts'
import { altered, sent } from './demand.ts'

const contextOf = (key: string, forged: Forgery[] = []) =>
  ({
    seed: 7,
    knownPets: { someId: () => 1n },
    limits: { keys: [] },
    newPet: (members = {}) => ({ name: 'petvet-1', categoryId: 1n, ...members }),
    forge: (forgery: Forgery) => {
      forged.push(forgery)
      return forgery.of(key)
    },
  }) as unknown as Context

const key = 'a1B2-xyz/+_Q'

/** What a shell prints for these words. */
const printed = (words: string, key: string): string =>
  execFileSync('bash', ['--norc', '-c', `printf %s "${words}"`], {
    env: { PETVET_KEY: key, PATH: process.env.PATH },
    encoding: 'latin1', // As headers are sent.
    stdio: ['ignore', 'pipe', 'ignore'],
  })

test.for(credentials)('a shell derives the same key: $id', ({ values = [] }) => {
  const forged: Forgery[] = []
  for (const [, make] of values) make(contextOf(key, forged), () => undefined as never)
  for (const { of, shell } of forged.filter((one) => one.of !== encodeURIComponent)) {
    expect(printed(shell, key)).toBe(of(key))
  }
})

test.for([
  ['otherCase', '123-456'],
  ['firstHalf', 'a'],
] as const)('a key that cannot be changed is untested: %s of %s', ([name, short]) => {
  expect(() => altered(name)(get('/pets'), contextOf(short))).toThrow(Untested)
})

test('the key that was never issued is determined by the seed', () => {
  const keyOf = (seed: number) =>
    sent('Bearer OTHER')(get('/pets'), { ...contextOf(key), seed }).authorization?.[0]
  expect(keyOf(7)).toBe(keyOf(7))
  expect(keyOf(7)).not.toBe(keyOf(8))
  expect(keyOf(0)).toMatch(/^Bearer petvet-\d{30,}$/)
})

test.each([
  ['sk_live_abc', 'sk_lixe_abc', 'sk_xive_abc'],
  ['pk.x.y1', 'pk.y.y1', 'pk.y.y1'],
  ['abcd', 'abxd', 'axcd'],
  ['abx-', 'aby-', 'axx-'],
])('changed in the middle or in a segment: %s', (key, inMiddle, inSegment) => {
  const forged: Forgery[] = []
  const context = contextOf(key, forged)
  const headers = (['middle', 'segment'] as const).map(
    (name) => altered(name)(get('/pets'), context).authorization?.[0],
  )
  expect(headers).toEqual([`Bearer ${inMiddle}`, `Bearer ${inSegment}`])
  for (const { of, shell } of forged) expect(printed(shell, key)).toBe(of(key))
})

test('no key that is sent looks as if a report had masked it', () => {
  for (const { values = [] } of credentials) {
    for (const [, make] of values) {
      const [header = ''] = make(contextOf(key), () => undefined as never).authorization ?? []
      expect(header).not.toMatch(/ (?:\*{2,}|x{3,}|\u2022+|\[?redacted\]?)$/i)
    }
  }
})
