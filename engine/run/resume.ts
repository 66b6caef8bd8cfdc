// Resumes a run: takes over what was recorded, and finds out whether the target is still the same.
import { createHash, randomBytes } from 'node:crypto'
import { type AnsweredExchange, isAnswered, isUnsent } from '../../history/exchange.ts'
import { EndOfRun } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
import { fromMs, toMs } from '../../history/rate-headers.ts'
import { laws } from '../../model/limiter/laws.ts'
import { type AnyCheck, sendsRequests } from '../check/declare.ts'
import { restoredExchange } from '../http/recorder.ts'
import type { Head, Past, Start } from './journal.ts'
import { expectSameTarget } from './restart.ts'
import { withoutResult } from './results.ts'
import { labelKeys, type RunOptions } from './run-options.ts'
import { throwIfInterrupted } from './send.ts'
import type { Session } from './session.ts'
import { graceMs, leadOf, smoke, smokeId } from './smoke.ts'
import { version } from './version.ts'

/** A salted digest recognises a key and the further headers without storing them. */
export const makeStart = (options: Pick<RunOptions, keyof Start>, salt: string): Start => {
  const digestOf = (value: string | RunOptions['headers']) =>
    createHash('sha256')
      .update(`${salt}\0${JSON.stringify(value)}`)
      .digest('hex')
  const { baseUrl, clockUrl, descriptionUrl, allow, categories, seed, headers } = options
  return {
    ...{ baseUrl, clockUrl, descriptionUrl, allow, seed },
    categories: categories.map(String),
    keys: labelKeys(options.keys).map(({ label, plan, quota, use = null, key }) => {
      return { label, plan, quota, use, digest: digestOf(key) }
    }),
    headers: digestOf(headers),
  }
}

export const makeHead = (
  { options, runId }: Session,
  startedAt: Date,
  checks: readonly AnyCheck[],
): Head => {
  const { shared, strict, command } = options
  const salt = randomBytes(16).toString('hex')
  return {
    ...{ kind: 'head', petvet: version, runId, salt, startedAt: startedAt.toISOString() },
    ...makeStart(options, salt),
    ...{ checks: checks.map(({ id }) => id), shared, strict },
    ...(command && { command }),
  }
}

const noteInterruption = (session: Session, past: Past): void => {
  const resumedAt = new Date(session.wallMs()).toISOString()
  const interruptedAt = new Date(past.endedMs).toISOString()
  const lost = past.interruptions.reduce((left, each) => left - each.lost, past.lost.length)
  session.interruptions = [...past.interruptions, { interruptedAt, resumedAt, lost }]
  session.notes.push(...past.notes)
  session.journal({ kind: 'resumed', at: resumedAt, interruptedAt, lost })
  const when = `the run was interrupted at ${interruptedAt} and resumed at ${resumedAt}`
  session.note(`${when}; ${count(lost, 'request', 'requests')} got no response`)
}

/** How long the run has lasted, without the time between its interruptions and resumptions. */
export const workedMs = ({ head, endedMs, interruptions }: Past): number =>
  interruptions.reduce(
    (ms, { interruptedAt, resumedAt }) => ms - Date.parse(resumedAt) + Date.parse(interruptedAt),
    endedMs - Date.parse(head.startedAt),
  )

/** The time at the interruption, on the scale of `sentMs`, and the moves of the clock by then. */
const endOf = ({ exchanges, endedMs }: Past) => {
  const last = exchanges.at(-1)
  if (!last) return { atMs: endedMs, movedMs: 0 }
  const { sentMs, at, movedMs = 0, meanwhileMs = 0 } = last
  return { atMs: sentMs + endedMs - Date.parse(at), movedMs: movedMs + meanwhileMs }
}

/** How much time has passed at the target since the interruption, by its test clock. */
const sinceByClock = async ({ clock }: Session, past: Past): Promise<number | undefined> => {
  if (!clock || past.aheadMs === undefined) return undefined
  const { atMs, movedMs } = endOf(past)
  return (await clock.now()) - (past.aheadMs + atMs + movedMs)
}

/** The time of the run goes on, by the time at the target: our own clock may have been set. */
const continueTime = (session: Session, past: Past, sinceMs: number | undefined): void => {
  const { atMs, movedMs } = endOf(past)
  const awayMs = Math.max(0, session.wallMs() - past.endedMs)
  const isSame = sinceMs === undefined || Math.abs(sinceMs - awayMs) <= graceMs
  const passedMs = isSame ? awayMs : Math.max(0, sinceMs)
  const realMs = Math.min(awayMs, passedMs)
  // Where more has passed the clock was moved, and nothing was sent after it.
  session.pace.moved(movedMs + passedMs - realMs)
  session.startMs += atMs + realMs - session.runMs()
}

/** Feeds the recorded exchanges to everything that learns from live ones. */
const replay = (session: Session, past: Past): void => {
  const { budget, governor, keys, options, redactor, startMs } = session
  const baseUrl = new URL(options.baseUrl)
  const furtherHeaders = options.headers.map(([name]) => name)
  const restoring = { baseUrl, keys, furtherHeaders, redactor, startMs }
  for (const recorded of past.exchanges) {
    const exchange = session.dated(restoredExchange(recorded, restoring))
    const { key } = exchange
    if (!isUnsent(exchange)) budget.count(exchange.check, key)
    if (key !== null && !isUnsent(exchange)) {
      governor.take(key, fromMs(exchange))
      if (isAnswered(exchange)) governor.learn(key, exchange, toMs(exchange))
      else governor.release(key)
    }
    session.learn(exchange)
  }
  for (const { seq, check, key } of past.lost) {
    budget.count(check, key)
    session.history.lost.push({ seq, key })
    if (key === null) continue
    // The target may have counted it just now, though no response says so.
    governor.take(key)
    governor.release(key, true)
  }
  if (past.categories) {
    const { free, accepted } = past.categories
    session.categories.decide(free, accepted.map(BigInt))
  }
}

/**
 * The smoke call again, with each key that need not rest; then whether the target is the same: has
 * its pets, its clock and its counts. Until that is known nothing new is judged.
 */
const lookAtTarget = async (session: Session, fromSeq: number): Promise<AnsweredExchange> => {
  session.history.voidFrom(fromSeq)
  session.isTentative = true
  const ready = session.keys.filter(({ label }) => session.governor.isAtWork(label))
  const found = await smoke(session, ready.length > 0 ? ready : undefined)
  await expectSameTarget(session, fromSeq)
  session.history.voidFrom(undefined)
  session.isTentative = false
  if (!session.judge.judge().some(({ clause }) => Object.hasOwn(laws, clause.id))) return found
  session.history.voidFrom(fromSeq)
  throw new EndOfRun('the target counts anew, as after a restart: begin a new run')
}

/** @throws EndOfRun, or as the smoke call, where the run cannot be resumed */
export const resume = async (
  session: Session,
  checks: readonly AnyCheck[],
  past: Past,
): Promise<AnsweredExchange> => {
  const { results } = session
  noteInterruption(session, past)
  results.push(...past.results)
  if (past.aheadMs !== undefined) session.clockAheadMs = leadOf(past.aheadMs)
  const isDone = !withoutResult(checks, results).some(sendsRequests)
  let sinceMs: number | undefined
  try {
    if (!isDone) sinceMs = await sinceByClock(session, past)
  } finally {
    continueTime(session, past, sinceMs)
    replay(session, past)
  }
  throwIfInterrupted(session.options)
  if (sinceMs !== undefined && sinceMs < -graceMs) {
    const restarted = 'the target was restarted, so begin a new run'
    throw new EndOfRun(`the clock of the target is behind where it was: ${restarted}`)
  }
  // No further request can be sent, or need be.
  const isOver = isDone || session.budget.left() <= 0
  const recorded = isOver && session.trace.find(({ check }) => check === smokeId)
  return recorded || lookAtTarget(session, past.seq + 1)
}
