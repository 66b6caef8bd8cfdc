// The results of the invariants, at the end of a run.
import type { Invariant, Question, Trace } from './check.ts'
import type { Course } from './course.ts'
import { settle } from './course.ts'
import { judgeInvariants } from './judge-invariants.ts'

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
  const invariants = questions.filter((question) => question.kind === 'invariant')
  const endings = judgeInvariants(invariants, traceOf(course))
  for (const [place, ending] of endings.entries()) {
    settle(course, invariants[place] as Invariant, ending)
  }
}
