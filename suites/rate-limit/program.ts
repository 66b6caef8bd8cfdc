// A program of the limiter, and what it can do with a key: send requests, whatever is left of its
// quota, and let time pass. The laws judge. Each is whole: it rests the key that it needs.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check, type Needs } from '../../engine/check/declare.ts'
import { errorIn } from '../../engine/check/findings.ts'
import { listPets } from '../../engine/check/requests.ts'
import { allKeys, firstSmallest } from '../../engine/check/spendable-keys.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  unauthorized,
  withKey,
} from '../../history/exchange.ts'
import { completes, NoResponseError, Untested } from '../../history/outcome.ts'
import {
  dayMs,
  isRefused,
  isServed,
  isShutOut,
  minuteSaid,
  readWaitMs,
} from '../../history/rate-headers.ts'
import type { LawId } from '../../model/limiter/laws.ts'
import { whyUntried } from '../../model/limiter/relation.ts'
import type { Plan } from '../../spec/plans.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'

export const shortList = listPets({ limit: 1 })

export const lists = (count: number): ApiRequest[] =>
  Array<ApiRequest>(Math.max(0, count)).fill(shortList)

/** Whatever the design, a key that is not banned is served after this rest (ruling 17). */
export const silenceMs = 75_000
/** A server may count refusals over a day, also of earlier runs; after this time none counts. */
export const forgottenMs = 25 * 3_600_000
/** The furthest that a program moves the clock: the removal date must not come. */
const maxClockMs = Date.UTC(2030, 11, 1)
/** The number of connections for requests that are sent at the same time. */
const maxTogether = 64
export const secondMs = 1_000
/** How long replicas may take to synchronise their count. */
export const lagMs = 300
/** A run waits for a Reset up to this far ahead. */
const maxResetMs = { real: 120_000, instant: 600_000 }
/**
 * Milliseconds into a second of the target at which a window begins, by the test clock: a wait that
 * is rounded down is too short by a fraction of a second, which this makes large.
 */
const beginsAtMs = 50
/** A program that begins so shortly before a Reset would cross it. */
const nearResetMs = 8_000
/** Added in real time to a stated wait, which counts from when its response is received. */
const graceMs = 50
/** The longest wait: in real time, and by the test clock. */
const maxWaitMs = { real: 150_000, instant: 8 * dayMs }

/**
 * Waits for a request that may have counted.
 * @throws Untested if it got no response
 */
export const unlessLost = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error
    const message = `one of its requests got no response: ${error.message}`
    throw new Untested('ambiguous', message, [error.exchange])
  }
}

/** @throws Untested (clock) if later programs would not find the deprecated operation any more */
export const passDays = async ({ clock, limits }: Context, ms: number): Promise<void> => {
  if ((await clock.now()) + ms > maxClockMs) {
    const message = 'the test clock is too near the removal date: restart the target'
    throw new Untested('clock', message)
  }
  await limits.pass(ms)
}

/** Sends requests one after another, whatever the responses are. */
const sendAll = async ({ call }: Context, requests: readonly ApiRequest[]): Promise<void> => {
  for (const request of requests) await completes(unlessLost(call(request)))
}

/** A server may limit requests without a valid key by client address, and then responds 429. */
export const callWithInvalidKeys = (context: Context, count: number): Promise<unknown> => {
  const requests = Array.from({ length: count }, (_, at) =>
    unauthorized(shortList, `Bearer never-issued-key-${at}`),
  )
  return completes(sendAll(context, requests))
}

const maxOtherKeys = 8

/** Some other keys than one, those of its plan first. */
export const otherKeys = ({ limits }: Context, { label, plan }: LimitKey): readonly LimitKey[] =>
  allKeys(limits)
    .filter((key) => key.label !== label)
    .toSorted((a, b) => Number(b.plan === plan) - Number(a.plan === plan))
    .slice(0, maxOtherKeys)

/** A call with each of these keys: each has a count of its own; it may have no quota left. */
export const callWith = (context: Context, keys: readonly LimitKey[]): Promise<unknown> => {
  const requests = keys.map(({ label }) => withKey(shortList, label))
  return completes(sendAll(context, requests))
}

/** What one key can do. */
export class Verbs {
  readonly key: LimitKey
  readonly #context: Context

  constructor(context: Context, key: LimitKey) {
    this.#context = context
    this.key = key
  }

  /** One request, whatever is left. */
  readonly ask = (request = shortList): Promise<AnsweredExchange> =>
    unlessLost(this.#context.limits.sendAnyway(this.key.label, request))

  /** One request once the quota allows it. @throws Untested if it is refused */
  readonly call = (request = shortList): Promise<AnsweredExchange> =>
    unlessLost(this.#context.call(withKey(request, this.key.label)))

  /** Several requests whose order does not matter, once the quota allows each. */
  readonly callEach = (requests: readonly ApiRequest[]): Promise<void> =>
    sendAll(
      this.#context,
      requests.map((request) => withKey(request, this.key.label)),
    )

  /** As fast as connections become free; nothing is sent after a refusal. Omits what is lost. */
  readonly flood = async (
    requests: readonly ApiRequest[],
    atOnce = maxTogether,
  ): Promise<AnsweredExchange[]> => {
    const responses: AnsweredExchange[] = []
    const left = requests.values()
    let isOver = false
    const sendNext = async (): Promise<void> => {
      for (const request of left) {
        if (isOver) return
        try {
          const received = await this.#context.limits.flood(this.key.label, [request])
          isOver ||= received.some(isRefused)
          responses.push(...received)
        } catch (error) {
          if (!(error instanceof NoResponseError)) throw error
        }
      }
    }
    const all = Array.from({ length: atOnce }, sendNext)
    await Promise.allSettled(all)
    await Promise.all(all)
    return responses
  }

  /** How many calls remain in the minute, as announced, or else `otherwise`. */
  readonly left = (response: AnsweredExchange, otherwise = this.key.quota.perMinute - 1): number =>
    Math.min(minuteSaid(response)?.remaining ?? otherwise, this.key.quota.perMinute)

  /** The first call after two windows of silence; the next one where it is near a Reset. */
  readonly rested = async (): Promise<AnsweredExchange> => {
    const { clock, limits } = this.#context
    await limits.rest(this.key.label)
    if (limits.instant) {
      const intoMs = (await clock.now()) % secondMs
      await limits.pass((beginsAtMs - intoMs + secondMs) % secondMs)
    }
    const first = await this.ask()
    const resetInMs = minuteSaid(first)?.resetInMs ?? nearResetMs
    if (!isServed(first) || resetInMs >= nearResetMs) return first
    await limits.pass(resetInMs + secondMs)
    return this.ask()
  }

  /** The first call in a window that has just begun; in real time in one with so much room. */
  readonly begin = async (room = this.key.quota.perMinute - 1): Promise<AnsweredExchange> => {
    const { limits } = this.#context
    const first = await (limits.instant ? this.rested() : this.call())
    if (!limits.instant && this.left(first) >= room) return first
    const resetInMs = minuteSaid(first)?.resetInMs ?? 0
    // A window that is longer than a minute must have just begun as well.
    await limits.pass(
      Math.min(resetInMs, maxResetMs[limits.instant ? 'instant' : 'real']) + secondMs,
    )
    return this.call()
  }

  /** The wait that a refusal states, in a form and of a length that a run can keep. */
  readonly statedMs = (refusal: AnsweredExchange): number | undefined => {
    const ms = readWaitMs(refusal) ?? 0
    const max = maxWaitMs[this.#context.limits.instant ? 'instant' : 'real']
    return ms <= 0 || ms > max ? undefined : ms
  }

  /**
   * One request after the wait that a refusal stated, exactly with the test clock: a longer wait
   * would hide one that is slightly too short. Again for the wait of its own refusal.
   * @returns the last response; the refusal if it stated no wait that a run can keep
   */
  readonly retry = async (refusal: AnsweredExchange, maxTries = 1): Promise<AnsweredExchange> => {
    const { limits } = this.#context
    const ms = maxTries > 0 && isShutOut(refusal) ? this.statedMs(refusal) : undefined
    if (ms === undefined) return refusal
    await limits.pass(ms + (limits.instant ? 0 : graceMs))
    return this.retry(await this.ask(), maxTries - 1)
  }
}

export const limitNeeds: Needs = { stage: 'limits', allow: ['exhaust'] }

/** @throws Untested where the only key of a plan is the one for bans */
export const expectKey = (key: LimitKey | undefined, plan: Plan = 'free'): LimitKey => {
  if (key) return key
  const what = `another key of the plan ${plan} that is not the one for bans`
  throw new Untested('key', `it needs ${what} (--key ${plan}=OTHER)`)
}

/** The key, of a plan or of any, that is cheapest to exhaust. */
export const cheapest = ({ limits }: Context, plan?: Plan): LimitKey =>
  expectKey(firstSmallest(limits.keys, 'perMinute', plan), plan)

/** A list of the status of the last creation that was refused for its key: clauses look for it. */
export const listRefused = async ({ knownPets }: Context, { key, call }: Verbs): Promise<void> => {
  const refused = knownPets.refusals.findLast(
    ({ exchange }) => exchange.key === key.label && isShutOut(exchange),
  )
  if (refused) await completes(call(listPets({ limit: 100, status: String(refused.sent.status) })))
}

interface Program {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly needs: Needs
  readonly sends: string
  /** Those that are about its requirement, by the ids of their clauses. */
  readonly laws: readonly [LawId, ...LawId[]]
  /** More laws that its calls may break: their clauses judge them, and a doubt repeats it. */
  readonly clauses?: readonly LawId[]
  /**
   * Sends; what ends it early is thrown once what was received has been judged.
   * @param time counts from 0: it is repeated where a law is in doubt
   */
  readonly run: (context: Context, time: number) => Promise<void>
}

/** What spends a quota takes many requests; in real time days and bans are not repeated. */
const timesOf = ({ needs }: Program, { limits }: Context): number => {
  if (limits.instant) return needs.plan === undefined ? 3 : 2
  return needs.stage === 'limits' ? 2 : 1
}

/** Again while it is in doubt: what is seen twice at one place is no other client. */
const runInDoubt = async (context: Context, declared: Program, isInDoubt: () => boolean) => {
  const [first] = await Promise.allSettled([declared.run(context, 0)])
  for (let time = 1; time < timesOf(declared, context) && isInDoubt(); time += 1) {
    await completes(declared.run(context, time))
  }
  if (first.status === 'rejected') throw first.reason
}

export const program = (declared: Program): Check => {
  const { laws, clauses = [] } = declared
  return check({
    ...declared,
    ...{ judgesItself: true, after: 'list' },
    sends: `${declared.sends} Again if a law is in doubt.`,
    fails: `What ${laws.map((law) => `\`${law}\``).join(', ')} find about its calls.`,
    inconclusive: 'what the laws find may be due to another client of the key (ambiguous)',
    run: async (context) => {
      const { exchanges } = context.history
      const [begin, seq] = [exchanges.length, exchanges.at(-1)?.seq ?? 0]
      const find = (ids: readonly LawId[]) => context.foundSince(seq, ids)
      const isInDoubt = () =>
        find(laws).violations.length === 0 && find([...laws, ...clauses]).doubts.length > 0
      const [ended] = await Promise.allSettled([runInDoubt(context, declared, isInDoubt)])
      const found = find(laws)
      const own = exchanges.slice(begin).filter(({ key }) => key !== null)
      const error = errorIn(found, own.length)
      if (error) throw error
      if (ended.status === 'rejected') throw ended.reason
      if (!found.isMet) throw new Untested('ambiguous', whyUntried(laws[0]))
    },
  })
}
