// Latencies as an HDR histogram: microseconds, three digits, bounded memory. hdr-histogram's door.
import * as hdr from 'hdr-histogram-js'
import type { Latency } from '../engine/load-figures.ts'

export interface Histogram {
  /** Milliseconds, with any fraction; what is beyond an hour counts as an hour. */
  readonly record: (ms: number) => void
  /** All figures at once, to three digits; null where nothing was recorded. */
  readonly latency: () => Latency | null
}

/** An answer that took longer than an hour is as late as one that took an hour. */
const longestUs = 3_600_000_000

export const createHistogram = (): Histogram => {
  const histogram = hdr.build({
    bitBucketSize: 32,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: longestUs,
    numberOfSignificantValueDigits: 3,
  })
  const ms = (us: number) => Math.min(us, histogram.maxValue) / 1_000
  const at = (percent: number) => ms(histogram.getValueAtPercentile(percent))
  return {
    record: (latencyMs) => {
      const us = Math.round(latencyMs * 1_000)
      if (!Number.isFinite(us)) throw new RangeError(`${latencyMs} ms is no latency`)
      histogram.recordValue(Math.min(Math.max(us, 0), longestUs))
    },
    latency: () =>
      histogram.totalCount === 0
        ? null
        : {
            count: histogram.totalCount,
            meanMs: histogram.mean / 1_000,
            p50Ms: at(50),
            p90Ms: at(90),
            p99Ms: at(99),
            p999Ms: at(99.9),
            maxMs: ms(histogram.maxValue),
          },
  }
}
