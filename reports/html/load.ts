// What the load scenarios measured at the target and at the baselines: tables and charts.
import { count } from '../../engine/record/text.ts'
import type { LoadFigures, LoadScenarioFigures } from '../../engine/run-file.ts'
import { columnTitle } from '../summary.ts'
import { callsFigure, latencyFigure, latencyOverTime, stepsFigure } from './load-charts.ts'
import { grouped, html, type Markup, numbers, prose, table, words } from './markup.ts'
import { duration } from './time-axis.ts'

export const load = (scenarios: readonly LoadScenarioFigures[]): Markup | false => {
  if (scenarios.length === 0) return false
  return html`<section id="load"><h2>Under load</h2>
<p class="intro">Each request that was sent is counted once, by its result.
Latency is from the whole histogram, not from a sample.</p>
${scenarios.map(scenario)}</section>`
}

const scenario = ({ id, says, connections, columns }: LoadScenarioFigures): Markup => {
  const named = Object.entries(columns).map(
    ([name, figures]) => [columnTitle(name), figures] as const,
  )
  return html`<div class="scenario"><h3>${prose(says)}</h3>
<p class="where"><code>${id}</code> · ${count(connections, 'connection', 'connections')}</p>
${columnsTable('Requests by result', resultRows, named)}
${columnsTable('Latency', latencyRows, named)}
${latencyFigure(named)}
${named.map(([title, figures]) => callsFigure(title, figures))}
${latencyOverTime(named)}${stepsFigure(named)}</div>`
}

type Row = readonly [heading: string, value: (figures: LoadFigures) => string]

const perSecond = ({ sent, durationMs }: LoadFigures): string =>
  grouped(Math.round((sent / Math.max(durationMs, 1)) * 10_000) / 10)

const resultRows: readonly Row[] = [
  ['Duration', ({ durationMs }) => duration(durationMs)],
  ['Sent', ({ sent }) => grouped(sent)],
  ['Sent per second', perSecond],
  ['Served (2xx)', ({ counts }) => grouped(counts.served)],
  ['Refused (429)', ({ counts }) => grouped(counts.refused)],
  ['Banned', ({ counts }) => grouped(counts.banned)],
  ['Other 4xx, redirects', ({ counts }) => grouped(counts.otherClientError)],
  ['5xx', ({ counts }) => grouped(counts.serverError)],
  ['Timed out', ({ counts }) => grouped(counts.timeout)],
  ['Connection lost', ({ counts }) => grouped(counts.reset)],
  ['Planned, never sent', ({ neverSent }) => grouped(neverSent)],
]

const ms = (value: number | undefined): string =>
  value === undefined ? 'none' : `${Number(value.toPrecision(3))} ms`

const latencyRows: readonly Row[] = [
  ['Mean', ({ latency }) => ms(latency?.meanMs)],
  ['p50', ({ latency }) => ms(latency?.p50Ms)],
  ['p90', ({ latency }) => ms(latency?.p90Ms)],
  ['p99', ({ latency }) => ms(latency?.p99Ms)],
  ['p99.9', ({ latency }) => ms(latency?.p999Ms)],
  ['Maximum', ({ latency }) => ms(latency?.maxMs)],
]

const columnsTable = (
  title: string,
  rows: readonly Row[],
  columns: readonly (readonly [string, LoadFigures])[],
): Markup =>
  table({
    label: title,
    headings: [words(title), ...columns.map(([name]) => numbers(name))],
    body: html`<tbody>${rows.map(
      ([heading, value]) =>
        html`<tr><th scope="row">${heading}</th>${columns.map(
          ([, figures]) => html`<td class="number">${value(figures)}</td>`,
        )}</tr>`,
    )}</tbody>`,
    className: 'figures',
  })
