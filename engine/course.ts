// The course of one run: what it runs with, and what has come out so far.
import type { Because } from './outcome.ts'
import { write } from './quote.ts'
import type { Ending, Judged } from './result.ts'
import { resultOf } from './result.ts'
import type { CheckResult, Interruption } from './run-file.ts'
import type { RunOptions, RunSink } from './run-options.ts'
import type { LabelledKey, Session } from './session.ts'

export interface Course {
  readonly options: RunOptions
  readonly keys: readonly LabelledKey[]
  readonly session: Session
  readonly sink: RunSink
  readonly results: CheckResult[]
  readonly notes: string[]
  /** Why the run could not be held, or not be held to its end. */
  impossible: string | null
  /** Why the smoke call was not answered, where the target may be sound. */
  cut?: { readonly because: Because; readonly why: string }
  /** When the run was interrupted, and resumed. */
  interruptions?: readonly Interruption[]
  /** The check at whose failure the run was to end. */
  bailedAt?: string
}

/** Records how a question ended. */
export const settle = (course: Course, question: Judged, ending: Ending): void => {
  const { session, sink, results } = course
  const requests = session.budget.sentBy(question.sentAs ?? question.id)
  const result = resultOf(question, ending, requests, session)
  results.push(result)
  sink.event({ kind: 'result', result })
}

/** Ends every question that has no result yet. */
export const settleRest = (
  course: Course,
  questions: readonly Judged[],
  error: () => unknown,
): void => {
  const settled = new Set(course.results.map(({ id }) => id))
  for (const question of questions) {
    if (!settled.has(question.id)) settle(course, question, { kind: 'threw', error: error() })
  }
}

/** A note is written once, also where a resumed run comes upon it again. */
export const note = (course: Course, sentence: string): void => {
  const text = write(sentence, course.session.redactor)
  if (course.notes.includes(text)) return
  course.notes.push(text)
  course.session.journal({ kind: 'note', text })
  course.sink.event({ kind: 'note', text })
}
