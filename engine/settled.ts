// A new animal may take a second to be listed: a shortfall within it is asked about again.

import type { Pace } from './client/target-clock.ts'
import type { Exchange } from './exchange.ts'
import type { Herd } from './herd.ts'
import { listedWithinMs } from './lacked.ts'
import { Violation } from './outcome.ts'

const youngForMs = (herd: Herd, pace: Pace): number => {
  const newest = herd.creations.at(-1)
  const nowMs = pace.now() - pace.movedMs()
  return newest ? newest.exchange.receivedMs + listedWithinMs - nowMs : 0
}

/** Whether one of these was sent before an animal of this run had to be listed. */
const mayHaveLagged = (evidence: readonly Exchange[], { creations }: Herd): boolean =>
  evidence.some(
    ({ asked, sentMs }) =>
      asked.method === 'GET' &&
      creations.some(
        ({ exchange }) =>
          exchange.receivedMs <= sentMs && exchange.receivedMs + listedWithinMs > sentMs,
      ),
  )

export const createSettled =
  (herd: Herd, pace: Pace) =>
  async <T>(judge: () => Promise<T>): Promise<T> => {
    const lagging = youngForMs(herd, pace) > 0
    try {
      return await judge()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      // A list that several checks share may have been asked for long before.
      if (!lagging && !mayHaveLagged(error.evidence, herd)) throw error
      await pace.sleep(Math.max(0, youngForMs(herd, pace)))
      return judge()
    }
  }
