// An open model: requests fall due at even distances, whatever became of those before them.
import { setImmediate as turn } from 'node:timers/promises'

export interface Pacing {
  readonly perSecond: number
  /** So many fall due in all. */
  readonly amount: number
  /** Due while so many are without an answer, a request is not sent at all. */
  readonly underWayMost: number
  /** Sends one now; told when it was due, by `nowMs`. */
  readonly send: (dueMs: number) => Promise<unknown>
  /** Told of each one that was not sent. */
  readonly skipped: () => void
  readonly time: PaceTime
}

/** The time that a pace is kept by. */
export interface PaceTime {
  readonly nowMs: () => number
  /** May end some milliseconds late, as timers do. */
  readonly sleep: (ms: number) => Promise<void>
  /** Lets other work be done, and comes back at once. */
  readonly turn: () => Promise<void>
}

/** Real time. @param sleep ends early, with an error, where the run is interrupted */
export const realTime = (sleep: PaceTime['sleep']): PaceTime => ({
  nowMs: () => performance.now(),
  sleep,
  turn: async () => {
    await turn()
  },
})

/**
 * A timer of Node is late by a millisecond or two. So much of a wait is spent looking at the clock
 * instead, and at a high rate less: the processor may be the target's as well.
 */
const lookMs = (perSecond: number): number => Math.min(2, (0.05 * 1_000) / perSecond)

/**
 * Sends at an even pace, and then waits for the last answers.
 *
 * The latency of each is to be measured from when it was due: a server that holds up one request
 * does not make the next ones look faster, since they are sent, and counted as waiting, all the
 * same (no coordinated omission).
 * @returns by how much the latest request left after it was due, in milliseconds
 */
export const keepPace = async (pacing: Pacing): Promise<number> => {
  const { perSecond, amount, underWayMost, time } = pacing
  const underWay = new Set<Promise<void>>()
  const state = { latestMs: 0, isFaulty: false, fault: undefined as unknown }
  const sendOne = (dueMs: number) => {
    const one = pacing
      .send(dueMs)
      .catch((fault) => {
        if (!state.isFaulty) Object.assign(state, { isFaulty: true, fault })
      })
      .then(() => {
        underWay.delete(one)
      })
    underWay.add(one)
  }
  const startMs = time.nowMs()
  try {
    for (let index = 0; index < amount && !state.isFaulty; index += 1) {
      const dueMs = startMs + (index * 1_000) / perSecond
      await until(dueMs, lookMs(perSecond), time)
      state.latestMs = Math.max(state.latestMs, time.nowMs() - dueMs)
      if (underWay.size >= underWayMost) pacing.skipped()
      else sendOne(dueMs)
    }
  } finally {
    await Promise.all(underWay)
  }
  if (state.isFaulty) throw state.fault
  return state.latestMs
}

/** Waits until a time, and no longer: a timer alone would add its own lateness to each latency. */
const until = async (
  dueMs: number,
  lookingMs: number,
  { nowMs, sleep, turn }: PaceTime,
): Promise<void> => {
  const restMs = dueMs - nowMs() - lookingMs
  if (restMs > 0) await sleep(restMs)
  while (nowMs() < dueMs) await turn()
}
