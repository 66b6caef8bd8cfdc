// The pictures of a whole load scenario: latency by percentile, and the steps of a rising load.
import type { Latency } from '../../engine/load-figures.ts'
import { figure, numbersTable, plot, valueAxis } from './chart.ts'
import { grouped, html, type Markup } from './markup.ts'
import type { Point } from './paths.ts'
import { fromZero, logarithmic, type Scale } from './scales.ts'
import { type Column, drawSeries, mostSeries, seriesLegend, tickBelow } from './series.ts'

const percentiles = [
  ['p50', ({ p50Ms }: Latency) => p50Ms],
  ['p90', ({ p90Ms }: Latency) => p90Ms],
  ['p99', ({ p99Ms }: Latency) => p99Ms],
  ['p99.9', ({ p999Ms }: Latency) => p999Ms],
  ['maximum', ({ maxMs }: Latency) => maxMs],
] as const

const msTicks = [0.1, 1, 10, 100, 1_000, 10_000, 100_000]

export const latencyFigure = (columns: readonly Column[]): Markup | false => {
  const measured = columns
    .flatMap(([title, { latency }]) => (latency === null ? [] : [{ title, latency }]))
    .slice(0, mostSeries)
  if (measured.length === 0) return false
  const values = measured.flatMap(({ latency }) => percentiles.map(([, of]) => of(latency)))
  // A logarithm of zero has no place.
  const least = msTicks[0] ?? 0.1
  const y = logarithmic(
    values.map((value) => Math.max(value, least)),
    [plot.bottom, plot.top],
    msTicks,
  )
  const step = (plot.right - plot.left) / percentiles.length
  const x = (index: number) => plot.left + step * (index + 0.5)
  const series = measured.map(({ title, latency }) => ({
    title,
    points: percentiles.map(
      ([, of], index): Point => [x(index), y.at(Math.max(of(latency), least))],
    ),
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
    .slice(0, mostSeries)
  if (stepped.length === 0) return false
  const all = stepped.flatMap(({ steps }) => steps)
  const y = fromZero(Math.max(...all.map(({ perSecond }) => perSecond)), [plot.bottom, plot.top])
  const x: Scale = fromZero(Math.max(...all.map(({ connections }) => connections)), [
    plot.left,
    plot.right,
  ])
  const series = stepped.map(({ title, steps }) => ({
    title,
    points: steps.map(({ connections, perSecond }): Point => [x.at(connections), y.at(perSecond)]),
  }))
  return figure({
    title: 'Answers per second by connections',
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
