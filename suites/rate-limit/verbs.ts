// What a program can do with one key: send requests, whatever is left of its quota, and let time
// pass. Nothing here judges.

import type { Context, LimitKey } from '../../engine/check/context.ts'
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
  minuteMs,
  minuteSaid,
  readWaitMs,
} from '../../history/rate-headers.ts'
import { listPets } from '../pets/requests.ts'

export const shortList = listPets({ limit: 1 })

/** An id that no pet has. */
export const unknownId = '8999999999999999937'

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
/** Milliseconds into a second of the target: for calls that begin a window, and for a burst. */
export const phases = { begin: 50, burst: 550 } as const
/** Added in real time to a stated wait, which counts from when its response is received. */
const graceMs = 50
/** The longest wait: in real time, and by the test clock. */
const maxWaitMs = { real: 150_000, instant: 8 * dayMs }
const secondMs = 1_000
/** With the test clock a run waits for a Reset up to this far ahead. */
const maxResetMs = 600_000

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

/** Sends requests whose order does not matter: at a slow target several are in flight together. */
export const inAnyOrder = async (
  { ahead }: Context,
  requests: readonly ApiRequest[],
  alone: (request: ApiRequest) => Promise<unknown>,
): Promise<void> => {
  const responses = await unlessLost(ahead(requests.map((request) => () => request)))
  for (const [at, request] of requests.entries()) if (!responses[at]) await alone(request)
}

/** A server may limit requests without a valid key by client address, and then responds 429. */
export const callWithInvalidKeys = async (context: Context, count: number): Promise<void> => {
  const requests = Array.from({ length: count }, (_, at) =>
    unauthorized(shortList, `Bearer never-issued-key-${at}`),
  )
  await completes(inAnyOrder(context, requests, context.call))
}

/** What one key can do. */
export class Verbs {
  readonly key: LimitKey
  readonly #context: Context

  constructor(context: Context, key: LimitKey) {
    this.#context = context
    this.key = key
  }

  get #instant(): boolean {
    return this.#context.limits.instant
  }

  /** One request, whatever is left. */
  readonly ask = (request = shortList): Promise<AnsweredExchange> =>
    unlessLost(this.#context.limits.sendAnyway(this.key.label, request))

  /** One request once the quota allows it; the response may be a refusal. */
  readonly call = async (request = shortList): Promise<AnsweredExchange> => {
    const { label } = this.key
    try {
      return await unlessLost(this.#context.call(withKey(request, label)))
    } catch (error) {
      const [refusal] = error instanceof Untested ? error.evidence : []
      const isNew = refusal?.response && refusal.key === label && isShutOut(refusal)
      if (!isNew) throw error
      return refusal as AnsweredExchange
    }
  }

  /** Several requests whose order does not matter, once the quota allows each. */
  readonly callEach = (requests: readonly ApiRequest[]): Promise<void> =>
    inAnyOrder(
      this.#context,
      requests.map((request) => withKey(request, this.key.label)),
      this.call,
    )

  /** As fast as connections become free; nothing is sent after a refusal. Omits what is lost. */
  readonly flood = async (
    requests: readonly ApiRequest[],
    atOnce = maxTogether,
  ): Promise<AnsweredExchange[]> => {
    const responses: AnsweredExchange[] = []
    let next = 0
    const sendNext = async (): Promise<void> => {
      const request = requests[next]
      if (!request || responses.some(isRefused)) return
      next += 1
      try {
        responses.push(...(await this.#context.limits.flood(this.key.label, [request])))
      } catch (error) {
        if (!(error instanceof NoResponseError)) throw error
      }
      await sendNext()
    }
    const all = await Promise.allSettled(Array.from({ length: atOnce }, sendNext))
    const failed = all.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
    return responses
  }

  /**
   * Lets `ms` pass; with the test clock up to a second more, until `phaseMs` into a second. A wait
   * that is rounded down is too short by a fraction of a second, which the phase makes large.
   */
  readonly passUntil = async (ms: number, phaseMs: number): Promise<void> => {
    const { clock, limits } = this.#context
    const nowMs = this.#instant ? await clock.now() : 0
    const moreMs = this.#instant ? (phaseMs - nowMs - ms) % secondMs : 0
    const allMs = ms + (moreMs < 0 ? moreMs + secondMs : moreMs)
    if (allMs > 0) await limits.pass(allMs)
  }

  /** How many calls remain in the minute, as announced, or else `otherwise`. */
  readonly left = (response: AnsweredExchange, otherwise = this.key.quota.perMinute - 1): number =>
    Math.min(minuteSaid(response)?.remaining ?? otherwise, this.key.quota.perMinute)

  /** The first call after two windows of silence. */
  readonly rested = async (): Promise<AnsweredExchange> => {
    await this.#context.limits.rest(this.key.label)
    await this.passUntil(0, phases.begin)
    return this.ask()
  }

  /** Or, in real time, the latest call of the key, if it shows a whole minute. */
  readonly whole = async (): Promise<AnsweredExchange> => {
    const latest = this.#context.limits.responsesTo(this.key.label).at(-1)
    const isWhole = latest && isServed(latest) && this.left(latest) === this.key.quota.perMinute - 1
    return isWhole && !this.#instant ? latest : this.rested()
  }

  /** The first call in a window that has just begun; in real time in one with so much room. */
  readonly fresh = async (room = this.key.quota.perMinute - 1): Promise<AnsweredExchange> => {
    const first = this.#instant ? await this.rested() : await this.call()
    const resetInMs = minuteSaid(first)?.resetInMs ?? 0
    if (!isServed(first) || (!this.#instant && this.left(first) >= room)) return first
    // A window that is longer than a minute must have just begun as well.
    const waitMs = Math.min(resetInMs, this.#instant ? maxResetMs : 2 * minuteMs)
    await this.#context.limits.pass(waitMs + secondMs)
    return this.call()
  }

  /** The wait that a refusal states, in a form and of a length that a run can keep. */
  readonly statedMs = (refusal: AnsweredExchange): number | undefined => {
    const ms = readWaitMs(refusal) ?? 0
    return ms <= 0 || ms > maxWaitMs[this.#instant ? 'instant' : 'real'] ? undefined : ms
  }

  /**
   * One request after the wait that a refusal stated, exactly with the test clock: a longer wait
   * would hide one that is slightly too short. Again for the wait of its own refusal.
   * @returns the last response; the refusal if it stated no wait that a run can keep
   */
  readonly retry = async (refusal: AnsweredExchange, maxTries = 1): Promise<AnsweredExchange> => {
    const ms = maxTries > 0 && isShutOut(refusal) ? this.statedMs(refusal) : undefined
    if (ms === undefined) return refusal
    await this.#context.limits.pass(ms + (this.#instant ? 0 : graceMs))
    return this.retry(await this.ask(), maxTries - 1)
  }
}
