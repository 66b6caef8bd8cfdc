// What a soak has seen, in bins over its time: latencies, errors, and two ledgers side by side.
import type { Quota } from '../spec/plans.ts'
import { type RateHeaders, windowOf } from '../suites/kit/quota/rate-headers.ts'
import type { Point } from './drift.ts'
import { createHistogram, type Histogram } from './histogram.ts'
import type { Sample } from './sample.ts'

/** Fewer bins than these, or fewer answers in one, are too few to tell a trend from chance. */
export const bins = { least: 12, most: 48, answers: 5 }
const minuteMs = 60_000

interface Bin {
  readonly latencies: Histogram
  sent: number
  errors: number
  /** By window: the most calls that the target counted beyond our own. */
  readonly excess: { minute: number | null; day: number | null }
}

export interface SoakLog {
  readonly sending: () => void
  /** @param rates what its answer says about the quota */
  readonly heard: (sample: Sample, rates: RateHeaders | undefined) => void
  /** The median latency of each bin, in milliseconds. */
  readonly medians: () => readonly Point[]
  /** The most that the target counted beyond our own calls, in each bin. */
  readonly excesses: () => readonly Point[]
  /** Errors and requests of the two halves. */
  readonly halves: () => readonly [Half, Half]
}

export interface Half {
  sent: number
  errors: number
}

/**
 * @param durationMs how long it is going to be
 * @param expected how many requests there will be; the more, the more bins
 * @param nowMs the time that samples are told in
 */
export const createSoakLog = (
  quota: Quota,
  durationMs: number,
  expected: number,
  nowMs: () => number,
): SoakLog => {
  const count = Math.min(bins.most, Math.max(bins.least, Math.floor(expected / (2 * bins.answers))))
  const all: Bin[] = Array.from({ length: count }, () => ({
    latencies: createHistogram(),
    sent: 0,
    errors: 0,
    excess: { minute: null, day: null },
  }))
  const own = ownLedger()
  const beganMs = nowMs()

  const heard: SoakLog['heard'] = (sample, rates) => {
    const at = Math.floor((count * (sample.sentMs - beganMs)) / durationMs)
    const bin = all[Math.min(count - 1, Math.max(0, at))] as Bin
    bin.sent += 1
    if (sample.status < 200 || sample.status > 299) {
      bin.errors += 1
      return
    }
    bin.latencies.record(sample.ms)
    const window = rates && windowOf(rates.limit, quota)
    if (!rates || !window) return
    const excess = rates.limit - rates.remaining - own.within(window, nowMs())
    bin.excess[window] = Math.max(excess, bin.excess[window] ?? excess)
  }

  const points = (of: (bin: Bin) => number | null): Point[] =>
    all.flatMap((bin, x) => {
      const y = of(bin)
      return y === null ? [] : [{ x, y }]
    })

  return {
    sending: () => own.called(nowMs()),
    heard,
    medians: () =>
      points(({ latencies }) =>
        latencies.count() < bins.answers ? null : latencies.percentile(50),
      ),
    excesses: () => {
      const [minute, day] = (['minute', 'day'] as const).map((window) =>
        points(({ excess }) => excess[window]),
      )
      return (minute?.length ?? 0) >= (day?.length ?? 0) ? (minute ?? []) : (day ?? [])
    },
    halves: () => [sum(all.slice(0, count / 2)), sum(all.slice(count / 2))],
  }
}

const sum = (some: readonly Bin[]): Half =>
  some.reduce<Half>(
    (half, { sent, errors }) => ({ sent: half.sent + sent, errors: half.errors + errors }),
    { sent: 0, errors: 0 },
  )

/**
 * Our own calls, as many as a target may still count: no design counts one for longer than two
 * windows. For the day that is all of them.
 */
const ownLedger = () => {
  const recent: number[] = []
  let all = 0
  return {
    called: (ms: number) => {
      recent.push(ms)
      all += 1
      while ((recent[0] ?? ms) < ms - 2 * minuteMs) recent.shift()
    },
    within: (window: 'minute' | 'day', ms: number) =>
      window === 'day' ? all : recent.filter((each) => each >= ms - 2 * minuteMs).length,
  }
}
