// What the load scenarios measured at the target and at the baselines: tables, calls over time.

import {
  fates as allFates,
  type CheckResult,
  type Fate,
  type LoadFigures,
  type LoadScenarioFigures,
  type LoadSecond,
  latencyTimes,
} from '../../engine/check/run-file.ts'
import { thresholdPrefix } from '../../engine/check/verdict.ts'
import type { Outcome } from '../../history/outcome.ts'
import { count, duration } from '../../history/quote.ts'
import { resultRows } from '../load-lines.ts'
import { columnTitle } from '../summary.ts'
import { grouped, html, type Markup, prose, shareBar, sign, table } from './markup.ts'

export const load = (scenarios: readonly LoadScenarioFigures[]): Markup | false => {
  if (scenarios.length === 0) return false
  return html`<section id="load"><h2>Under load</h2>
<p class="intro">Each request that was sent is counted once, by its result.
Latency is from the whole histogram, not from a sample.</p>
${scenarios.map(scenario)}</section>`
}

/** Rows of numbers, each below a heading of its own. */
const figuresTable = (
  label: string,
  headings: readonly string[],
  rows: readonly (readonly [heading: string, values: readonly string[]])[],
): Markup =>
  table({
    label,
    headings,
    isNumber: (column) => column > 0,
    body: html`<tbody>${rows.map(
      ([heading, values]) =>
        html`<tr><th scope="row">${heading}</th>${values.map(numberCell)}</tr>`,
    )}</tbody>`,
    className: 'figures',
  })

/** Of the first screen: how fast the target was. */
export const latencySummary = (scenarios: readonly LoadScenarioFigures[]): Markup => {
  const rows = scenarios.map(({ id, columns: { target } }) => {
    const times = new Map(latencyTimes(target?.latency ?? null))
    return [id, ['p50', 'p99', 'max'].map((name) => ms(times.get(name)))] as const
  })
  return figuresTable('Latency of the target', ['Scenario', 'p50', 'p99', 'Max'], rows)
}

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
  const named = Object.entries(columns).map(([name, own]): Column => [columnTitle(name), own])
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
  figuresTable(
    title,
    [title, ...columns.map(([name]) => name)],
    rows.map(([heading, value]) => [heading, columns.map(([, figures]) => value(figures))]),
  )

const steps = (columns: readonly Column[]): Markup | false => {
  const headings = ['Server', 'Connections', 'Per second', 'p50, ms', 'p99, ms', 'Errors']
  const rows = columns.flatMap(([title, { steps: own = [] }]) =>
    own.map(({ connections, perSecond, p50Ms, p99Ms, errors }) => {
      const numbers = [connections, perSecond, p50Ms, p99Ms, errors]
      return [title, numbers.map(grouped)] as const
    }),
  )
  return (
    rows.length > 0 &&
    html`<details class="numbers"><summary>Step by step</summary>
${figuresTable('Step by step', headings, rows)}</details>`
  )
}

/** How calls are named by what became of them, and the outcome whose colour they have. */
const callKinds = [
  ['served', 'pass', ['served']],
  ['refused', 'warn', ['refused']],
  ['refused for longer than stated', 'error', ['banned']],
  ['failed', 'fail', ['otherClientError', 'serverError', 'timeout', 'reset']],
] as const satisfies readonly (readonly [string, Outcome, readonly Fate[]])[]

const headingOf = ([words, outcome]: (typeof callKinds)[number]): Markup =>
  html`<span class="${outcome}">${sign(outcome)}</span>${words}`

/** More lines are not read. */
const maxLines = 60
const lengthsS = [1, 2, 5, 10, 30, 60, 300, 600, 3_600, 21_600, 86_400]

const sumOf = (own: readonly LoadSecond[], fates: readonly Fate[]): number =>
  own
    .flatMap(({ counts }) => fates.map((fate) => counts[fate] ?? 0))
    .reduce((sum, one) => sum + one, 0)

/** Calls over the time of the target, from the first one on: a line for each equal length. */
const callsFigure = (server: string, seconds: readonly LoadSecond[]): Markup => {
  const first = Math.min(...seconds.map(({ second }) => second))
  const bySecond = (lengthS: number) =>
    Map.groupBy(seconds, ({ second }) => Math.floor((second - first) / lengthS) * lengthS)
  const lengthS = lengthsS.find((each) => bySecond(each).size <= maxLines) ?? 864_000
  const kinds = callKinds.filter(([, , fates]) => sumOf(seconds, fates) > 0)
  const rows = [...bySecond(lengthS)].toSorted(([a], [b]) => a - b)
  const most = Math.max(...rows.map(([, own]) => sumOf(own, allFates)))
  const name = `Calls per ${lengthS === 1 ? 'second' : duration(lengthS * 1_000)}: ${server}`
  return html`<figure><figcaption>${name}<small>From the first call on; time without calls is left
out.</small></figcaption>
${table({
  label: name,
  headings: ['From', 'Shares', ...kinds.map(headingOf)],
  isNumber: (column) => column > 1,
  body: html`<tbody>${rows.map(([second, own]) => {
    const shares = kinds.map(([, outcome, fates]) => ({ outcome, number: sumOf(own, fates) }))
    const present = shares.filter(({ number }) => number > 0)
    return html`<tr><td>${second} s</td><td>${shareBar('Their share', present, most)}</td>
${shares.map(({ number }) => numberCell(grouped(number)))}</tr>`
  })}</tbody>`,
  className: 'values calls',
})}</figure>`
}
