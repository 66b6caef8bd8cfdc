// What a run says of its budget, where that left checks untested: what would do.

import { count } from '../../history/quote.ts'
import type { AnyCheck } from '../check/declare.ts'
import { countFurther, countRequests, fittingNext } from './check-order.ts'
import { addNote, type RunState } from './run-state.ts'

/** Notes why the budget of a run was spent, where that left checks untested, and what would do. */
export const noteBudget = (state: RunState, checks: readonly AnyCheck[]): void => {
  const { results, session } = state
  const { options } = session
  const missed = new Set(results.filter(({ because }) => because === 'budget').map(({ id }) => id))
  if (missed.size === 0) return
  const untested = `${count(missed.size, 'check is', 'checks are')} left untested`
  if (options.noWait && !session.pace.instant) {
    const why = 'as they would have to wait in real time (--no-wait)'
    const next = fittingNext(
      checks.filter(({ id }) => missed.has(id)),
      options,
    )
    addNote(state, `${untested}, ${why}; a second minute would test about ${next} of them`)
    return
  }
  const full = session.budget.full()
  if (full !== null) {
    addNote(state, `${full}, so ${untested}`)
    return
  }
  if (session.budget.lacksTime()) {
    addNote(state, `${untested}, as they would have to wait longer than the run may (--max-time)`)
    return
  }
  const planned = countRequests(checks, options) + countFurther(checks, options)
  const enough =
    planned > options.maxRequests
      ? `a run in which all checks pass takes up to ${planned}: --max-requests ${planned}`
      : `checks that fail take more than the ${planned} of the plan: give more`
  addNote(
    state,
    `all requests of this run are spent (--max-requests ${options.maxRequests}), ` +
      `and ${untested}; ${enough}`,
  )
}
