// What a refusal says: 429, that nothing remains, and a wait that is true of a form that HTTP has.

import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { duration } from '../../history/quote.ts'
import { dayMs, kindOfWait, minuteMs, waitFault } from '../../history/rate-headers.ts'
import { isUndatedWait } from '../../history/target-dates.ts'
import { asHeader, asStatus, type Findings } from './breach.ts'
import {
  anchorsOf,
  type Call,
  isBefore,
  isOwnEnd,
  mayBeBan,
  mayBePast,
  overlapping,
  promptMs,
  realMs,
  silentMs,
  statusOf,
} from './calls.ts'

/** A 429 says that nothing remains; what a ban says of the quota is open. */
export const refusedAtZero = (call: Call, { breach }: Findings): void => {
  if (statusOf(call) !== 429 || !call.window || mayBeBan(call)) return
  if (call.remaining === 0) return
  breach({
    law: 'refusal-remaining-zero',
    place: 'zero',
    sure: false,
    calls: [call],
    expected: 'Remaining: 0 on a 429',
    actual: `X-RateLimit-Remaining: ${call.remaining}`,
    wrong: asHeader('remaining', 'not 0'),
  })
}

/** A ban with a longer stated wait is not temporary. */
const maxBanMs = 10 * 365 * dayMs

export const banTemporary = (call: Call, { breach, tried }: Findings): void => {
  if (!mayBeBan(call)) return
  tried('ban-temporary', call)
  if ((call.waitMs ?? 0) <= maxBanMs) return
  breach({
    law: 'ban-temporary',
    place: 'ever',
    sure: true,
    calls: [call],
    expected: 'a temporary ban',
    actual: `a wait of ${Math.round((call.waitMs ?? 0) / dayMs)} days`,
    wrong: asHeader('wait', 'too long'),
  })
}

/**
 * Whether nothing remained for a call, by the numbers of the calls before it and its own: as many
 * as remained were served, before it or in flight with it.
 */
const isSpent = (calls: readonly Call[], from: Call, call: Call): boolean => {
  const since = calls.slice(from.place + 1)
  const counted = since.filter((one) => one.served && isBefore(from, one) && one.fromMs < call.toMs)
  return from.remaining <= counted.length && (!call.window || call.remaining === 0)
}

/** A request that was served before, so that its response is about the quota. */
const isKnown = (calls: readonly Call[], { exchange: { apiRequest }, place }: Call): boolean => {
  const shown = ({ method, path, headers }: ApiRequest) => `${method} ${path} ${headers}`
  const isSame = ({ served, exchange }: Call) =>
    served && shown(exchange.apiRequest) === shown(apiRequest)
  return apiRequest.method === 'GET' && calls.slice(0, place).some(isSame)
}

/** Whether others since then got 429, until one is served: then this is an error by chance. */
const isAmong429 = (calls: readonly Call[], from: Call, call: Call): boolean => {
  const next = calls.slice(call.place + 1).find((one) => one.served && isBefore(call, one))
  return calls.slice(from.place, next?.place).some((one) => statusOf(one) === 429)
}

/** What is beyond the limit gets 429, and nothing else. */
export const refusedWith429 = (calls: readonly Call[], { breach, tried }: Findings): void => {
  for (const call of calls) {
    if (statusOf(call) === 429 && call.earlierRefusals === 0) tried('quota-429-status', call)
    if (call.served || statusOf(call) === 429 || call.earlierRefusals > 0) continue
    if (!isKnown(calls, call)) continue
    const near = [...anchorsOf(calls, call, (one) => one.served && one.window !== undefined)]
    const from = near.find((one) => !mayBePast(one, call) && isSpent(calls, one, call))
    if (!from || isAmong429(calls, from, call)) continue
    tried('quota-429-status', call)
    breach({
      law: 'quota-429-status',
      // Another client may have drawn a ban meanwhile.
      place: realMs(from, call) < promptMs ? statusOf(call) : call.seq,
      sure: !call.refused,
      missing: 1,
      calls: [from, call],
      expected: '429 once no requests remain',
      actual: `${statusOf(call)} after Remaining: ${from.remaining}`,
      wrong: asStatus,
    })
  }
}

/** Of concurrent refusals any may be the first; one that states a wait leaves it open which. */
const isFirst = (calls: readonly Call[], call: Call): boolean =>
  overlapping(calls, call.fromMs, call).every(
    (one) => !one.refused || waitFault(one.exchange) !== undefined,
  )

/**
 * Which law the wait of a refusal is under. A later one may be a ban, which need not state one; a
 * key that was withdrawn is refused too.
 */
const lawOfWait = (calls: readonly Call[], call: Call) => {
  const is429 = statusOf(call) === 429
  const isGiven = kindOfWait(call.exchange) !== 'missing'
  if (call.earlierRefusals === 0 && !call.refusedLately) {
    return is429 && isFirst(calls, call) ? 'retry-after-present' : undefined
  }
  if (is429) return isGiven ? 'retry-after-present' : 'ban-retry-after'
  const isBan = calls.slice(0, call.place).some((one) => statusOf(one) === 429)
  return isBan ? 'ban-retry-after' : undefined
}

/** Where a first refusal came: another client may have drawn a ban before it. */
const placeOfFirst = (calls: readonly Call[], call: Call, kind: string) => {
  const latest = calls[call.place - 1]
  if (!latest?.served) return { place: call.seq }
  const unseen = isOwnEnd(calls, latest, call)
  return { place: realMs(latest, call) < promptMs ? kind : call.seq, unseen }
}

/** A refusal states how long to wait. */
export const waitStated = (
  calls: readonly Call[],
  own: { readonly exchanges: readonly AnsweredExchange[] },
  { breach, tried }: Findings,
): void => {
  const known = new Set<string>()
  for (const call of calls.filter(({ refused }) => refused)) {
    const law = lawOfWait(calls, call)
    if (!law || isUndatedWait(call.exchange, own)) continue
    tried(law, call)
    if (mayBeBan(call)) tried('ban-retry-after', call)
    const fault = waitFault(call.exchange)
    if (fault === undefined) continue
    const kind = kindOfWait(call.exchange)
    if (law === 'retry-after-present') known.add(kind)
    // What is wrong with the first refusals is not about bans.
    else if (known.has(kind)) continue
    breach({
      law,
      // A ban that another client has drawn need not state a wait.
      sure: law === 'ban-retry-after' || kind !== 'missing',
      ...placeOfFirst(calls, call, kind),
      calls: [call],
      expected: 'Retry-After with whole seconds above zero, or an HTTP-date in the future',
      actual: fault,
      wrong: asHeader('wait', kind),
    })
  }
}

/** A wait may end at most this long after Reset. */
const maxBeyondResetMs = 10 * minuteMs

/** Whether a key whose minute was spent was served soon after, without having been refused. */
const cameBackSoon = (calls: readonly Call[]): boolean =>
  calls.some((call) => {
    const latest = calls[call.place - 1]
    const isSpentMinute = latest?.window?.name === 'minute' && latest.remaining === 0
    return isSpentMinute && latest.served && call.served && silentMs(calls, call) < 2 * minuteMs
  })

/** The wait is not far longer than needed; refusals may add up to a ban, however far apart. */
export const waitNotExcessive = (calls: readonly Call[], { breach, tried }: Findings): void => {
  const call = calls.find(({ refused }) => refused)
  if (!call?.window || statusOf(call) !== 429 || call.waitMs === undefined) return
  if (mayBeBan(call) || call.clocksMs.length === 0) return
  const aheadMs = Math.max(0, call.reset * 1000 - Math.min(...call.clocksMs))
  const beyondMs = call.waitMs - aheadMs
  if (beyondMs <= maxBeyondResetMs) tried('retry-after-not-excessive', call)
  if (beyondMs <= maxBeyondResetMs || call.window.name === 'day') return
  breach({
    law: 'retry-after-not-excessive',
    place: call.seq,
    sure: cameBackSoon(calls),
    calls: [call],
    expected: `at most ${duration(maxBeyondResetMs)} after Reset`,
    actual: `${duration(beyondMs)} after the Reset of the same response`,
    wrong: asHeader('wait', 'too long'),
  })
}
