// One attempt at a check, and what a run lacks for it.

import { type Exchange, statusCode } from '../../history/exchange.ts'
import { type Ending, type Inapplicable, Untested } from '../../history/outcome.ts'
import { fetchIn } from '../check/control-request.ts'
import type { SendingCheck, Stage } from '../check/declare.ts'
import { missingPrerequisite } from '../check/spendable-keys.ts'
import { createAhead } from './lanes.ts'
import { noting } from './noting.ts'
import { removalMs } from './restart.ts'
import type { RunState } from './run-state.ts'
import type { Session } from './session.ts'

/** These stages move the clock to the removal date, and past it. */
const movingStages: readonly Stage[] = ['time', 'removal']

/**
 * Leaves a check of the deprecated operation untested where a run begins, or is resumed, after its
 * removal; those of the removal itself only if the run did not see the operation work before.
 */
const tooLate = (
  { needs }: SendingCheck,
  { trace }: Session,
  startMs: number,
): Untested | undefined => {
  if (!needs.getPet || startMs < removalMs) return undefined
  if (needs.stage === 'removal' && fetchIn(trace) !== undefined) return undefined
  const message = 'the clock of the target is past the removal date: restart the target'
  return new Untested('clock', message)
}

/** What any of these checks takes, and more. */
const enoughLeft = 100

/**
 * Leaves a check that moves the clock to the removal date untested if it or others lack requests:
 * they may run when this run is resumed with a larger budget, and need the clock before that date.
 */
const budgetLack = (
  { needs }: SendingCheck,
  { results, session }: RunState,
): Untested | undefined => {
  if (!session.clock || !needs.clock || !movingStages.includes(needs.stage)) return undefined
  const othersLack = results.some(({ because }) => because === 'budget')
  if (!othersLack && session.budget.left() >= enoughLeft) return undefined
  const why = 'the clock is not moved to the removal date: checks without requests left need it'
  return new Untested('budget', `${why} before (--max-requests)`)
}

/** A server error is a violation, which is no answer to an open question. 501 may be one. */
const isServerError = (exchange: Exchange): boolean =>
  statusCode(exchange) >= 500 && statusCode(exchange) !== 501

export const runOnce = async (check: SendingCheck, session: Session): Promise<Ending> => {
  const { context: plain, judged } = noting(session, check.id)
  const context = { ...plain, ahead: createAhead(session, plain) }
  if (check.kind !== 'observe') {
    await check.run(context)
    return { kind: 'pass', ...(judged.size > 0 && { judged: [...judged] }) }
  }
  const value = await check.run(context)
  const broken = session.trace.findLast((each) => each.check === check.id && isServerError(each))
  if (!broken) return { kind: 'observed', value }
  const message = `a response was ${statusCode(broken)}: see answer-no-5xx`
  throw new Untested('ambiguous', message, [broken])
}

/**
 * What a check lacks in this run, if anything.
 * @param startMs the target's time when this run, or its resumption, ran its first check
 */
export const lackFor = (
  check: SendingCheck,
  state: RunState,
  startMs: number,
): Untested | Inapplicable | undefined =>
  budgetLack(check, state) ??
  missingPrerequisite(check.needs, state.session.options) ??
  tooLate(check, state.session, startMs)
