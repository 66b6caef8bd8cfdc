// The removal of the deprecated operation: what cannot be asked past it, and what is not to be
// asked before everything else is, as the clock of a target never goes back.

import type { Stage } from './check.ts'
import { fetchIn } from './control.ts'
import type { Course } from './course.ts'
import type { Asked } from './order.ts'
import { Untested } from './outcome.ts'
import type { Ending } from './result.ts'
import type { Session } from './session.ts'

/** The first instant at which the deprecated operation may be gone (Versioning 2). */
export const removalMs = Date.UTC(2030, 11, 5)

/** Where the clock of the target stands, or where it has none our own. */
export const clockMsOf = async ({ clock, wallMs }: Session): Promise<number> =>
  clock ? clock.now() : wallMs()

/** In these the clock is moved to the removal date, and past it. */
const movingStages: readonly Stage[] = ['time', 'removal']

/** That it is gone can be seen by who saw that it was there. */
const seesItGone = ({ needs }: Asked, { trace }: Session): boolean =>
  needs.stage === 'removal' && fetchIn(trace) !== undefined

/**
 * How a question ends for which it is too late.
 * @param startMs where the clock stood when the first check of this attempt ran
 */
export const removalLack = (
  question: Asked,
  session: Session,
  startMs: number,
): Ending | undefined => {
  if (!question.needs.getPet || startMs < removalMs || seesItGone(question, session)) {
    return undefined
  }
  const message = 'the clock of the target stands past the removal date: restart the target'
  return { kind: 'threw', error: new Untested('clock', message) }
}

/**
 * How a question ends for which it is too early: a run that is resumed with a larger budget needs
 * the clock before the removal date, for what this one had no requests left for.
 */
export const budgetLack = (
  { needs }: Asked,
  { results, session }: Pick<Course, 'results' | 'session'>,
): Ending | undefined => {
  if (!needs.clock || !movingStages.includes(needs.stage)) return undefined
  const isLeft = results.some(({ because }) => because === 'budget')
  if (!isLeft && session.budget.left() >= needs.keyed) return undefined
  const message =
    'the clock is not moved to the removal date: checks without requests left (--max-requests) ' +
    'need it before'
  return { kind: 'threw', error: new Untested('budget', message) }
}
