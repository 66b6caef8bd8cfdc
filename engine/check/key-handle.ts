// What a run can do with a key: send requests, once its quota allows them or whatever is left of
// it; and wait, as its responses state or until nothing counts any more.

import { type AnsweredExchange, type ApiRequest, get, withKey } from '../../history/exchange.ts'
import { allEnded, completes, NoResponseError, Untested } from '../../history/outcome.ts'
import {
  dayMs,
  isRefused,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  readWaitMs,
} from '../../history/rate-headers.ts'
import type { Plan, Quota } from '../../spec/plans.ts'

export const shortList = get('/pets?limit=1')

export const secondMs = 1_000
/** The number of connections for requests that are sent at the same time. */
const maxTogether = 64
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

type Send = (request: ApiRequest) => Promise<AnsweredExchange>

/** How it is done, by what the key belongs to: a run, a load, or a plan of one. */
export interface Means {
  /** Once the quota allows it. @throws Untested if it is refused */
  readonly call: Send
  /** Whatever is left: on the connection that the last one used, or on one of its own. */
  readonly insist: Send
  readonly insistApart: Send
  /** Waits until nothing that was sent with the key counts any more. */
  readonly rest: () => Promise<void>
  /** Waits until the latest refusal of the key is over, as it stated. */
  readonly waitForRetryAfter: () => Promise<void>
  /** Waits until the minute has a call left; the day may have none. */
  readonly waitForMinute: () => Promise<void>
  /** How many requests nobody else needs and could be sent now, without a wait. */
  readonly spare: () => number
  /** All responses to the key so far, in the order in which they came. */
  readonly responses: () => readonly AnsweredExchange[]
  /** Whether the test clock moves time, and what it shows. */
  readonly instant: boolean
  readonly clockMs: () => Promise<number>
  readonly pass: (ms: number) => Promise<void>
}

export class KeyHandle {
  readonly label: string
  readonly plan: Plan
  readonly quota: Quota
  readonly #means: Means

  constructor({ label, plan, quota }: Pick<KeyHandle, 'label' | 'plan' | 'quota'>, means: Means) {
    this.label = label
    this.plan = plan
    this.quota = quota
    this.#means = means
  }

  readonly rest: Means['rest'] = () => this.#means.rest()
  readonly waitForRetryAfter: Means['waitForRetryAfter'] = () => this.#means.waitForRetryAfter()
  readonly spare: Means['spare'] = () => this.#means.spare()
  readonly responses: Means['responses'] = () => this.#means.responses()

  /** One request, whatever is left. */
  readonly ask = (request = shortList): Promise<AnsweredExchange> =>
    unlessLost(this.#means.insist(request))

  /** One request once the quota allows it. @throws Untested if it is refused */
  readonly call = (request = shortList): Promise<AnsweredExchange> =>
    unlessLost(this.#means.call(withKey(request, this.label)))

  /** Requests one after another, once the quota allows each, whatever the responses are. */
  readonly callEach = async (requests: readonly ApiRequest[]): Promise<void> => {
    for (const request of requests) await completes(this.call(request))
  }

  /** One request once the minute has a call left. */
  readonly paced = async (request = shortList): Promise<AnsweredExchange> => {
    await this.#means.waitForMinute()
    return this.ask(request)
  }

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
          const received = await this.#means.insistApart(request)
          isOver ||= isRefused(received)
          responses.push(received)
        } catch (error) {
          if (!(error instanceof NoResponseError)) throw error
        }
      }
    }
    await allEnded(Array.from({ length: atOnce }, sendNext))
    return responses
  }

  /** How many calls remain in the minute, as announced, or else `otherwise`. */
  readonly left = (response: AnsweredExchange, otherwise = this.quota.perMinute - 1): number =>
    Math.min(minuteSaid(response)?.remaining ?? otherwise, this.quota.perMinute)

  /**
   * The first call after two windows of silence; the next one where it is near a Reset.
   * @param tenth that of a minute of the test clock at which it is sent
   */
  readonly rested = async (tenth?: number): Promise<AnsweredExchange> => {
    const { clockMs, instant, pass } = this.#means
    await this.rest()
    const everyMs = tenth === undefined ? secondMs : minuteMs
    const atMs = beginsAtMs + ((tenth ?? 0) * minuteMs) / 10
    if (instant) await pass((atMs - ((await clockMs()) % everyMs) + everyMs) % everyMs)
    const first = await this.ask()
    const resetInMs = minuteSaid(first)?.resetInMs ?? nearResetMs
    if (!isServed(first) || resetInMs >= nearResetMs) return first
    await pass(resetInMs + secondMs)
    return this.ask()
  }

  /** The first call in a window that has just begun; in real time in one with so much room. */
  readonly begin = async (room = this.quota.perMinute - 1): Promise<AnsweredExchange> => {
    const { instant, pass } = this.#means
    const first = await (instant ? this.rested() : this.call())
    if (!instant && this.left(first) >= room) return first
    const resetInMs = minuteSaid(first)?.resetInMs ?? 0
    // A window that is longer than a minute must have just begun as well.
    await pass(Math.min(resetInMs, maxResetMs[instant ? 'instant' : 'real']) + secondMs)
    return this.call()
  }

  /** The wait that a refusal states, in a form and of a length that a run can keep. */
  readonly statedMs = (refusal: AnsweredExchange): number | undefined => {
    const ms = readWaitMs(refusal) ?? 0
    const max = maxWaitMs[this.#means.instant ? 'instant' : 'real']
    return ms <= 0 || ms > max ? undefined : ms
  }

  /**
   * One request after the wait that a refusal stated, exactly with the test clock: a longer wait
   * would hide one that is slightly too short. Again for the wait of its own refusal.
   * @returns the last response; the refusal if it stated no wait that a run can keep
   */
  readonly retry = async (refusal: AnsweredExchange, maxTries = 1): Promise<AnsweredExchange> => {
    const { instant, pass } = this.#means
    const ms = maxTries > 0 && isShutOut(refusal) ? this.statedMs(refusal) : undefined
    if (ms === undefined) return refusal
    await pass(ms + (instant ? 0 : graceMs))
    return this.retry(await this.ask(), maxTries - 1)
  }
}
