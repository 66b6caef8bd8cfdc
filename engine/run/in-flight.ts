// What is in flight together, where the target takes long for each response.
//
// It only saves time. What is met here is done; anything else is sent again, alone, as it would
// have been sent without this, and only what is found then is a finding. Clauses judge all that
// was sent by when it was sent and received, so that they know what overlapped.

import type { AnsweredExchange } from '../../history/exchange.ts'
import { NoResponseError, Untested } from '../../history/outcome.ts'
import type { Context } from '../check/context.ts'
import type { SendingCheck, Stage } from '../check/declare.ts'
import { maxInFlight } from '../http/http1.ts'
import { lookAtTarget } from './restart.ts'
import { ask } from './send.ts'
import type { Session } from './session.ts'

/** At a faster target one request after another costs less than what is sent twice. */
const minLatencyMs = 20
/** The first responses of a server that has just been started may be slow. */
const minResponses = 4

/** By the fastest response so far; a gateway may refuse faster what has no valid key. */
const isSlow = ({ trace }: Pick<Session, 'trace'>): boolean => {
  const isFast = (one: AnsweredExchange) => one.receivedMs - one.sentMs <= minLatencyMs
  return trace.length >= minResponses && !trace.some((one) => one.key !== null && isFast(one))
}

/**
 * Does several things at once, up to the first request that is lost: the target may be gone.
 * Nothing waits for a quota, or moves the clock, meanwhile.
 * @param begin begins with one of them, while so many are in flight; undefined: it is left
 */
const workTogether = async <T>(
  session: Session,
  all: readonly T[],
  begin: (one: T, inFlight: number) => Promise<void> | undefined,
): Promise<NoResponseError | undefined> => {
  const { isPatient } = session
  let lost: NoResponseError | undefined
  let next = 0
  let inFlight = 0
  const work = async () => {
    while (!lost && next < all.length) {
      const doing = begin(all[next] as T, inFlight)
      if (!doing) return
      next += 1
      inFlight += 1
      try {
        await doing
      } catch (error) {
        if (!(error instanceof NoResponseError)) throw error
        lost ??= error
      } finally {
        inFlight -= 1
      }
    }
  }
  session.isPatient = false
  const working = Array.from({ length: maxInFlight }, work)
  await Promise.allSettled(working)
  session.isPatient = isPatient
  await Promise.all(working)
  return lost
}

/**
 * Sends requests ahead of those that are sent one after another (`Context.ahead`).
 * @param isTogether whether this is itself one of several things that are done at once
 */
export const createAhead =
  (session: Session, id: string, isTogether: boolean): Context['ahead'] =>
  async (makers) => {
    const received: (AnsweredExchange | undefined)[] = makers.map(() => undefined)
    if (makers.length < 2 || !isSlow(session)) return received
    let isOver = false
    const sendOne = async (at: number): Promise<void> => {
      try {
        const request = makers[at]?.()
        if (request)
          received[at] = await session.together(() => ask(session, id, request, 'together'))
      } catch (error) {
        if (!(error instanceof Untested) || error.because === 'interrupted') throw error
        isOver = true
      }
    }
    const places = [...makers.keys()]
    const lost = await workTogether(session, places, (at) => (isOver ? undefined : sendOne(at)))
    if (lost && isTogether) throw lost
    if (lost) await lookAtTarget(session, lost)
    return received
  }

/** What a check may send before the run knows how much quota it has left. */
const roomPerCheck = 8

const freeStages: readonly Stage[] = ['refusals', 'creations', 'reads']

/**
 * Whether nothing else has to come before or after it: rows, and what sends no valid key; but not
 * the rows that share requests, as what fails of those is halved.
 */
const isOrderFree = ({ needs, values, sentBy, pack }: SendingCheck): boolean => {
  if (sentBy !== undefined || pack !== undefined) return false
  if (needs.stage === 'unauthenticated') return true
  return freeStages.includes(needs.stage) && values !== undefined
}

/**
 * @param attempt runs a check once, while others are in flight, and records how it ended; throws
 *   what it finds
 */
export const createTogether = (
  session: Session,
  attempt: (check: SendingCheck) => Promise<void>,
) => {
  const { governor, options } = session
  const begun = new Set<string>()

  const isNext = (check: SendingCheck | undefined, running: number): check is SendingCheck => {
    if (!check || options.signal.aborted || session.cut) return false
    const isFree = isOrderFree(check) && !begun.has(check.id)
    return isFree && governor.left() >= roomPerCheck * (running + 1)
  }

  /** What got no response, was blocked, or found something, runs again alone. */
  const tryOne = async (check: SendingCheck): Promise<void> => {
    begun.add(check.id)
    try {
      await attempt(check)
    } catch (error) {
      if (error instanceof NoResponseError) throw error
    }
  }

  /**
   * Tries checks in their order, up to the first that has to run alone, or until a key has hardly
   * any requests left.
   * @throws TargetGone, EndOfRun
   */
  return async (checks: readonly SendingCheck[]): Promise<void> => {
    if (!isNext(checks[0], 0) || !isNext(checks[1], 1) || !isSlow(session)) return
    const lost = await workTogether(session, checks, (check, running) =>
      isNext(check, running) ? tryOne(check) : undefined,
    )
    if (lost) await lookAtTarget(session, lost)
  }
}
