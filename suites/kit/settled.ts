// A new animal may take a second to be listed: a shortfall within it is asked about again.
import type { Herd } from './herd.ts'
import { listedWithinMs } from './lacked.ts'
import { Violation } from './outcome.ts'
import type { Pace } from './quota/pace.ts'

const youngForMs = (herd: Herd, pace: Pace): number => {
  const newest = herd.creations.at(-1)
  const nowMs = pace.now() - pace.movedMs()
  return newest ? newest.exchange.receivedMs + listedWithinMs - nowMs : 0
}

export const createSettled =
  (herd: Herd, pace: Pace) =>
  async <T>(judge: () => Promise<T>): Promise<T> => {
    const mayLag = () => youngForMs(herd, pace) > 0
    const lagging = mayLag()
    try {
      return await judge()
    } catch (error) {
      if (!(error instanceof Violation) || !lagging) throw error
      await pace.sleep(youngForMs(herd, pace))
      return judge()
    }
  }
