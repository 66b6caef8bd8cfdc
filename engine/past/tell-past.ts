// Tells the past of a run again, check by check and without a request, to rebuild what they share.
import type { Question } from '../check.ts'
import type { Course } from '../course.ts'
import { note } from '../course.ts'
import { type Asked, isAsked } from '../order.ts'
import { put } from '../put.ts'
import type { Ending } from '../result.ts'
import { resultOf } from '../result.ts'
import type { CheckResult } from '../run-file.ts'
import type { Smoke } from '../smoke.ts'
import { smoke } from '../smoke.ts'
import { TargetGone } from '../wire/still-there.ts'
import type { Past, Segment } from './past.ts'
import { isDecided } from './past.ts'
import { Untold } from './untold.ts'

/** The results that stand, in the order in which they came. */
export const decidedIn = ({ segments }: Past): readonly CheckResult[] => {
  const byId = new Map<string, CheckResult>()
  for (const { result } of segments) {
    if (result && isDecided(result)) byId.set(result.id, result)
  }
  return [...byId.values()]
}

const breaches = ['fail', 'warn']

/** Sends nothing, and judges what others caused. */
const judgesOthers = ({ needs }: Asked): boolean =>
  needs.keyed + needs.anonymous === 0 && !needs.looksAt && !needs.description && !needs.getPet

/**
 * The results that stand while more is asked: what judges what others caused is judged once more
 * where some of those were left to be asked, but for the breaches that it saw.
 */
export const standingIn = (past: Past, questions: readonly Question[]): readonly CheckResult[] => {
  const decided = decidedIn(past)
  const ids = new Set(decided.map(({ id }) => id))
  const isLeft = past.segments.some(({ result }) => result !== null && !ids.has(result.id))
  if (!isLeft) return decided
  const again = questions.filter(isAsked).filter(judgesOthers)
  const againIds = new Set(again.map(({ id }) => id))
  return decided.filter(({ id, outcome }) => breaches.includes(outcome) || !againIds.has(id))
}

const smokeAgain = async ({ session, keys, options }: Course): Promise<Smoke | undefined> => {
  try {
    return await smoke(session, keys, new URL(options.baseUrl).origin)
  } catch (error) {
    if (error instanceof Untold) return undefined
    throw error
  }
}

const putAgain = async (
  course: Course,
  question: Question,
  startClockMs: number | null,
): Promise<Ending | null> => {
  if (!isAsked(question)) return null
  const { session, options } = course
  try {
    return await put(question, session, options, startClockMs ?? session.wallMs())
  } catch (error) {
    if (error instanceof TargetGone) return null
    throw error
  }
}

/** Whether a check that is told again ends as it did. */
const endsAlike = ({ session }: Course, question: Question, ending: Ending, was: CheckResult) =>
  resultOf(question, ending, 0, session).outcome === was.outcome

/**
 * Tells the past of a run again.
 * @returns what its smoke call found, if that was ever answered
 */
export const tellPast = async (
  course: Course,
  questions: readonly Question[],
  past: Past,
): Promise<Smoke | undefined> => {
  const { session, options } = course
  const { signal } = options
  const byId = new Map(questions.map((question) => [question.id, question]))
  let found: Smoke | undefined
  let differing = 0
  const tell = async ({ check, result, startClockMs }: Segment) => {
    if (check === null && found?.kind !== 'held') found = await smokeAgain(course)
    const question = byId.get(check ?? '')
    const ending = question && (await putAgain(course, question, startClockMs))
    const isTold = question && ending && result && isDecided(result) && !signal.aborted
    if (isTold && !endsAlike(course, question, ending, result)) differing += 1
  }
  for (const segment of past.segments) {
    session.retelling.begin(segment)
    // Who interrupts it does not wait, yet what was done counts.
    if (!signal.aborted) await tell(segment)
    session.retelling.end()
  }
  if (differing > 0) {
    const message = 'checks ended otherwise when they were told again; what they ended in stands'
    note(course, `${differing} ${message}`)
  }
  return found?.kind === 'held' ? found : undefined
}
