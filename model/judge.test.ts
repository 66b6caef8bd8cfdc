// The judge asks about a response once all that was sent before it came has ended, keeps what is
// violated, asks again what is in doubt, and drops what was found to be void.
import { expect, test } from 'vitest'
import { type AnsweredExchange, get, statusCode } from '../history/exchange.ts'
import { RunHistory } from '../history/history.ts'
import { Untested } from '../history/outcome.ts'
import { fakeExchange, fakeTrace } from '../tests/fakes/fake-exchange.ts'
import { clause } from '../tests/plain-checks.ts'
import { violate } from './clause.ts'
import { Judge } from './judge.ts'

/** 404 violates it, 403 does once two of them were received, and it is not about 400. */
const made = clause(
  'made-up',
  'service.json',
  (exchange) => statusCode(exchange) !== 400,
  (exchange, { exchanges }) => {
    if (statusCode(exchange) === 404) violate('another status', '404', exchange)
    if (statusCode(exchange) !== 403) return
    if (exchanges.filter((one) => statusCode(one) === 403).length > 1)
      violate('no 403', 'two of them', exchange)
    throw new Untested('ambiguous', 'once is no fault', [exchange])
  },
)

const received = (
  seq: number,
  status: number,
  [sentMs, receivedMs] = [seq * 10, seq * 10 + 5],
) => ({
  ...fakeExchange(get('/pets'), { status, body: '[]', seq }),
  ...{ sentMs, receivedMs },
})

const judging = () => {
  const history = new RunHistory(fakeTrace())
  const judge = new Judge(history, [made])
  const take = (exchange: AnsweredExchange) => {
    history.complete(exchange)
    return judge.judge().map(({ exchange: { seq } }) => seq)
  }
  const violated = () => [...judge.of(made).violations.keys()].map(({ seq }) => seq)
  return { history, judge, take, violated }
}

test('what came while an earlier request was in flight waits for it', () => {
  const { history, take, violated } = judging()
  history.begin({ seq: 1, key: 'free-1', sentMs: 10, movedMs: 0 })
  expect(take(received(2, 404, [12, 14]))).toEqual([])
  // Sent before the second one was answered.
  history.begin({ seq: 3, key: 'free-1', sentMs: 13, movedMs: 0 })
  expect(take(received(1, 404, [10, 20]))).toEqual([])
  expect(take(received(3, 404, [13, 30]))).toEqual([1, 2, 3])
  expect(violated()).toEqual([1, 2, 3])
})

test('a request that was not sent after all, or lost, holds up nothing', () => {
  const { history, take } = judging()
  history.begin({ seq: 1, key: 'free-1', sentMs: 1, movedMs: 0 })
  history.cancel({ seq: 1 })
  history.begin({ seq: 2, key: 'free-1', sentMs: 2, movedMs: 0 })
  history.complete({ ...received(2, 200), response: null, noResponse: 'reset' })
  expect(take(received(3, 404))).toEqual([3])
  expect(history.lost).toEqual([{ seq: 2, key: 'free-1' }])
})

test('an error of the clause itself ends its judging', () => {
  const broken = clause(
    'broken',
    'service.json',
    () => true,
    () => {
      throw new Error('not a finding')
    },
  )
  const history = new RunHistory(fakeTrace())
  const judge = new Judge(history, [broken, made])
  history.complete(received(1, 404))
  expect(judge.judge()).toHaveLength(1)
  expect(String(judge.of(broken).fault)).toContain('not a finding')
})
