// A run from its first request to its run file. It always ends in one, whatever happens.
import { randomBytes } from 'node:crypto'
import { askAll } from './ask-all.ts'
import type { Question } from './check.ts'
import { LocalFault } from './client/faults.ts'
import { ClockError } from './client/target-clock.ts'
import type { Wires } from './client/wires.ts'
import { openWires } from './client/wires.ts'
import type { Course } from './course.ts'
import { note, settleRest } from './course.ts'
import { settleInvariants } from './judge-invariants.ts'
import { Untested } from './outcome.ts'
import { requestsOf } from './plan.ts'
import { noteBudget } from './quota/estimate.ts'
import { headOf } from './resume/head.ts'
import { resume } from './resume/resume.ts'
import type { RunFile } from './run-file.ts'
import type { RunOptions, RunSink } from './run-options.ts'
import { labelKeys, openSession } from './session.ts'
import { settleSmoke } from './settle-smoke.ts'
import { smoke } from './smoke.ts'
import { summarise } from './summary.ts'
import { tellApart } from './tell-apart.ts'

/** Without its clock, or room for a connection, nothing more is sent; what was heard is judged. */
const whilePossible = async (course: Course, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    const isOver = error instanceof ClockError || error instanceof LocalFault
    if (!isOver || course.options.signal.aborted) throw error
    course.impossible = error.message
  }
}

const conduct = async (course: Course, questions: readonly Question[]): Promise<void> => {
  const { session, keys, options } = course
  const { past } = options
  const found = past
    ? await resume(course, questions, past)
    : await smoke(session, keys, new URL(options.baseUrl).origin)
  const isHeld = settleSmoke(course, found)
  if (isHeld) {
    await whilePossible(course, async () => {
      await askAll(course, questions)
      await tellApart(course)
    })
  }
  // What was recorded is judged also where the run cannot be resumed.
  if (isHeld || past) settleInvariants(course, questions)
  if (course.bailedAt !== undefined) {
    const why = `the run ended at the first failure, ${course.bailedAt} (--bail)`
    settleRest(course, questions, () => new Untested('interrupted', why))
    return
  }
  const { because, why } = course.cut ?? {
    because: 'blocked',
    why: course.impossible ?? 'the smoke call ended the run',
  }
  settleRest(course, questions, () => new Untested(because, why))
}

/** What was done is told, also where the run was interrupted or has a fault of its own. */
const endEarly = (course: Course, questions: readonly Question[], error: unknown): void => {
  if (course.options.signal.aborted) {
    if (course.options.past) settleInvariants(course, questions)
    settleRest(course, questions, () => new Untested('interrupted', 'the run was interrupted'))
    return
  }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const why = `the run itself failed: ${error}`
  course.impossible = why
  note(course, stack)
  settleRest(course, questions, () => new Untested('blocked', why))
}

/**
 * Puts the questions to the target of the options.
 * @param wires other ones than sockets and real time, where a test has them
 * @returns the run file; an interrupted or impossible run has one too
 */
export const runSuites = async (
  questions: readonly Question[],
  options: RunOptions,
  sink: RunSink,
  wires: Wires = openWires(options),
): Promise<RunFile> => {
  const { past } = options
  const startedAt = new Date(past?.head.startedAt ?? wires.wallMs())
  const startMs = performance.now()
  const keys = labelKeys(options.keys)
  const runId = past?.head.runId ?? randomBytes(4).toString('hex')
  const session = openSession(options, keys, runId, sink, wires)
  const course: Course = { options, keys, session, sink, results: [], notes: [], impossible: null }
  if (!past) session.journal(headOf(options, { runId, startedAt, keys, checks: questions }))
  sink.event({
    kind: 'start',
    seed: options.seed,
    questions: questions.length,
    requests: requestsOf(questions, options),
  })
  try {
    await conduct(course, questions)
  } catch (error) {
    endEarly(course, questions, error)
  } finally {
    await session.close()
  }
  noteBudget(course, questions)
  const requests = session.budget.sent()
  const durationMs = (past?.workedMs ?? 0) + performance.now() - startMs
  return summarise(options, { ...course, startedAt, durationMs, requests, trace: session.trace })
}
