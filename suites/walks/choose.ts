// Chooses the next request of a walk: of one from each deck that which covers the most pairs.

import type { Context } from '../../engine/check/context.ts'
import { type ApiRequest, withKey } from '../../history/exchange.ts'
import { countNew } from '../../model/pairs.ts'
import { type MakeRequest, openDecks } from './draw-steps.ts'

/** A deck that makes nothing, as a run knows no pet or may not write, is asked so often. */
const maxTries = 3
/** Where a request covers as much on a kept connection: one in so many has a fresh one. */
const freshShare = 5

type MakeOf = (make: MakeRequest) => ApiRequest | undefined

export class Choice {
  readonly #drawn: ReturnType<typeof openDecks>
  /** The next one of each deck; none where it cannot be sent. */
  readonly #heads: (ApiRequest | undefined)[] = []
  #count = 0
  /** What a request without a key leaves on a connection shows in what follows on it. */
  #isKept({ exchanges }: Context['history'], request: ApiRequest): boolean {
    const last = exchanges.at(-1)
    const isAfterKeyless = last?.key === null && last.apiRequest.fresh !== true
    const isKeyless = request.authorization !== 'valid' && this.#count % 2 === 0
    return isAfterKeyless || isKeyless
  }

  constructor(seed: number) {
    this.#drawn = openDecks(seed)
  }

  /** @returns undefined where no deck makes a request that covers as many pairs */
  next(context: Context, make: MakeOf, minGain = 0): ApiRequest | undefined {
    const { decks, places } = this.#drawn
    const first = places.next().value
    this.#count += 1
    const heads = decks.map((_, step) => {
      const at = (first + step) % decks.length
      const head = this.#head(at, make)
      return head && { at, ...this.#bestOf(context, head) }
    })
    const found = heads.filter((head) => head !== undefined)
    const gain = Math.max(minGain, ...found.map((head) => head.gain))
    const best = found.find((head) => head.gain === gain)
    if (best) this.#heads[best.at] = undefined
    return best?.request
  }

  /** With the key, and on the connection, with which it covers the most. */
  readonly bestFor = (context: Context, request: ApiRequest): ApiRequest =>
    this.#bestOf(context, request).request

  #bestOf({ history, limits }: Context, request: ApiRequest) {
    const chance = this.#drawn.chances.next().value
    const labels = limits.keys.map(({ label }) => label)
    const last = history.exchanges.at(-1)?.key
    const others = labels.filter((label) => label !== last)
    const other = others[chance % Math.max(1, others.length)]
    const keys = labels.filter((label) => label === last || label === other)
    const isKeyed = request.authorization === 'valid' && keys.length > 0
    const usual = chance % freshShare === 0
    const isKept = this.#isKept(history, request)
    const gainOf = countNew(history, request)
    const best = (isKeyed ? keys : [null])
      .flatMap((key) => (isKept ? [false] : [usual, !usual]).map((isFresh) => ({ key, isFresh })))
      .map((how) => ({ how, gain: gainOf(how) }))
      .reduce((a, b) => (b.gain > a.gain ? b : a))
    const { key, isFresh } = best.how
    const chosen = { ...withKey(request, key), ...(isFresh && { fresh: true as const }) }
    return { request: chosen, gain: best.gain }
  }

  #head(at: number, make: MakeOf): ApiRequest | undefined {
    for (let time = 0; this.#heads[at] === undefined && time < maxTries; time += 1) {
      const one = this.#drawn.decks[at]?.next().value
      this.#heads[at] = one && make(one)
    }
    return this.#heads[at]
  }
}
