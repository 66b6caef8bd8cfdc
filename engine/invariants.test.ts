// An invariant's ending: over responses that meet it, violate it, or do not decide it.
import { describe, expect, test } from 'vitest'
import { fakeExchange, fakeTrace } from '../tests/fake-exchange.ts'
import { invariant } from '../tests/plain-checks.ts'
import { statusOf } from './exchange.ts'
import { violate } from './expect.ts'
import { judgeInvariants } from './invariants.ts'
import { Suspicion, Untested } from './outcome.ts'

/** 200 meets it, 404 violates it, 403 may, 401 decides nothing, and it is not about 400. */
const made = invariant(
  'made-up',
  'service.json',
  (exchange) => statusOf(exchange) !== 400,
  (exchange) => {
    if (statusOf(exchange) === 404) violate('another status', '404', exchange)
    if (statusOf(exchange) === 403) throw new Suspicion('403 has an explanation', [exchange])
    if (statusOf(exchange) === 401) throw new Untested('ambiguous', '401 decides nothing')
  },
)

const endingOf = (...statuses: number[]) => {
  const responses = statuses.map((status) => fakeExchange('/pets', { status, body: '[]' }))
  const [ending] = judgeInvariants([made], fakeTrace(...responses))
  return ending?.kind === 'threw' ? String(ending.error) : ending?.kind
}

describe('an invariant', () => {
  test('passes if a valid request got a valid response', () => {
    expect(endingOf(200, 400)).toBe('pass')
  })

  test('is violated by one response, whatever the others are', () => {
    expect(endingOf(200, 401, 404)).toContain('404 (the only violation in 2 responses)')
  })

  test('passes if some responses meet it and the others decide nothing', () => {
    expect(endingOf(401, 200)).toBe('pass')
  })

  test('is inconclusive if one response may violate it, unless another one does', () => {
    expect(endingOf(200, 403, 401)).toContain('403 has an explanation')
    expect(endingOf(200, 403, 404)).toContain('404 (the only violation in 3 responses)')
  })

  test('is untested if no response decides it, or it is about none', () => {
    expect(endingOf(401, 401)).toContain('401 decides nothing')
    expect(endingOf(400)).toContain('no matching response')
  })
})
