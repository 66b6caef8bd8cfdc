// Puts one question to the target: what it lacks, what it finds, and whose fault silence is.

import { LocalFault } from './client/faults.ts'
import { stillThere, TargetGone } from './client/still-there.ts'
import { ClockError } from './client/target-clock.ts'
import type { Context } from './context.ts'
import { lackOf } from './lack.ts'
import { NoAnswerError } from './no-answer.ts'
import type { Asked } from './order.ts'
import { Inapplicable, Untested, Violation } from './outcome.ts'
import { removalLack } from './removal.ts'
import type { Ending } from './result.ts'
import type { RunOptions } from './run-options.ts'
import type { Session } from './session.ts'
import { KeyWithdrawn } from './withdrawn.ts'

const runOnce = async (question: Asked, context: Context): Promise<Ending> => {
  if (question.kind === 'observe') return { kind: 'observed', value: await question.run(context) }
  await question.run(context)
  return { kind: 'pass' }
}

/**
 * Gets ready to ask once more, where that may end otherwise.
 * @returns whether it may
 */
const mayEndOtherwise = async (error: unknown, session: Session): Promise<boolean> => {
  if (!(error instanceof Untested) || error.because !== 'blocked') return false
  const [refusal] = error.evidence
  // The governor waits for a key; an address that asked too often without one has to rest too.
  return refusal !== undefined && (refusal.key !== null || session.restAddress(refusal))
}

/** There was no connection, or a proxy was in the way. */
const unheard = ['refused', 'unknown-host', 'proxy'] as const

/** No fault: the target has not heard of the request, or its response is not read. */
const unlessHeard = ({ exchange, message }: NoAnswerError): void => {
  const { noAnswer } = exchange
  if (noAnswer === 'unread') throw new Untested('ambiguous', message, [exchange])
  if (unheard.some((each) => each === noAnswer)) {
    throw new Untested('blocked', message, [exchange])
  }
}

/** Sends the request once more that got no answer; its check has been run twice by then. */
const isAnsweredAlone = async ({ exchange }: NoAnswerError, session: Session): Promise<boolean> => {
  try {
    await session.ask(exchange.check, exchange.asked, false)
    return true
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error
    unlessHeard(error)
    return false
  }
}

/** A breach that a 401 to a valid key shows is none where that key was withdrawn. */
const unlessWithdrawn = async (error: unknown, { withdrawals }: Session): Promise<unknown> => {
  if (!(error instanceof Violation)) return error
  try {
    for (const exchange of error.evidence) await withdrawals.expectValid(exchange)
  } catch (instead) {
    return instead instanceof KeyWithdrawn ? instead : error
  }
  return error
}

/** What its second run got no answer to is asked for alone, and then is a breach or none. */
const runAgain = async (
  question: Asked,
  context: Context,
  session: Session,
  options: RunOptions,
  answered: () => void,
): Promise<Ending> => {
  try {
    const ending = await runOnce(question, context)
    answered()
    return ending
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error
    const pauses = await stillThere(session, options)
    unlessHeard(error)
    if (question.kind === 'observe') return { kind: 'observed', value: 'no answer' }
    if (pauses > 0 || (await isAnsweredAlone(error, session))) {
      const message = 'an answer went missing twice, but came alone, or others went missing too'
      throw new Untested('ambiguous', `${message}: connections are lost`, [error.exchange])
    }
    const seconds = options.answerTimeoutMs / 1000
    const expected = `an answer within ${seconds} s, as a control request got it`
    throw new Violation(expected, `${error.message}, three times`, [error.exchange])
  }
}

/**
 * Runs a question. Where no whole answer comes, while a control request is answered, it is run
 * once more: a connection may close at an unlucky moment, but not each time on the same request,
 * nor a new one before its first response.
 */
const runTwice = async (
  question: Asked,
  session: Session,
  options: RunOptions,
): Promise<Ending> => {
  const context = session.contextOf(question.id)
  const { connections } = session
  try {
    return await runOnce(question, context)
  } catch (error) {
    if (!(error instanceof NoAnswerError)) {
      if (!(await mayEndOtherwise(error, session))) throw error
      return await runAgain(question, context, session, options, () => {})
    }
  }
  return connections.anew(async () => {
    await stillThere(session, options)
    return runAgain(question, context, session, options, connections.cured)
  })
}

/**
 * @param startMs where the clock stood when the first check of this attempt ran
 * @throws TargetGone where even a control request is not answered any more; ClockError where the
 *   target's clock cannot be moved any more
 */
export const put = async (
  question: Asked,
  session: Session,
  options: RunOptions,
  startMs: number,
): Promise<Ending> => {
  const lack = lackOf(question.needs, options) ?? removalLack(question, session, startMs)
  if (lack) return lack
  try {
    return await runTwice(question, session, options)
  } catch (thrown) {
    const error = await unlessWithdrawn(thrown, session)
    if (error instanceof TargetGone || error instanceof LocalFault) throw error
    if (error instanceof ClockError && !options.signal.aborted) throw error
    if (error instanceof Inapplicable) return { kind: 'inapplicable', why: error.message }
    if (options.signal.aborted) {
      return { kind: 'threw', error: new Untested('interrupted', 'the run was interrupted') }
    }
    return { kind: 'threw', error }
  }
}
