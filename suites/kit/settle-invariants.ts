// The results of the invariants, at the end of a run.
import type { Invariant, Question, Trace } from './check.ts'
import type { Course } from './course.ts'
import { settle } from './course.ts'
import { type InvariantEnding, judgeInvariants } from './judge-invariants.ts'
import { isAsked } from './order.ts'
import { Violation } from './outcome.ts'
import { provokedBy } from './provokers.ts'
import type { Ending } from './result.ts'

/** All that a run has heard, as a sentence about every answer is judged by it. */
export const traceOf = ({ session, options, keys }: Course): Trace => {
  const unknown = { perMinute: 0, perDay: 0 }
  return {
    exchanges: session.trace,
    shared: options.shared,
    quotaOf: (label) => keys.find((key) => key.label === label)?.quota ?? unknown,
  }
}

/** A breach is shown by the answer that is the easiest to draw again. */
const withProvokers = (
  invariant: Invariant,
  { ending, breach }: InvariantEnding,
  questions: readonly Question[],
  trace: Trace,
): Ending => {
  if (ending.kind !== 'threw' || !breach) return ending
  const provoked = provokedBy(invariant, questions, trace)
  if (!provoked) return { ...ending, provokers: [] }
  const { expected, actual, evidence } = provoked.violation
  const which = actual === breach.first.actual ? 'first' : 'one of them'
  const error = new Violation(expected, `${breach.counted}, ${which}: ${actual}`, evidence)
  return { ...ending, error, provokers: provoked.checks }
}

/** Judges all invariants of a run, by all that it has heard. */
export const settleInvariants = (course: Course, questions: readonly Question[]): void => {
  const trace = traceOf(course)
  const invariants = questions.filter((question) => question.kind === 'invariant')
  // What a load drew, no check draws again.
  const isOfChecks = questions.some(isAsked)
  for (const [place, judged] of judgeInvariants(invariants, trace).entries()) {
    const invariant = invariants[place] as Invariant
    const told = isOfChecks ? withProvokers(invariant, judged, questions, trace) : judged.ending
    settle(course, invariant, told)
  }
}
