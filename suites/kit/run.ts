// A run from its first request to its run file. It always ends in one, whatever happens.
import { randomBytes } from 'node:crypto'
import type { Question } from './check.ts'
import { check } from './check.ts'
import { controlId, isSoundList } from './control.ts'
import type { Course } from './course.ts'
import { note, settle, settleRest } from './course.ts'
import { statusOf } from './exchange.ts'
import { told } from './expect.ts'
import { judgeInvariant } from './judge-invariants.ts'
import { NoAnswerError } from './no-answer.ts'
import { isAsked, schedule } from './order.ts'
import { Untested, Violation } from './outcome.ts'
import { requestsOf } from './plan.ts'
import { put, TargetGone } from './put.ts'
import { get, unauthorized } from './request.ts'
import type { RunFile } from './run-file.ts'
import type { RunOptions, RunSink } from './run-options.ts'
import { labelKeys, openSession } from './session.ts'
import type { Smoke } from './smoke.ts'
import { smoke, smokeId } from './smoke.ts'
import { summarise } from './summary.ts'
import type { Wires } from './wires.ts'
import { openWires } from './wires.ts'

/** The smoke call as a question of its own; it has been asked before all others. */
const smokeQuestion = check(
  smokeId,
  'list.success',
  { stage: 'probes', keyed: 1, anonymous: 0 },
  () => Promise.resolve(),
)

/** Settles the smoke call. @returns whether the run can be held */
const settleSmoke = (course: Course, found: Smoke): boolean => {
  switch (found.kind) {
    case 'held':
      // Any other wrong answer is judged by the suites.
      if (isSoundList(found.first)) settle(course, smokeQuestion, { kind: 'pass' })
      for (const text of found.notes) note(course, text)
      return true
    case 'astray': {
      const actual = `${told(found.exchange)} (${found.hint})`
      const error = new Violation('200 with a list', actual, [found.exchange])
      settle(course, smokeQuestion, { kind: 'threw', error })
      return false
    }
    case 'blocked':
      settle(course, smokeQuestion, { kind: 'threw', error: new Untested('blocked', found.why) })
      return false
    case 'impossible':
      course.impossible = found.why
      return false
  }
}

const askAll = async (course: Course, questions: readonly Question[]): Promise<void> => {
  const { session, options, sink } = course
  const startMs = session.clock ? await session.clock.now() : session.wallMs()
  const all = questions.filter(isAsked).length
  let done = 0
  for (const question of schedule(questions, session.pace.instant, session.governor.waitMs)) {
    sink.event({ kind: 'check', id: question.id, done, all })
    done += 1
    try {
      settle(course, question, await put(question, session, options, startMs))
    } catch (error) {
      if (!(error instanceof TargetGone)) throw error
      course.impossible = `the target stopped answering at ${question.id}: ${error.message}`
      return
    }
  }
}

/**
 * A narrow run may see one status only, as it would at a target that answers everything alike:
 * a list without a key tells the two apart.
 */
const tellApart = async ({ session, impossible }: Course): Promise<void> => {
  if (impossible !== null || new Set(session.trace.map(statusOf)).size !== 1) return
  try {
    await session.ask(controlId, unauthorized(get('/pets')), false)
  } catch (error) {
    // Without an answer the run is left undecided, as it would be without the question.
    if (!(error instanceof Untested) && !(error instanceof NoAnswerError)) throw error
  }
}

const judgeAll = (course: Course, questions: readonly Question[]): void => {
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

const conduct = async (course: Course, questions: readonly Question[]): Promise<void> => {
  const { options, session, keys } = course
  const isHeld = settleSmoke(course, await smoke(session, keys, new URL(options.baseUrl).origin))
  if (isHeld) {
    await askAll(course, questions)
    await tellApart(course)
    judgeAll(course, questions)
  }
  const why = course.impossible ?? 'the smoke call ended the run'
  settleRest(course, questions, () => new Untested('blocked', why))
}

/** What was done is told, also where the run was interrupted or has a fault of its own. */
const endEarly = (course: Course, questions: readonly Question[], error: unknown): void => {
  if (course.options.signal.aborted) {
    settleRest(course, questions, () => new Untested('interrupted', 'the run was interrupted'))
    return
  }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const why = course.session.redactor.redact(`the run itself failed: ${error}`)
  course.impossible = why
  note(course, course.session.redactor.redact(stack))
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
  const startedAt = new Date(wires.wallMs())
  const startMs = performance.now()
  const keys = labelKeys(options.keys)
  const session = openSession(options, keys, randomBytes(4).toString('hex'), sink, wires)
  const course: Course = { options, keys, session, sink, results: [], notes: [], impossible: null }
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
  const requests = session.budget.sent()
  const durationMs = performance.now() - startMs
  return summarise(options, { ...course, startedAt, durationMs, requests, trace: session.trace })
}
