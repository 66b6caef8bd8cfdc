// An open model: requests are due at even intervals, whatever became of earlier ones.
import { setImmediate as turn } from 'node:timers/promises'
import type { Exchange } from '../history/exchange.ts'
import { isShutOut } from '../history/rate-headers.ts'

interface Pacing {
  readonly perSecond: number
  readonly amount: number
  /** Sends one. @param dueMs when it was due, by `performance.now()` */
  readonly send: (dueMs: number) => Promise<Exchange | undefined>
  /** May end some milliseconds late, as timers do; rejects early if the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * A timer of Node is late by a millisecond or two. The end of each wait is spent polling the clock
 * instead; less at a high rate, as the target may share the processor.
 */
const pollMs = (perSecond: number): number => Math.min(2, (0.05 * 1_000) / perSecond)

/** A request that is due while so many are in flight is not sent at all. */
const maxInFlight = 1_000

/**
 * Sends at an even pace up to a refusal, and then waits for the last responses.
 *
 * The latency of each is to be measured from when it was due: a server that blocks on one request
 * does not make the next ones look faster, since they are sent, and counted as waiting, all the
 * same (no coordinated omission).
 * @returns the longest delay between due and sent, how many were not sent, and the refusal
 */
export const keepPace = async (pacing: Pacing) => {
  const { perSecond, amount, sleep } = pacing
  const inFlight = new Set<Promise<unknown>>()
  const faults: unknown[] = []
  let [lateMs, neverSent] = [0, 0]
  let refusal: Exchange | undefined
  const receive = (exchange: Exchange | undefined) => {
    if (exchange && isShutOut(exchange)) refusal ??= exchange
  }
  const sendOne = (dueMs: number) => {
    const one: Promise<unknown> = pacing
      .send(dueMs)
      .then(receive, (fault) => faults.push(fault))
      .then(() => inFlight.delete(one))
    inFlight.add(one)
  }
  const startMs = performance.now()
  try {
    for (let index = 0; index < amount && faults.length === 0; index += 1) {
      const dueMs = startMs + (index * 1_000) / perSecond
      const restMs = dueMs - performance.now() - pollMs(perSecond)
      if (restMs > 0) await sleep(restMs)
      while (performance.now() < dueMs) await turn()
      lateMs = Math.max(lateMs, performance.now() - dueMs)
      if (refusal || inFlight.size >= maxInFlight) neverSent += 1
      else sendOne(dueMs)
    }
  } finally {
    await Promise.all(inFlight)
  }
  if (faults.length > 0) throw faults[0]
  return { lateMs, neverSent, refusal }
}
