// What a run takes: estimates its duration, and notes how many requests would have been enough.
import { type AnyCheck, type Experiment, type SendingCheck, unshared } from '../declare.ts'
import { furtherOf, requestsOf } from '../plan.ts'
import { count } from '../record/text.ts'
import type { KeyOption, PlanOptions } from '../run-options.ts'
import { addNote, type RunState } from '../run-state.ts'
import { plannedExperiments } from './experiments.ts'
import { minuteMs } from './rate-headers.ts'

/** Real time that an experiment waits, in addition to the windows that its requests need. */
const waitMs = (experiment: Experiment, isRested: boolean): number => {
  if (experiment === 'silence') return minuteMs
  if (experiment === 'burst') return isRested ? 0 : 2 * minuteMs
  // Waits, and a ban as long as that of the reference.
  return experiment === 'requestsAfter429' ? 3 * minuteMs + 90_000 : 0
}

/**
 * Estimates the real time that checks take without a test clock: the windows that their calls need,
 * and their waits, with fixed windows of a minute and one key at a time.
 * @param before the checks that were run already: their experiments are not repeated
 * @param spent how many calls of the present window are gone, over all keys
 * @returns milliseconds, about a minute more or less
 */
export const estimateMs = (
  before: readonly SendingCheck[],
  left: readonly SendingCheck[],
  options: PlanOptions,
  spent: number,
): number => {
  const done = plannedExperiments(before, options)
  const all = plannedExperiments([...before, ...left], options)
  const held = all.filter(
    (one) => !done.some(({ experiment, key }) => experiment === one.experiment && key === one.key),
  )
  const isRested = (key: KeyOption) =>
    all.some((one) => one.key === key && one.experiment === 'silence')
  const waits = held.map(({ experiment, key }) => ({ key, ms: waitMs(experiment, isRested(key)) }))
  const calls = unshared(left)
    .filter(
      ({ needs: { experiment } }) =>
        experiment === undefined || experiment === 'silence' || experiment === 'retry',
    )
    .reduce((sum, { needs }) => sum + needs.keyed, 0)
  const perMinute = options.keys.reduce((sum, { quota }) => sum + quota.perMinute, 0)
  const windows = Math.max(0, Math.ceil((spent + calls) / Math.max(1, perMinute)) - 1)
  const sumOf = (some: typeof waits) => some.reduce((sum, { ms }) => sum + ms, windows * minuteMs)
  const days = held
    .filter(({ experiment }) => experiment === 'day')
    .map(({ key }) => {
      const dayMs = Math.ceil(key.quota.perDay / key.quota.perMinute) * minuteMs
      // Other calls with the key count for its day too.
      return Math.max(0, dayMs - sumOf(waits.filter((wait) => wait.key === key)))
    })
  return days.reduce((sum, ms) => sum + ms, sumOf(waits))
}

/** Notes why the budget of a run was spent, where that left checks untested, and what would do. */
export const noteBudget = (state: RunState, checks: readonly AnyCheck[]): void => {
  const { results, session } = state
  const { options } = session
  const missed = results.filter(({ because }) => because === 'budget').length
  if (missed === 0) return
  const untested = `${count(missed, 'check is', 'checks are')} left untested`
  if (options.noWait && !session.pace.instant) {
    addNote(state, `${untested}, as they would have to wait in real time (--no-wait)`)
    return
  }
  const full = session.budget.full()
  if (full !== null) {
    addNote(state, `${full}, so ${untested}`)
    return
  }
  const planned = requestsOf(checks, options) + furtherOf(checks, options)
  const enough =
    planned > options.maxRequests
      ? `a run in which all checks pass takes up to ${planned}: --max-requests ${planned}`
      : `checks that fail take more than the ${planned} of the plan: give more`
  addNote(
    state,
    `the ${options.maxRequests} requests of this run (--max-requests) are spent, ` +
      `and ${untested}; ${enough}`,
  )
}
