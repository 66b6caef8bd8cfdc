// A clause's ending: over responses that meet it, violate it, or do not decide it.
import { expect, test } from 'vitest'
import { statusCode } from '../../history/exchange.ts'
import { Suspicion, Untested } from '../../history/outcome.ts'
import { violate } from '../../model/clause.ts'
import { fakeExchange, fakeTrace } from '../../tests/fakes/fake-exchange.ts'
import { clause } from '../../tests/plain-checks.ts'
import { judgeClauses } from './judge-clauses.ts'

/** 200 meets it, 404 violates it, 403 may, 422 decides nothing, and it is not about 400. */
const made = clause(
  'made-up',
  'service.json',
  (exchange) => statusCode(exchange) !== 400,
  (exchange) => {
    if (statusCode(exchange) === 404) violate('another status', '404', exchange)
    if (statusCode(exchange) === 403) throw new Suspicion('403 has an explanation', [exchange])
    if (statusCode(exchange) === 422) throw new Untested('ambiguous', '422 decides nothing')
  },
)

const endingOf = (...statuses: number[]) => {
  const responses = statuses.map((status) => fakeExchange('/pets', { status, body: '[]' }))
  const [ending] = judgeClauses([made], fakeTrace(...responses))
  return ending?.kind === 'threw' ? String(ending.error) : ending?.kind
}

test.for<[string, number[], string]>([
  ['passes if a valid request got a valid response', [200, 400], 'pass'],
  ['is violated by one response', [200, 422, 404], '404 (1 of 2 responses)'],
  ['passes if some meet it and others decide nothing', [422, 200], 'pass'],
  ['is inconclusive if one may violate it', [200, 403, 422], '403 has an explanation'],
  ['is violated all the same', [200, 403, 404], '404 (1 of 3 responses)'],
  ['is untested if no response decides it', [422, 422], '422 decides nothing'],
  ['is untested if it is about none', [400], 'there was none of what it judges: every response'],
])('a clause %s', ([, statuses, ending]) => {
  expect(endingOf(...statuses)).toContain(ending)
})
