// Measures a lane: counts by fate and key, latencies as a histogram, a line for each second; and
// describes what was measured. hdr-histogram's door.
import * as hdr from 'hdr-histogram-js'
import {
  type Counts,
  describeCounts,
  describeMs,
  type Fate,
  fates,
  type Latency,
  type LoadFigures,
  type LoadSecond,
  type LoadStep,
  percentilesOf,
} from '../engine/run-file.ts'
import type { Sample } from './sample.ts'
import type { Observed } from './scenario.ts'

export type Histogram = ReturnType<typeof createHistogram>

const maxUs = 3_600_000_000

/** Latencies in bounded memory: microseconds, three digits. */
export const createHistogram = () => {
  const histogram = hdr.build({
    bitBucketSize: 32,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: maxUs,
    numberOfSignificantValueDigits: 3,
  })
  const ms = (us: number) => Math.min(us, histogram.maxValue) / 1_000
  const at = (percent: number) => ms(histogram.getValueAtPercentile(percent))
  return {
    /** More than an hour counts as an hour. */
    record: (latencyMs: number): void => {
      const us = Math.round(latencyMs * 1_000)
      if (!Number.isFinite(us)) throw new RangeError(`${latencyMs} ms is not a latency`)
      histogram.recordValue(Math.min(Math.max(us, 0), maxUs))
    },
    /** Null if nothing was recorded. */
    latency: (): Latency | null =>
      histogram.totalCount === 0
        ? null
        : {
            count: histogram.totalCount,
            meanMs: histogram.mean / 1_000,
            p50Ms: at(50),
            p90Ms: at(90),
            p95Ms: at(95),
            p99Ms: at(99),
            p999Ms: at(99.9),
            maxMs: ms(histogram.maxValue),
          },
  }
}

/** Of a scenario at one server; the number of those left out is reported. */
const maxSeconds = 20_000

/** Latencies of one second, in memory that the next second uses again. */
class Latencies {
  #values = new Float64Array(64)
  #count = 0

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const grown = new Float64Array(2 * this.#count)
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.#count] = ms
    this.#count += 1
  }

  clear(): void {
    this.#count = 0
  }

  /** Undefined if there are none. */
  p99(): number | undefined {
    return this.#values.subarray(0, this.#count).sort()[Math.ceil(this.#count * 0.99) - 1]
  }
}

interface OpenSecond {
  readonly second: number
  readonly counts: Partial<Record<Fate, number>>
  readonly latencies: Latencies
}

type Counting = Record<Fate, number>

const zero = (): Counting =>
  Object.fromEntries(fates.map((fate) => [fate, 0])) as Record<Fate, number>

const closed = (key: string, open: OpenSecond): LoadSecond => {
  const value = open.latencies.p99()
  return {
    second: open.second,
    key,
    counts: open.counts,
    p99Ms: value === undefined ? null : Math.round(value * 1000) / 1000,
  }
}

/** Several instances measure the same second: their counts are added, and the worse p99 is kept. */
const merged = (seconds: readonly LoadSecond[]): LoadSecond[] => {
  const own = new Map<string, LoadSecond>()
  for (const each of seconds) {
    const name = `${each.second} ${each.key}`
    const known = own.get(name)
    if (!known) {
      own.set(name, each)
      continue
    }
    const counts: Partial<Record<Fate, number>> = { ...known.counts }
    for (const fate of fates) {
      const sum = (known.counts[fate] ?? 0) + (each.counts[fate] ?? 0)
      if (sum > 0) counts[fate] = sum
    }
    const p99Ms = Math.max(known.p99Ms ?? 0, each.p99Ms ?? 0) || null
    own.set(name, { ...known, counts, p99Ms })
  }
  return [...own.values()].sort((a, b) => a.second - b.second)
}

/** The seconds of each key; the current one of each is still open. */
const createSeries = (nowSecond: () => number) => {
  const open = new Map<string, OpenSecond>()
  const seconds: LoadSecond[] = []
  let leftOut = 0
  return {
    of: (key: string): OpenSecond => {
      const second = nowSecond()
      const known = open.get(key)
      if (known?.second === second) return known
      if (known && seconds.length < maxSeconds) seconds.push(closed(key, known))
      else if (known) leftOut += 1
      const latencies = known?.latencies ?? new Latencies()
      latencies.clear()
      const fresh = { second, counts: {}, latencies }
      open.set(key, fresh)
      return fresh
    },
    leftOut: () => leftOut,
    all: (): readonly LoadSecond[] =>
      merged([...seconds, ...[...open].map(([key, second]) => closed(key, second))]),
  }
}

export type Meter = ReturnType<typeof createMeter>

/** @param nowMs the time of the target, moves of its clock included */
export const createMeter = (nowMs: () => number) => {
  const beganMs = performance.now()
  // A lane may have to wait for its turn.
  let zeroMs: number | undefined
  const nowSecond = (): number => {
    zeroMs ??= nowMs()
    return Math.max(0, Math.floor((nowMs() - zeroMs) / 1000))
  }
  const all = zero()
  const byKey = new Map<string, Counting>()
  const histogram = createHistogram()
  const series = createSeries(nowSecond)
  const steps: LoadStep[] = []
  const tally = { sent: 0, neverSent: 0 }

  const countsOf = (key: string): Counting => {
    const known = byKey.get(key) ?? zero()
    byKey.set(key, known)
    return known
  }

  const take = ({ key, ms, lost }: Pick<Sample, 'key' | 'ms' | 'lost'>, fate: Fate): void => {
    tally.sent += 1
    all[fate] += 1
    countsOf(key)[fate] += 1
    const second = series.of(key)
    second.counts[fate] = (second.counts[fate] ?? 0) + 1
    if (lost !== null) return
    histogram.record(ms)
    second.latencies.add(ms)
  }

  const figures = (): LoadFigures => ({
    durationMs: Math.round(performance.now() - beganMs),
    sent: tally.sent,
    neverSent: tally.neverSent,
    counts: { ...all },
    countsByKey: Object.fromEntries([...byKey].map(([key, counts]) => [key, { ...counts }])),
    latency: histogram.latency(),
    seconds: series.all(),
    ...(steps.length > 0 && { steps: [...steps] }),
  })

  return {
    take,
    neverSent: (requests: number): void => {
      tally.neverSent += requests
    },
    step: (step: LoadStep): void => {
      steps.push(step)
    },
    sent: () => tally.sent,
    counts: (): Counts => all,
    /** How many seconds were left out of the series. */
    leftOut: series.leftOut,
    figures,
  }
}

/** What `describeErrors` records, in plain words. */
export const errorsRecorded =
  'How many requests were not served, and how they ended; any at all is a warning.'

export const describeErrors = ({ sent, neverSent, counts }: LoadFigures): Observed => {
  const { served, ...rest } = counts
  const failed = sent - served
  if (failed === 0 && neverSent === 0) return `none in ${sent} requests`
  const unsent = neverSent > 0 ? `; ${neverSent} more were never sent` : ''
  return {
    warn: `${failed} of ${sent} requests failed (${describeCounts(rest) || 'none'})${unsent}`,
  }
}

export const describeLatency = ({ latency }: LoadFigures): string => {
  if (latency === null) return 'no response'
  const shown = percentilesOf(latency).filter(([name]) => name === 'p50' || name === 'p99')
  const texts = shown.map(([name, ms]) => `${name} ${describeMs(ms)}`)
  const max = `max ${describeMs(latency.maxMs)} of ${latency.count} responses`
  return [...texts, max].join(', ')
}
