// How Remaining moves: down by one with each call served, and up only as a window gives back.

import type { Trace } from '../../../engine/check.ts'
import { invariant } from '../../../engine/check.ts'
import type { Answered } from '../../../engine/exchange.ts'
import { header, statusOf } from '../../../engine/exchange.ts'
import { violate } from '../../../engine/expect.ts'
import { Suspicion } from '../../../engine/outcome.ts'
import { isFromBelow, operationOf } from '../../answers.ts'
import type { Call } from './calls.ts'
import {
  areAlike,
  callsIn,
  callsWith,
  isBefore,
  latestBefore,
  mayBeBanned,
  mayBePast,
} from './calls.ts'
import { isHabit } from './habit.ts'
import { stepsWith } from './steps.ts'

const counts = (exchange: Answered): boolean =>
  exchange.key !== null &&
  operationOf(exchange) !== undefined &&
  [200, 201].includes(statusOf(exchange))

const expectFall = (exchange: Answered, trace: Trace): void => {
  const all = stepsWith(exchange.key, trace)
  const step = all.find(({ to }) => to.exchange === exchange)
  if (!step || step.fall <= 1) return
  const actual = `it fell by ${step.fall}`
  const evidence = [step.from.exchange, exchange]
  if (!trace.shared && isHabit(step, all)) {
    violate('Remaining to fall by one with a call', actual, ...evidence)
  }
  const message = `${actual} with one call; another client may have used the key:`
  throw new Suspicion(`${message} a key that nobody else uses decides`, evidence)
}

/** So long a count may take to be known everywhere. */
const lagMs = 250
/** Tokens may come back in ticks: a tenth of the window at a time. */
const tickShare = 0.1
/** Calls may leave a log on whole seconds. */
const secondMs = 1_000

/** By how much Remaining may have risen from one answer to a later one, before any reset. */
const mayHaveRisen = (from: Call, to: Call, calls: readonly Call[]): number => {
  const { limit = 0, windowMs = 0, remaining = 0 } = from.said ?? {}
  const spanMs = to.toMs - from.fromMs + tickShare * windowMs
  const refilled = Math.ceil((limit * spanMs) / windowMs) + 1
  const left = calls.filter(
    (call) =>
      call.fromMs + windowMs <= to.toMs + secondMs &&
      call.toMs + windowMs + secondMs >= from.fromMs,
  ).length
  // What others spent before may leave a log at any moment.
  const own = calls.filter(
    (call) => call.served && call.fromMs > from.fromMs - windowMs && call.toMs <= from.toMs,
  ).length
  return refilled + left + Math.max(0, limit - remaining - own)
}

/** Two resets of one window are told apart by whole seconds. */
const resetGraceS = 2

/** Whether a window may have ended between two calls: at its Reset, or as a later one shows. */
const mayHaveEnded = (from: Call, to: Call): boolean => {
  if (!from.said || !to.said) return true
  const { reset, windowMs } = from.said
  // Whatever writes Date may have another clock than what ends the windows.
  return mayBePast(reset, to) || to.said.reset >= reset + windowMs / 1000 - resetGraceS
}

const expectNoRise = (from: Call, to: Call, calls: readonly Call[]): void => {
  if (!from.said || !to.said || mayHaveEnded(from, to)) return
  const between = calls.filter(
    (call) => call.served && isBefore(from, call) && (call === to || isBefore(call, to)),
  ).length
  // Most have not risen at all, and a run has many.
  if (to.said.remaining <= from.said.remaining - between) return
  if (mayBeBanned(calls, from.fromMs, to.toMs)) return
  const most = from.said.remaining - between + mayHaveRisen(from, to, calls)
  if (to.said.remaining <= most) return
  const recent = calls.filter(
    (call) =>
      call.served &&
      call !== to &&
      call.seq < to.seq &&
      call.exchange.receivedMs > to.exchange.sentMs - lagMs,
  ).length
  const evidence = [from.exchange, to.exchange]
  const found = `${to.said.remaining} remain, ${between} calls after ${from.said.remaining} did`
  if (to.said.remaining <= most + recent) {
    const message = `${found}, before the reset: the count may lag behind; slower calls decide`
    throw new Suspicion(message, evidence)
  }
  const reset = header(from.exchange, 'x-ratelimit-reset')
  violate(`at most ${most} to remain before Reset ${reset}`, found, ...evidence)
}

/** The first call since which no window may have ended that was announced. */
const firstInWindow = (to: Call, earlier: readonly Call[]): Call | undefined => {
  const ended = earlier.findLastIndex((call) => mayHaveEnded(call, to))
  return earlier[ended + 1]
}

/** Compares a response with those before it that speak of the same window. */
export const expectKept = (exchange: Answered, trace: Trace): void => {
  const to = callsIn(trace).of(exchange)
  const calls = callsWith(exchange, trace)
  const earlier = calls.filter((call) => !call.refused && areAlike(call, to) && isBefore(call, to))
  const latest = latestBefore(earlier, to)
  const first = earlier.find(({ said }) => said?.reset === to.said?.reset)
  const compared = new Set([latest, first, firstInWindow(to, earlier)])
  for (const from of compared) if (from) expectNoRise(from, to, calls)
}

/** Refused for its contents, as unknown or served: each shows the count of its key. */
const showsCount = (exchange: Answered): boolean =>
  exchange.key !== null &&
  operationOf(exchange) !== undefined &&
  !isFromBelow(exchange) &&
  statusOf(exchange) < 500 &&
  ![401, 403, 429].includes(statusOf(exchange))

export const remaining = [
  invariant('remaining-falls-by-one', 'headers.remaining.falls', counts, expectFall),
  invariant('remaining-rises-at-reset', 'headers.remaining.rises', showsCount, expectKept),
]
