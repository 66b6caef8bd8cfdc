// How the numbers move: Remaining falls by one with each call served, and rises only as a window
// gives back; Reset does not move back before it has come.

import { invariant, type Trace } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  header,
  isSuccess,
  memoized,
  statusCode,
} from '../../engine/check/exchange.ts'
import { violateHeader } from '../../engine/check/expect.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Suspicion } from '../../engine/check/outcome.ts'
import {
  type Call,
  callsIn,
  isBefore,
  isOfKey,
  latestBefore,
  listCalls,
  mayBeBanned,
  mayBePast,
} from '../../engine/quota/calls.ts'
import {
  isHabit,
  mayBeShared,
  type Step,
  stepsWith,
  stepTo,
} from '../../engine/quota/remaining-steps.ts'

const counts = (exchange: AnsweredExchange): boolean =>
  exchange.key !== null && recognizeOperation(exchange) !== undefined && isSuccess(exchange)

const expectFall = (exchange: AnsweredExchange, trace: Trace): void => {
  const step = stepTo(exchange, trace)
  if (!step || step.fall <= 1) return
  const all = stepsWith(exchange.key, trace)
  const actual = `it fell by ${step.fall}`
  const evidence = [step.from.exchange, exchange]
  if (!trace.shared && isHabit(step, all)) {
    const kind = 'falls by more than one'
    const expected = 'Remaining to fall by one with a call'
    violateHeader('X-RateLimit-Remaining', kind, expected, actual, ...evidence)
  }
  const message = `${actual} with one call; another client may have used the key:`
  throw new Suspicion(`${message} run with a key that nobody else uses`, evidence)
}

/** So long a count may take to reach all replicas. */
const lagMs = 250
/** Tokens may come back in ticks: a tenth of the window at a time. */
const tickShare = 0.1
/** Calls may leave a log on whole seconds. */
const secondMs = 1_000

/** By how much Remaining may have risen from one response to a later one, before any reset. */
const mayHaveRisen = (from: Call, to: Call, calls: readonly Call[]): number => {
  const { limit = 0, windowMs = 0, remaining = 0 } = from.said ?? {}
  const spanMs = to.toMs - from.fromMs + tickShare * windowMs
  const refilled = Math.ceil((limit * spanMs) / windowMs) + 1
  const left = calls.filter(
    (call) =>
      call.fromMs + windowMs <= to.toMs + secondMs &&
      call.toMs + windowMs + secondMs >= from.fromMs,
  ).length
  // What other clients spent before may leave a log at any moment.
  const own = calls.filter(
    (call) => call.served && call.fromMs > from.fromMs - windowMs && call.toMs <= from.toMs,
  ).length
  return refilled + left + Math.max(0, limit - remaining - own)
}

/** Resets of one window may differ by whole seconds. */
const resetGraceS = 2

/** Whether a window may have ended between two calls: at its Reset, or as a later one shows. */
const mayHaveEnded = (from: Call, to: Call): boolean => {
  if (!from.said || !to.said) return true
  const { reset, windowMs } = from.said
  // Date may be written by another clock than the one that ends the windows.
  return mayBePast(reset, to) || to.said.reset >= reset + windowMs / 1000 - resetGraceS
}

const expectNoRise = (from: Call, to: Call, calls: readonly Call[]): void => {
  if (!from.said || !to.said || mayHaveEnded(from, to)) return
  // The fast way out: most have not risen at all.
  if (to.said.remaining <= from.said.remaining - (to.servedCount - from.servedCount)) return
  const between = calls
    .slice(from.place + 1, to.place + 1)
    .filter(
      (call) => call.served && isBefore(from, call) && (call === to || isBefore(call, to)),
    ).length
  if (to.said.remaining <= from.said.remaining - between) return
  if (mayBeBanned(calls, from.fromMs, to.toMs)) return
  // None is the fewest that can remain, however many calls are served after it.
  const max = Math.max(0, from.said.remaining - between + mayHaveRisen(from, to, calls))
  if (to.said.remaining <= max) return
  const recent = calls.filter(
    (call) =>
      call.served &&
      call !== to &&
      call.seq < to.seq &&
      call.exchange.receivedMs > to.exchange.sentMs - lagMs,
  ).length
  const evidence = [from.exchange, to.exchange]
  const found = `${to.said.remaining} remain, ${between} calls after ${from.said.remaining} did`
  if (to.said.remaining <= max + recent) {
    const message = `${found}, before the reset: the count may lag behind; retry with slower calls`
    throw new Suspicion(message, evidence)
  }
  const reset = header(from.exchange, 'x-ratelimit-reset')
  const expected = `at most ${max} to remain before Reset ${reset}`
  violateHeader('X-RateLimit-Remaining', 'does not fall', expected, found, ...evidence)
}

/** The windows of one Limit: each time that the Reset changes, where each call is, and by Reset. */
const windowsOf = (calls: readonly Call[]) => {
  const inOrder: Call[][] = []
  const placeOf = new Map<Call, number>()
  for (const call of calls) {
    const latest = inOrder.at(-1)
    if (latest?.[0]?.said?.reset === call.said?.reset) latest?.push(call)
    else inOrder.push([call])
    placeOf.set(call, inOrder.length - 1)
  }
  return { inOrder, placeOf, byReset: Map.groupBy(calls, ({ said }) => said?.reset) }
}

/** By Limit: the windows that calls announced which were not refused. */
const windowsIn = memoized((calls: readonly Call[]) => {
  const counted = calls.filter(({ said, refused }) => said && !refused)
  const byLimit = Map.groupBy(counted, ({ said }) => said?.limit ?? 0)
  return new Map([...byLimit].map(([limit, alike]) => [limit, windowsOf(alike)]))
})

/** The first call since which no window may have ended that was announced. */
const firstInWindow = (to: Call, { inOrder, placeOf }: ReturnType<typeof windowsOf>) => {
  let first: Call | undefined
  for (let at = placeOf.get(to) ?? -1; at >= 0; at -= 1) {
    const known = inOrder[at]?.find((call) => isBefore(call, to))
    if (known && mayHaveEnded(known, to)) break
    first = known ?? first
  }
  return first
}

/** Compares a response with earlier ones about the same window. */
export const expectKept = (exchange: AnsweredExchange, trace: Trace): void => {
  const to = callsIn(trace).of(exchange)
  const calls = listCalls(exchange.key, trace)
  const latest = latestBefore(calls, to, ({ refused }) => !refused)
  const windows = windowsIn(calls).get(to.said?.limit ?? 0)
  const first = windows?.byReset.get(to.said?.reset)?.find((call) => isBefore(call, to))
  const compared = new Set([latest, first, windows && firstInWindow(to, windows)])
  for (const from of compared) if (from) expectNoRise(from, to, calls)
}

/** Served, or refused for its contents: each shows the count of its key. */
const showsCount = (exchange: AnsweredExchange): boolean =>
  isOfKey(exchange) && statusCode(exchange) !== 429

/** Replicas may round differently, and their clocks differ a little. */
const graceSeconds = 5
/** A clock that was set explains fewer. */
const minOccasions = 3

/**
 * A sliding counter may give the end of the next window while there was no earlier one, and then
 * the time when the next call leaves it: so it moves back at most once per window.
 */
const areClose = (backs: readonly Step[]): boolean =>
  backs.some(({ from }, at) => {
    const last = backs[at + minOccasions - 1]
    return last !== undefined && last.to.toMs - from.fromMs < (from.said?.windowMs ?? 0)
  })

/**
 * Between served calls only time gives something back, in any design: a window stays, the oldest
 * and the newest call of a log are later ones, a bucket takes longer to be full.
 */
const isBack = ({ from, to }: Step): boolean =>
  from.served &&
  from.said !== undefined &&
  to.said !== undefined &&
  to.said.reset < from.said.reset - graceSeconds &&
  !mayBePast(from.said.reset, to)

const expectNotBack = (exchange: AnsweredExchange, trace: Trace): void => {
  const own = stepTo(exchange, trace)
  if (!own || !isBack(own)) return
  const backs = stepsWith(exchange.key, trace).filter(isBack)
  const { from, to } = own
  const evidence = [from.exchange, exchange]
  const actual = `Reset went from ${from.said?.reset} back to ${to.said?.reset}`
  const calls = listCalls(exchange.key, trace)
  const isUnclear = mayBeShared(exchange.key, trace) || mayBeBanned(calls, from.fromMs, to.toMs)
  if (isUnclear || !areClose(backs)) {
    const why = `${minOccasions} times on a key that nobody else uses would be a violation`
    throw new Suspicion(`${actual}: ${why}`, evidence)
  }
  const expected = `no Reset before ${from.said?.reset}, which was announced and has not come`
  violateHeader('X-RateLimit-Reset', 'moves back', expected, actual, ...evidence)
}

export const remaining = [
  invariant({
    id: 'remaining-falls-by-one',
    requirement: 'headers.remaining.falls',
    judges: 'Each two consecutive calls of a key of which the second was served.',
    fails:
      'Remaining falls by the same number above one in four of five quick steps of one kind of ' +
      'call, and after a pause as well.',
    inconclusive: 'it fell so only now and then: another client may have used the key (ambiguous)',
    applies: counts,
    holds: expectFall,
  }),
  invariant({
    id: 'remaining-rises-at-reset',
    requirement: 'headers.remaining.rises',
    judges:
      'Every response to a valid key but 401, 403 and 5xx, each compared with earlier ones about ' +
      'the same window.',
    fails:
      'A Remaining above what any design could have given back before the announced Reset: ' +
      'tokens, ticks of a tenth of the window, calls that leave a log.',
    inconclusive: 'the count may lag a quarter of a second behind the calls (ambiguous)',
    applies: showsCount,
    holds: expectKept,
  }),

  invariant({
    id: 'reset-not-moved-back',
    requirement: 'headers.reset.kept',
    judges: 'Each two consecutive served calls of a key.',
    fails:
      'On three occasions within one window a Reset more than 5 s before one that was announced ' +
      'and has not come. It is a should.',
    inconclusive:
      'it was seen on fewer occasions, or a ban or another client explains it (ambiguous)',
    applies: counts,
    holds: expectNotBack,
  }),
]
