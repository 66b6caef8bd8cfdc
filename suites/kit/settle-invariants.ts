// The results of the invariants, at the end of a run.
import type { Question } from './check.ts'
import type { Course } from './course.ts'
import { settle } from './course.ts'
import { judgeInvariant } from './judge-invariants.ts'

/** Judges all invariants of a run, by all that it has heard. */
export const settleInvariants = (course: Course, questions: readonly Question[]): void => {
  const unknown = { perMinute: 0, perDay: 0 }
  const trace = {
    exchanges: course.session.trace,
    shared: course.options.shared,
    quotaOf: (label: string) => course.keys.find((key) => key.label === label)?.quota ?? unknown,
  }
  for (const question of questions) {
    if (question.kind === 'invariant') settle(course, question, judgeInvariant(question, trace))
  }
}
