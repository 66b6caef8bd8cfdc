// What the load scenarios measured at the target and at the baselines: tables, calls over time.

import {
  type CheckResult,
  type LoadFigures,
  type LoadScenarioFigures,
  type LoadSecond,
  thresholdPrefix,
} from '../../engine/check/run-file.ts'
import { count, duration } from '../../history/quote.ts'
import { latencyTimes, resultRows } from '../load-lines.ts'
import { columnTitle } from '../summary.ts'
import { grouped, html, type Markup, prose, sign, table, wide } from './markup.ts'

export const load = (scenarios: readonly LoadScenarioFigures[]): Markup | false => {
  if (scenarios.length === 0) return false
  return html`<section id="load"><h2>Under load</h2>
<p class="intro">Each request that was sent is counted once, by its result.
Latency is from the whole histogram, not from a sample.</p>
${scenarios.map(scenario)}</section>`
}

/** Of the first screen: how fast the target was. */
export const latencySummary = (scenarios: readonly LoadScenarioFigures[]): Markup =>
  table({
    label: 'Latency of the target',
    headings: ['Scenario', 'p50', 'p99', 'Max'],
    isNumber: (column) => column > 0,
    body: html`<tbody>${scenarios.map(({ id, columns: { target } }) => {
      const times = new Map(latencyTimes(target?.latency ?? null))
      const cells = ['p50', 'p99', 'max'].map((name) => numberCell(ms(times.get(name))))
      return html`<tr><th scope="row">${id}</th>${cells}</tr>`
    })}</tbody>`,
    className: 'figures',
  })

/** Likewise: whether that is fast enough. */
export const thresholdList = (checks: readonly CheckResult[]): Markup | false => {
  const own = checks.filter(({ id }) => id.startsWith(thresholdPrefix))
  const items = own.map(({ id, outcome, detail }) => {
    // Met, violated or undecided.
    const mark = outcome === 'warn' ? 'fail' : outcome === 'observed' ? 'pass' : 'untested'
    return html`<li class="${mark}">${sign(mark)}<span>${detail}</span><code>${id}</code></li>`
  })
  return items.length > 0 && html`<ul class="failed">${items}</ul>`
}

type Column = readonly [title: string, figures: LoadFigures]

const scenario = ({ id, says, connections, columns }: LoadScenarioFigures): Markup => {
  const named = Object.entries(columns).map(
    ([name, figures]): Column => [columnTitle(name), figures],
  )
  return html`<div class="scenario"><h3>${prose(says)}</h3>
<p class="where"><code>${id}</code> · ${count(connections, 'connection', 'connections')}</p>
${columnsTable('Latency', latencyRows(named), named)}
${columnsTable('Requests', requestRows, named)}
${named
  .slice(0, 1)
  .map(([title, { seconds }]) => seconds.length > 0 && callsFigure(title, seconds))}
${steps(named)}</div>`
}

type Row = readonly [heading: string, value: (figures: LoadFigures) => string]

const noValue = '-'

const ms = (value: number | undefined): string =>
  value === undefined ? noValue : `${Number(value.toPrecision(3))} ms`

/** Few samples carry no high percentile at any server: such rows are left out. */
const latencyRows = (columns: readonly Column[]): Row[] => {
  const times = columns.flatMap(([, { latency }]) => latencyTimes(latency))
  const names = [...new Set(times.map(([name]) => name))]
  return [
    ['mean', ({ latency }) => ms(latency?.meanMs)],
    ...names.map(
      (name): Row => [name, ({ latency }) => ms(new Map(latencyTimes(latency)).get(name))],
    ),
  ]
}

const requestRows = ['requests', 'served', 'refused', 'errors'].map((label): Row => {
  const value = (figures: LoadFigures) => new Map(resultRows(figures)).get(label) ?? noValue
  return [label, (figures) => value(figures).replaceAll('  ', ', ')]
})

const numberCell = (text: string): Markup => html`<td class="number">${text}</td>`

const columnsTable = (title: string, rows: readonly Row[], columns: readonly Column[]): Markup =>
  table({
    label: title,
    headings: [title, ...columns.map(([name]) => name)],
    isNumber: (column) => column > 0,
    body: html`<tbody>${rows.map(
      ([heading, value]) =>
        html`<tr><th scope="row">${heading}</th>${columns.map(([, figures]) =>
          numberCell(value(figures)),
        )}</tr>`,
    )}</tbody>`,
    className: 'figures',
  })

const steps = (columns: readonly Column[]): Markup | false => {
  const rows = columns.flatMap(([title, { steps: own = [] }]) =>
    own.map(({ connections, perSecond: rate, p50Ms, p99Ms, errors }) => [
      ...[title, connections, rate, p50Ms, p99Ms, errors],
    ]),
  )
  const headings = ['Server', 'Connections', 'Per second', 'p50, ms', 'p99, ms', 'Errors']
  return rows.length > 0 && numbersTable('Step by step', headings, rows)
}

const fateWords = {
  served: 'served',
  refused: 'refused',
  banned: 'refused for longer than stated',
  other: 'failed',
} as const
type Fate = keyof typeof fateWords
const fates = Object.keys(fateWords) as Fate[]

/** A time in words, and its calls by fate. */
type Bar = { readonly when: string } & Record<Fate, number>

/** More bars cannot be distinguished. */
const maxBars = 200
const lengthsS = [1, 2, 5, 10, 30, 60, 300, 600, 3_600, 21_600, 86_400]

const barOf = (when: string, own: readonly LoadSecond[]): Bar => {
  const sums = { served: 0, refused: 0, banned: 0, other: 0 }
  for (const [fate, number] of own.flatMap(({ counts }) => Object.entries(counts))) {
    sums[fate in fateWords ? (fate as Fate) : 'other'] += number
  }
  return { when, ...sums }
}

/** Calls over the time of the target, from the first one on, as bars of equal lengths in a row. */
const callsFigure = (server: string, seconds: readonly LoadSecond[]): Markup => {
  const first = Math.min(...seconds.map(({ second }) => second))
  const bySecond = (lengthS: number) =>
    Map.groupBy(seconds, ({ second }) => Math.floor((second - first) / lengthS) * lengthS)
  const lengthS = lengthsS.find((each) => bySecond(each).size <= maxBars) ?? 864_000
  const bars = [...bySecond(lengthS)]
    .toSorted(([a], [b]) => a - b)
    .map(([second, own]) => barOf(`${second} s`, own))
  const shown = fates.filter((fate) => bars.some((bar) => bar[fate] > 0))
  const name = `Calls per ${lengthS === 1 ? 'second' : duration(lengthS * 1_000)}: ${server}`
  return html`<figure><figcaption>${name}<small>From the first call on; time without calls is left
out.</small></figcaption>
${wide(name, drawing(name, bars))}
<ul class="legend">${shown.map(
    (fate) =>
      html`<li><svg viewBox="0 0 14 12" aria-hidden="true" focusable="false"><g class="chart">
      <rect class="${fate}" width="14" height="12"/></g></svg>${fateWords[fate]}</li>`,
  )}</ul>
${numbersTable(
  'The numbers',
  ['From', ...shown.map((fate) => fateWords[fate])],
  bars.map((bar) => [bar.when, ...shown.map((fate) => bar[fate])]),
)}</figure>`
}

/** In units of the drawing, which are pixels on a wide screen. */
const plot = { left: 48, top: 10, bottom: 140, height: 164, maxWidth: 990 } as const
const barWidths = { min: 4, max: 16 } as const
/** Room for the time of a bar. */
const labelWidth = 72
const gridLines = 4

const place = (value: number): string => String(Number(value.toFixed(1)))

/** 1, 2 or 5 times a power of ten, at least `value`. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return power * ([1, 2, 5, 10].find((digit) => digit * power >= value) ?? 10)
}

/** As wide as there are bars; with the times of as many as have room for theirs. */
const drawing = (title: string, bars: readonly Bar[]): Markup => {
  const sumOf = (bar: Bar) => fates.reduce((sum, fate) => sum + bar[fate], 0)
  const step = roundUp(Math.max(...bars.map(sumOf)) / gridLines)
  const y = (value: number) => plot.bottom - (value / (step * gridLines)) * (plot.bottom - plot.top)
  const barWidth = Math.min(barWidths.max, Math.max(barWidths.min, plot.maxWidth / bars.length))
  const every = Math.ceil(labelWidth / barWidth)
  const x = (at: number) => plot.left + at * barWidth
  const width = Math.max(x(bars.length), plot.left + labelWidth)
  const grid = Array.from({ length: gridLines + 1 }, (_, at) => at * step)
  return html`<svg class="chart" viewBox="0 0 ${place(width)} ${plot.height}"
    width="${place(width)}" role="img" aria-label="${title}; its numbers are in the table below">
    ${grid.map(
      (value) => html`<line class="grid" x1="${plot.left}" x2="${place(width)}"
      y1="${place(y(value))}" y2="${place(y(value))}"/>
      <text x="${plot.left - 8}" y="${place(y(value))}" dy="4" text-anchor="end">
      ${grouped(value)}</text>`,
    )}
    ${bars.map(
      ({ when }, at) =>
        at % every === 0 &&
        x(at) + labelWidth <= width &&
        html`<text x="${place(x(at))}" y="${plot.bottom + 17}">${when}</text>`,
    )}
    ${bars.map((bar, at) => {
      let below = 0
      return fates.map((fate) => {
        const from = below
        below += bar[fate]
        return (
          bar[fate] > 0 &&
          html`<rect class="${fate}" x="${place(x(at) + barWidth * 0.12)}" y="${place(y(below))}"
          width="${place(barWidth * 0.76)}" height="${place(Math.max(y(from) - y(below), 0.7))}">
          <title>${bar.when}: ${bar[fate]} ${fateWords[fate]}</title></rect>`
        )
      })
    })}</svg>`
}

/** A table behind a line. */
const numbersTable = (
  title: string,
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Markup => {
  const content = table({
    label: title,
    headings,
    isNumber: (column) => typeof rows[0]?.[column] === 'number',
    body: html`<tbody>${rows.map((row) => {
      const cells = row.map((value) =>
        typeof value === 'number' ? numberCell(grouped(value)) : html`<td>${value}</td>`,
      )
      return html`<tr>${cells}</tr>`
    })}</tbody>`,
    className: 'values',
  })
  return html`<details class="numbers"><summary>${title}</summary>
    ${content}</details>`
}
