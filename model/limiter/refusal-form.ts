// What a refusal says: 429, that nothing remains, and a wait that is true of a form that HTTP has.

import { type AnsweredExchange, header, headerValues } from '../../history/exchange.ts'
import { duration } from '../../history/quote.ts'
import { dayMs, httpDateMs, minuteMs, readWait, refusalOf } from '../../history/rate-headers.ts'
import { asHeader } from '../clause.ts'
import { describeRequest, read } from '../read.ts'
import {
  type Call,
  followsRefusal,
  hasTimeBefore,
  isBefore,
  isOwnEnd,
  isSpent,
  mayBeBan,
  mayBePast,
  promptMs,
  realMs,
  wasRefusedLately,
} from './calls.ts'
import { type Breach, type Law, stateless } from './laws.ts'
import { anchorsOf, overlapping } from './spans.ts'

/**
 * Whether own calls used up what remained, and no other client had time to: one draws a ban where
 * it has time, or where more remained than own calls in flight used up.
 */
const isOwnRefusal = (call: Call): boolean => {
  const { before } = call
  const isUsedUp = () => (before?.remaining ?? 0) <= overlapping(call.fromMs, call).length
  return before !== undefined && !hasTimeBefore(call) && (isSpent(before) || isUsedUp())
}

/** A 429 says that nothing remains; what a ban says of the quota is open. */
export const refusedAtZero = stateless((call, { breach, tried }) => {
  if (call.status !== 429 || !call.window || mayBeBan(call)) return
  tried('refusal-remaining-zero', call)
  if (call.remaining === 0) return
  breach({
    law: 'refusal-remaining-zero',
    place: call.before?.window && isOwnRefusal(call) ? 'zero' : call.seq,
    calls: [call],
    expected: 'Remaining: 0 on a 429',
    actual: `X-RateLimit-Remaining: ${call.remaining}`,
    wrong: asHeader('X-RateLimit-Remaining', 'not 0', String(call.remaining)),
  })
})

/** A ban with a longer stated wait is not temporary. */
const maxBanMs = 10 * 365 * dayMs

export const banTemporary = stateless((call, { breach, tried }) => {
  if (!mayBeBan(call)) return
  tried('ban-temporary', call)
  const { waitMs = 0 } = call
  if (waitMs <= maxBanMs) return
  breach({
    law: 'ban-temporary',
    place: 'ever',
    sure: true,
    calls: [call],
    expected: 'a temporary ban',
    actual: `a wait of ${Math.round(waitMs / dayMs)} days`,
    wrong: asHeader('Retry-After', 'too long'),
  })
})

/**
 * Whether nothing remained for a call, by the numbers of the calls before it and its own: as many
 * as remained were served, before it or in flight with it.
 */
const isSpentFor = (from: Call, call: Call): boolean => {
  let { remaining } = from
  for (let at = from.place + 1; (call.all[at]?.fromMs ?? call.toMs) < call.toMs; at += 1) {
    const one = call.all[at] as Call
    remaining -= Number(one.served && isBefore(from, one))
  }
  return remaining <= 0 && (!call.window || call.remaining === 0)
}

/** What a request says; creations may differ in the name. */
const saidBy = (exchange: AnsweredExchange): string => {
  const { method, path, headers } = exchange.apiRequest
  const { name: _, ...rest } = read(exchange).pet ?? {}
  const members = Object.entries(rest).map(([member, value]) => `${member}=${value}`)
  return [method, path, headers, describeRequest(exchange), ...members].join(' ')
}

/** Refusals of a day may add up to a ban, of any status (ruling 20). */
const mayAddUpTo = (call: Call): boolean =>
  refusalOf(call.exchange) === 'ban' && wasRefusedLately(call, ({ status }) => status === 429)

/** Whether a request was served before, so that its response is about the quota. */
const createKnown = (): ((call: Call) => boolean) => {
  const said = new Set<string>()
  let latest: Call | undefined
  return (call) => {
    // Most calls are never asked about.
    for (let { servedBefore: one } = call; one && one !== latest; one = one.servedBefore)
      said.add(saidBy(one.exchange))
    latest = call.servedBefore
    return said.has(saidBy(call.exchange))
  }
}

/**
 * The place of another status. Another client may have drawn a ban meanwhile, with a crowd of calls
 * at once: a key shows that it is none by its second and third call, two keys by their first.
 */
const createPlace = () => {
  let bans = 0
  return (from: Call, call: Call): string | number => {
    const isBan = refusalOf(call.exchange) === 'ban'
    if (isBan) bans += 1
    if (realMs(from, call) >= promptMs) return call.seq
    return isBan && bans === 1 ? `first ${call.status}` : call.status
  }
}

/**
 * What is beyond the limit gets 429, and nothing else. Where others since then get 429, until one
 * is served, this is an error by chance.
 */
export const refusedWith429: Law = ({ doubt, decide, tried }) => {
  const isKnown = createKnown()
  const placeAt = createPlace()
  const spentBefore = (call: Call): Call | undefined =>
    [...anchorsOf(call, (one) => one.served && one.window !== undefined)].find(
      (one) => !mayBePast(one, call) && isSpentFor(one, call),
    )
  let latest429 = -1
  let open: Breach[] = []
  const decideAt = (call: Call) => {
    if (call.status === 429) latest429 = call.place
    const isOver = ({ calls }: Breach) =>
      call.status === 429 || (call.served && isBefore(calls.at(-1) as Call, call))
    for (const found of open.filter(isOver)) decide(found, call.served)
    open = open.filter((found) => !isOver(found))
  }
  return (call) => {
    const { status } = call
    if (status === 429 || call.served) decideAt(call)
    if (followsRefusal(call)) return
    if (status === 429) tried('quota-429-status', call)
    const isOther = !call.served && status !== 429 && isKnown(call) && !mayAddUpTo(call)
    const from = isOther ? spentBefore(call) : undefined
    if (!from || latest429 > from.place) return
    tried('quota-429-status', call)
    const found: Breach = {
      law: 'quota-429-status',
      place: placeAt(from, call),
      sure: refusalOf(call.exchange) !== 'ban',
      missing: 1,
      standsAtEnd: true,
      calls: [from, call],
      expected: '429 once no requests remain',
      actual: `${status} after Remaining: ${from.remaining}`,
    }
    open.push(found)
    doubt(found)
  }
}

/** Of concurrent refusals any may be the first; one that states a wait leaves it open which. */
const isFirst = (call: Call): boolean =>
  overlapping(call.fromMs, call).every(
    (one) => !one.refused || readWait(one.exchange).fault !== undefined,
  )

const statesWait = ({ exchange }: Call): boolean => readWait(exchange).kind !== 'missing'

/**
 * Which law the wait of a refusal is under. A later one, until the key is served, may be a ban,
 * which need not state one; a key that was withdrawn is refused too. Refusals of a day may add up
 * to a ban, unless no refusal of the key states a wait.
 */
const lawOfWait = (call: Call, wasStated: boolean, was429: boolean) => {
  const is429 = call.status === 429
  const mayAddUp = wasRefusedLately(call) && (statesWait(call) || wasStated)
  if (!followsRefusal(call) && !mayAddUp) {
    return is429 && isFirst(call) ? 'retry-after-present' : undefined
  }
  if (is429) return statesWait(call) ? 'retry-after-present' : 'ban-retry-after'
  return was429 ? 'ban-retry-after' : undefined
}

const statesDate = ({ exchange }: Call): boolean =>
  httpDateMs(header(exchange, 'Retry-After') ?? '') !== undefined

/** What a headline shows of a wait: its value, or how long it is, unless its kind says so. */
const shownOf = ({ exchange }: Call, kind: string, fault: string): string => {
  const value = headerValues(exchange, 'Retry-After').join(', ')
  if (kind === 'not in the future') return fault
  return value === kind ? '' : value
}

/** A ban that another client has drawn need not state a wait. */
const placeOfWait = (call: Call, kind: string): string | number =>
  kind !== 'missing' || isOwnRefusal(call) ? kind : call.seq

/** A refusal states how long to wait. */
export const waitStated: Law = ({ breach, tried }) => {
  let [wasStated, was429] = [false, false]
  return (call) => {
    if (!call.refused) return
    const law = lawOfWait(call, wasStated, was429)
    wasStated ||= statesWait(call)
    was429 ||= call.status === 429
    // Without Date it is not known whether a date is in the future.
    if (!law || (call.clocksMs.length === 0 && statesDate(call))) return
    tried(law, call)
    if (mayBeBan(call)) tried('ban-retry-after', call)
    const { fault, kind } = readWait(call.exchange)
    if (fault === undefined || kind === undefined) return
    const { before } = call
    breach({
      law,
      // A ban that another client has drawn need not state a wait; served in between, none lasts.
      sure: law === 'ban-retry-after' || kind !== 'missing',
      place: placeOfWait(call, kind),
      isUnseen: () => before?.served === true && isOwnEnd(before, call),
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
export const waitNotExcessive: Law = ({ breach, tried }) => {
  let isFirst = true
  let isSoon = false
  return (call) => {
    isSoon ||= cameBackSoon(call)
    if (!call.refused || !isFirst) return
    isFirst = false
    if (!call.window || call.status !== 429 || call.waitMs === undefined) return
    if (mayBeBan(call) || call.clocksMs.length === 0) return
    const aheadMs = Math.max(0, call.reset * 1000 - Math.min(...call.clocksMs))
    const beyondMs = call.waitMs - aheadMs
    if (beyondMs <= maxBeyondResetMs) tried('retry-after-not-excessive', call)
    if (beyondMs <= maxBeyondResetMs || call.window.name === 'day') return
    breach({
      law: 'retry-after-not-excessive',
      place: call.seq,
      get sure() {
        return isSoon
      },
      calls: [call],
      expected: `at most ${duration(maxBeyondResetMs)} after Reset`,
      actual: `${duration(beyondMs)} after the Reset of the same response`,
      wrong: asHeader('Retry-After', 'too long'),
    })
  }
}

/** A 429 may name the end of a ban, however far ahead; a key that is served before had none. */
export const refusalResetKept: Law = ({ breach, tried }) => {
  return (to) => {
    const { before: from, served, clocksMs } = to
    if (from?.status !== 429 || !from.window || !served || !isBefore(from, to)) return
    if (clocksMs.length === 0) return
    tried('refusal-reset-ahead', to)
    const { name, ms } = from.window
    const lateMs = from.reset * 1000 - Math.max(...clocksMs)
    if (lateMs <= 2 * ms + 5_000) return
    breach({
      law: 'refusal-reset-ahead',
      place: 'refused',
      sure: true,
      calls: [from, to],
      expected: `a Reset at most two windows of a ${name} ahead on a 429 that is no ban`,
      actual: `the key was served ${duration(lateMs)} before the Reset of the 429`,
      wrong: asHeader('X-RateLimit-Reset', 'too far ahead'),
    })
  }
}
