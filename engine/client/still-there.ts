// Whether the target still responds: a network may fail for a moment and recover.
import { controlId, get } from '../exchange.ts'
import { NoResponseError } from '../outcome.ts'
import type { RunOptions } from '../run-options.ts'
import type { Session } from '../session.ts'

/** The target does not respond any more: the run ends. */
export class TargetGone extends Error {}

/** Half a minute in all, in addition to the timeouts. */
const usualPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/**
 * Requests a list, which the smoke call received, and repeats that with pauses until there is a
 * response: without one nothing can be judged.
 * @returns how many pauses it took
 * @throws TargetGone where there is none in the end; Untested (budget, blocked, interrupted)
 */
export const stillThere = async (
  session: Session,
  { pausesMs = usualPausesMs }: Pick<RunOptions, 'pausesMs'>,
): Promise<number> => {
  for (let pauses = 0; ; pauses += 1) {
    try {
      await session.ask(controlId, get('/pets?limit=1'), false)
      return pauses
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      const pauseMs = pausesMs[pauses]
      if (pauseMs === undefined) throw new TargetGone(error.message)
      session.waiting(pauseMs, `the target does not answer (${error.message})`)
      await session.pace.sleep(pauseMs)
    }
  }
}
