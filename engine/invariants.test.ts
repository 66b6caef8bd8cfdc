// An invariant's ending: over answers that keep it, break it, or do not tell.
import { describe, expect, test } from 'vitest'
import { fakeExchange, fakeTrace } from '../tests/fake-exchange.ts'
import { invariant } from '../tests/plain-checks.ts'
import { statusOf } from './exchange.ts'
import { violate } from './expect.ts'
import { judgeInvariant } from './invariants.ts'
import { Suspicion, Untested } from './outcome.ts'

/** 200 keeps it, 404 breaks it, 403 may, 401 does not tell, and it does not speak of 400. */
const made = invariant(
  'made-up',
  'service.json',
  (exchange) => statusOf(exchange) !== 400,
  (exchange) => {
    if (statusOf(exchange) === 404) violate('another status', '404', exchange)
    if (statusOf(exchange) === 403) throw new Suspicion('403 has an explanation', [exchange])
    if (statusOf(exchange) === 401) throw new Untested('ambiguous', '401 does not tell')
  },
)

const endingOf = (...statuses: number[]) => {
  const answers = statuses.map((status) => fakeExchange('/pets', { status, body: '[]' }))
  const ending = judgeInvariant(made, fakeTrace(...answers))
  return ending.kind === 'threw' ? String(ending.error) : ending.kind
}

describe('an invariant', () => {
  test('passes if a valid request got a valid response', () => {
    expect(endingOf(200, 400)).toBe('pass')
  })

  test('is broken by one answer, whatever the others do', () => {
    expect(endingOf(200, 401, 404)).toContain('in 1 of 2 responses, first: 404')
  })

  test('passes over the answers that tell, beside those that do not', () => {
    expect(endingOf(401, 200)).toBe('pass')
  })

  test('is in doubt where one answer may break it, unless another one does', () => {
    expect(endingOf(200, 403, 401)).toContain('403 has an explanation')
    expect(endingOf(200, 403, 404)).toContain('in 1 of 3 responses, first: 404')
  })

  test('is undecided where no answer tells, or none is spoken of', () => {
    expect(endingOf(401, 401)).toContain('401 does not tell')
    expect(endingOf(400)).toContain('no matching response')
  })
})
