// A walk: requests that build on what happened before, and moves of the clock. Each response is
// judged by the model, and the walk goes on after one that is not legal.

import {
  type AnsweredExchange,
  type ApiRequest,
  type Exchange,
  isSuccess,
  recognizeOperation,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'
import { type How, listedWithinMs } from '../../history/known-pets.ts'
import { NoResponseError, Untested } from '../../history/outcome.ts'
import { mayBeLate } from '../../model/compare-pets.ts'
import { dueFor, dueInstead } from '../../model/due.ts'
import { type Breach, findBreach, type Judged } from '../../model/judge.ts'
import { read } from '../../model/read.ts'
import type { Context } from '../check/context.ts'
import { expectNotShutOut } from '../check/control-request.ts'

/** What a step builds on: what the run knows, and what this walk did before. */
export type Scene = Readonly<Pick<Walk, 'context' | 'created' | 'lastBody' | 'lastKeyed'>>

/** Makes a request from what is known by then; undefined: it cannot be sent. */
export type MakeRequest = (scene: Scene) => ApiRequest | undefined

export type Step =
  | { readonly kind: 'send'; readonly requests: readonly MakeRequest[] }
  | { readonly kind: 'move'; readonly ms: number }

/** A breach, the steps up to it, and what they sent. */
export interface Found extends Breach {
  readonly steps: readonly Step[]
  readonly exchanges: readonly AnsweredExchange[]
  /** The step that sent the first exchange of its evidence, if the walk did. */
  readonly from: number | undefined
}

export type Walked = Readonly<Pick<Walk, 'found' | 'judged' | 'ended' | 'lost'>>

/** A walk goes on after so many refusals of a key, which the governor waits out. */
const maxRefusals = 8

/** After a walk has found so much, nothing is learnt from more. */
const maxFound = 60

/** The last year of the deprecated operation has checks of its own, which move the clock there. */
const latestMs = Date.UTC(2029, 10, 1)

interface Walking {
  /** Whether only pets of this walk are looked for. */
  readonly isOwn?: boolean
  /**
   * It ends after so many requests, at a refusal, and where something was found after half of them:
   * the others show it more shortly.
   */
  readonly most?: number
}

class Walk {
  readonly context: Context
  /** The pets that this walk created, in order. */
  readonly created: bigint[] = []
  /** The latest valid body that it sent. */
  lastBody: JsonObject | undefined
  /** The latest request that it sent with a key. */
  lastKeyed: ApiRequest | undefined
  readonly found: Found[] = []
  /** How many responses were judged, by what they were about. */
  readonly judged = new Map<Judged, number>()
  /** Why it ended early; undefined: it was walked to its end. */
  ended: Untested | undefined
  /** Where it ended as a request got no response. */
  lost: { readonly part: Judged; readonly error: NoResponseError } | undefined
  #sent = 0
  /** Pets are due at once: what is wrong is judged again later. */
  readonly #how: How
  readonly #steps: readonly Step[]
  readonly #exchanges: AnsweredExchange[] = []
  readonly #stepOf = new Map<Exchange | undefined, number>()
  readonly #most: number | undefined
  #at = 0
  #refusals = 0

  constructor(context: Context, steps: readonly Step[], how: Walking) {
    const { isOwn = false, most } = how
    this.context = context
    this.#how = { atOnce: true, ...(isOwn && { sinceMs: context.limits.nowMs() }) }
    this.#steps = steps
    this.#most = most
  }

  async walk(): Promise<Walked> {
    try {
      for (const step of this.#steps) {
        this.#at += 1
        if (!(await this.#isTaken(step))) break
        if (this.#isSpent()) break
      }
    } catch (error) {
      if (!(error instanceof Untested)) throw error
      this.ended = error
    }
    return this
  }

  /**
   * A server may close a connection after a refusal: what was sent on it is sent again, once.
   * @returns whether each request got a response: after a loss the target may be another one
   */
  async #isTaken(step: Step, mayClose = true): Promise<boolean> {
    try {
      await this.#take(step)
      return true
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      const { exchange } = error
      if (mayClose && exchange.noResponse === 'reset') return this.#isTaken(step, false)
      this.lost = { part: dueInstead(exchange, this.context.history).part, error }
      return false
    }
  }

  #judge(response: AnsweredExchange): Breach | undefined {
    return findBreach(response, this.context.history, this.#how)
  }

  #isSpent(): boolean {
    if (this.#most === undefined) return this.found.length >= maxFound
    return this.#sent >= (this.found.length > 0 ? this.#most / 2 : this.#most)
  }

  async #take(step: Step): Promise<void> {
    if (step.kind === 'send') return this.#send(step.requests)
    const { clock, limits } = this.context
    if (limits.instant && (await clock.now()) + step.ms <= latestMs) await clock.advance(step.ms)
  }

  async #send(makers: readonly MakeRequest[]): Promise<void> {
    const requests = makers.flatMap((make) => this.#made(make) ?? [])
    if (requests.length === 0) return
    this.lastKeyed = requests.findLast(isKeyed) ?? this.lastKeyed
    this.#sent += requests.length
    const responses = await this.#received(requests)
    this.#exchanges.push(...responses)
    for (const response of responses) this.#stepOf.set(response, this.#at - 1)
    for (const response of responses) this.#learn(response)
    for (const response of responses) {
      const breach = this.#judge(response)
      this.#count(dueFor(response, this.context.history).part)
      const mayShowTrace = this.context.knownPets.refusals.length > 0 && response.key !== null
      if (isSuccess(response) && mayShowTrace) this.#count('trace')
      if (breach) await this.#confirm(breach, response)
    }
  }

  /** A key that is too short, for instance, cannot be cut. */
  #made(make: MakeRequest): ApiRequest | undefined {
    try {
      return make(this)
    } catch (error) {
      if (error instanceof Untested) return undefined
      throw error
    }
  }

  /** None after a refusal: whether it was legal is judged by the clauses. */
  async #received(requests: readonly ApiRequest[]): Promise<readonly AnsweredExchange[]> {
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
    if (recognizeOperation(response) !== 'create' || response.key === null) return
    this.lastBody = read(response).pet ?? this.lastBody
    const { creations } = this.context.knownPets
    const made = creations.findLast(({ exchange }) => exchange === response)
    if (made) this.created.push(made.id)
  }

  #count(part: Judged): void {
    this.judged.set(part, (this.judged.get(part) ?? 0) + 1)
  }

  async #confirm(breach: Breach, response: AnsweredExchange): Promise<void> {
    await expectNotShutOut(this.context, response)
    const settled = await this.#settled(breach, response)
    if (!settled) return
    const steps = this.#steps.slice(0, this.#at)
    const from = this.#stepOf.get(settled.violation.evidence[0])
    this.found.push({ ...settled, steps, exchanges: [...this.#exchanges], from })
  }

  /** A new pet need not be listed within a second: what may have come too early proves nothing. */
  async #settled(breach: Breach, response: AnsweredExchange): Promise<Breach | undefined> {
    const { aged, call, knownPets } = this.context
    const { apiRequest, key, sentMs } = response
    if (apiRequest.method !== 'GET' || key === null) return breach
    const isEarly = knownPets.creations.some(
      ({ exchange: { receivedMs } }) =>
        receivedMs <= sentMs && receivedMs + listedWithinMs > sentMs,
    )
    if (!isEarly || !mayBeLate(breach.violation.wrong, statusCode(response))) return breach
    await aged()
    const again = await call(withKey(apiRequest, response.key))
    this.#exchanges.splice(this.#exchanges.indexOf(response), 1, again)
    return this.#judge(again)
  }
}

const isKeyed = ({ authorization }: ApiRequest): boolean => authorization === 'valid'

export const walk = (
  context: Context,
  steps: readonly Step[],
  how: Walking = {},
): Promise<Walked> => new Walk(context, steps, how).walk()
