// A key kept at an even pace within its quota, slice after slice; a refusal is obeyed.
import { Untested } from '../engine/outcome.ts'
import { retryAfterMs } from '../engine/quota/rate-headers.ts'
import type { Lane } from './lane.ts'
import type { Sample } from './load-form.ts'
import { keepPace, realTime } from './paced.ts'

/** How a scenario keeps its pace on a lane. */
export interface Pace {
  readonly perSecond: number
  readonly sliceMs: number
  readonly slices: number
  /** From the beginning of one slice to that of the next, in which the other lanes have theirs. */
  readonly cycleMs: number
}

/** Unanswered requests beyond these are not added to. */
const underWayMost = 1_000
/** A key that is refused oftener than this, or for longer, is left alone. */
const refusals = { most: 3, waitMostMs: 150_000, usualWaitMs: 60_000 }

/** All that fall due in a lane. */
export const requestsOf = ({ perSecond, sliceMs, slices }: Pace): number =>
  Math.ceil((slices * sliceMs * perSecond) / 1_000)

/** How many fall due in one slice; what is left of a request is added to the next. */
const amountIn = (slice: number, { perSecond, sliceMs }: Pace): number => {
  const before = (at: number) => Math.floor((at * perSecond * sliceMs) / 1_000 + 1e-9)
  return before(slice + 1) - before(slice)
}

/**
 * Goes through all slices and yields after each.
 * @returns by how much the latest request left after it was due, in milliseconds
 * @throws Untested (blocked) where the key is refused again and again
 */
export const keepLane = async function* (
  lane: Lane,
  label: string,
  pace: Pace,
): AsyncGenerator<void, number> {
  const time = realTime(lane.sleep)
  let latestMs = 0
  let startMs = time.nowMs()
  let refused = 0
  for (let slice = 0; slice < pace.slices; slice += 1) {
    // Other lanes may be done sooner than they should; the quota is not overdrawn for that.
    await lane.sleep(Math.max(0, startMs - time.nowMs()))
    startMs = time.nowMs() + pace.cycleMs
    const { lateMs, refusal } = await keepSlice(lane, label, pace, slice)
    latestMs = Math.max(latestMs, lateMs)
    yield
    if (refusal) {
      refused += 1
      await obey(lane, refusal, refused)
    }
  }
  return latestMs
}

/** After a refusal nothing more is sent in the same slice. */
const keepSlice = async (lane: Lane, label: string, pace: Pace, slice: number) => {
  let refusal: Sample | undefined
  const send = async (dueMs: number) => {
    if (refusal) return lane.skipped()
    const sample = await lane.call(label, dueMs)
    if ([401, 403, 429].includes(sample.status)) refusal ??= sample
  }
  const lateMs = await keepPace({
    perSecond: pace.perSecond,
    amount: amountIn(slice, pace),
    underWayMost,
    send,
    skipped: lane.skipped,
    time: realTime(lane.sleep),
  })
  return { lateMs, refusal }
}

const obey = async (lane: Lane, refusal: Sample, times: number): Promise<void> => {
  const told = retryAfterMs(lane.exchangeOf(refusal)) ?? refusals.usualWaitMs
  if (times > refusals.most || told > refusals.waitMostMs) {
    throw new Untested('blocked', `the key was refused ${times} times within its quota`)
  }
  const elapsedMs = performance.now() - (refusal.sentMs + refusal.ms)
  await lane.sleep(Math.max(0, told - elapsedMs))
}
