// A key that is silent for as long as its latest response said is served: every wait of a run.

import { invariant, type Trace } from '../../engine/check/declare.ts'
import { type AnsweredExchange, memoized, statusCode } from '../../engine/check/exchange.ts'
import { describeResponse, violateAs } from '../../engine/check/expect.ts'
import { Suspicion } from '../../engine/check/outcome.ts'
import { type Call, callsIn, listCalls } from '../../engine/quota/calls.ts'
import { is429, readWaitMs } from '../../engine/quota/rate-headers.ts'
import { mayBeShared } from '../../engine/quota/remaining-steps.ts'

/** A refusal, and the next call of its key, which was sent alone and after the stated wait. */
interface Wait {
  readonly refusal: Call
  readonly next: Call
}

/** So much of a wait, or half of it, may pass while the test clock is moved by the rest. */
const realGraceMs = 1_000

const waitsOf = memoized((calls: readonly Call[]): readonly Wait[] =>
  calls.flatMap((refusal, place) => {
    const [next, third] = calls.slice(place + 1, place + 3)
    const waitMs = refusal.refused ? readWaitMs(refusal.exchange) : undefined
    if (!next || waitMs === undefined || waitMs <= 0) return []
    const isAlone = refusal.latestToMs <= next.fromMs && (!third || next.toMs <= third.fromMs)
    // In real time another client of the key may use what comes back.
    const graceMs = Math.min(realGraceMs, waitMs / 2)
    const isMoved = next.exchange.movedMs - refusal.exchange.movedMs >= waitMs - graceMs
    const isOver = next.fromMs - refusal.toMs >= waitMs
    return isAlone && isMoved && isOver ? [{ refusal, next }] : []
  }),
)

/** Another client may use up what came back, once. */
const minOccasions = 2

const isRefusedAgain = ({ next: { exchange } }: Wait): boolean =>
  is429(exchange) || statusCode(exchange) === 403

const expectServed = (exchange: AnsweredExchange, trace: Trace): void => {
  const calls = listCalls(exchange.key, trace)
  const refused = waitsOf(calls).filter(isRefusedAgain)
  const at = refused.findIndex(({ next }) => next === callsIn(trace).of(exchange))
  if (at < 0) return
  const some = refused.slice(0, at + 1)
  const evidence = some.slice(-2).flatMap(({ refusal, next }) => [refusal.exchange, next.exchange])
  const actual = `${describeResponse(exchange)} after the wait`
  if (some.length < minOccasions || mayBeShared(exchange.key, trace)) {
    throw new Suspicion(`${actual}: another client may have used the key`, evidence)
  }
  const expected = 'a request served after the stated wait'
  violateAs({ aspect: 'status' }, expected, actual, ...evidence)
}

export const keptWaits = [
  invariant({
    id: 'retry-after-each-served',
    requirement: 'retry-after.true',
    judges:
      'With the test clock: every call that its key sent alone, and after as long a silence as ' +
      'its latest response, a refusal, had stated.',
    fails: 'It is refused, on two occasions with one key.',
    inconclusive: 'it was refused once, or another client may have used the key (ambiguous)',
    optional: 'no key was refused and then silent for so long by the test clock',
    applies: (exchange) => exchange.key !== null,
    holds: expectServed,
  }),
]
