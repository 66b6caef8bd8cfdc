// What is in flight together, on several connections, each of which has one request at a time.

import { AsyncLocalStorage } from 'node:async_hooks'

/** At most so many requests are in flight together. */
export const maxLanes = 8

const together = new AsyncLocalStorage<true>()

/** Does something, with all that it causes, while other things are in flight. */
export const inFlightTogether = <T>(act: () => Promise<T>): Promise<T> => together.run(true, act)

/** Whether other things may be in flight while this is done. */
export const isTogether = (): boolean => together.getStore() === true

/** The connections of what is in flight together: 0 is that of all that is sent alone. */
export class Lanes {
  readonly #free = Array.from({ length: maxLanes }, (_, at) => at + 1)
  readonly #waiting: ((lane: number) => void)[] = []

  /** Sends a request on a lane that is free. */
  async use<T>(send: (lane: number) => Promise<T>): Promise<T> {
    if (!isTogether()) return send(0)
    const free = this.#free.shift()
    const lane = free ?? (await new Promise<number>((resolve) => this.#waiting.push(resolve)))
    try {
      return await send(lane)
    } finally {
      const next = this.#waiting.shift()
      if (next) next(lane)
      else this.#free.unshift(lane)
    }
  }
}
