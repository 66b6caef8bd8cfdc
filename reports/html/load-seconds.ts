// The seconds of a load scenario: what became of the calls, and how long the slowest took.
import type { LoadFigures } from '../../engine/load-figures.ts'
import { figure, numbersTable, plot, valueAxis } from './chart.ts'
import { html, type Markup } from './markup.ts'
import type { Point } from './paths.ts'
import { type Bar, barLegend, barLengthS, barNumbers, drawBars, stretch } from './per-second.ts'
import { fromZero } from './scales.ts'
import { type Column, drawSeries, mostSeries, seriesLegend, tickBelow } from './series.ts'

/** Seconds of all keys together, several in one bar where there are many. */
const barsOf = ({ seconds }: LoadFigures, lengthS: number): Bar[] => {
  const grouped = Map.groupBy(seconds, ({ second }) => Math.floor(second / lengthS) * lengthS)
  return [...grouped]
    .sort(([a], [b]) => a - b)
    .map(([second, own]) => {
      const sum = (of: (counts: (typeof own)[number]['counts']) => number | undefined) =>
        own.reduce((so, { counts }) => so + (of(counts) ?? 0), 0)
      return {
        atMs: second * 1_000,
        served: sum(({ served }) => served),
        refused: sum(({ refused }) => refused),
        banned: sum(({ banned }) => banned),
        other:
          sum(({ otherClientError }) => otherClientError) +
          sum(({ serverError }) => serverError) +
          sum(({ timeout }) => timeout) +
          sum(({ reset }) => reset),
      }
    })
}

const sinceStart = (ms: number): string => `${ms / 1_000} s`

const lengthOf = (...columns: readonly LoadFigures[]): number =>
  barLengthS(columns.flatMap(({ seconds }) => seconds.map(({ second }) => second)))

export const perSecondOf = (title: string, figures: LoadFigures): Markup | false => {
  const lengthS = lengthOf(figures)
  const bars = barsOf(figures, lengthS)
  if (bars.length === 0) return false
  return figure({
    title: `Calls per ${stretch(lengthS)}: ${title}`,
    note: null,
    content: drawBars(bars, lengthS * 1_000, sinceStart),
    legend: barLegend(bars),
    numbers: barNumbers(bars, 'From', sinceStart),
  })
}

/** The slowest key of each stretch speaks for it: percentiles of several keys do not add up. */
const slowest = ({ seconds }: LoadFigures, lengthS: number): Point[] => {
  const grouped = Map.groupBy(
    seconds.flatMap(({ second, p99Ms }) => (p99Ms === null ? [] : [{ second, p99Ms }])),
    ({ second }) => Math.floor(second / lengthS) * lengthS,
  )
  return [...grouped]
    .sort(([a], [b]) => a - b)
    .map(([second, own]): Point => [second, Math.max(...own.map(({ p99Ms }) => p99Ms))])
}

const labels = 12

/** As many as can stand beside each other. */
const labelled = (all: readonly number[]): number[] =>
  all.filter((_, index) => index % Math.ceil(all.length / labels) === 0)

export const latencyPerSecond = (columns: readonly Column[]): Markup | false => {
  const lengthS = lengthOf(...columns.map(([, figures]) => figures))
  const measured = columns
    .map(([title, figures]) => ({ title, seconds: slowest(figures, lengthS) }))
    .filter(({ seconds }) => seconds.length > 0)
    .slice(0, mostSeries)
  if (measured.length === 0) return false
  const all = measured.flatMap(({ seconds }) => seconds)
  const y = fromZero(Math.max(...all.map(([, ms]) => ms)), [plot.bottom, plot.top])
  const longest = Math.max(...measured.map(({ seconds }) => seconds.length))
  const step = (plot.right - plot.left) / Math.max(longest - 1, 1)
  const series = measured.map(({ title, seconds }) => ({
    title,
    // Each server began at a time of its own, so the first stretch of each stands first.
    points: seconds.map(([, ms], index): Point => [plot.left + step * index, y.at(ms)]),
  }))
  const numbered = labelled(Array.from({ length: longest }, (_, index) => index))
  return figure({
    title: `p99 of each ${stretch(lengthS)}, in milliseconds`,
    note: 'Of several keys the slowest. Counted are the seconds in which calls were made.',
    content: html`${valueAxis(y, String)}
      ${numbered.map((index) => tickBelow(plot.left + step * index, String(index + 1)))}
      ${drawSeries(series)}`,
    legend: seriesLegend(series),
    numbers: numbersTable(
      ['Server', 'From, s', 'p99, ms'],
      measured.flatMap(({ title, seconds }) => seconds.map(([second, ms]) => [title, second, ms])),
    ),
  })
}
