// The one kind of chart: calls over time as bars, by what became of them, and their numbers.
import { count } from '../../engine/record/text.ts'
import { grouped, html, type Markup, numbers, table, wide, words } from './markup.ts'

type Fate = 'served' | 'refused' | 'banned' | 'other'

/** How many calls of a second had which fate. */
type Calls = { readonly second: number } & Readonly<Partial<Record<Fate, number>>>

type Bar = { readonly second: number } & Record<Fate, number>

const fateWords: Readonly<Record<Fate, string>> = {
  served: 'served',
  refused: 'refused',
  banned: 'refused for longer than stated',
  other: 'failed',
}
const fates = Object.keys(fateWords) as Fate[]

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** A length of time in one unit: `61 s`, `1.5 d`. */
export const duration = (ms: number): string => {
  // 61 s is more precise than 1 min: a unit is used from two on.
  const [size, unit] = units.find(([each]) => ms >= 2 * each) ?? units[3]
  const value = ms / size
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} ${unit}`
}

/** More bars cannot be distinguished. */
const maxBars = 240
const lengthsS = [1, 2, 5, 10, 30, 60, 300, 600, 3_600, 21_600, 86_400, 864_000, 8_640_000]

/** How many seconds one bar stands for, so that there are not too many bars. */
const barLengthS = (seconds: readonly number[]): number =>
  lengthsS.find(
    (length) => new Set(seconds.map((second) => Math.floor(second / length))).size <= maxBars,
  ) ?? 86_400_000

/** In units of the drawing, which are pixels on a wide screen. */
const plot = { left: 48, top: 10, bottom: 140, height: 164 } as const
const barWidths = { min: 4, max: 16 } as const
const maxPlotWidth = 990
/** Room for a character of a label, and between two labels. */
const labelWidths = { character: 7.25, gap: 8 } as const

const place = (value: number): string => String(Number(value.toFixed(1)))

/** 1, 2 or 5 times a power of ten, at least `value`. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return power * ([1, 2, 5, 10].find((digit) => digit * power >= value) ?? 10)
}

interface CallsFigure {
  /** @param unit the length of time that a bar stands for: `second`, `10 s` */
  readonly title: (unit: string) => string
  /** What it shows and how to read it. */
  readonly note: string
  readonly calls: readonly Calls[]
  /** The time of a bar, below it and in the table. */
  readonly print: (second: number) => string
}

/** Calls as bars of equal lengths of time, in a row; time without calls is left out. */
export const callsFigure = ({ title, note, calls, print }: CallsFigure): Markup => {
  const lengthS = barLengthS(calls.map(({ second }) => second))
  const bars = new Map<number, Bar>()
  for (const each of calls) {
    const second = Math.floor(each.second / lengthS) * lengthS
    const bar = bars.get(second) ?? { second, served: 0, refused: 0, banned: 0, other: 0 }
    for (const fate of fates) bar[fate] += each[fate] ?? 0
    bars.set(second, bar)
  }
  const inOrder = [...bars.values()].sort((a, b) => a.second - b.second)
  const unit = lengthS === 1 ? 'second' : duration(lengthS * 1_000)
  return barsFigure(title(unit), note, inOrder, print)
}

/** As wide as there are bars. */
const barsFigure = (
  title: string,
  note: string,
  bars: readonly Bar[],
  print: CallsFigure['print'],
): Markup => {
  const highest = Math.max(...bars.map((bar) => fates.reduce((sum, fate) => sum + bar[fate], 0)))
  const step = roundUp(highest / 4)
  const top = Math.ceil(highest / step) * step
  const y = (value: number) => plot.bottom - (value / top) * (plot.bottom - plot.top)
  const barWidth = Math.min(barWidths.max, Math.max(barWidths.min, maxPlotWidth / bars.length))
  const right = plot.left + barWidth * bars.length
  const longest = Math.max(...bars.map(({ second }) => print(second).length))
  const labelWidth = labelWidths.character * longest + labelWidths.gap
  const width = Math.max(right, plot.left + labelWidth) + 8
  const shown = fates.filter((fate) => bars.some((bar) => bar[fate] > 0))
  return html`<figure><figcaption>${title}<small>${note}</small></figcaption>
${wide(
  title,
  html`<svg class="chart" viewBox="0 0 ${place(width)} ${plot.height}" width="${place(width)}"
    role="img" aria-label="${title}; its numbers are in the table below">
    ${Array.from({ length: top / step + 1 }, (_, at) => gridLine(y(at * step), at * step, right))}
    ${labels({ bars, print }, barWidth, labelWidth)}
    ${bars.map((bar, at) => {
      const x = plot.left + at * barWidth
      return stack(bar, print(bar.second), [x, barWidth], y)
    })}</svg>`,
)}
<ul class="legend">${shown.map(
    (fate) =>
      html`<li><svg viewBox="0 0 14 12" aria-hidden="true" focusable="false"><g class="chart">
      <rect class="${fate}" width="14" height="12"/></g></svg>${fateWords[fate]}</li>`,
  )}</ul>
${numbersTable(
  'The numbers',
  ['From', ...shown.map((fate) => fateWords[fate])],
  bars.map((bar) => [print(bar.second), ...shown.map((fate) => bar[fate])]),
)}</figure>`
}

const gridLine = (y: number, value: number, right: number): Markup =>
  html`<line class="grid" x1="${plot.left}" x2="${place(right)}" y1="${place(y)}" y2="${place(y)}"/>
    <text x="${plot.left - 8}" y="${place(y)}" dy="4" text-anchor="end">${grouped(value)}</text>`

/** The times of as many bars as have room for theirs. */
const labels = (
  { bars, print }: { readonly bars: readonly Bar[]; readonly print: CallsFigure['print'] },
  width: number,
  labelWidth: number,
): Markup[] => {
  const every = Math.ceil(labelWidth / width)
  const hasRoom = (at: number) => at === 0 || (bars.length - at) * width >= labelWidth
  return bars.flatMap(({ second }, at) => {
    if (at % every > 0 || !hasRoom(at)) return []
    const x = place(plot.left + at * width)
    return [html`<text x="${x}" y="${plot.bottom + 17}">${print(second)}</text>`]
  })
}

const stack = (
  bar: Bar,
  when: string,
  [x, width]: readonly [number, number],
  y: (value: number) => number,
): Markup[] => {
  let below = 0
  return fates.flatMap((fate) => {
    const number = bar[fate]
    if (number === 0) return []
    const [bottom, top] = [y(below), y(below + number)]
    below += number
    return [
      html`<rect class="${fate}" x="${place(x + width * 0.12)}" y="${place(top)}"
        width="${place(width * 0.76)}" height="${place(Math.max(bottom - top, 0.7))}">
        <title>${when}: ${number} ${fateWords[fate]}</title></rect>`,
    ]
  })
}

const maxRows = 200

/** A table behind a line. */
export const numbersTable = (
  title: string,
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Markup => {
  const left = rows.length - maxRows
  const cell = (value: string | number) =>
    typeof value === 'number'
      ? html`<td class="number">${grouped(value)}</td>`
      : html`<td>${value}</td>`
  const content = table({
    label: title,
    headings: headings.map((heading, column) =>
      typeof rows[0]?.[column] === 'number' ? numbers(heading) : words(heading),
    ),
    body: html`<tbody>${rows
      .slice(0, maxRows)
      .map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody>`,
    className: 'values',
  })
  const note = html`<p class="left-out">${count(left, 'more row', 'more rows')} left out;
    <code>exchanges.ndjson</code> holds the responses.</p>`
  return html`<details class="numbers"><summary>${title}</summary>
    ${content}${left > 0 && note}</details>`
}
