// Whether a run is to end: at the first failure of a check, or of a sentence about every answer.
import type { Invariant, Question } from './check.ts'
import type { Course } from './course.ts'
import { judgeInvariant, traceOf } from './judge-invariants.ts'
import { Violation } from './outcome.ts'
import { resultOf } from './result.ts'

/** An answer breaks a sentence by itself, so those that were looked at once need no second look. */
const breaks = (invariant: Invariant, course: Course, seen: number): boolean => {
  const trace = traceOf(course)
  const fresh = { ...trace, exchanges: trace.exchanges.slice(seen) }
  const first = judgeInvariant(invariant, fresh)
  if (first.kind !== 'threw' || !(first.error instanceof Violation)) return false
  const ending = judgeInvariant(invariant, trace)
  return resultOf(invariant, ending, 0, course.session).outcome === 'fail'
}

/** @returns whether the failure has come at which the run is to end: asked after each check */
export const createBail = (course: Course, questions: readonly Question[]) => {
  const { bail, excused } = course.options
  const invariants = questions.filter(
    (question) => question.kind === 'invariant' && !excused?.has(question.id),
  ) as Invariant[]
  let seen = 0
  return (): boolean => {
    if (!bail) return false
    const last = course.results.at(-1)
    const isBroken = last?.outcome === 'fail' && !excused?.has(last.id)
    const broken = isBroken ? last : invariants.find((each) => breaks(each, course, seen))
    seen = course.session.trace.length
    if (broken) course.bailedAt = broken.id
    return broken !== undefined
  }
}
