// Whether the clocks of the workers agree, by the target's own Date.
import { header } from '../../history/exchange.ts'
import type { WorkerFile } from './samples.ts'

/** Bounds of the time at the target minus the time since the common start. */
type Bounds = readonly [minMs: number, maxMs: number]

/** A Date is in whole seconds; and its text may be a little old. */
const dateMs = 1_500

const boundsOf = ({ samples }: WorkerFile): Bounds | undefined => {
  let [min, max] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const { response, sentMs, receivedMs } of samples) {
    const date = Date.parse(header({ at: '', response }, 'date') ?? '')
    if (Number.isNaN(date)) continue
    min = Math.max(min, date - receivedMs)
    max = Math.min(max, date + dateMs - sentMs)
  }
  // Where the Dates contradict each other they say nothing of the worker.
  return min <= max && Number.isFinite(min) ? [min, max] : undefined
}

/** How far apart two bounds are; 0 where they agree. */
const apartMs = ([min, max]: Bounds, [otherMin, otherMax]: Bounds, byMs = 0): number =>
  min + byMs <= otherMax && otherMin <= max + byMs
    ? 0
    : (min + max - otherMin - otherMax) / 2 + byMs

const seconds = (ms: number): string => `about ${(Math.abs(ms) / 1_000).toFixed(1)} s`

/**
 * @returns `notes` about clocks that differ, which matters little: times count from the common
 *   start; and `late`, workers for which that was at another time
 */
export const compareClocks = ([first, ...others]: readonly WorkerFile[]) => {
  const [notes, late]: [string[], string[]] = [[], []]
  const bounds = first && boundsOf(first)
  for (const { worker, startsAtMs, ...file } of bounds ? others : []) {
    const own = boundsOf({ ...file, worker, startsAtMs })
    if (!own || !bounds) continue
    const aheadMs = -apartMs(own, bounds, first.startsAtMs - startsAtMs)
    const lateMs = apartMs(own, bounds)
    const than = `worker ${first.worker}, by the target's Date`
    const how = `${seconds(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of ${than}`
    if (aheadMs !== 0) notes.push(`the clock of worker ${worker} is ${how}: it is not used`)
    const when = `${seconds(lateMs)} ${lateMs > 0 ? 'later' : 'earlier'} than ${than}`
    if (lateMs !== 0) late.push(`worker ${worker} began ${when}`)
  }
  return { notes, late }
}
