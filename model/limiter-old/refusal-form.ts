// What a refusal says: 429, that nothing remains, and a wait that is true of a form that HTTP has.

import { type AnsweredExchange, header, headerValues, memoized } from '../../history/exchange.ts'
import { duration } from '../../history/quote.ts'
import { dayMs, httpDateMs, minuteMs, readWait, refusalOf } from '../../history/rate-headers.ts'
import { asHeader } from '../clause.ts'
import { describeRequest, read } from '../read.ts'
import {
  anchorsOf,
  type Call,
  isBefore,
  isOwnEnd,
  isSpent,
  mayBeBan,
  mayBePast,
  overlapping,
  promptMs,
  realMs,
} from './calls.ts'
import type { Law } from './laws.ts'

/** A 429 says that nothing remains; what a ban says of the quota is open. */
export const refusedAtZero: Law = ({ calls, breach, tried }) => {
  for (const call of calls) {
    if (call.status !== 429 || !call.window || mayBeBan(call)) continue
    tried('refusal-remaining-zero', call)
    if (call.remaining === 0) continue
    breach({
      law: 'refusal-remaining-zero',
      place: 'zero',
      calls: [call],
      expected: 'Remaining: 0 on a 429',
      actual: `X-RateLimit-Remaining: ${call.remaining}`,
      wrong: asHeader('X-RateLimit-Remaining', 'not 0', String(call.remaining)),
    })
  }
}

/** A ban with a longer stated wait is not temporary. */
const maxBanMs = 10 * 365 * dayMs

export const banTemporary: Law = ({ calls, breach, tried }) => {
  for (const call of calls.filter(mayBeBan)) {
    tried('ban-temporary', call)
    const { waitMs = 0 } = call
    if (waitMs <= maxBanMs) continue
    breach({
      law: 'ban-temporary',
      place: 'ever',
      sure: true,
      calls: [call],
      expected: 'a temporary ban',
      actual: `a wait of ${Math.round(waitMs / dayMs)} days`,
      wrong: asHeader('Retry-After', 'too long'),
    })
  }
}

/**
 * Whether nothing remained for a call, by the numbers of the calls before it and its own: as many
 * as remained were served, before it or in flight with it.
 */
const isSpentFor = (from: Call, call: Call): boolean => {
  const since = call.all.slice(from.place + 1)
  const counted = since.filter((one) => one.served && isBefore(from, one) && one.fromMs < call.toMs)
  return from.remaining <= counted.length && (!call.window || call.remaining === 0)
}

/** What a request says; creations may differ in the name. */
const saidBy = memoized((exchange: AnsweredExchange): string => {
  const { method, path, headers } = exchange.apiRequest
  const { name: _, ...rest } = read(exchange).pet ?? {}
  const members = Object.entries(rest).map(([member, value]) => `${member}=${value}`)
  return [method, path, headers, describeRequest(exchange), ...members].join(' ')
})

/** A request that was served before, so that its response is about the quota. */
const isKnown = ({ all, exchange, place }: Call): boolean => {
  const said = saidBy(exchange)
  return all.slice(0, place).some((one) => one.served && saidBy(one.exchange) === said)
}

/** Whether others since then got 429, until one is served: then this is an error by chance. */
const isAmong429 = (from: Call, call: Call): boolean => {
  const next = call.all.slice(call.place + 1).find((one) => one.served && isBefore(call, one))
  return call.all.slice(from.place, next?.place).some(({ status }) => status === 429)
}

/** What is beyond the limit gets 429, and nothing else. */
export const refusedWith429: Law = ({ calls, breach, tried }) => {
  for (const call of calls.filter(({ earlierRefusals }) => earlierRefusals === 0)) {
    const { status } = call
    if (status === 429) tried('quota-429-status', call)
    if (call.served || status === 429 || !isKnown(call)) continue
    const near = [...anchorsOf(call, (one) => one.served && one.window !== undefined)]
    const from = near.find((one) => !mayBePast(one, call) && isSpentFor(one, call))
    if (!from || isAmong429(from, call)) continue
    tried('quota-429-status', call)
    breach({
      law: 'quota-429-status',
      // Another client may have drawn a ban meanwhile.
      place: realMs(from, call) < promptMs ? status : call.seq,
      sure: refusalOf(call.exchange) !== 'ban',
      missing: 1,
      calls: [from, call],
      expected: '429 once no requests remain',
      actual: `${status} after Remaining: ${from.remaining}`,
    })
  }
}

/** Of concurrent refusals any may be the first; one that states a wait leaves it open which. */
const isFirst = (call: Call): boolean =>
  overlapping(call.fromMs, call).every(
    (one) => !one.refused || readWait(one.exchange).fault !== undefined,
  )

const statesWait = ({ exchange }: Call): boolean => readWait(exchange).kind !== 'missing'

/** Refusals of a day may add up to a ban, unless no refusal of the key states a wait. */
const mayAddUp = (call: Call): boolean =>
  call.refusedLately &&
  (statesWait(call) || call.all.slice(0, call.place).some((one) => one.refused && statesWait(one)))

/**
 * Which law the wait of a refusal is under. A later one, until the key is served, may be a ban,
 * which need not state one; a key that was withdrawn is refused too.
 */
const lawOfWait = (call: Call) => {
  const is429 = call.status === 429
  if (call.earlierRefusals === 0 && !mayAddUp(call)) {
    return is429 && isFirst(call) ? 'retry-after-present' : undefined
  }
  if (is429) return statesWait(call) ? 'retry-after-present' : 'ban-retry-after'
  const isBan = call.all.slice(0, call.place).some(({ status }) => status === 429)
  return isBan ? 'ban-retry-after' : undefined
}

const statesDate = ({ exchange }: Call): boolean =>
  httpDateMs(header(exchange, 'Retry-After') ?? '') !== undefined

/** What a headline shows of a wait: its value, or how long it is, unless its kind says so. */
const shownOf = ({ exchange }: Call, kind: string, fault: string): string => {
  const value = headerValues(exchange, 'Retry-After').join(', ')
  if (kind === 'not in the future') return fault
  return value === kind ? '' : value
}

/** A refusal states how long to wait. */
export const waitStated: Law = ({ calls, breach, tried }) => {
  for (const call of calls.filter(({ refused }) => refused)) {
    const law = lawOfWait(call)
    // Without Date it is not known whether a date is in the future.
    if (!law || (call.clocksMs.length === 0 && statesDate(call))) continue
    tried(law, call)
    if (mayBeBan(call)) tried('ban-retry-after', call)
    const { fault, kind } = readWait(call.exchange)
    if (fault === undefined || kind === undefined) continue
    const { before } = call
    breach({
      law,
      // A ban that another client has drawn need not state a wait; served in between, none lasts.
      sure: law === 'ban-retry-after' || kind !== 'missing',
      place: kind,
      unseen: before?.served === true && isOwnEnd(before, call),
      doubt: 'it may be the response of a ban',
      calls: [call],
      expected: 'Retry-After with whole seconds above zero, or an HTTP-date in the future',
      actual: fault,
      wrong: asHeader('Retry-After', kind, shownOf(call, kind, fault)),
    })
  }
}

/** A wait may end at most this long after Reset. */
const maxBeyondResetMs = 10 * minuteMs

/** Whether its key, whose minute was spent, was served soon after, without having been refused. */
const cameBackSoon = ({ before, served, silentMs }: Call): boolean =>
  before?.window?.name === 'minute' &&
  isSpent(before) &&
  before.served &&
  served &&
  silentMs < 2 * minuteMs

/** The wait is not far longer than needed; refusals may add up to a ban, however far apart. */
export const waitNotExcessive: Law = ({ calls, breach, tried }) => {
  const call = calls.find(({ refused }) => refused)
  if (!call?.window || call.status !== 429 || call.waitMs === undefined) return
  if (mayBeBan(call) || call.clocksMs.length === 0) return
  const aheadMs = Math.max(0, call.reset * 1000 - Math.min(...call.clocksMs))
  const beyondMs = call.waitMs - aheadMs
  if (beyondMs <= maxBeyondResetMs) tried('retry-after-not-excessive', call)
  if (beyondMs <= maxBeyondResetMs || call.window.name === 'day') return
  breach({
    law: 'retry-after-not-excessive',
    place: call.seq,
    sure: calls.some(cameBackSoon),
    calls: [call],
    expected: `at most ${duration(maxBeyondResetMs)} after Reset`,
    actual: `${duration(beyondMs)} after the Reset of the same response`,
    wrong: asHeader('Retry-After', 'too long'),
  })
}
