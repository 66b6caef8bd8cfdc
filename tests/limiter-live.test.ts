// The laws of the limiter, asked after each exchange while a run goes on: what is violated then is
// violated at the end, where they say what they say of the whole; and what may still be explained
// by what is in flight, or comes later, is in doubt.
import { expect, test } from 'vitest'
import type { AnsweredExchange } from '../history/exchange.ts'
import type { History, InFlight } from '../history/history.ts'
import { Suspicion, Untested, Violation } from '../history/outcome.ts'
import { type Found, judge } from '../model/judge.ts'
import { limiterClauses } from '../model/limiter/relation.ts'
import { fakeTrace } from './fakes/fake-exchange.ts'
import { call, foundBy, minuteMs, refusal, row, spent } from './limiter-calls.ts'

const numbered = (calls: readonly AnsweredExchange[]) =>
  calls.map((one, at) => ({ ...one, seq: at }))

/** A history that goes on, until it is ended. */
const openLive = (inFlight: InFlight[] = []) => {
  const exchanges: AnsweredExchange[] = []
  const history = { ...fakeTrace(), exchanges, inFlight }
  const end = () => Object.assign(history, { inFlight: undefined })
  return { history: history as History, exchanges, end }
}

const violationsIn = (exchange: AnsweredExchange, history: History): string[] =>
  limiterClauses.flatMap((clause) => {
    const found = judge(clause, exchange, history)
    return found instanceof Violation ? [`${clause.id} ${exchange.seq}`] : []
  })

/** What is violated at each prefix, and what at the end. */
const judgeBoth = (calls: readonly AnsweredExchange[]) => {
  const { history, exchanges, end } = openLive()
  const live = calls.flatMap((one) => {
    exchanges.push(one)
    return violationsIn(one, history)
  })
  end()
  const atEnd = calls.flatMap((one) => violationsIn(one, history))
  return { live, atEnd }
}

const refusedEarly = (ms: number) => [
  call(ms, { remaining: 40, resetMs: ms + minuteMs }),
  call(ms + 100, { status: 429, remaining: 0, resetMs: ms + minuteMs, wait: 59 }),
]

test('the second occasion is a violation when it comes, the first at the end', () => {
  const { live, atEnd } = judgeBoth(numbered([0, 5 * minuteMs].flatMap(refusedEarly)))
  const early = (all: readonly string[]) => all.filter((one) => one.startsWith('limit-not-early'))
  expect(early(live)).toEqual(['limit-not-early 3'])
  expect(early(atEnd)).toEqual(['limit-not-early 1', 'limit-not-early 3'])
})

const lawOf = (id: string) => {
  const found = limiterClauses.find((clause) => clause.id === id)
  if (!found) throw new Error(id)
  return found
}

const isDoubt = (found: Found) => found instanceof Suspicion

test('an error once nothing remains is in doubt until the key is served', () => {
  const [error, served] = [call(1_500, { status: 503 }), call(61_000, { remaining: 59 })]
  const calls = numbered([...spent(0).with(60, error), { ...served }])
  const { history, exchanges } = openLive()
  const found = calls.map((one) => {
    exchanges.push(one)
    return judge(lawOf('quota-429-status'), calls[60] as AnsweredExchange, history)
  })
  expect(found.slice(60).map(isDoubt)).toEqual([true, false])
  expect(found[61]).toBeInstanceOf(Violation)
})

test('an error once nothing remains is none where others get 429 then', () => {
  const error = call(1_500, { status: 503 })
  const calls = numbered([...spent(0).with(60, error), refusal({ wait: 58 }, 1_600)])
  const { live, atEnd } = judgeBoth(calls)
  expect([...live, ...atEnd]).toEqual([])
})

test('what was sent before a response came is waited for', () => {
  const calls = numbered([...row(60, 0, 59), call(1_250, { status: 503 }), refusal({ wait: 58 })])
  const [error, late] = calls.slice(60) as [AnsweredExchange, AnsweredExchange]
  const slow = { ...late, sentMs: error.sentMs + 5 }
  const inFlight = [slow]
  const { history, exchanges } = openLive(inFlight)
  exchanges.push(...calls.slice(0, 61))
  const law = lawOf('quota-429-status')
  const asked = judge(law, error, history)
  expect([asked instanceof Untested, isDoubt(asked)]).toEqual([true, false])
  // What came before it was sent is judged.
  expect(judge(lawOf('remaining-falls-by-one'), calls[59] as AnsweredExchange, history)).toBe(true)
  inFlight.pop()
  exchanges.push(slow)
  expect(judge(law, error, history)).not.toBeInstanceOf(Error)
})

test('a response that came before that of an earlier request is looked at in its place', () => {
  const calls = numbered(row(3, 0, 59))
  const [first, second, third] = calls as [AnsweredExchange, AnsweredExchange, AnsweredExchange]
  const slow = { ...second, receivedMs: third.receivedMs + 20 }
  const inFlight = [slow]
  const { history, exchanges } = openLive(inFlight)
  exchanges.push(first, third)
  const law = lawOf('remaining-falls-by-one')
  expect(judge(law, third, history)).toBeInstanceOf(Untested)
  inFlight.pop()
  exchanges.push(slow)
  expect([slow, third].map((one) => judge(law, one, history))).toEqual([true, true])
})

test('a history that is whole and grows all the same is looked at anew', () => {
  const exchanges: AnsweredExchange[] = []
  const history = { ...fakeTrace(), exchanges }
  const calls = numbered([...row(60, 0, 59), call(1_500, { status: 503 })])
  exchanges.push(...calls)
  expect(foundBy('quota-429-status', history)).toEqual([expect.any(Violation)])
  exchanges.push({ ...refusal({ wait: 58 }, 1_600), seq: 61 })
  expect(foundBy('quota-429-status', history)).toEqual([])
})
