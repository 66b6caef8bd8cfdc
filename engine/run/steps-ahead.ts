// The steps of a walk whose requests are sent ahead of them, where that saves time.

import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import type { Context } from '../check/context.ts'
import type { MakeRequest, Step } from './steps.ts'

/** So many are sent ahead together. */
const maxAhead = 8

export class StepsAhead {
  readonly #steps: readonly Step[]
  readonly #context: Pick<Context, 'ahead'>
  readonly #make: (make: MakeRequest) => ApiRequest | undefined
  readonly #responses = new Map<number, AnsweredExchange>()
  #end = 0

  constructor(
    steps: readonly Step[],
    context: Pick<Context, 'ahead'>,
    make: (make: MakeRequest) => ApiRequest | undefined,
  ) {
    this.#steps = steps
    this.#context = context
    this.#make = make
  }

  /** The response to a step that sends a single request; undefined: it is still to be sent. */
  async responseTo(at: number): Promise<AnsweredExchange | undefined> {
    if (at >= this.#end) await this.#send(at)
    return this.#responses.get(at)
  }

  /** Sends the single requests of the steps from this one on, up to the next move. */
  async #send(from: number): Promise<void> {
    const places: number[] = []
    const makers: MakeRequest[] = []
    for (let at = from; at < this.#steps.length && places.length < maxAhead; at += 1) {
      const step = this.#steps[at]
      if (step?.kind !== 'send') break
      this.#end = at + 1
      const [make, ...others] = step.requests
      if (!make || others.length > 0) continue
      places.push(at)
      makers.push(make)
    }
    const responses = await this.#context.ahead(makers.map((make) => () => this.#make(make)))
    for (const [nth, response] of responses.entries()) {
      if (response) this.#responses.set(places[nth] as number, response)
    }
  }
}
