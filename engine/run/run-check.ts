// Runs a row or program: skips it if a prerequisite is missing, retries it after a lost connection.

import { type AnsweredExchange, isUnsent, statusCode } from '../../history/exchange.ts'
import {
  completes,
  type Ending,
  EndOfRun,
  Inapplicable,
  interrupted,
  NoResponseError,
  Unread,
  Untested,
  Violation,
} from '../../history/outcome.ts'
import { isRefused } from '../../history/rate-headers.ts'
import { describeDue } from '../../history/statuses.ts'
import { dueInstead, removalDay } from '../../model/due.ts'
import { Unexplained } from '../../model/explanation.ts'
import type { About } from '../../model/judge.ts'
import { whyUntried } from '../../model/limiter/relation.ts'
import { statusDue } from '../../model/status.ts'
import type { Context } from '../check/context.ts'
import { fetchIn } from '../check/control-request.ts'
import type { Check, SendingCheck } from '../check/declare.ts'
import { errorIn, expectEach } from '../check/findings.ts'
import { missingPrerequisite } from '../check/spendable-keys.ts'
import { contextOf } from './contexts.ts'
import { expectNoRestart, expectSameTarget, lookAtTarget, stillThere } from './restart.ts'
import { ask, expectValid, KeyWithdrawn } from './send.ts'
import { sendRow } from './send-row.ts'
import type { Session } from './session.ts'

/**
 * Leaves a check of the deprecated operation untested where a run begins, or is resumed, after its
 * removal; those of the removal itself only if the run did not see the operation work before.
 */
const tooLate = (
  { needs }: SendingCheck,
  { trace, targetStartMs }: Session,
): Untested | undefined => {
  if (!needs.getPet || targetStartMs < removalDay.firstMs) return undefined
  if (needs.stage === 'removal' && fetchIn(trace) !== undefined) return undefined
  const message = 'the clock of the target is past the removal date: restart the target'
  return new Untested('clock', message)
}

/** What any check that moves the clock takes, and more. */
const enoughLeft = 100

/** Where checks lack requests the clock stays before the removal: a resumed run may have more. */
const budgetLack = ({ needs }: SendingCheck, { results, budget }: Session) => {
  if (!needs.clock || !['time', 'removal'].includes(needs.stage)) return undefined
  const othersLack = results.some(({ because }) => because === 'budget')
  if (!othersLack && budget.left() >= enoughLeft) return undefined
  const why = 'the clock is not moved to the removal date: checks without requests left need it'
  return new Untested('budget', `${why} before (--max-requests)`)
}

/** A program owns the statuses that it got. @throws Violation; Untested: they may be explained */
const judgeStatuses = async (
  { id }: Check,
  context: Context,
  { trace, judge }: Session,
  since: number,
): Promise<void> => {
  const isOpen = (one: AnsweredExchange) =>
    one.check === id &&
    !isRefused(one) &&
    (judge.violatedBy(one).some(({ clause }) => clause.id === statusDue.id) ||
      judge.doubtsAbout(one).some((doubt) => doubt instanceof Unexplained))
  await expectEach(trace.slice(since).filter(isOpen), async (response) => {
    const found = (await context.judged(response)).find(({ clause }) => clause.id === statusDue.id)
    if (found) throw found.violation
  })
}

/** What spends a quota takes many requests; in real time days and bans are not repeated. */
const timesOf = ({ needs }: Check, { pace }: Session): number => {
  if (pace.instant) return needs.plan === undefined ? 3 : 2
  return needs.stage === 'limits' ? 2 : 1
}

/**
 * Sent again while in doubt: what is seen twice at one place is no other client. What ends it early
 * is thrown once what was received has been judged.
 */
const runByLaws = async (
  check: Check,
  laws: readonly [string, ...string[]],
  context: Context,
  session: Session,
): Promise<void> => {
  const { trace, judge } = session
  const [begin, sinceSeq] = [trace.length, trace.at(-1)?.seq ?? 0]
  const find = (ids: readonly string[]): About => judge.about({ check: check.id, sinceSeq }, ids)
  const isInDoubt = () =>
    find(laws).violations.length === 0 &&
    find([...laws, ...(check.clauses ?? [])]).doubts.length > 0
  const runInDoubt = async (): Promise<void> => {
    const [first] = await Promise.allSettled([check.run?.(context, 0)])
    for (let time = 1; time < timesOf(check, session) && isInDoubt(); time += 1) {
      session.again()
      await completes(check.run?.(context, time) ?? Promise.resolve())
    }
    if (first.status === 'rejected') throw first.reason
  }
  const [ended] = await Promise.allSettled([runInDoubt()])
  const found = find(laws)
  const calls = trace.slice(begin).filter(({ key }) => key !== null)
  const error = errorIn(found, calls.length)
  if (error) throw error
  if (ended.status === 'rejected') throw ended.reason
  if (!found.isMet) throw new Untested('ambiguous', whyUntried(laws[0]))
}

/** What it got is judged also where it could not go on. @throws Violation, Untested */
const runProgram = async (check: Check, context: Context, session: Session): Promise<void> => {
  if (check.laws) return runByLaws(check, check.laws, context, session)
  const since = session.trace.length
  const [ended] = await Promise.allSettled([check.run?.(context, 0)])
  const isOver = ended.status === 'rejected' && !(ended.reason instanceof Untested)
  if (!isOver) await judgeStatuses(check, context, session, since)
  if (ended.status === 'rejected') throw ended.reason
}

/** @throws what it finds */
const runOnce = async (check: SendingCheck, session: Session): Promise<Ending> => {
  const lack =
    missingPrerequisite(check.needs, session.options) ??
    tooLate(check, session) ??
    budgetLack(check, session)
  if (lack) throw lack
  const context = contextOf(session, check.id)
  if (check.after) await context.control(check.after)
  if (check.kind !== 'observe') {
    if (check.values) await sendRow(check, context, session)
    else if (check.judgesItself) await check.run?.(context, 0)
    else await runProgram(check, context, session)
    const judged = session.packs?.seqsOf(check.id) ?? []
    return { kind: 'pass', ...(judged.length > 0 && { judged }) }
  }
  const value = check.run ? await check.run(context) : await sendRow(check, context, session)
  const own = session.trace.filter((each) => each.check === check.id)
  // A server error is a violation, which is no answer to an open question. 501 may be one.
  const broken = own.findLast((each) => statusCode(each) >= 500 && statusCode(each) !== 501)
  if (!broken) return { kind: 'observed', value }
  const message = `a response was ${statusCode(broken)}: see answer-no-5xx`
  throw new Untested('ambiguous', message, [broken])
}

/**
 * Waits, where needed, until a retry may succeed: after a response that blocked, such as a 429.
 * @returns false if none may
 */
const waitForRetry = async (error: unknown, session: Session): Promise<boolean> => {
  if (!(error instanceof Untested) || error.because !== 'blocked') return false
  if (error instanceof Unread) return false
  const [refusal] = error.evidence
  // With a key the governor waits; a limit on requests without a key is waited for here.
  return refusal !== undefined && (refusal.key !== null || session.governor.waitForAddress(refusal))
}

/** @throws Untested if the request did not arrive; Unread if its response cannot be read */
const throwUnlessSilent = ({ exchange, message }: NoResponseError): void => {
  const { noResponse } = exchange
  if (noResponse === 'unread') throw new Unread(message, exchange)
  if (isUnsent(exchange)) throw new Untested('blocked', message, [exchange])
}

/**
 * Whether a request that got no response in the second run of its check gets one alone. Unless it
 * took its time it is sent three times: that costs none, and a target that resets one connection in
 * nine rarely resets all.
 */
const isAnsweredAlone = async ({ exchange }: NoResponseError, session: Session) => {
  const isSlow = exchange.noResponse === 'timeout' || exchange.noResponse === 'endless'
  const attempts = isSlow ? 1 : 3
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      await ask(session, exchange.check, exchange.apiRequest)
      return true
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      throwUnlessSilent(error)
    }
  }
  return false
}

/** @throws Violation: another request got a response in time */
const violateSilence = (error: NoResponseError, { history, options }: Session): never => {
  const { exchange, message } = error
  const within =
    exchange.noResponse === 'timeout' ? ` within ${options.responseTimeoutMs / 1_000} s` : ''
  const due = dueInstead(exchange, history)
  const expected = `${describeDue(due)}${within}, as a control request got a response`
  const wrong = { aspect: 'silence', due: due.statuses } as const
  throw new Violation(expected, `${message}, also when sent alone`, [exchange], wrong)
}

/** A request that gets no response again, not even alone, while others get one: a violation. */
const runAfterLoss = async (check: SendingCheck, session: Session): Promise<Ending> => {
  try {
    return await runOnce(check, session)
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error
    const pauses = await stillThere(session, error.exchange)
    throwUnlessSilent(error)
    if (check.kind === 'observe') return { kind: 'observed', value: 'no answer' }
    if (pauses > 0 || (await isAnsweredAlone(error, session))) {
      const explained =
        pauses > 0 ? 'and for a while others got none either' : 'but it got one when sent alone'
      const message = `in two runs of the check a request got no response, ${explained}`
      throw new Untested('ambiguous', `${message}: connections are lost`, [error.exchange])
    }
    return violateSilence(error, session)
  }
}

/**
 * Runs a check; once more after a 429 or a ban; and once more on new connections if a request got
 * no response although a control request does. A connection may close at an unlucky moment, but not
 * each time at the same request.
 */
const runWithRetries = async (
  check: SendingCheck,
  session: Session,
  mayBeBlocked = true,
): Promise<Ending> => {
  try {
    return await runOnce(check, session)
  } catch (error) {
    if (error instanceof NoResponseError) {
      session.isFresh = true
      try {
        await lookAtTarget(session, error)
        return await runAfterLoss(check, session)
      } finally {
        session.isFresh = false
      }
    }
    if (!mayBeBlocked || !(await waitForRetry(error, session))) throw error
    return await runWithRetries(check, session, false)
  }
}

/** What a revoked key, or a restart that forgot the pets, explains is no violation. */
const unlessExplained = async (error: unknown, session: Session): Promise<unknown> => {
  if (!(error instanceof Violation)) return error
  for (const exchange of error.evidence) {
    try {
      await expectValid(session, exchange)
    } catch (instead) {
      // What was sent although it may be refused is judged by the laws of the limiter.
      const isOfRow = !exchange.apiRequest.insists && instead instanceof Untested
      if (isOfRow || instead instanceof KeyWithdrawn) return instead
    }
  }
  return expectNoRestart(session).then(
    () => error,
    (instead) => instead,
  )
}

/** Nothing is left open where nothing was left to spend. */
const unlessRest = (error: unknown, { needs }: SendingCheck, { pace }: Session): unknown => {
  const isLack = error instanceof Untested && ['budget', 'blocked'].includes(error.because)
  const isRest = needs.stage === 'rest' && !pace.instant
  return isRest && isLack ? new Inapplicable(error.message) : error
}

/**
 * Runs one check, if this run has what it needs.
 * @throws EndOfRun if nothing more can be sent, or the target has forgotten what it knew
 */
const runAlone = async (check: SendingCheck, session: Session): Promise<Ending> => {
  const { options } = session
  try {
    session.isPatient = check.needs.stage !== 'rest' || session.pace.instant
    const ending = await runWithRetries(check, session).finally(() => {
      session.isPatient = true
    })
    const reopened = session.connections.takeReopened(true)
    if (reopened) await expectSameTarget(session, ...reopened)
    return ending
  } catch (thrown) {
    const error = await unlessExplained(thrown, session)
    if (error instanceof EndOfRun && !options.signal.aborted) throw error
    const isCut = options.signal.aborted && !(error instanceof Inapplicable)
    return { kind: 'threw', error: isCut ? interrupted() : unlessRest(error, check, session) }
  }
}

/** Runs one check. */
export const runCheck = async (check: SendingCheck, session: Session): Promise<Ending> => {
  const begunMs = performance.now()
  const ending = await runAlone(check, session)
  return { ...ending, durationMs: performance.now() - begunMs }
}
