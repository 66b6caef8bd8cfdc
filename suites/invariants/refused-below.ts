// Whatever the headers say: no design counts a call for longer than two windows, so a key that made
// fewer calls than its minute has within two minutes is not refused. Judged where fewer than half
// are, and Remaining would have shown other clients.

import { invariant, type Trace } from '../../engine/check/declare.ts'
import { type AnsweredExchange, memoized } from '../../engine/check/exchange.ts'
import { violateAs } from '../../engine/check/expect.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Suspicion } from '../../engine/check/outcome.ts'
import { type Call, callsIn, isBefore } from '../../engine/quota/calls.ts'
import { appliedQuota, is429, minuteMs, minuteSaid } from '../../engine/quota/rate-headers.ts'
import { mayBeShared } from '../../engine/quota/remaining-steps.ts'

/** Windows may end on whole seconds, and clocks drift a little. */
const spanMs = 2 * minuteMs + 3_000

/** A refusal for the minute, and how many calls of its key came within two minutes. */
interface Below {
  readonly refused: Call
  readonly first: Call
  readonly calls: number
}

const belowOf = (refused: Call, all: readonly Call[], trace: Trace): Below[] => {
  const { exchange } = refused
  const sinceMs = refused.fromMs - spanMs
  const near = all.filter(({ fromMs, toMs }) => toMs > sinceMs && fromMs < refused.toMs)
  const [first = refused] = near
  const isKnown = (trace.exchanges[0]?.sentMs ?? 0) < sinceMs && isWhole(first, refused, trace)
  // Of refusals in flight together one was the first.
  const calls = near.filter((one) => !one.refused || one.toMs <= refused.fromMs).length
  const isShown = near.every((one) => !one.served || minuteSaid(one.exchange) !== undefined)
  const isFew = calls < appliedQuota(exchange).perMinute / 2
  return isKnown && isShown && isFew ? [{ refused, first, calls }] : []
}

/** A request without a response may have counted, and so may one that carries a key elsewhere. */
const isWhole = (first: Call, last: Call, trace: Trace): boolean =>
  callsIn(trace).noneLost(first, last) &&
  trace.exchanges
    .filter(({ seq }) => seq > first.seq && seq < last.seq)
    .every(({ apiRequest }) => apiRequest.carries === undefined)

/** Whether nothing was served between an earlier refusal and this one, which may then be a ban. */
const isRepeated = (refused: Call, all: readonly Call[]): boolean => {
  const served = all.filter((one) => one.served && isBefore(one, refused))
  const sinceMs = Math.max(...served.map(({ fromMs }) => fromMs))
  return all.some((one) => one.refused && isBefore(one, refused) && one.toMs > sinceMs)
}

/** One for refusals in flight together, of which one was the first. */
const belowIn = memoized((trace: Trace): readonly Below[] =>
  [...callsIn(trace).byKey.values()].flatMap((all) => {
    const refused = all.filter((one) => one.refused && !isRepeated(one, all))
    const firsts = refused.filter(
      (one, place) => !refused.slice(0, place).some((other) => other.toMs > one.fromMs),
    )
    return firsts
      .filter(({ exchange }) => is429(exchange) && minuteSaid(exchange))
      .flatMap((one) => belowOf(one, all, trace))
  }),
)

/** Another client may use up a minute, but does not leave the same number of calls each time. */
const isAlike = (one: Below, other: Below): boolean =>
  one.refused.exchange.key === other.refused.exchange.key &&
  Math.abs(one.calls - other.calls) <= 1 &&
  other.refused.exchange.movedMs - one.refused.exchange.movedMs >= minuteMs

const expectNotBelow = (exchange: AnsweredExchange, trace: Trace): void => {
  const all = belowIn(trace)
  const own = all.find(({ refused }) => refused.exchange === exchange)
  if (!own) return
  const before = all.find((other) => isAlike(other, own))
  const evidence = [...(before ? [before.refused] : []), own.first, own.refused]
  const actual = `429 after ${own.calls} calls in two minutes`
  if (!before || mayBeShared(exchange.key, trace)) {
    const why = 'another client may have used the key'
    throw new Suspicion(`${actual}: ${why}`, [own.first.exchange, exchange])
  }
  const { perMinute } = appliedQuota(exchange)
  const expected = `no 429 with fewer than ${perMinute} calls in two minutes`
  const exchanges = [...new Set(evidence.map((call) => call.exchange))]
  violateAs({ aspect: 'status' }, expected, actual, ...exchanges)
}

export const refusedBelow = [
  invariant({
    id: 'limit-not-below-quota',
    requirement: 'limits.window-ends',
    judges:
      'With the test clock: every 429 that follows no other refusal and speaks of the minute, by ' +
      'the number of calls that its key made in the two minutes before.',
    fails:
      "Fewer than half of the plan's number, on two occasions with one key and about the same " +
      'number.',
    inconclusive:
      'it was seen once, a response was lost, or another client may have used the key (ambiguous)',
    optional: 'no call was refused by the test clock',
    applies: (exchange) =>
      exchange.key !== null &&
      exchange.movedMs > 0 &&
      is429(exchange) &&
      recognizeOperation(exchange) !== undefined,
    holds: expectNotBelow,
  }),
]
