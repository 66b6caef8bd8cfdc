// Requests without a valid key: none has a valid bearer token, and a shell derives the same keys.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { Context, Forgery } from '../../engine/check/context.ts'
import { type ApiRequest, get, post } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { keysOfNoValue, placeholderKeys } from '../vocabulary/absent-keys.ts'
import { credentials } from './credentials.ts'
import { keys } from './demand.ts'

const contextOf = (key: string, forged: Forgery[] = []) =>
  ({
    seed: 7,
    newPet: (members = {}) => ({ name: 'petvet-1', categoryId: 1n, ...members }),
    forge: (forgery: Forgery) => {
      forged.push(forgery)
      return forgery.of(key)
    },
  }) as Partial<Context> as Context

const valid: Record<string, ApiRequest> = {
  list: get('/pets'),
  create: post('/pets', '{"name":"petvet-1","categoryId":1}'),
  get: get('/pets/1'),
}

const key = 'a1B2-xyz/+_Q'

/** What a shell prints for these words. */
const printed = (words: string, key: string): string =>
  execFileSync('bash', ['--norc', '-c', `printf %s "${words}"`], {
    env: { PETVET_KEY: key, PATH: process.env.PATH },
    encoding: 'latin1', // As headers are sent.
    stdio: ['ignore', 'pipe', 'ignore'],
  })

test.for(credentials)('a shell derives the same key: $id', ({ requests }) => {
  const forged: Forgery[] = []
  for (const [operation, spoil] of requests) {
    spoil(valid[operation] ?? get('/'), contextOf(key, forged))
  }
  for (const { of, shell } of forged.filter((one) => one.of !== encodeURIComponent)) {
    expect(printed(shell, key)).toBe(of(key))
  }
})

const spoilOf = (id: string) => credentials.find((each) => each.id === id)?.requests[0]?.[1]

test.for([
  ['auth-letter-case-401', '123-456'],
  ['auth-cut-end-401', 'a'],
])('a key that cannot be changed is untested %s of %s', ([id = '', short = '']) => {
  const spoil = spoilOf(id)
  expect(() => spoil?.(get('/pets'), contextOf(short))).toThrow(Untested)
})

test('the key that was never issued is determined by the seed', () => {
  const spoil = spoilOf('auth-unissued-401')
  const keyOf = (seed: number) =>
    spoil?.(get('/pets'), { ...contextOf(key), seed }).authorization?.[0]
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
  const { middle, segment } = keys
  expect([middle.of(key), segment.of(key)]).toEqual([inMiddle, inSegment])
  expect([printed(middle.shell, key), printed(segment.shell, key)]).toEqual([inMiddle, inSegment])
})

test('no key that is sent looks as if a report had masked it', () => {
  for (const key of [...keysOfNoValue, ...placeholderKeys]) {
    expect(key).not.toMatch(/^(?:\*{2,}|x{3,}|\u2022+|\[?redacted\]?)$/i)
  }
})
