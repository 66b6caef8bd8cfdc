// The times of all workers on one axis: that of the common start. Whether their clocks agree is
// seen by the target's own Date.
import { header } from '../../history/exchange.ts'
import type { Samples, WorkerFile, WorkerSample } from './samples.ts'

/** Bounds of the time at the target minus that of a worker. */
type Bounds = readonly [minMs: number, maxMs: number]

/** A Date is in whole seconds; and its text may be a little old. */
const dateMs = 1_000
const staleMs = 500

const boundsOf = ({ samples, startsAtMs }: WorkerFile): Bounds | undefined => {
  let [min, max] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const { response, sentMs, receivedMs } of samples) {
    const date = Date.parse(header({ at: '', response }, 'date') ?? '')
    if (Number.isNaN(date)) continue
    min = Math.max(min, date - startsAtMs - receivedMs)
    max = Math.min(max, date + dateMs + staleMs - startsAtMs - sentMs)
  }
  // Where the Dates contradict each other they say nothing of the worker.
  return min <= max && Number.isFinite(min) ? [min, max] : undefined
}

/** How far apart two bounds are; 0 where they agree. */
const apartMs = ([min, max]: Bounds, [otherMin, otherMax]: Bounds): number => {
  if (min <= otherMax && otherMin <= max) return 0
  return (min + max - otherMin - otherMax) / 2
}

const seconds = (ms: number): string => (Math.abs(ms) / 1_000).toFixed(1)

/** All samples in the order in which they ended; and what is to be said of the workers' clocks. */
export const alignWorkers = (files: Samples['files']) => {
  const [first] = files
  const startsAtMs = first?.startsAtMs ?? 0
  const bounds = first && boundsOf(first)
  const notes: string[] = []
  const samples: WorkerSample[] = []
  for (const file of files) {
    const own = boundsOf(file)
    const clockMs = own && bounds ? apartMs(bounds, own) : 0
    if (clockMs !== 0) {
      const how = `${seconds(clockMs)} s ${clockMs > 0 ? 'ahead of' : 'behind'}`
      const than = `the clock of worker ${file.worker} is about ${how} that of worker`
      notes.push(`${than} ${first?.worker}, by the target's Date: its own clock is not used`)
    }
    // Their start was the same, whatever their clocks say.
    const byMs = file.startsAtMs - startsAtMs
    const lateMs = own && bounds ? apartMs([own[0] + byMs, own[1] + byMs], bounds) : 0
    if (lateMs !== 0) {
      const how = `${seconds(lateMs)} s ${lateMs > 0 ? 'later' : 'earlier'}`
      notes.push(`worker ${file.worker} began about ${how} than worker ${first?.worker}`)
    }
    for (const one of file.samples) {
      const [sentMs, receivedMs] = [one.sentMs + lateMs, one.receivedMs + lateMs]
      const dueMs = one.dueMs === null ? null : one.dueMs + lateMs
      samples.push({ ...one, sentMs, receivedMs, dueMs })
    }
  }
  samples.sort((a, b) => a.receivedMs - b.receivedMs)
  return { samples, notes, startsAtMs }
}
