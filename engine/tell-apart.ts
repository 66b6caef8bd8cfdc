// One more request, where a run has seen a single status: at a server that gives it to everything
// nothing can be told apart.
import { controlId } from './control.ts'
import type { Course } from './course.ts'
import { statusOf } from './exchange.ts'
import { NoAnswerError } from './no-answer.ts'
import { Untested } from './outcome.ts'
import { get, unauthorized } from './request.ts'

/**
 * A narrow run may see one status only, as it would at a target that answers everything alike:
 * a list without a key tells the two apart.
 */
export const tellApart = async ({ session, impossible }: Course): Promise<void> => {
  if (impossible !== null || new Set(session.trace.map(statusOf)).size !== 1) return
  try {
    await session.ask(controlId, unauthorized(get('/pets')), false)
  } catch (error) {
    // Without an answer the run is left undecided, as it would be without the question.
    if (!(error instanceof Untested) && !(error instanceof NoAnswerError)) throw error
  }
}
