// What is known of one key's quota: arithmetic over what was sent and what the responses said.

import { type AnsweredExchange, type Exchange, statusCode } from '../../history/exchange.ts'
import {
  dayMs,
  fromMs,
  minuteMs,
  type RateHeaders,
  rateHeaders,
  refusedForMs,
  toMs,
} from '../../history/rate-headers.ts'
import type { Quota } from '../../spec/plans.ts'
import type { LimitKey, Pace } from '../check/context.ts'

/** Headers and `Date` are whole seconds, so waits end this much after a reset. */
export const graceMs = 1_000

/** Without the permission to spend a day, this share of it is reserved for other clients. */
const reservedShare = 0.1

export const dayReserve = ({ perDay }: Quota): number => Math.ceil(reservedShare * perDay)

export type GovernedKey = Pick<LimitKey, 'label' | 'quota'>

/** One window of one key, by the latest response. */
interface Window {
  readonly remaining: number
  readonly resetAtMs: number
  /** The Reset as it was declared, and how many requests were sent under it. */
  readonly declared: number
  readonly sent: number
  /** The response that said so. */
  readonly by: AnsweredExchange
}

/** A window after a request that no response speaks of. */
const afterUnheard = (window: Window): Window => ({
  ...window,
  remaining: window.remaining - 1,
  sent: window.sent + 1,
})

/** Resets this close to each other are those of one window, or of a bucket that empties. */
const sameResetS = 10

/** Of responses that overlapped, the later one may be that of the earlier request. */
const remainingAfter = (
  before: Window | undefined,
  { remaining, reset }: RateHeaders,
  sentMs: number,
): number => {
  const overlaps = before !== undefined && sentMs < toMs(before.by)
  const isSame = overlaps && Math.abs(before.declared - reset) <= sameResetS
  return isSame ? Math.min(before.remaining, remaining) : remaining
}

/** Whether a response speaks of a limit, in whatever form. */
const showsLimit = (exchange: AnsweredExchange): boolean =>
  statusCode(exchange) === 429 ||
  exchange.response.headers.some(([name]) => /^(?:x-ratelimit-.*|retry-after)$/i.test(name))

/** The span in which requests are counted is shorter than any window. */
const spanMs = minuteMs - 5_000

export class Ledger {
  readonly label: string
  readonly quota: Quota
  /** How many calls of each day are reserved for other clients; 0 where a run may spend it. */
  readonly reservedOfDay: number
  /** Whether it may be chosen where any key will do. */
  isSelectable = true
  inFlight = 0
  /** 0: it was never refused. */
  frozenUntilMs = 0
  /** Whether any response spoke of a limit, in whatever form. */
  hasLimit = false
  /** When each request of the last 24 h was sent, in order: headers need not speak of the day. */
  sentMs: number[] = []
  minute: Window | undefined
  day: Window | undefined
  /** The longest time to a Reset of the minute. */
  #resetMs = minuteMs

  /** Whether calls beyond the plan may find out that there is no limiter. */
  readonly #mayExceed: boolean
  #isUnlimited = false

  constructor({ label, quota }: GovernedKey, maySpendDay: boolean, mayExceed: boolean) {
    this.label = label
    this.quota = quota
    this.reservedOfDay = maySpendDay ? 0 : dayReserve(quota)
    this.#mayExceed = mayExceed
  }

  /** Whether more calls were served within a minute than any limiter of the plan grants. */
  get isUnlimited(): boolean {
    return this.#isUnlimited && !this.hasLimit
  }

  /**
   * Right after a reset a sliding window or token bucket has refilled only one or two tokens, so
   * waits end two intervals later.
   */
  get #marginMs(): number {
    return graceMs + (2 * minuteMs) / this.quota.perMinute
  }

  #isPast(window: Window, nowMs: number): boolean {
    return nowMs >= window.resetAtMs + this.#marginMs
  }

  #leftIn(window: Window, max: number, nowMs: number): number {
    // After a reset, one request finds out how many there are. Remaining may never fall, so what
    // was sent in a declared window counts as well.
    const left = this.#isPast(window, nowMs) ? 1 : Math.min(window.remaining, max - window.sent)
    return left - this.inFlight
  }

  #minuteLeft(nowMs: number): number {
    const { perMinute } = this.quota
    if (this.isUnlimited) return perMinute
    // Where headers say nothing of the minute, what was sent does.
    const left = this.minute
      ? this.#leftIn(this.minute, perMinute, nowMs)
      : perMinute - this.#sentOfMinute(nowMs)
    if (left > 0 || !this.#mayExceed || this.inFlight > 0) return left
    const isDoubtful = this.minute ? this.falseZero(nowMs) !== undefined : !this.hasLimit
    // One by one, so that the first refusal ends it.
    return isDoubtful ? 1 : left
  }

  /** No design counts a call for longer than two windows. */
  #sentOfMinute(nowMs: number): number {
    const sinceMs = nowMs - 2 * minuteMs - this.#marginMs
    return this.sentMs.slice(-this.quota.perMinute).filter((atMs) => atMs > sinceMs).length
  }

  /** Why none remain, where that is more than this run has sent, and no response was a refusal. */
  falseZero(nowMs: number): string | undefined {
    const { minute, quota, frozenUntilMs } = this
    const isZero = minute && minute.remaining <= 0 && !this.#isPast(minute, nowMs)
    const sent = this.#sentOfMinute(nowMs)
    if (!isZero || frozenUntilMs > 0 || sent >= quota.perMinute) return undefined
    const { apiRequest, response } = minute.by
    const what = `${apiRequest.method} ${apiRequest.path} got ${response.status} with Remaining: 0`
    return `${what} after ${sent} of ${quota.perMinute} requests`
  }

  /** What the day has left for this run, by its headers and by what was sent. */
  dayLeft(nowMs: number): number {
    const { day, quota, reservedOfDay, sentMs } = this
    const first = reservedOfDay > 0 ? sentMs.findIndex((atMs) => atMs > nowMs - dayMs) : -1
    const calls = first < 0 ? 0 : sentMs.length - first
    const own = calls > 0 ? quota.perDay - calls - reservedOfDay : Number.POSITIVE_INFINITY
    if (!day) return own
    const reserved = this.#isPast(day, nowMs) ? 0 : reservedOfDay
    return Math.min(own, this.#leftIn(day, quota.perDay, nowMs) - reserved)
  }

  left(nowMs: number): number {
    if (nowMs < this.frozenUntilMs) return 0
    return Math.min(this.#minuteLeft(nowMs), this.dayLeft(nowMs))
  }

  /** When the minute is full again, by the responses; undefined where they do not say. */
  fullAtMs(): number | undefined {
    const { minute, frozenUntilMs } = this
    return minute && Math.max(frozenUntilMs, minute.resetAtMs + this.#marginMs)
  }

  /** How long a run waits for a whole minute of calls: two, where no response speaks of one. */
  get windowMs(): number {
    return this.minute || this.sentMs.length === 0 ? this.#resetMs : 2 * minuteMs
  }

  /** When the minute has requests left again, whatever the day has. */
  minuteFreeAtMs(nowMs: number): number {
    if (this.#minuteLeft(nowMs) > 0) return this.frozenUntilMs
    const oldestMs = this.sentMs.at(-this.quota.perMinute) ?? nowMs
    const resetAtMs = this.minute?.resetAtMs ?? oldestMs + 2 * minuteMs
    return Math.max(this.frozenUntilMs, resetAtMs + this.#marginMs)
  }

  freeAtMs(nowMs: number): number {
    const minuteFreeMs = this.minuteFreeAtMs(nowMs)
    if (this.dayLeft(nowMs) > 0) return minuteFreeMs
    const resetAtMs = this.day?.resetAtMs ?? (this.sentMs[0] ?? nowMs) + dayMs
    return Math.max(minuteFreeMs, resetAtMs + this.#marginMs)
  }

  spend(nowMs: number): void {
    this.inFlight += 1
    while ((this.sentMs[0] ?? nowMs) <= nowMs - dayMs) this.sentMs.shift()
    this.sentMs.push(nowMs)
  }

  countUnheard(): void {
    this.minute &&= afterUnheard(this.minute)
    this.day &&= afterUnheard(this.day)
  }

  /** Takes over the headers of a response, if they are well-formed. */
  learn(exchange: AnsweredExchange, nowMs: number): void {
    this.hasLimit ||= showsLimit(exchange)
    // No design grants more within a window (ruling 17).
    const max = 2 * this.quota.perMinute
    this.#isUnlimited ||= (this.sentMs.at(-max - 1) ?? Number.NEGATIVE_INFINITY) >= nowMs - spanMs
    const said = rateHeaders(exchange)
    if (!said) return
    const kind = said.window ?? 'minute'
    const maxAheadMs = 2 * (kind === 'day' ? dayMs : minuteMs)
    if (kind === 'minute') {
      this.#resetMs = Math.max(this.#resetMs, Math.min(said.resetInMs, maxAheadMs))
    }
    const before = this[kind]
    this[kind] = {
      remaining: remainingAfter(before, said, fromMs(exchange)),
      by: exchange,
      resetAtMs: nowMs + Math.min(said.resetInMs, maxAheadMs),
      declared: said.reset,
      sent: (before?.declared === said.reset ? before.sent : 0) + 1,
    }
    // The window that the response does not speak of has counted the request as well.
    const other = kind === 'day' ? 'minute' : 'day'
    const window = this[other]
    if (window) this[other] = this.#isPast(window, nowMs) ? undefined : afterUnheard(window)
  }

  /** The key was refused: it is not used for as long as the response states. */
  freeze(exchange: Exchange, nowMs: number): void {
    // Of several refusals in flight, the last to arrive need not state the longest wait.
    const untilMs = nowMs + Math.max(refusedForMs(exchange), graceMs) + graceMs
    this.frozenUntilMs = Math.max(this.frozenUntilMs, untilMs)
  }
}

/** What a run says where it does not wait for windows. */
export const noLimiter =
  'the target limits nothing: within a minute a key got more responses than any limiter grants, ' +
  'none of which speaks of a limit, so the run does not wait for its windows'

/** Quota state shared by consecutive runs in one process. */
export class Carried {
  #ledgers: ReadonlyMap<string, Ledger> = new Map()
  #nowMs = (): number => 0

  /** The ledgers of a run that begins, as the run before left them, and the time that they have. */
  open(keys: readonly GovernedKey[], pace: Pace, maySpendDays: boolean, mayExceed: boolean) {
    // Each run counts from zero how far it has moved the clock of the target.
    const byMs = this.#ledgers.size > 0 ? this.#nowMs() - pace.now() : 0
    this.#nowMs = () => pace.now() + byMs
    const ledgerOf = (key: GovernedKey): Ledger => {
      const known = this.#ledgers.get(key.label) ?? new Ledger(key, maySpendDays, mayExceed)
      // What was in flight has counted, or will.
      return Object.assign(known, { inFlight: 0, isSelectable: true })
    }
    this.#ledgers = new Map(keys.map((key) => [key.label, ledgerOf(key)]))
    return { ledgers: this.#ledgers, nowMs: this.#nowMs }
  }

  /** The target was restarted: nothing is known of its keys. */
  forget(): void {
    this.#ledgers = new Map()
  }
}
