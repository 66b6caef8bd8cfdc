// What is told of a run whose budget was spent: why, and how many requests would do.
import type { Question } from '../declare.ts'
import { furtherOf, requestsOf } from '../plan.ts'
import { count } from '../record/text.ts'
import { type Course, note } from '../run-state.ts'

/** Tells it where a check was left untested for it; checks that fail take more than the plan. */
export const noteBudget = (course: Course, questions: readonly Question[]): void => {
  const { options, results, session } = course
  const missed = results.filter(({ because }) => because === 'budget').length
  if (missed === 0) return
  const untested = `${count(missed, 'check is', 'checks are')} left untested`
  const full = session.budget.full()
  if (full !== null) {
    note(course, `${full}, so ${untested}`)
    return
  }
  const planned = requestsOf(questions, options) + furtherOf(questions, options)
  const enough =
    planned > options.maxRequests
      ? `a run in which all checks pass takes up to ${planned}: --max-requests ${planned}`
      : `checks that fail take more than the ${planned} of the plan: give more`
  note(
    course,
    `the ${options.maxRequests} requests of this run (--max-requests) are spent, ` +
      `and ${untested}; ${enough}`,
  )
}
