// A run from its first request to its run file. It always ends in one, whatever happens.
import { randomBytes } from 'node:crypto'
import { timeLeftMs } from './bound.ts'
import type { Question } from './check.ts'
import type { Course } from './course.ts'
import { note, settle, settleRest } from './course.ts'
import { heldBy } from './experiments.ts'
import type { Standing } from './key-work.ts'
import { lackOf } from './lack.ts'
import { cheapestOf } from './limits.ts'
import type { Asked, Outlook } from './order.ts'
import { isAsked, schedule } from './order.ts'
import { Untested } from './outcome.ts'
import { requestsOf } from './plan.ts'
import { put, TargetGone } from './put.ts'
import type { RunFile } from './run-file.ts'
import type { KeyOption, RunOptions, RunSink } from './run-options.ts'
import { labelKeys, openSession } from './session.ts'
import { settleInvariants } from './settle-invariants.ts'
import { settleSmoke } from './settle-smoke.ts'
import { smoke } from './smoke.ts'
import { summarise } from './summary.ts'
import { tellApart } from './tell-apart.ts'
import type { Wires } from './wires.ts'
import { openWires } from './wires.ts'

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
  const busy = heldBy(asked, keys).map(({ key }) => key)
  const idle = keys.filter((key) => !busy.includes(key))
  return {
    waitMs,
    room: () => room(cheapestOf(keys)?.label ?? ''),
    idlePerMinute:
      keys.length > 1 ? idle.reduce((sum, { quota }) => sum + quota.perMinute, 0) : null,
  }
}

const askAll = async (course: Course, questions: readonly Question[]): Promise<void> => {
  const { session, options, sink } = course
  const startMs = session.clock ? await session.clock.now() : session.wallMs()
  const left = new Set(questions.filter(isAsked))
  const all = left.size
  const asked: Asked[] = []
  for (const question of schedule(questions, session.pace.instant, outlookOf(course, [...left]))) {
    const leftMs = timeLeftOf(course, asked, [...left])
    sink.event({ kind: 'check', id: question.id, done: asked.length, all, leftMs })
    left.delete(question)
    asked.push(question)
    try {
      const askedMs = performance.now()
      const ending = await put(question, session, options, startMs)
      settle(course, question, { ...ending, durationMs: performance.now() - askedMs })
      if (options.bail && course.results.at(-1)?.outcome === 'fail') {
        course.bailedAt = question.id
        return
      }
    } catch (error) {
      if (!(error instanceof TargetGone)) throw error
      course.impossible = `the target stopped answering at ${question.id}: ${error.message}`
      return
    }
  }
}

const conduct = async (course: Course, questions: readonly Question[]): Promise<void> => {
  const { options, session, keys } = course
  const isHeld = settleSmoke(course, await smoke(session, keys, new URL(options.baseUrl).origin))
  if (isHeld) {
    await askAll(course, questions)
    await tellApart(course)
    settleInvariants(course, questions)
  }
  if (course.bailedAt !== undefined) {
    const why = `the run ended at its first failure, ${course.bailedAt}`
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
