// What is served over time: never more than two windows' worth at once, refills a window apart.
import type { Trace } from '../../../engine/check.ts'
import { invariant } from '../../../engine/check.ts'
import type { Answered } from '../../../engine/exchange.ts'
import { statusOf } from '../../../engine/exchange.ts'
import { violate } from '../../../engine/expect.ts'
import { Suspicion, Untested } from '../../../engine/outcome.ts'
import { tokensIn } from '../../../engine/quota/key-minute.ts'
import type { Call } from './calls.ts'
import { areAlike, callsIn, callsWith, isBefore, latestBefore, mayBeBanned } from './calls.ts'

const isServed = (exchange: Answered): boolean =>
  exchange.key !== null && [200, 201].includes(statusOf(exchange))

/** Clocks run apart a little, and a server may end its windows on whole seconds. */
const graceMs = 3_000

/** Served calls that were all decided within less than this, the last of them being the given. */
const servedWithin = (spanMs: number, last: Call, calls: readonly Call[]): readonly Call[] =>
  calls.filter(
    (call) => call.served && call.seq <= last.seq && call.fromMs > last.toMs - spanMs + graceMs,
  )

/** A machine that was halted, as a virtual one may be, measures less time than has passed. */
const unlessSlept = (first: Call, last: Call, spanMs: number): void => {
  const [from, to] = [first.dateMs, last.dateMs]
  if (from === undefined || to === undefined || to - from < spanMs) return
  const message = 'by its Date more time has passed than was measured here: one of them is wrong'
  throw new Suspicion(message, [first.exchange, last.exchange])
}

const expectNotLate = (exchange: Answered, trace: Trace): void => {
  const calls = callsWith(exchange, trace)
  const last = callsIn(trace).of(exchange)
  const { perMinute, perDay } = trace.quotaOf(exchange.key ?? '')
  for (const [name, limit, spanMs] of [
    ['minute', perMinute, 60_000],
    ['day', perDay, 86_400_000],
  ] as const) {
    if (calls.length <= limit) continue
    const crowd = servedWithin(spanMs, last, calls)
    const [first = last] = crowd
    if (crowd.length > 2 * limit) {
      unlessSlept(first, last, spanMs)
      violate(
        `at most ${2 * limit} requests served in less than a ${name}`,
        `${crowd.length} served within ${Math.ceil((last.toMs - first.fromMs) / 1000)} s`,
        first.exchange,
        exchange,
      )
    }
  }
  const { said } = last
  if (!said || calls.length <= said.limit) return
  const declared = calls.filter(
    (call) =>
      call.served &&
      call.seq <= last.seq &&
      areAlike(call, last) &&
      call.said?.reset === said.reset &&
      // A longer time with one Reset is no window: calls may have been forgotten meanwhile.
      call.fromMs > last.toMs - said.windowMs,
  )
  const first = declared[0] ?? last
  const most = said.limit + tokensIn(said.limit, said.windowMs, last.toMs - first.fromMs)
  if (declared.length <= most) return
  const wanted = `at most ${most} requests served until Reset ${said.reset}`
  violate(wanted, `${declared.length} served`, first.exchange, exchange)
}

/** From hardly any requests left to all, in one step: no design does that within a window twice. */
interface Refill {
  readonly low: Call
  readonly full: Call
}

const refillAt = (full: Call, calls: readonly Call[]): Refill | undefined => {
  if (!full.said || full.refused || full.said.remaining < full.said.limit - 2) return undefined
  const low = latestBefore(
    calls.filter((call) => areAlike(call, full)),
    full,
  )
  const isLow = low?.said && low.said.remaining <= low.said.limit / 4
  return isLow ? { low, full } : undefined
}

const known = new WeakMap<readonly Call[], readonly Refill[]>()

const refillsOf = (calls: readonly Call[]): readonly Refill[] => {
  const refills = known.get(calls) ?? calls.flatMap((call) => refillAt(call, calls) ?? [])
  known.set(calls, refills)
  return refills
}

const expectApart = (exchange: Answered, trace: Trace): void => {
  const calls = callsWith(exchange, trace)
  const call = callsIn(trace).of(exchange)
  const refills = refillsOf(calls)
  const second = refills.find(({ full }) => full === call)
  const first = refills.findLast(
    ({ full }) => second && areAlike(full, second.full) && isBefore(full, second.low),
  )
  if (!first || !second || mayBeBanned(calls, first.low.fromMs, second.full.toMs)) {
    throw new Untested('ambiguous', 'to see two refills a key has to be spent twice')
  }
  const apartMs = second.full.toMs - first.low.fromMs
  const windowMs = second.full.said?.windowMs ?? 0
  if (apartMs >= windowMs - graceMs) return
  unlessSlept(first.low, second.full, windowMs)
  violate(
    `two refills at least ${windowMs / 1000} s apart`,
    `two within ${Math.ceil(apartMs / 1000)} s`,
    first.low.exchange,
    first.full.exchange,
    second.low.exchange,
    exchange,
  )
}

export const served = [
  invariant('limit-not-late', 'limits.not-late', isServed, expectNotLate),
  invariant('refills-minute-apart', 'limits.window-ends', isServed, expectApart),
]
