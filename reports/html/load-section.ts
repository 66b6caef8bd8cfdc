// What the load scenarios measured at the target and at the baselines: tables, calls over time.

import {
  type CheckResult,
  type LoadFigures,
  type LoadScenarioFigures,
  thresholdPrefix,
} from '../../engine/check/run-file.ts'
import { count } from '../../history/quote.ts'
import { latencyTimes, resultRows } from '../load-lines.ts'
import { columnTitle } from '../summary.ts'
import { callsFigure, numbersTable } from './chart.ts'
import { html, type Markup, prose, sign, table } from './markup.ts'

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
  return own.length > 0 && html`<ul class="failed">${own.map(threshold)}</ul>`
}

/** Met, violated or undecided. */
const threshold = ({ id, outcome, detail }: CheckResult): Markup => {
  const mark = outcome === 'warn' ? 'fail' : outcome === 'observed' ? 'pass' : 'untested'
  return html`<li class="${mark}">${sign(mark)}<span>${detail}</span><code>${id}</code></li>`
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
