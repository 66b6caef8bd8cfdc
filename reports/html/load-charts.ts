// The charts of a load scenario: latency by percentile and over time, calls, steps of connections.
import type { Latency, LoadFigures, LoadSecond } from '../../engine/run-file.ts'
import { figure, fromZero, logarithmic, numbersTable, plot, tickBelow, valueAxis } from './chart.ts'
import {
  type Bar,
  barLegend,
  barLengthS,
  barNumbers,
  barUnit,
  type Column,
  drawBars,
  drawSeries,
  maxSeries,
  type Point,
  seriesLegend,
} from './lines-and-bars.ts'
import { grouped, html, type Markup } from './markup.ts'

const percentiles = [
  ['p50', ({ p50Ms }: Latency) => p50Ms],
  ['p90', ({ p90Ms }: Latency) => p90Ms],
  ['p99', ({ p99Ms }: Latency) => p99Ms],
  ['p99.9', ({ p999Ms }: Latency) => p999Ms],
  ['maximum', ({ maxMs }: Latency) => maxMs],
] as const

/** Zero has no logarithm. */
const minLatencyMs = 0.1
const msTicks = [minLatencyMs, 1, 10, 100, 1_000, 10_000, 100_000]

export const latencyFigure = (columns: readonly Column[]): Markup | false => {
  const measured = columns
    .flatMap(([title, { latency }]) => (latency === null ? [] : [{ title, latency }]))
    .slice(0, maxSeries)
  if (measured.length === 0) return false
  const shown = (latency: Latency) =>
    percentiles.map(([, of]) => Math.max(of(latency), minLatencyMs))
  const values = measured.flatMap(({ latency }) => shown(latency))
  const y = logarithmic(values, [plot.bottom, plot.top], msTicks)
  const width = (plot.right - plot.left) / percentiles.length
  const x = (index: number) => plot.left + width * (index + 0.5)
  const series = measured.map(({ title, latency }) => ({
    title,
    points: shown(latency).map((value, index): Point => [x(index), y.at(value)]),
  }))
  return figure({
    title: 'Latency by percentile, in milliseconds',
    note: 'The scale is logarithmic.',
    content: html`${valueAxis(y, String)}
      ${percentiles.map(([name], index) => tickBelow(x(index), name))}${drawSeries(series)}`,
    legend: seriesLegend(series),
    numbers: numbersTable(
      ['Server', ...percentiles.map(([name]) => name)],
      measured.map(({ title, latency }) => [title, ...percentiles.map(([, of]) => of(latency))]),
    ),
  })
}

export const stepsFigure = (columns: readonly Column[]): Markup | false => {
  const stepped = columns
    .flatMap(([title, { steps = [] }]) => (steps.length === 0 ? [] : [{ title, steps }]))
    .slice(0, maxSeries)
  if (stepped.length === 0) return false
  const all = stepped.flatMap(({ steps }) => steps)
  const y = fromZero(Math.max(...all.map(({ perSecond }) => perSecond)), [plot.bottom, plot.top])
  const mostConnections = Math.max(...all.map(({ connections }) => connections))
  const x = fromZero(mostConnections, [plot.left, plot.right])
  const series = stepped.map(({ title, steps }) => ({
    title,
    points: steps.map(({ connections, perSecond }): Point => [x.at(connections), y.at(perSecond)]),
  }))
  return figure({
    title: 'Responses per second by connections',
    note: null,
    content: html`${valueAxis(y, grouped)}
      ${x.ticks.map((tick) => tickBelow(x.at(tick), String(tick)))}${drawSeries(series)}`,
    legend: seriesLegend(series),
    numbers: numbersTable(
      ['Server', 'Connections', 'Per second', 'p50, ms', 'p99, ms', 'Errors'],
      stepped.flatMap(({ title, steps }) =>
        steps.map(({ connections, perSecond, p50Ms, p99Ms, errors }) => [
          title,
          connections,
          perSecond,
          p50Ms,
          p99Ms,
          errors,
        ]),
      ),
    ),
  })
}

const barLengthOf = (...columns: readonly LoadFigures[]): number =>
  barLengthS(columns.flatMap(({ seconds }) => seconds.map(({ second }) => second)))

/** The seconds of all keys by the bar they belong to, in order. */
const byBar = (
  { seconds }: LoadFigures,
  lengthS: number,
): (readonly [second: number, own: readonly LoadSecond[]])[] => {
  const bars = Map.groupBy(seconds, ({ second }) => Math.floor(second / lengthS) * lengthS)
  return [...bars].sort(([a], [b]) => a - b)
}

const barOf = (second: number, own: readonly LoadSecond[]): Bar => {
  const sum = (...fates: readonly (keyof LoadFigures['counts'])[]) =>
    own.reduce(
      (total, { counts }) => fates.reduce((so, fate) => so + (counts[fate] ?? 0), total),
      0,
    )
  return {
    atMs: second * 1_000,
    served: sum('served'),
    refused: sum('refused'),
    banned: sum('banned'),
    other: sum('otherClientError', 'serverError', 'timeout', 'reset'),
  }
}

const sinceStart = (ms: number): string => `${ms / 1_000} s`

export const callsFigure = (title: string, figures: LoadFigures): Markup | false => {
  const lengthS = barLengthOf(figures)
  const bars = byBar(figures, lengthS).map(([second, own]) => barOf(second, own))
  if (bars.length === 0) return false
  return figure({
    title: `Calls per ${barUnit(lengthS)}: ${title}`,
    note: null,
    content: drawBars(bars, lengthS * 1_000, sinceStart),
    legend: barLegend(bars),
    numbers: barNumbers(bars, 'From', sinceStart),
  })
}

/** The highest p99 of the keys of each bar: percentiles of several keys cannot be combined. */
const slowestOf = (figures: LoadFigures, lengthS: number): Point[] =>
  byBar(figures, lengthS).flatMap(([second, own]) => {
    const times = own.flatMap(({ p99Ms }) => p99Ms ?? [])
    return times.length === 0 ? [] : [[second, Math.max(...times)] as const]
  })

const maxLabels = 12

export const latencyOverTime = (columns: readonly Column[]): Markup | false => {
  const lengthS = barLengthOf(...columns.map(([, figures]) => figures))
  const measured = columns
    .map(([title, figures]) => ({ title, seconds: slowestOf(figures, lengthS) }))
    .filter(({ seconds }) => seconds.length > 0)
    .slice(0, maxSeries)
  if (measured.length === 0) return false
  const all = measured.flatMap(({ seconds }) => seconds)
  const y = fromZero(Math.max(...all.map(([, ms]) => ms)), [plot.bottom, plot.top])
  const longest = Math.max(...measured.map(({ seconds }) => seconds.length))
  const width = (plot.right - plot.left) / Math.max(longest - 1, 1)
  const x = (index: number) => plot.left + width * index
  const series = measured.map(({ title, seconds }) => ({
    title,
    // Each server began at a time of its own, so the first bar of each is at the beginning.
    points: seconds.map(([, ms], index): Point => [x(index), y.at(ms)]),
  }))
  const labelled = Array.from({ length: longest }, (_, index) => index).filter(
    (index) => index % Math.ceil(longest / maxLabels) === 0,
  )
  return figure({
    title: `p99 of each ${barUnit(lengthS)}, in milliseconds`,
    note: 'Of several keys the slowest. Only seconds with calls are counted.',
    content: html`${valueAxis(y, String)}
      ${labelled.map((index) => tickBelow(x(index), String(index + 1)))}
      ${drawSeries(series)}`,
    legend: seriesLegend(series),
    numbers: numbersTable(
      ['Server', 'From, s', 'p99, ms'],
      measured.flatMap(({ title, seconds }) => seconds.map(([second, ms]) => [title, second, ms])),
    ),
  })
}
