// A time axis for calls: time without calls is left out, the rest is as wide as it has calls.
import { interpolate, type Range } from './chart.ts'

interface Gap {
  readonly fromMs: number
  readonly toMs: number
  readonly x: number
}

export interface TimeAxis {
  readonly at: (ms: number) => number
  readonly gaps: readonly Gap[]
  readonly spans: readonly Span[]
}

/** Calls without a gap between them. */
interface Span {
  readonly start: number
  readonly end: number
  readonly calls: number
}

/** A pause becomes a gap if it is longer than this, and than some median distances of calls. */
const minGapMs = 1_000
const medianDistances = 8
const gapWidth = 12
/** More cannot be distinguished; the longest pauses become gaps. */
const maxGaps = 150
/** The share of the width that gaps may take. */
const maxGapShare = 0.35

/** @param times ascending, in milliseconds; at least one */
export const timeAxis = (times: readonly number[], range: Range): TimeAxis => {
  const spans = spansOf(times)
  const [from, to] = range
  const width = to - from
  const gap = spans.length > 1 ? Math.min(gapWidth, (width * maxGapShare) / (spans.length - 1)) : 0
  const unit = (width - gap * (spans.length - 1)) / times.length
  let x = from
  const placed = spans.map(({ start, end, calls }) => {
    const left = x
    const right = left + calls * unit
    x = right + gap
    return { start, end: Math.max(end, start + 0.001), left, right }
  })
  const at = (ms: number): number => {
    const span = placed.find(({ end }) => ms <= end) ?? placed.at(-1)
    return span ? interpolate([span.start, span.end], [span.left, span.right], ms) : from
  }
  const gaps = placed.slice(1).map(({ start, left }, index) => ({
    fromMs: placed[index]?.end ?? start,
    toMs: start,
    x: left - gap / 2,
  }))
  return { at, gaps, spans }
}

const spansOf = (times: readonly number[]): Span[] => {
  const [first = 0, ...later] = times
  const distances = later.map((time, index) => time - (times[index] ?? time))
  const ordered = distances.toSorted((a, b) => a - b)
  const median = ordered[Math.floor(ordered.length / 2)] ?? 0
  const gapMs = Math.max(minGapMs, median * medianDistances, ordered.at(-maxGaps) ?? 0)
  const spans: Span[] = [{ start: first, end: first, calls: 1 }]
  for (const [index, time] of later.entries()) {
    const last = spans.at(-1)
    if (last === undefined || (distances[index] ?? 0) > gapMs)
      spans.push({ start: time, end: time, calls: 1 })
    else Object.assign(last, { end: time, calls: last.calls + 1 })
  }
  return spans
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** A length of time in one unit: `61 s`, `1.5 d`. */
export const duration = (ms: number): string => {
  // 61 s is more precise than 1 min: a unit is used from two on.
  const [size, unit] = units.find(([each]) => ms >= 2 * each) ?? units[3]
  const value = ms / size
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} ${unit}`
}

export const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 19)

export const dateTime = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
