// The governor: holds each request with a key back until the key's quota has room for it.

import { type AnsweredExchange, type Exchange, statusCode } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import { isRefused, minuteMs, refusedForMs } from '../../history/rate-headers.ts'
import { isRefusedForKey } from '../../model/limiter/calls.ts'
import type { Pace } from '../check/context.ts'
import type { PlanOptions } from '../check/spendable-keys.ts'
import { Carried, type GovernedKey, graceMs, type Ledger } from './ledger.ts'

/** The longest wait in real time: two windows and a margin. */
const maxWaitMs = 150_000
/** The furthest single move of the target's test clock: a day and a margin. */
const maxMoveMs = 25 * 3_600_000

/** A request waits for so many resets at most: a target that needs more of them never refills. */
const maxWaits = 5

/** A shorter wait may be for one token of a bucket, and then one call after it is enough. */
const minLongWaitMs = 30_000
/** A long wait with a smaller share of the quota after it is barren. */
const minShare = 1 / 20
/** After more barren waits in a row a key is given up; a few may be due to another client. */
const maxBarrenWaits = 5

/** How often a run waits for a limit on requests without a key: a target may refuse without end. */
const maxAddressWaits = 12

/** No design counts a call for longer than two windows (ruling 17). */
const fullQuotaMs = 121_000

/** Called before each wait, with what it is `for`; throws if the run may not wait. */
type OnWait = (ms: number, why: string) => void

interface Permitted extends Pick<PlanOptions, 'allow' | 'shared'> {
  readonly carried?: Pick<Carried, 'open'>
}

/** What waits for a key's quota throws `Untested` (blocked) if the wait would be too long. */
export class Governor {
  readonly #ledgers: ReadonlyMap<string, Ledger>
  readonly #pace: Pace
  readonly #nowMs: () => number
  readonly #onWait: OnWait
  #callsSinceWait = 0
  #barrenWaits = 0
  #addressWaits = 0
  /** Resolved when a request with a key is no longer in flight. */
  #ended = Promise.withResolvers<void>()
  #waiting: Promise<void> | undefined

  constructor(
    keys: readonly GovernedKey[],
    pace: Pace,
    onWait: OnWait,
    { allow, shared, carried = new Carried() }: Permitted,
  ) {
    const mayExceed = allow.includes('exhaust') && !shared && !pace.instant
    const { ledgers, nowMs } = carried.open(keys, pace, allow.includes('day'), mayExceed)
    this.#ledgers = ledgers
    this.#nowMs = nowMs
    this.#pace = pace
    this.#onWait = onWait
  }

  #ledger(label: string): Ledger {
    return this.#ledgers.get(label) as Ledger
  }

  /**
   * Waits until a key (this one, or any) has a request left, and takes it. First what is in flight
   * ends, in the time that a response may take: it may show more, and is not to see a clock moved.
   */
  readonly admit = async (label: string | undefined): Promise<string> => {
    for (let waits = 0; ; waits += 1) {
      let ledger = this.#best(label)
      while (!ledger && this.#candidates(label).some(({ inFlight }) => inFlight > 0)) {
        await this.#ended.promise
        ledger = this.#best(label)
      }
      if (ledger) {
        this.take(ledger.label)
        return ledger.label
      }
      if (waits === maxWaits) {
        const message = 'the key is not served again at the resets that were announced'
        throw new Untested('blocked', message)
      }
      // One wait for all that wait: the first one after it sends, and a second would move its time.
      const waitMs = this.waitMs(label)
      const expectWorth = () => this.#expectWorthWaiting(label, waitMs)
      const first = this.#firstFree(label)
      const doubt = first?.falseZero(this.#nowMs())
      const why = `for key ${first?.label}${doubt ? `, as ${doubt}` : ''}`
      this.#waiting ??= this.#wait(waitMs, why, expectWorth).finally(() => {
        this.#waiting = undefined
      })
      await this.#waiting
    }
  }

  /**
   * Waits for a reset if fewer than `count` requests are left, so that they can be sent together.
   * Takes none of them, and does not check that enough are left after the wait.
   */
  readonly waitForRoom = async (count: number, label: string | undefined): Promise<void> => {
    const keys = this.#candidates(label)
    const max = keys.reduce((sum, { quota }) => sum + quota.perMinute, 0)
    if (this.left(label) >= Math.min(count, max)) return
    const fullAtMs = Math.max(0, ...keys.flatMap((ledger) => ledger.fullAtMs() ?? []))
    await this.#wait(fullAtMs - this.#nowMs(), 'for quota: the next requests are sent together')
  }

  /** Waits until a key has a request left in its minute, whatever its day has; takes none. */
  readonly waitForMinute = async (label: string): Promise<void> => {
    const nowMs = this.#nowMs()
    const waitMs = this.#ledger(label).minuteFreeAtMs(nowMs) - nowMs
    await this.#wait(waitMs, `for the minute of key ${label}`)
  }

  /** Takes a request of a key even if none is left; `nowMs` is when it was sent, if not now. */
  readonly take = (label: string, nowMs = this.#nowMs()): void => {
    this.#callsSinceWait += 1
    this.#ledger(label).spend(nowMs)
  }

  /** @throws Untested (permission) where the rest of a key's day may not be spent */
  readonly requireDayPermitted = (label: string): void => {
    const { reservedOfDay } = this.#ledger(label)
    if (reservedOfDay === 0 || this.#ledger(label).dayLeft(this.#nowMs()) > 0) return
    const reserved = `reserving ${reservedOfDay} of the daily quota of key ${label}`
    const message = `${reserved} for other clients: --allow day lets a run spend them`
    throw new Untested('permission', message)
  }

  /** Waits until a key may be used again, by the latest of the times that refusals stated. */
  readonly waitForRetryAfter = async (label: string): Promise<void> => {
    const { frozenUntilMs } = this.#ledger(label)
    await this.#wait(frozenUntilMs - this.#nowMs(), `for Retry-After on key ${label}`)
  }

  /** Waits until no request sent with a key can still count in its minute: two windows. */
  readonly rest = async (label: string): Promise<void> => {
    await this.waitForRetryAfter(label)
    const lastMs = this.#ledger(label).sentMs.at(-1)
    if (lastMs === undefined || this.isUnlimited) return
    await this.#wait(lastMs + fullQuotaMs - this.#nowMs(), `for the full quota of key ${label}`)
  }

  /**
   * Waits as long as a refusal states, for targets that limit the requests without a valid key by
   * client address. @returns false if it does not wait
   */
  readonly waitForAddress = async (refusal: Exchange): Promise<boolean> => {
    const isOfAddress = refusal.key === null && statusCode(refusal) === 429
    if (!isOfAddress || this.#addressWaits >= maxAddressWaits) return false
    const statedMs = refusedForMs(refusal)
    if (statedMs > maxWaitMs) return false
    this.#addressWaits += 1
    this.#onWait(statedMs, 'for the limit on requests without a key')
    await this.#pace.pass(statedMs + graceMs)
    return true
  }

  /**
   * Lets time pass at the target, however long. At a target without a limiter there is no window to
   * wait for: short pauses are skipped, and a check that needs a long one is left untested.
   */
  readonly pass = async (ms: number): Promise<void> => {
    if (this.isUnlimited && ms < minLongWaitMs) return
    if (this.isUnlimited) throw new Untested('blocked', 'the target showed no limit to wait for')
    if (!this.#pace.instant) this.#onWait(ms, 'for time to pass at the target')
    await this.#pace.pass(ms)
  }

  /** Learns from a response. @returns whether the key was refused for its quota */
  readonly learn = (label: string, exchange: AnsweredExchange, nowMs = this.#nowMs()): boolean => {
    const ledger = this.#ledger(label)
    this.release(label)
    ledger.learn(exchange, nowMs)
    // After a refusal, 401 and 403 may be a ban; without one they are ordinary responses.
    const mayBeBan = ledger.frozenUntilMs > 0 && isRefusedForKey(exchange)
    const refused = isRefused(exchange) || mayBeBan
    if (refused) ledger.freeze(exchange, nowMs)
    return refused
  }

  /**
   * A request is no longer in flight, and no response to it says anything of the key's quota.
   * @param isLost whether it was sent: every window may have counted it
   */
  readonly release = (label: string, isLost = false): void => {
    const ledger = this.#ledger(label)
    ledger.inFlight -= 1
    if (isLost) ledger.countUnheard()
    const { resolve } = this.#ended
    this.#ended = Promise.withResolvers()
    resolve()
  }

  /** Whether a key may be chosen where any will do, and is not frozen by a refusal. */
  readonly isAtWork = (label: string): boolean => {
    const { isSelectable, frozenUntilMs } = this.#ledger(label)
    return isSelectable && this.#nowMs() >= frozenUntilMs
  }

  readonly setSelectable = (label: string, isSelectable: boolean): void => {
    this.#ledger(label).isSelectable = isSelectable
  }

  /** How many requests could be sent now, with this key or over all that may be chosen. */
  readonly left = (label?: string): number => {
    const nowMs = this.#nowMs()
    return this.#candidates(label).reduce((sum, each) => sum + Math.max(0, each.left(nowMs)), 0)
  }

  /** Milliseconds until a request could be sent, with this key or with any: 0 now. */
  readonly waitMs = (label?: string): number => {
    if (this.#best(label)) return 0
    const nowMs = this.#nowMs()
    const freeMs = this.#firstFree(label)?.freeAtMs(nowMs) ?? Number.POSITIVE_INFINITY
    return Math.max(graceMs, freeMs - nowMs)
  }

  /** About how long requests wait for their quota, if so many are sent with any of the keys. */
  readonly msFor = (requests: number): number => {
    const keys = this.#candidates(undefined)
    const missing = requests - this.left()
    if (missing <= 0 || keys.length === 0) return 0
    const nowMs = this.#nowMs()
    const firstMs = Math.min(...keys.map((each) => (each.fullAtMs() ?? nowMs + minuteMs) - nowMs))
    const perMinute = keys.reduce((sum, { quota }) => sum + quota.perMinute, 0)
    return Math.max(0, firstMs) + (Math.ceil(missing / perMinute) - 1) * this.windowMs
  }

  /** How long a run waits for a whole minute of calls. */
  get windowMs(): number {
    return Math.max(minuteMs, ...this.#candidates(undefined).map((each) => each.windowMs))
  }

  /** What a response said of a key's quota, where that does not fit what was sent. */
  falseZero(): string | undefined {
    const all = this.#candidates(undefined).map((each) => each.falseZero(this.#nowMs()))
    return all.find((doubt) => doubt !== undefined)
  }

  #firstFree(label: string | undefined): Ledger | undefined {
    const nowMs = this.#nowMs()
    return this.#candidates(label).toSorted((a, b) => a.freeAtMs(nowMs) - b.freeAtMs(nowMs))[0]
  }

  #candidates(label: string | undefined): Ledger[] {
    const ledgers = [...this.#ledgers.values()]
    return ledgers.filter((each) =>
      label === undefined ? each.isSelectable : each.label === label,
    )
  }

  /** Whether a key showed that the target limits nothing: no quota is waited for any more. */
  get isUnlimited(): boolean {
    const ledgers = [...this.#ledgers.values()]
    return ledgers.some(({ isUnlimited }) => isUnlimited) && !ledgers.some((one) => one.hasLimit)
  }

  /** The key with the most requests left, so that the work spreads over the keys. */
  #best(label: string | undefined): Ledger | undefined {
    const nowMs = this.#nowMs()
    return this.#candidates(label)
      .map((ledger) => ({ ledger, left: ledger.left(nowMs) }))
      .filter(({ left }) => left > 0)
      .sort((a, b) => b.left - a.left)[0]?.ledger
  }

  async #wait(ms: number, why: string, expectWorth = () => {}): Promise<void> {
    if (ms <= 0) return
    if (ms > (this.#pace.instant ? maxMoveMs : maxWaitMs)) {
      throw new Untested('blocked', `the key has no requests left for ${duration(ms)}`)
    }
    this.#onWait(ms, why)
    expectWorth()
    await this.#pace.pass(ms)
  }

  /**
   * Gives up a key that has hardly any requests left after each of its resets: a run of minutes
   * would take hours. Moves of a test clock cost nothing, so they are never given up.
   * @throws Untested (blocked)
   */
  #expectWorthWaiting(label: string | undefined, waitMs: number): void {
    if (this.#pace.instant || waitMs < minLongWaitMs) return
    const perMinute = Math.min(...this.#candidates(label).map(({ quota }) => quota.perMinute))
    const isBarren = this.#callsSinceWait < minShare * perMinute
    this.#barrenWaits = isBarren ? this.#barrenWaits + 1 : 0
    this.#callsSinceWait = 0
    if (this.#barrenWaits <= maxBarrenWaits) return
    const resets = `more than ${maxBarrenWaits} resets in a row`
    throw new Untested('blocked', `after ${resets} the key had next to no requests left`)
  }
}
