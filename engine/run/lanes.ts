// What may be in flight together: where the target takes long for each response, and how.

import type { AnsweredExchange } from '../../history/exchange.ts'
import { NoResponseError, Untested } from '../../history/outcome.ts'
import type { Context } from '../check/context.ts'
import { inFlightTogether, isTogether, maxLanes } from '../check/lane.ts'
import { expectSameTarget, stillThere } from './restart.ts'
import type { Session } from './session.ts'

/** At a faster target one request after another costs less than what is sent twice. */
const minLatencyMs = 20
/** The first responses of a server that has just been started may be slow. */
const minResponses = 4

/** By the fastest response so far; a gateway may refuse faster what has no valid key. */
export const isSlow = ({ trace }: Pick<Session, 'trace'>): boolean => {
  const isFast = (one: AnsweredExchange) => one.receivedMs - one.sentMs <= minLatencyMs
  return trace.length >= minResponses && !trace.some((one) => one.key !== null && isFast(one))
}

/** Works several times at once. Nothing waits for a quota, or moves the clock, while it does. */
export const workTogether = async (session: Session, work: () => Promise<void>): Promise<void> => {
  const { isPatient } = session
  session.isPatient = false
  const all = Array.from({ length: maxLanes }, () => inFlightTogether(work))
  try {
    await Promise.allSettled(all)
    await Promise.all(all)
  } finally {
    session.isPatient = isPatient
  }
}

/** After a loss or a connection that was opened again the target may be another one. */
export const lookAtTarget = async (
  session: Session,
  lost: NoResponseError | undefined,
): Promise<void> => {
  if (lost) await stillThere(session, lost.exchange)
  const [reopened] = session.connections.takeReopenedAtOnce()
  const fromSeq = lost?.exchange.seq ?? reopened
  if (fromSeq !== undefined) await expectSameTarget(session, fromSeq)
}

/** Whether a request may get a response when it is sent alone. */
const isWorthAlone = (error: unknown): boolean =>
  error instanceof NoResponseError || (error instanceof Untested && error.because !== 'interrupted')

/** Sends requests ahead of those that are sent one after another (`Context.ahead`). */
export const createAhead =
  (session: Session, { call }: Pick<Context, 'call'>): Context['ahead'] =>
  async (makers) => {
    const received: (AnsweredExchange | undefined)[] = makers.map(() => undefined)
    if (makers.length < 2 || !isSlow(session)) return received
    let next = 0
    let lost: NoResponseError | undefined
    const sendOne = async (at: number): Promise<void> => {
      const request = makers[at]?.()
      if (request) received[at] = await call(request)
    }
    await workTogether(session, async () => {
      for (let at = next; at < makers.length; at = next) {
        next += 1
        await sendOne(at).catch((error) => {
          if (!isWorthAlone(error)) throw error
          next = makers.length
          if (error instanceof NoResponseError) lost ??= error
        })
      }
    })
    if (lost && isTogether()) throw lost
    if (lost) await lookAtTarget(session, lost)
    return received
  }
