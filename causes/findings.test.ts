// Of all that shows a violation, the plainest exchange is shown.
import { expect, test } from 'vitest'
import { joined } from '../engine/check/findings.ts'
import { type ApiRequest, get, markTogether } from '../history/exchange.ts'
import type { Violation } from '../history/outcome.ts'
import { sent, wrongly } from '../tests/fakes/fake-failures.ts'
import { explain } from './findings.ts'

const tooMany = { aspect: 'count', kind: 'too many', by: 'one' } as const

const found = (request: ApiRequest | string, own: object = {}) => {
  const exchange = { ...sent(request, 200), ...own }
  return wrongly(tooMany, 'at most 1 pet', `2 pets for ${exchange.apiRequest.path}`, exchange)
}

const [together, other] = [found('/pets'), found('/pets')]
markTogether([together, other].flatMap(({ evidence }) => evidence))

const browser = { ...get('/pets'), headers: [['DNT', '1']] } as const
const plain = found('/pets?limit=1')
const sequence = found('/pets')
const before = sent('/pets/7', 200)

test.each<[string, Violation]>([
  ['alone rather than in flight', together],
  ['one request rather than several', { ...sequence, evidence: [before, ...sequence.evidence] }],
  ['fewest parts', found('/pets?limit=1&status=sold')],
  ['no further header', found({ ...browser, path: '/pets?limit=1' })],
  ['a row rather than a walk', found('/pets?limit=1', { check: 'walk-list' })],
  ['the shorter path', found('/pets?limit=10')],
])('%s', (_, odd) => {
  const all = joined([odd, odd, plain, odd], 4, 'responses') as Violation
  const { shown, findings } = explain(all, [])
  expect(shown.evidence).toEqual(plain.evidence)
  const [seq, ...others] = [plain, odd, odd, odd].map(({ evidence }) => evidence.at(-1)?.seq)
  expect(findings).toMatchObject([{ actual: plain.actual, times: 4, exchanges: [seq, ...others] }])
})
