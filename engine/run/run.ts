// A run from its first request to its run file. It always ends in one, whatever happens.

import { type Ending, EndOfRun, interrupted, Untested } from '../../history/outcome.ts'
import type { Clause } from '../../model/clause.ts'
import { contentClauses } from '../../model/clauses.ts'
import { limiterClauses } from '../../model/limiter/relation.ts'
import { statusDue } from '../../model/status.ts'
import { type AnyCheck, type SendingCheck, sendsRequests } from '../check/declare.ts'
import type { RunFile } from '../check/run-file.ts'
import { ClockError, type Wires } from '../http/target-clock.ts'
import { noLimiter } from '../quota/ledger.ts'
import { inOrder, isProbe, runnableChecks, spendsOrMoves } from './check-order.ts'
import { contextOf } from './contexts.ts'
import { Draw } from './draw.ts'
import { createClauseWatch, recordClauses, violatesClauses } from './judge-clauses.ts'
import { Packs } from './packs.ts'
import { createReduce } from './reduce.ts'
import { expectNoRestart, readClockMs, TargetGone } from './restart.ts'
import {
  explainAgain,
  noteBudget,
  noteShares,
  recordResult,
  skipRemaining,
  summarise,
  withoutResult,
} from './results.ts'
import { makeHead, resume, workedMs } from './resume.ts'
import { runCheck } from './run-check.ts'
import type { RunOptions, RunSink } from './run-options.ts'
import { SendAhead } from './send-ahead.ts'
import { Session } from './session.ts'
import { probeSecondStatus, recordSmoke, smoke } from './smoke.ts'
import { createTimeLeft } from './time-left.ts'

/** The selected clauses, and those by which rows and programs are judged. */
const clausesFor = (checks: readonly AnyCheck[], isMeasured: boolean): Clause[] => {
  const isProgram = checks.some((check) => sendsRequests(check) && check.values === undefined)
  const selected = checks.filter((check) => check.kind === 'clause')
  const judging = isProgram && !isMeasured ? [...contentClauses, ...limiterClauses] : [statusDue]
  return [...judging, ...selected]
}

/** @returns called after each check: whether it or a clause failed, and --bail is set */
const createBail = (session: Session, checks: readonly AnyCheck[]) => {
  const { bail, excused } = session.options
  // A run with a test clock is over in seconds, and then all clauses are judged at once.
  const isWatched = bail || !session.pace.instant
  const violatedClauses = isWatched ? createClauseWatch(session, checks) : async () => []
  return async (): Promise<boolean> => {
    const last = session.results.at(-1)
    const failed = [...(last?.outcome === 'fail' ? [last.id] : []), ...(await violatedClauses())]
    const first = failed.find((id) => !excused?.has(id))
    if (!bail || first === undefined) return false
    session.bailedBy = first
    const why = `the run ended at the first failure, ${first} (--bail)`
    session.cut = new Untested('interrupted', why)
    return true
  }
}

/** Notes the target's time when the first check runs; another run may have moved its clock. */
const readStart = async (session: Session): Promise<void> => {
  session.targetStartMs = await readClockMs(session)
  const at = new Date(session.wallMs()).toISOString()
  const aheadMs = session.targetStartMs - session.runMs() - session.pace.movedMs()
  session.journal({ kind: 'clock', at, aheadMs })
}

const settle = (session: Session, check: SendingCheck, ending: Ending): void => {
  const result = recordResult(session, check, ending)
  if (session.governor.isUnlimited) session.note(noLimiter)
  session.journal({ kind: 'result', at: new Date(session.wallMs()).toISOString(), result })
}

/** @returns how the run ends with a check after which the target stopped answering */
const gone = (session: Session, check: SendingCheck, { message, lost }: TargetGone): EndOfRun => {
  const why = `the target stopped answering at ${check.id}: ${message}`
  if (withoutResult([check], session.results).length > 0) {
    recordResult(session, check, { kind: 'threw', error: new Untested('blocked', why, [lost]) })
  }
  return new EndOfRun(why)
}

/** @param ordered those that are left when it is called first */
const createBegin = (session: Session, all: number, ordered: readonly SendingCheck[]) => {
  const { results, sink } = session
  const before = all - ordered.length - results.length
  const timeLeft = createTimeLeft(session)
  const say = ({ id }: SendingCheck, at: number, more: { readonly isAgain?: true } = {}): void => {
    const leftMs = timeLeft(ordered.slice(at))
    sink.event({ kind: 'check', id, done: before + results.length, all, leftMs, ...more })
  }
  return (check: SendingCheck, at: number): void => {
    say(check, at)
    session.again = () => say(check, at, { isAgain: true })
  }
}

/** Runs the checks without a result; ends early if the target is gone, or at --bail's failure. */
const runChecks = async (session: Session, checks: readonly AnyCheck[]): Promise<void> => {
  const { options, pace } = session
  const left = withoutResult(checks, session.results).filter(sendsRequests)
  if (left.length === 0) return
  await readStart(session)
  const isBailing = createBail(session, checks)
  const { noWait = false, maxRequests } = options
  const ordered = inOrder(left, { isInstant: pace.instant, noWait, maxRequests })
  const begin = createBegin(session, checks.filter(sendsRequests).length, ordered)
  const runnable = runnableChecks(ordered, options)
  session.packs = new Packs(runnable, (id) => contextOf(session, id), session.valuesOf)
  session.ahead = new SendAhead(session, session.packs, runnable)
  // A probe finds out which categories exist.
  session.categories.isOpen = ordered.some(isProbe)
  const reduce = createReduce(session)
  for (const [at, check] of ordered.entries()) {
    try {
      if (spendsOrMoves(check)) await reduce()
      begin(check, at)
      settle(session, check, await runCheck(check, session))
      if (isProbe(check)) session.categories.isOpen = false
      // Later nothing is left of the minute.
      if (noWait) await reduce()
      if (await isBailing()) return await reduce()
    } catch (error) {
      throw error instanceof TargetGone ? gone(session, check, error) : error
    }
  }
  await reduce()
}

/** Where nothing more can be sent the responses so far are judged. */
const whilePossible = async (session: Session, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof EndOfRun) || session.options.signal.aborted) throw error
    session.impossible = error.message
    const isBehind = error instanceof ClockError && error.isBehind
    if (isBehind) await whilePossible(session, () => expectNoRestart(session))
  }
}

const runPhases = async (session: Session, checks: readonly AnyCheck[]): Promise<void> => {
  const { past } = session.options
  let isHeld = false
  await whilePossible(session, async () => {
    isHeld = await recordSmoke(session, past ? resume(session, checks, past) : smoke(session))
    if (!isHeld) return
    await runChecks(session, checks)
    await probeSecondStatus(session)
    // What violates a clause may be a restart at the end.
    await expectNoRestart(session, () => violatesClauses(session, checks))
  })
  // Recorded exchanges are judged even if the run cannot be resumed.
  if (isHeld || past) recordClauses(session, checks)
  const why = session.impossible ?? 'the smoke call ended the run'
  skipRemaining(session, checks, session.cut ?? new Untested('blocked', why))
}

/** Results so far are reported even if the run was interrupted or failed itself. */
const endEarly = (session: Session, checks: readonly AnyCheck[], error: unknown): void => {
  if (session.options.signal.aborted) {
    if (session.options.past) recordClauses(session, checks)
    skipRemaining(session, checks, interrupted())
    return
  }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const why = `the run itself failed: ${error}`
  session.impossible = why
  session.note(stack)
  skipRemaining(session, checks, new Untested('blocked', why))
}

/**
 * @param wires sockets and real time, unless a test has others
 * @returns the run file; an interrupted or impossible run has one too
 */
export const runSuites = async (
  checks: readonly AnyCheck[],
  options: RunOptions,
  sink: RunSink,
  wires?: Wires,
): Promise<RunFile> => {
  const { past } = options
  const startMs = performance.now()
  const session = new Session(options, sink, wires)
  session.judgeBy(clausesFor(checks, options.isMeasured === true))
  session.draw = new Draw(checks, options)
  const startedAt = new Date(past?.head.startedAt ?? session.wallMs())
  if (!past) session.journal(makeHead(session, startedAt, checks))
  sink.event({
    kind: 'start',
    seed: options.seed,
    // With the smoke call.
    checks: checks.length + 1,
    ...(options.forecast && {
      requests: options.forecast.requests,
      leftMs: options.forecast.lengthMs,
    }),
  })
  try {
    await runPhases(session, checks)
  } catch (error) {
    endEarly(session, checks, error)
  } finally {
    await session.close()
  }
  explainAgain(session)
  noteBudget(session)
  noteShares(session)
  const durationMs = (past ? workedMs(past) : 0) + performance.now() - startMs
  const selected = options.selected ?? new Set(checks.map(({ id }) => id))
  return summarise(session, { startedAt, durationMs, selected })
}
