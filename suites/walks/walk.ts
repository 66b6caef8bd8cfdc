// A walk: requests that build on what happened before, and moves of the clock. It sends, and goes
// on whatever the responses are.

import type { Context } from '../../engine/check/context.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  recognizeOperation,
} from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'
import { NoResponseError, Untested } from '../../history/outcome.ts'
import { read } from '../../model/read.ts'
import type { Choice } from './choose.ts'
import type { MakeRequest, Scene, Step } from './draw-steps.ts'

/** A walk goes on after so many refusals of a key, which the governor waits out. */
const maxRefusals = 8

/** The last year of the deprecated operation has checks of its own, which move the clock there. */
const latestMs = Date.UTC(2029, 10, 1)

const isKeyed = ({ authorization }: ApiRequest): boolean => authorization === 'valid'

/** What it makes, if it can: a key that is too short, for instance, cannot be cut. */
export const makerIn =
  (scene: Scene) =>
  (make: MakeRequest): ApiRequest | undefined => {
    try {
      return make(scene)
    } catch (error) {
      if (error instanceof Untested) return undefined
      throw error
    }
  }

class Walk implements Scene {
  readonly context: Context
  readonly created: bigint[] = []
  lastBody: JsonObject | undefined
  lastKeyed: ApiRequest | undefined
  sent = 0
  received = 0
  readonly #choice: Choice
  readonly #most: number | undefined
  #refusals = 0

  constructor(context: Context, choice: Choice, most: number | undefined) {
    this.context = context
    this.#choice = choice
    this.#most = most
  }

  /**
   * A server may close a connection after a refusal: what was sent on it is sent again, once.
   * @throws NoResponseError: after a loss the target may be another one
   */
  async take(step: Step): Promise<void> {
    const { context } = this
    const make = makerIn(this)
    if (step.kind === 'send') {
      const request = make(step.make)
      return await this.#send(request ? [this.#choice.bestFor(context, request)] : [])
    }
    if (step.kind === 'draw') {
      const chosen = Array.from({ length: step.size }, () => this.#choice.next(context, make))
      return await this.#send(chosen.filter((request) => request !== undefined))
    }
    const { clock, limits } = context
    const endMs = limits.instant ? (await clock.now()) + step.ms : 0
    if (endMs > 0 && (step.isLate || endMs <= latestMs)) await clock.advance(step.ms)
  }

  async #send(requests: readonly ApiRequest[], mayClose = true): Promise<void> {
    if (requests.length === 0) return
    try {
      await this.#sendOnce(requests)
    } catch (error) {
      const isClosed = error instanceof NoResponseError && error.exchange.noResponse === 'reset'
      if (!mayClose || !isClosed) throw error
      await this.#send(requests, false)
    }
  }

  async #sendOnce(requests: readonly ApiRequest[]): Promise<void> {
    this.lastKeyed = requests.findLast(isKeyed) ?? this.lastKeyed
    this.sent += requests.length
    for (const response of await this.#receive(requests)) this.#learn(response)
  }

  /** None after a refusal: whether it was legal is judged by the clauses. */
  async #receive(requests: readonly ApiRequest[]): Promise<readonly AnsweredExchange[]> {
    const [request] = requests
    try {
      if (requests.length > 1 || !request) return await this.context.together(requests)
      return [await this.context.call(request)]
    } catch (error) {
      const isRefused = error instanceof Untested && error.because === 'blocked'
      this.#refusals += 1
      const max = this.#most === undefined ? maxRefusals : 0
      if (!isRefused || error.evidence.length === 0 || this.#refusals > max) throw error
      return []
    }
  }

  #learn(response: AnsweredExchange): void {
    this.received += 1
    if (recognizeOperation(response) !== 'create' || response.key === null) return
    this.lastBody = read(response).pet ?? this.lastBody
    const { creations } = this.context.knownPets
    const made = creations.findLast(({ exchange }) => exchange === response)
    if (made) this.created.push(made.id)
  }
}

/**
 * @param most it ends after so many requests, and at a refusal
 * @returns how many responses there were
 * @throws what ended it, if it was not `most`
 */
export const walk = async (
  context: Context,
  choice: Choice,
  steps: readonly Step[],
  most?: number,
): Promise<number> => {
  const walking = new Walk(context, choice, most)
  for (const step of steps) {
    if (walking.sent >= (most ?? Number.POSITIVE_INFINITY)) break
    try {
      await walking.take(step)
    } catch (error) {
      // How one with a bound ends says nothing of the target: it takes what there is.
      const isOver = most !== undefined && error instanceof Untested && walking.received > 0
      if (!isOver || error.because === 'interrupted') throw error
      break
    }
  }
  return walking.received
}
