// An open model: requests are due at even intervals, whatever became of earlier ones; and a lane
// that keeps such a pace within the quota of a key.
import { setImmediate as turn } from 'node:timers/promises'
import type { Exchange } from '../history/exchange.ts'
import { Untested } from '../history/outcome.ts'
import { isShutOut, retryAfterMs } from '../history/rate-headers.ts'
import { type KeptPace, type Lane, type LoadPlan, strongest } from './scenario.ts'

export interface Pacing {
  readonly perSecond: number
  readonly amount: number
  /** A request that is due while so many are in flight is not sent at all. */
  readonly maxInFlight?: number
  /** Sends one. @param dueMs when it was due, by `nowMs` */
  readonly send: (dueMs: number) => Promise<Exchange | undefined>
  readonly skipped: () => void
  readonly time: PaceTime
}

export interface PaceTime {
  readonly nowMs: () => number
  /** May end some milliseconds late, as timers do. */
  readonly sleep: (ms: number) => Promise<void>
  /** Lets other work run, and returns at once. */
  readonly turn: () => Promise<void>
}

/** Real time. @param sleep rejects early if the run is interrupted */
export const realTime = (sleep: PaceTime['sleep']): PaceTime => ({
  nowMs: () => performance.now(),
  sleep,
  turn: () => turn(),
})

/**
 * A timer of Node is late by a millisecond or two. The end of each wait is spent polling the clock
 * instead; less at a high rate, as the target may share the processor.
 */
const pollMs = (perSecond: number): number => Math.min(2, (0.05 * 1_000) / perSecond)

const usualMaxInFlight = 1_000

/**
 * Sends at an even pace up to a refusal, and then waits for the last responses.
 *
 * The latency of each is to be measured from when it was due: a server that blocks on one request
 * does not make the next ones look faster, since they are sent, and counted as waiting, all the
 * same (no coordinated omission).
 * @returns the longest delay between due and sent, and the refusal
 */
export const keepPace = async (pacing: Pacing): Promise<KeptPace> => {
  const { perSecond, amount, maxInFlight = usualMaxInFlight, time } = pacing
  const inFlight = new Set<Promise<unknown>>()
  const faults: unknown[] = []
  let lateMs = 0
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
  const startMs = time.nowMs()
  try {
    for (let index = 0; index < amount && faults.length === 0; index += 1) {
      const dueMs = startMs + (index * 1_000) / perSecond
      await until(dueMs, pollMs(perSecond), time)
      lateMs = Math.max(lateMs, time.nowMs() - dueMs)
      if (refusal || inFlight.size >= maxInFlight) pacing.skipped()
      else sendOne(dueMs)
    }
  } finally {
    await Promise.all(inFlight)
  }
  if (faults.length > 0) throw faults[0]
  return { lateMs, refusal }
}

/** A timer alone would add its own delay to each latency. */
const until = async (dueMs: number, pollingMs: number, time: PaceTime): Promise<void> => {
  const restMs = dueMs - time.nowMs() - pollingMs
  if (restMs > 0) await time.sleep(restMs)
  while (time.nowMs() < dueMs) await time.turn()
}

export interface PaceLimits {
  /** Shares of the quotas. */
  readonly ofMinute: number
  readonly ofDay: number
  readonly maxPerSecond: number
  readonly maxSliceMs: number
  readonly usualDurationMs: number
  /** Whether it begins with the full quota. */
  readonly rests: boolean
}

/**
 * The pace of the strongest key; a slice of each lane in turn makes a cycle. As a lane is idle
 * meanwhile, it is the faster in its own slices: a minute of all lanes uses the same share.
 */
export const computePace = ({ keys, durationMs }: LoadPlan, limits: PaceLimits, lanes = 1) => {
  const key = strongest(keys)
  const { perMinute, perDay } = key.quota
  const wholeMs = durationMs ?? limits.usualDurationMs
  const sliceMs = Math.min(limits.maxSliceMs, wholeMs / lanes)
  const cycleMs = sliceMs * lanes
  const slices = Math.ceil(wholeMs / cycleMs)
  const ofMinute = (limits.ofMinute * perMinute * lanes) / 60
  const ofDay = (limits.ofDay * perDay * 1_000) / (slices * sliceMs)
  const perSecond = Math.min(ofMinute, ofDay, limits.maxPerSecond)
  return {
    key,
    perSecond,
    sliceMs,
    slices,
    cycleMs,
    requests: Math.ceil((slices * sliceMs * perSecond) / 1_000),
    seconds: (slices * cycleMs) / 1_000,
  }
}

/** How many are due in one slice; the fraction of a request is carried over to the next. */
const amountIn = (
  slice: number,
  { perSecond, sliceMs }: ReturnType<typeof computePace>,
): number => {
  const before = (at: number) => Math.floor((at * perSecond * sliceMs) / 1_000 + 1e-9)
  return before(slice + 1) - before(slice)
}

/** A key that is refused more often, or for longer, is not used again. */
const maxRefusals = 3
const maxRetryAfterMs = 150_000
const usualRetryAfterMs = 60_000

export interface Kept {
  readonly perSecond: number
  /** How late the latest was sent. */
  readonly latestMs: number
}

/**
 * Runs all slices of a lane and yields after each; obeys refusals.
 * @returns the pace, and the longest delay between due and sent, in milliseconds
 * @throws Untested (blocked) if the key is refused again and again
 */
export const keepLane = async function* (
  lane: Lane,
  limits: PaceLimits,
): AsyncGenerator<void, Kept> {
  const pace = computePace(lane.plan, limits, lane.columns)
  await lane.ensureDay(pace.key, pace.requests)
  if (limits.rests) await lane.waitForFullQuota(pace.key.label)
  let latestMs = 0
  let startMs = lane.nowMs()
  let refusals = 0
  for (let slice = 0; slice < pace.slices; slice += 1) {
    // Other lanes may be done early; that must not overdraw the quota.
    await lane.sleep(Math.max(0, startMs - lane.nowMs()))
    startMs = lane.nowMs() + pace.cycleMs
    const { label } = pace.key
    const { lateMs, refusal } = await lane.keepPace(label, pace.perSecond, amountIn(slice, pace))
    latestMs = Math.max(latestMs, lateMs)
    yield
    if (refusal) {
      refusals += 1
      await obey(lane, refusal, refusals)
    }
  }
  return { perSecond: pace.perSecond, latestMs }
}

const obey = async (lane: Lane, refusal: Exchange, refusals: number): Promise<void> => {
  const waitMs = retryAfterMs(refusal) ?? usualRetryAfterMs
  if (refusals > maxRefusals || waitMs > maxRetryAfterMs) {
    throw new Untested('blocked', `the key was refused ${refusals} times within its quota`)
  }
  await lane.sleep(Math.max(0, waitMs - (performance.now() - refusal.receivedMs)))
}
