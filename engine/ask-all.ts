// Puts the questions of a run one after the other; what has a result is skipped.
import { createBail } from './bail.ts'
import type { Question } from './check.ts'
import { TargetGone } from './client/still-there.ts'
import type { Course } from './course.ts'
import { note, settle } from './course.ts'
import { lackOf } from './lack.ts'
import type { Asked } from './order.ts'
import { isAsked, schedule } from './order.ts'
import { put } from './put.ts'
import { estimateMs } from './quota/estimate.ts'
import { priced } from './quota/experiments.ts'
import { budgetLack, clockMsOf } from './removal.ts'

/** Where the clock stands when the first question is put; another run may have moved it. */
const startMsOf = async ({ session }: Course): Promise<number> => {
  const clockMs = await clockMsOf(session)
  const at = new Date(session.wallMs()).toISOString()
  session.journal({ kind: 'clock', at, clockMs, movedMs: session.pace.movedMs() })
  return clockMs
}

const askOne = async (course: Course, question: Asked, startMs: number): Promise<void> => {
  const { session, options } = course
  const askedMs = performance.now()
  const ending = budgetLack(question, course) ?? (await put(question, session, options, startMs))
  settle(course, question, { ...ending, durationMs: performance.now() - askedMs })
  for (const text of session.news()) note(course, text)
  const result = course.results.at(-1)
  const at = new Date(session.wallMs()).toISOString()
  if (result) session.journal({ kind: 'result', at, result })
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
  const { pace, governor } = session
  const first = options.first ?? new Set<string>()
  const isTheEnd = createBail(course, questions)
  for (const question of schedule([...left], pace.instant, governor.waitMs, first)) {
    const possible = [...left].filter(({ needs }) => lackOf(needs, options) === undefined)
    const leftMs = pace.instant ? undefined : estimateMs(asked, possible, options, governor.spent())
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
