// Whether the target still answers: a network may be lost for a moment, and be found again.
import { controlId, get } from '../exchange.ts'
import { NoAnswerError } from '../outcome.ts'
import type { RunOptions } from '../run-options.ts'
import type { Session } from '../session.ts'

/** The target answers nothing any more: the run cannot go on. */
export class TargetGone extends Error {}

/** Half a minute in all, besides the time that each answer is waited for. */
const usualPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/**
 * Asks for a list, which the smoke call got; without an answer nothing can be judged. Where none
 * comes it is asked for again, with pauses.
 * @returns how many pauses it took
 * @throws TargetGone where none comes in the end; Untested (budget, blocked, interrupted)
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
      if (!(error instanceof NoAnswerError)) throw error
      const pauseMs = pausesMs[pauses]
      if (pauseMs === undefined) throw new TargetGone(error.message)
      session.waiting(pauseMs, `the target does not answer (${error.message})`)
      await session.pace.sleep(pauseMs)
    }
  }
}
