// Programs: the quota of a day, spent at once with the test clock, or in real time.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { allKeys, dayKeyIn, maxDayCalls } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { completes, Untested } from '../../history/outcome.ts'
import {
  dayMs,
  daySaid,
  is429,
  isRefused,
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  readWaitMs,
  spanMs,
} from '../../history/rate-headers.ts'
import type { Plan } from '../../spec/plans.ts'
import { createPet } from '../pets/requests.ts'
import { clauses } from './bursts.ts'
import { ofEachPlan, program } from './program.ts'
import { passDays, shortList, unlessLost, Verbs } from './verbs.ts'

const dayKeyOf = ({ limits }: Context, plan: Plan): LimitKey => {
  const key = dayKeyIn(limits.keys, plan)
  if (!key) {
    const what = `another key of the plan ${plan} that is not the one for bans`
    throw new Untested('key', `it needs ${what} (--key ${plan}=OTHER)`)
  }
  const { perDay } = key.quota
  if (perDay <= maxDayCalls) return key
  const message = `${perDay} requests a day are too many: a run sends at most ${maxDayCalls}`
  throw new Untested('ambiguous', message)
}

/** Two other keys of the plan call: each has a day of its own. */
const callOthers = async (context: Context, { plan, label }: LimitKey): Promise<void> => {
  if (!context.limits.instant) return
  const others = allKeys(context.limits).filter((one) => one.plan === plan && one.label !== label)
  for (const other of others.slice(0, 2)) await completes(new Verbs(context, other).call())
}

/** How many minutes it may take: a few more than the day of a Free key needs. */
const maxMinutes = 40
const secondMs = 1_000
/** How many requests may fail; they may have counted. */
const maxFailed = 10
/** The number of calls of a minute that are creations, if the run may create. */
const maxCreations = 3
/** Long enough for a server that drops a count after one or two idle hours. */
const idleMs = 121 * minuteMs
const spendMs = 60 * minuteMs
/** How often the stated wait is kept: what is seen twice is no other client. */
const maxWaits = 3
/** In real time a run does not wait longer. */
const maxRealWaitMs = 150_000
/** A refusal so shortly before Reset; if the request is served, earlier the next time. */
const beforeResetMs = [600, 1_600]

/** A day as it is spent. */
class Day {
  readonly all: AnsweredExchange[] = []
  readonly #context: Context
  readonly #verbs: Verbs
  readonly #creates: boolean
  #hasIdled = false
  #lateMs: readonly number[] = beforeResetMs

  constructor(context: Context, verbs: Verbs, creates: boolean) {
    this.#context = context
    this.#verbs = verbs
    this.#creates = creates
  }

  get served(): number {
    return this.all.filter(isServed).length
  }

  /** Whether no more need be sent: too many were served or failed, or an error came for 429. */
  get isOver(): boolean {
    const { perDay } = this.#verbs.key.quota
    const last = this.all.at(-1)
    if (!last) return false
    const isInstead = this.served >= perDay && !isServed(last) && !is429(last)
    // A bucket may give back a tenth at once, which a response about the minute hides.
    const max = perDay + 1 + maxRefill(perDay, dayMs, spanMs(this.all) + dayMs / 10)
    return isInstead || this.all.length - this.served > maxFailed || this.served > max
  }

  readonly #ask = async (request?: ApiRequest): Promise<AnsweredExchange> => {
    const response = await this.#verbs.ask(request)
    this.all.push(response)
    return response
  }

  /** Lists, with a few creations at the end while those are served. */
  readonly #mix = (count: number): ApiRequest[] => {
    const isLost = (one: AnsweredExchange) => one.apiRequest.method === 'POST' && !isServed(one)
    const creations = this.#creates && !this.all.some(isLost) ? Math.min(maxCreations, count) : 0
    return Array.from({ length: count }, (_, at) =>
      at < count - creations ? shortList : createPet(this.#context.newPet()),
    )
  }

  /** Whether half of the day is spent, and its Reset is far enough ahead. */
  readonly #mayIdle = (response: AnsweredExchange): boolean => {
    const said = daySaid(response)
    if (this.#hasIdled || !said || said.remaining <= 1) return false
    const isHalf = said.remaining <= this.#verbs.key.quota.perDay / 2
    return isHalf && said.resetInMs > idleMs + spendMs
  }

  /** Spends a minute; what is beyond the day is sent one by one. @returns whether all is spent */
  readonly #spendMinute = async (first: AnsweredExchange): Promise<boolean> => {
    const { key, left, flood } = this.#verbs
    const { perDay } = key.quota
    const inMinute = left(first)
    const inDay = Math.min(daySaid(first)?.remaining ?? perDay, Math.max(0, perDay - this.served))
    const responses = await flood(this.#mix(Math.min(inMinute, inDay)))
    this.all.push(...responses)
    if (responses.some(isOfKey)) return true
    if (this.served < perDay) return this.isOver
    for (let more = inMinute - responses.length; more > 0 && !this.isOver; more -= 1) {
      if (isOfKey(await this.#ask())) return true
    }
    return this.isOver
  }

  /** Milliseconds until shortly before the Reset of a minute with no calls left, to be tried. */
  readonly #untilLateMs = async (): Promise<number | undefined> => {
    const last = this.all.at(-1)
    const said = last && minuteSaid(last)
    const [beforeMs] = this.#lateMs
    if (beforeMs === undefined || !said || !isServed(last) || said.remaining > 0) return undefined
    const ms = said.reset * 1_000 - beforeMs - (await this.#context.clock.now())
    // A bucket states when its next token comes, so Reset is not the end of a window.
    return ms < 0 || ms > 2 * minuteMs ? undefined : ms
  }

  /** The first call of the next minute; before that one in the last second of this minute. */
  readonly #beginMinute = async (): Promise<AnsweredExchange> => {
    const { limits } = this.#context
    const lateMs = await this.#untilLateMs()
    if (lateMs === undefined) {
      const last = this.all.at(-1)
      const resetInMs = (last && minuteSaid(last)?.resetInMs) ?? minuteMs
      await limits.pass(Math.min(Math.max(resetInMs, minuteMs), 2 * minuteMs) + secondMs)
      return this.#ask()
    }
    await limits.pass(lateMs)
    const late = await this.#ask()
    this.#lateMs = isServed(late) ? this.#lateMs.slice(1) : []
    if (!isShutOut(late)) return late
    const next = await this.#verbs.retry(late)
    if (next !== late) {
      this.all.push(next)
      return next
    }
    // It states no wait that a run can keep.
    await limits.pass(2 * minuteMs)
    return this.#ask()
  }

  /** Spends a day and one call more: until a refusal, or until too many were served. */
  readonly spend = async (): Promise<void> => {
    let first = await this.#ask()
    for (let minute = 0; minute < maxMinutes && !this.isOver && !isOfKey(first); minute += 1) {
      if (this.#mayIdle(first)) {
        this.#hasIdled = true
        await this.#context.limits.pass(idleMs)
        first = await this.#ask()
      } else if (await this.#spendMinute(first)) return
      else first = await this.#beginMinute()
    }
  }
}

/** Whether the key is shut out; a creation may be refused for what it is. */
const isOfKey = (response: AnsweredExchange): boolean =>
  response.apiRequest.method === 'POST' ? isRefused(response) : isShutOut(response)

/** From a minute after midnight, after the key rested for at least two days. */
const spendByClock = async (context: Context, verbs: Verbs): Promise<Day> => {
  const { allow, clock } = context
  const creates = allow.includes('write') && (await completes(context.control('create')))
  const day = new Day(context, verbs, creates)
  const now = await clock.now()
  await passDays(context, (Math.floor(now / dayMs) + 3) * dayMs + minuteMs - now)
  await callOthers(context, verbs.key)
  await day.spend()
  return day
}

/** Sends until a refusal, or until too many were served; never exceeds the minute. */
const spendInRealTime = async ({ limits }: Context, { label, quota }: LimitKey): Promise<void> => {
  const perReset = new Map<number, number>()
  for (let sent = 0; sent < 2 * quota.perDay + 2; sent += 1) {
    const response = await unlessLost(limits.paced(label, shortList))
    if (!isServed(response)) return
    const reset = daySaid(response)?.reset
    if (reset === undefined) continue
    perReset.set(reset, (perReset.get(reset) ?? 0) + 1)
    if ((perReset.get(reset) ?? 0) > quota.perDay) return
  }
}

export const dayQuotas = ofEachPlan(['free', 'enterprise'], (plan) =>
  program({
    id: plan === 'free' ? 'day-quota' : `day-quota-${plan}`,
    requirement: `limits.${plan}`,
    needs: { stage: 'days', allow: ['exhaust', 'day'], plan },
    laws: ['limit-not-late', 'limit-not-below-quota', 'limit-not-early'],
    clauses,
    sends:
      'With the test clock: after a rest of two days, calls minute by minute until one more ' +
      'than the day has; in the first minute one 0.6 s before Reset, with nothing left, and if ' +
      'that is served 1.6 s before the next one. In real time: at the pace of the minutes, ' +
      'within one run. While it is spent, with the test clock, a call with up to two other keys ' +
      'of the plan, and one before it. Then a request after the wait that the refusal states, in ' +
      'real time if that is short; up to three times. All of it again if a law is in doubt.',
    run: async (context) => {
      const { instant, responsesTo } = context.limits
      const verbs = new Verbs(context, dayKeyOf(context, plan))
      const { label, quota } = verbs.key
      const before = responsesTo(label).length
      if (instant) await spendByClock(context, verbs)
      else await spendInRealTime(context, verbs.key)
      const sent = responsesTo(label).slice(instant ? before : 0)
      const refusal = responsesTo(label).slice(before).findLast(isRefused)
      if (refusal) await callOthers(context, verbs.key)
      const isShort = refusal && (readWaitMs(refusal) ?? 0) <= maxRealWaitMs
      if (refusal && (instant || isShort)) await verbs.retry(refusal, maxWaits)
      if (sent.every(isServed) || sent.length <= quota.perDay) {
        const why = `no request was refused for its day (${sent.length} were sent)`
        throw new Untested('ambiguous', why, sent.slice(-1))
      }
    },
    again: { instant: 1, real: 0 },
  }),
)
