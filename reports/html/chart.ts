// What every drawing of the page has: its frame, its axes, its numbers as a table.
import { count } from '../../engine/count.ts'
import { grouped, html, type Markup } from './markup.ts'
import type { Scale } from './scales.ts'
import { numbers, table, wide, words } from './table.ts'
import { clockTime, duration, type TimeAxis } from './time-axis.ts'

/** The place for the values in a drawing, in its own units, which are pixels on a wide screen. */
export const plot = { left: 56, right: 1_040, top: 10, bottom: 150 } as const
const size = { width: 1_048, height: 174 } as const

export const place = (value: number): string => String(Number(value.toFixed(1)))

interface Drawing {
  readonly title: string
  /** What it shows and how to read it. */
  readonly note: string | null
  readonly content: Markup
  readonly legend: Markup | false
  readonly numbers: Markup
}

export const figure = ({
  title,
  note,
  content,
  legend: key,
  numbers: told,
}: Drawing): Markup => html`<figure>
<figcaption>${title}${note !== null && html`<small>${note}</small>`}</figcaption>
${wide(
  title,
  html`<svg class="chart" viewBox="0 0 ${size.width} ${size.height}" role="img"
    aria-label="${title}; its numbers are in the table below">${content}</svg>`,
)}
${key}${told}</figure>`

type Swatch = readonly [className: string, words: string]

/** A patch of colour and its word. */
export const legend = (swatches: readonly Swatch[]): Markup =>
  html`<ul class="legend">${swatches.map(
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

const labelWidth = 58

/** Lines where a rest was left out, and the time at the beginning of what follows. */
export const timeTicks = ({ at, rests, spans }: TimeAxis): Markup => {
  let free: number = plot.left
  const labels = spans.flatMap(({ start: fromMs }) => {
    const x = at(fromMs)
    if (x < free || x + labelWidth > plot.right) return []
    free = x + labelWidth
    return [html`<text x="${place(x)}" y="${plot.bottom + 17}">${clockTime(fromMs)}</text>`]
  })
  const marks = rests.map(({ x, fromMs, toMs }) =>
    restLine(x, html`<title>a rest of ${duration(toMs - fromMs)}</title>`),
  )
  return html`${marks}${labels}`
}

/** Time was left out here. */
export const restLine = (x: number, content: Markup | false): Markup => html`<line class="rest"
  x1="${place(x)}" x2="${place(x)}" y1="${plot.top}" y2="${plot.bottom}">${content}</line>`

const shownRows = 200

export const numbersTable = (
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Markup => {
  const left = rows.length - shownRows
  const cell = (value: string | number) =>
    typeof value === 'number'
      ? html`<td class="number">${grouped(value)}</td>`
      : html`<td>${value}</td>`
  const body = rows.slice(0, shownRows).map((row) => html`<tr>${row.map(cell)}</tr>`)
  const content = table({
    label: 'The numbers',
    headings: headings.map((heading, column) =>
      typeof rows[0]?.[column] === 'number' ? numbers(heading) : words(heading),
    ),
    body: html`<tbody>${body}</tbody>`,
    className: 'values',
  })
  const note = html`<p class="left-out">${count(left, 'further row', 'further rows')} left out;
    <code>exchanges.ndjson</code> holds the answers.</p>`
  return html`<details class="numbers"><summary>The numbers</summary>
    ${content}${left > 0 && note}</details>`
}
