// Servers on which keys do not share their pets: if all keys read and write, no check
// expects a pet of one key to be shown to another.
import { describe, expect, test } from 'vitest'
import type { Permission } from '../engine/check/context.ts'
import { legalOwners } from '../reference/legal/pets.ts'
import { contractChecks, keyOf, outcomesOf, vetReference } from './vet-reference.ts'

/** Of one size, so that the work is spread over them: the key with most left is used. */
const keys = ['one', 'two', 'three'].map((name) => keyOf('business', name))

const allow: readonly Permission[] = ['write']

/** The keys that got a response of this status to such a request. */
const keysIn = (lines: readonly string[], method: string, path: RegExp, status: number) =>
  new Set(
    lines
      .map((line) => JSON.parse(line))
      .filter(({ request }) => request.method === method && path.test(request.url))
      .filter(({ response }) => response?.status === status)
      .map(({ key }) => key)
      .filter((key) => key !== null),
  )

const ownOfEach = legalOwners.find(({ id }) => id === 'animals-of-each-key')
const scopeId = 'auth-animals-by-key'

describe.for([
  ['with a test clock', {}],
  ['without one', { clockUrl: null }],
] as const)('a server on which each key has its own pets, %s', ([, clock]) => {
  test('fails nothing with three keys', { timeout: 60_000 }, async () => {
    const variant = ownOfEach ?? {}
    const { run, lines } = await vetReference(
      { keys, variant },
      { keys, allow, ...clock },
      contractChecks,
    )
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    const blocked = run.checks.filter(({ because }) => because === 'blocked')
    expect(blocked.map(({ id, detail }) => `${id}: ${detail}`)).toEqual([])
    expect(run.verdict).toBe('conformant')
    expect(run.checks.find(({ id }) => id === scopeId)?.detail).toBe('each key has its own')
    expect(keysIn(lines, 'POST', /\/pets$/, 201).size).toBe(keys.length)
    expect(keysIn(lines, 'GET', /\/pets(\?|$)/, 200).size).toBe(keys.length)
    expect(keysIn(lines, 'GET', /\/pets\/-?\d+$/, 200).size).toBeGreaterThan(1)
  })
})
