// What a lane's load comes to: counts by fate and key, latencies, and a line for each second.
import {
  type Counts,
  type Fate,
  fates,
  type LoadFigures,
  type LoadSecond,
  type LoadStep,
} from '../engine/load-figures.ts'
import { createHistogram } from './histogram.ts'
import type { Sample } from './load-form.ts'

/** Lines of a scenario at one server; later ones are left out, and that is told. */
const secondsMost = 20_000

interface OpenSecond {
  readonly second: number
  readonly counts: Partial<Record<Fate, number>>
  readonly latencies: number[]
}

type Counting = Record<Fate, number>

const zero = (): Counting =>
  Object.fromEntries(fates.map((fate) => [fate, 0])) as Record<Fate, number>

const closed = (key: string, open: OpenSecond): LoadSecond => {
  const sorted = open.latencies.sort((a, b) => a - b)
  const value = sorted[Math.ceil(sorted.length * 0.99) - 1]
  return {
    second: open.second,
    key,
    counts: open.counts,
    p99Ms: value === undefined ? null : Math.round(value * 1000) / 1000,
  }
}

/** The seconds of each key; the present one of each is still open. */
const createSeries = (nowSecond: () => number) => {
  const open = new Map<string, OpenSecond>()
  const seconds: LoadSecond[] = []
  let leftOut = 0
  return {
    of: (key: string): OpenSecond => {
      const second = nowSecond()
      const known = open.get(key)
      if (known?.second === second) return known
      if (known && seconds.length < secondsMost) seconds.push(closed(key, known))
      else if (known) leftOut += 1
      const fresh = { second, counts: {}, latencies: [] }
      open.set(key, fresh)
      return fresh
    },
    leftOut: () => leftOut,
    all: (): readonly LoadSecond[] =>
      [...seconds, ...[...open].map(([key, second]) => closed(key, second))].sort(
        (a, b) => a.second - b.second,
      ),
  }
}

export interface Meter {
  readonly take: (sample: Sample, fate: Fate) => void
  readonly neverSent: (requests: number) => void
  readonly step: (step: LoadStep) => void
  readonly sent: () => number
  readonly counts: () => Counts
  /** How many seconds were left out of the series. */
  readonly leftOut: () => number
  readonly figures: () => LoadFigures
}

/** @param nowMs the time of the target, moves of its clock included */
export const createMeter = (nowMs: () => number): Meter => {
  const beganMs = performance.now()
  const beganAtMs = nowMs()
  const all = zero()
  const byKey = new Map<string, Counting>()
  const histogram = createHistogram()
  const series = createSeries(() => Math.floor((nowMs() - beganAtMs) / 1000))
  const steps: LoadStep[] = []
  const tally = { sent: 0, neverSent: 0 }

  const countsOf = (key: string): Counting => {
    const known = byKey.get(key) ?? zero()
    byKey.set(key, known)
    return known
  }

  const take = (sample: Sample, fate: Fate) => {
    const { key, ms, lost } = sample
    tally.sent += 1
    all[fate] += 1
    countsOf(key)[fate] += 1
    const second = series.of(key)
    second.counts[fate] = (second.counts[fate] ?? 0) + 1
    if (lost !== null) return
    histogram.record(ms)
    second.latencies.push(ms)
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
    neverSent: (requests) => {
      tally.neverSent += requests
    },
    step: (step) => {
      steps.push(step)
    },
    sent: () => tally.sent,
    counts: () => all,
    leftOut: series.leftOut,
    figures,
  }
}
