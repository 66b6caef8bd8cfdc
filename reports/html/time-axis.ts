// A time axis for calls: rests are left out, and each stretch between has the room of its calls.
import { pieced } from './scales.ts'

export interface Rest {
  readonly fromMs: number
  readonly toMs: number
  readonly x: number
}

export interface TimeAxis {
  readonly at: (ms: number) => number
  readonly rests: readonly Rest[]
  readonly spans: readonly Span[]
}

/** A stretch of calls without a rest between them. */
interface Span {
  readonly start: number
  readonly end: number
  readonly calls: number
}

/** A pause is left out from here on, or from some times the usual distance of two calls. */
const shortestRestMs = 1_000
const usualDistances = 8
const restWidth = 12
/** More of them cannot be told apart; the longest are left out. */
const mostRests = 150
/** Of the width at most this share goes to rests. */
const restShare = 0.35

/** @param times ascending, in milliseconds; at least one */
export const timeAxis = (times: readonly number[], range: readonly [number, number]): TimeAxis => {
  const spans = spansOf(times)
  const [from, to] = range
  const width = to - from
  const gap = spans.length > 1 ? Math.min(restWidth, (width * restShare) / (spans.length - 1)) : 0
  const unit = (width - gap * (spans.length - 1)) / times.length
  let x = from
  const placed = spans.map(({ start, end, calls }) => {
    const left = x
    const right = left + calls * unit
    x = right + gap
    return { start, end: Math.max(end, start + 0.001), left, right }
  })
  const at = pieced(
    placed.flatMap(({ start, end }) => [start, end]),
    placed.flatMap(({ left, right }) => [left, right]),
  )
  const rests = placed.slice(1).map(({ start, left }, index) => ({
    fromMs: placed[index]?.end ?? start,
    toMs: start,
    x: left - gap / 2,
  }))
  return { at, rests, spans }
}

const spansOf = (times: readonly number[]): Span[] => {
  const [first = 0, ...later] = times
  const distances = later.map((time, index) => time - (times[index] ?? time))
  const ordered = distances.toSorted((a, b) => a - b)
  const usual = ordered[Math.floor(ordered.length / 2)] ?? 0
  const restMs = Math.max(shortestRestMs, usual * usualDistances, ordered.at(-mostRests) ?? 0)
  const spans: Span[] = [{ start: first, end: first, calls: 1 }]
  for (const [index, time] of later.entries()) {
    const last = spans.at(-1)
    if (last === undefined || (distances[index] ?? 0) > restMs)
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

/** A length of time in one unit, as a reader says it: `61 s`, `1.5 d`. */
export const duration = (ms: number): string => {
  // 61 s says more than 1 min: a unit is used from two of it on.
  const [size, unit] = units.find(([each]) => ms >= 2 * each) ?? units[3]
  const value = ms / size
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} ${unit}`
}

export const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 19)

export const dateTime = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
