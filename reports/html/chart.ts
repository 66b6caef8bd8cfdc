// What every chart has: its frame, its scales and axes, its legend, its numbers as a table.
import { count } from '../../engine/record/text.ts'
import { grouped, html, type Markup, numbers, table, wide, words } from './markup.ts'

/** The area for the values, in units of the drawing, which are pixels on a wide screen. */
export const plot = { left: 56, right: 1_040, top: 10, bottom: 150 } as const
const size = { width: 1_048, height: 174 } as const

export const place = (value: number): string => String(Number(value.toFixed(1)))

export type Range = readonly [from: number, to: number]

export interface Scale {
  readonly at: (value: number) => number
  readonly ticks: readonly number[]
}

/** Linear between two points; outside of them the nearer end. */
export const interpolate = ([low, high]: Range, [from, to]: Range, value: number): number => {
  const share = high === low ? 0 : (value - low) / (high - low)
  return from + Math.min(1, Math.max(0, share)) * (to - from)
}

/** 1, 2 or 5 times a power of ten, so that about four steps make up `length`. */
const tickStep = (length: number): number => {
  const rough = length / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  // The nearest one on a logarithmic scale.
  const digit = [10, 5, 2].find(
    (each, at, all) => rough / power >= Math.sqrt(each * (all[at + 1] ?? 1)),
  )
  return power * (digit ?? 1)
}

/** From zero to a round number of at least `max`. */
export const fromZero = (max: number, range: Range): Scale => {
  const rough = tickStep(Math.max(max, 1))
  // The round number may be large enough for wider steps.
  const step = tickStep(Math.ceil(Math.max(max, 1) / rough) * rough)
  const steps = Math.ceil(Math.max(max, 1) / step)
  return {
    at: (value) => interpolate([0, steps * step], range, value),
    ticks: Array.from({ length: steps + 1 }, (_, at) => Number((at * step).toPrecision(12))),
  }
}

/** For values of different magnitudes, all above zero; `ticks` are used as far as they fit. */
export const logarithmic = (
  values: readonly number[],
  range: Range,
  ticks: readonly number[],
): Scale => {
  const [min, max] = [Math.min(...values), Math.max(...values)]
  const low = ticks.findLast((tick) => tick <= min) ?? min
  const high = ticks.find((tick) => tick >= max) ?? max
  const domain = [Math.log(low), Math.log(high > low ? high : low * 10)] as const
  return {
    at: (value) => interpolate(domain, range, Math.log(value)),
    ticks: ticks.filter((tick) => tick >= low && tick <= high),
  }
}

interface Figure {
  readonly title: string
  /** What it shows and how to read it. */
  readonly note: string | null
  readonly content: Markup
  readonly legend: Markup | false
  readonly numbers: Markup
}

export const figure = ({ title, note, content, ...below }: Figure): Markup => html`<figure>
<figcaption>${title}${note !== null && html`<small>${note}</small>`}</figcaption>
${wide(
  title,
  html`<svg class="chart" viewBox="0 0 ${size.width} ${size.height}" role="img"
    aria-label="${title}; its numbers are in the table below">${content}</svg>`,
)}
${below.legend}${below.numbers}</figure>`

type LegendEntry = readonly [className: string, words: string]

export const legend = (entries: readonly LegendEntry[]): Markup =>
  html`<ul class="legend">${entries.map(
    ([className, meaning]) =>
      html`<li><svg viewBox="0 0 24 12" aria-hidden="true" focusable="false">
        <g class="chart">${swatch(className)}</g></svg>${meaning}</li>`,
  )}</ul>`

const swatch = (className: string): Markup => {
  if (/series|trace/.test(className)) return html`<path class="${className}" d="M0 6H24"/>`
  return className.startsWith('mark')
    ? html`<path class="${className}" d="M12 0l6 6l-6 6l-6 -6z"/>`
    : html`<rect class="${className}" x="5" y="0" width="14" height="12"/>`
}

export const valueAxis = (scale: Scale, print: (value: number) => string): Markup =>
  html`${scale.ticks.map((tick) => {
    const y = place(scale.at(tick))
    return html`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}"/>
      <text x="${plot.left - 8}" y="${y}" dy="4" text-anchor="end">${print(tick)}</text>`
  })}`

/** A label below the plot that begins at `x`. */
export const labelAt = (x: number, text: string): Markup =>
  html`<text x="${place(x)}" y="${plot.bottom + 17}">${text}</text>`

/** A label below the plot, centred. */
export const tickBelow = (x: number, text: string): Markup =>
  html`<text x="${place(x)}" y="${plot.bottom + 17}" text-anchor="middle">${text}</text>`

/** A dotted line where time is left out. */
export const gapLine = (x: number, content: Markup | false): Markup => html`<line class="rest"
  x1="${place(x)}" x2="${place(x)}" y1="${plot.top}" y2="${plot.bottom}">${content}</line>`

const maxRows = 200

export const numbersTable = (
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Markup => {
  const left = rows.length - maxRows
  const cell = (value: string | number) =>
    typeof value === 'number'
      ? html`<td class="number">${grouped(value)}</td>`
      : html`<td>${value}</td>`
  const body = rows.slice(0, maxRows).map((row) => html`<tr>${row.map(cell)}</tr>`)
  const content = table({
    label: 'The numbers',
    headings: headings.map((heading, column) =>
      typeof rows[0]?.[column] === 'number' ? numbers(heading) : words(heading),
    ),
    body: html`<tbody>${body}</tbody>`,
    className: 'values',
  })
  const note = html`<p class="left-out">${count(left, 'more row', 'more rows')} left out;
    <code>exchanges.ndjson</code> holds the responses.</p>`
  return html`<details class="numbers"><summary>The numbers</summary>
    ${content}${left > 0 && note}</details>`
}
