// The results of the invariants, at the end of a run.
import type { Question, Trace } from './check.ts'
import type { Course } from './course.ts'
import { settle } from './course.ts'
import { judgeInvariant } from './judge-invariants.ts'

/** All that a run has heard, as a sentence about every answer is judged by it. */
export const traceOf = ({ session, options, keys }: Course): Trace => {
  const unknown = { perMinute: 0, perDay: 0 }
  return {
    exchanges: session.trace,
    shared: options.shared,
    quotaOf: (label) => keys.find((key) => key.label === label)?.quota ?? unknown,
  }
}

/** Judges all invariants of a run, by all that it has heard. */
export const settleInvariants = (course: Course, questions: readonly Question[]): void => {
  const trace = traceOf(course)
  for (const question of questions) {
    if (question.kind === 'invariant') settle(course, question, judgeInvariant(question, trace))
  }
}
