// Puts the questions of a run one after the other, those that were not decided before it went on.
import { createBail } from './bail.ts'
import type { Question } from './check.ts'
import type { Course } from './course.ts'
import { note, settle } from './course.ts'
import { lackOf } from './lack.ts'
import type { Asked, Outlook } from './order.ts'
import { isAsked, schedule } from './order.ts'
import { put } from './put.ts'
import { priced } from './quota/ample.ts'
import { timeLeftMs } from './quota/bound.ts'
import { heldBy } from './quota/experiments.ts'
import type { Standing } from './quota/key-work.ts'
import { cheapestOf } from './quota/limits.ts'
import { budgetLack, clockMsOf } from './removal.ts'
import type { KeyOption } from './run-options.ts'
import { TargetGone } from './wire/still-there.ts'

/** The least time that the rest of a run takes; where the clock is moved no time is waited. */
const timeLeftOf = (
  { session, options, keys }: Course,
  asked: readonly Asked[],
  left: readonly Asked[],
): number | undefined => {
  if (session.pace.instant) return undefined
  const standingOf = ({ key, quota }: KeyOption): Standing => {
    const label = keys.find((each) => each.key === key)?.label ?? ''
    return session.governor.standingOf(label) ?? { left: quota.perMinute, resetInMs: 60_000 }
  }
  return timeLeftMs(asked, left, options, standingOf)
}

/** What the schedule may ask of the keys, and which of them have nothing to do but work. */
const outlookOf = ({ session, options, keys }: Course, questions: readonly Asked[]): Outlook => {
  const { waitMs, room } = session.governor
  const asked = questions.filter(({ needs }) => lackOf(needs, options) === undefined)
  const busy = heldBy(asked, { ...options, keys }).map(({ key }) => key)
  const idle = keys.filter((key) => !busy.includes(key))
  return {
    waitMs,
    room: () => room(cheapestOf(keys)?.label ?? ''),
    idlePerMinute:
      keys.length > 1 ? idle.reduce((sum, { quota }) => sum + quota.perMinute, 0) : null,
  }
}

/** Where the clock stands when the first question is put; another run may have moved it. */
const startMsOf = async ({ session }: Course): Promise<number> => {
  const clockMs = await clockMsOf(session)
  session.journal.add({ kind: 'start', clockMs })
  return clockMs
}

const askOne = async (course: Course, question: Asked, startMs: number): Promise<void> => {
  const { session, options } = course
  session.journal.add({ kind: 'check', id: question.id, nowMs: session.time.realMs() })
  const askedMs = performance.now()
  const ending = budgetLack(question, course) ?? (await put(question, session, options, startMs))
  settle(course, question, { ...ending, durationMs: performance.now() - askedMs })
  for (const text of session.news()) note(course, text)
  const result = course.results.at(-1)
  if (result) session.journal.add({ kind: 'result', result, nowMs: session.time.realMs() })
}

/** Ends early where the target is gone, or at the first failure where the run is to end there. */
export const askAll = async (course: Course, questions: readonly Question[]): Promise<void> => {
  const { session, options, sink } = course
  const settled = new Set(course.results.map(({ id }) => id))
  const left = new Set(
    questions
      .filter(isAsked)
      .filter(({ id }) => !settled.has(id))
      .map((question) => priced(question, options)),
  )
  const asked: Asked[] = questions.filter(isAsked).filter(({ id }) => settled.has(id))
  if (left.size === 0) return
  const startMs = await startMsOf(course)
  const all = asked.length + left.size
  const outlook = outlookOf(course, [...left])
  const first = options.first ?? new Set<string>()
  const isTheEnd = createBail(course, questions)
  for (const question of schedule([...left], session.pace.instant, outlook, first)) {
    const leftMs = timeLeftOf(course, asked, [...left])
    sink.event({ kind: 'check', id: question.id, done: asked.length, all, leftMs })
    left.delete(question)
    asked.push(question)
    try {
      await askOne(course, question, startMs)
      if (isTheEnd()) return
    } catch (error) {
      if (!(error instanceof TargetGone)) throw error
      course.impossible = `the target stopped answering at ${question.id}: ${error.message}`
      return
    }
  }
}
