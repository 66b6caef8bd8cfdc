// The one kind of chart: calls over time as bars, by what became of them, and their numbers. And
// the section of the rate limiter, which is such a chart of the recorded responses, and the refused
// ones.

import type { RecordedExchange } from '../../engine/http/recorder.ts'
import { count, duration } from '../../history/quote.ts'
import { dateMs, retryAfterMs } from '../../history/rate-headers.ts'
import { grouped, html, type Markup, table, wide } from './markup.ts'

const fateWords = {
  served: 'served',
  refused: 'refused',
  banned: 'refused for longer than stated',
  other: 'failed',
} as const
type Fate = keyof typeof fateWords
const fates = Object.keys(fateWords) as Fate[]

/** How many calls of a second had which fate. */
type Calls = { readonly second: number } & Readonly<Partial<Record<Fate, number>>>

/** A time in words, and its calls by fate. */
type Bar = { readonly when: string } & Record<Fate, number>

/** More bars cannot be distinguished. */
const maxBars = 240
const lengthsS = [1, 2, 5, 10, 30, 60, 300, 600, 3_600, 21_600, 86_400, 864_000, 8_640_000]

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
  const barOf = (second: number, lengthS: number) => Math.floor(second / lengthS) * lengthS
  const lengthS =
    lengthsS.find(
      (each) => new Set(calls.map(({ second }) => barOf(second, each))).size <= maxBars,
    ) ?? 86_400_000
  const bySecond = [...Map.groupBy(calls, ({ second }) => barOf(second, lengthS))]
  const bars = bySecond
    .toSorted(([a], [b]) => a - b)
    .map(([second, own]): Bar => {
      const sum = (fate: Fate) => own.reduce((all, each) => all + (each[fate] ?? 0), 0)
      const sums = Object.fromEntries(fates.map((fate) => [fate, sum(fate)]))
      return { when: print(second), ...(sums as Record<Fate, number>) }
    })
  const shown = fates.filter((fate) => bars.some((bar) => bar[fate] > 0))
  const name = title(lengthS === 1 ? 'second' : duration(lengthS * 1_000))
  return html`<figure><figcaption>${name}<small>${note}</small></figcaption>
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
const labelWidth = 148
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

const maxRows = 200

/** A table behind a line. */
export const numbersTable = (
  title: string,
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Markup => {
  const left = rows.length - maxRows
  const content = table({
    label: title,
    headings,
    isNumber: (column) => typeof rows[0]?.[column] === 'number',
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

const cell = (value: string | number): Markup =>
  typeof value === 'number'
    ? html`<td class="number">${grouped(value)}</td>`
    : html`<td>${value}</td>`

/** A response to a key, and when it came, in Unix milliseconds of the target's clock. */
interface KeyResponse {
  readonly key: string
  readonly atMs: number
  readonly status: number
  readonly retryAfterMs: number | null
}

const maxResponses = 200_000

export const limiter = (exchanges: Iterable<RecordedExchange>): Markup | false => {
  const responses: KeyResponse[] = []
  let leftOut = 0
  for (const recorded of exchanges) {
    const { at, ms, key, response } = recorded
    const atMs = dateMs(recorded) ?? Date.parse(at) + ms
    if (key === null || response === null) continue
    const { status } = response
    if (responses.length === maxResponses) leftOut += 1
    else responses.push({ key, atMs, status, retryAfterMs: retryAfterMs(recorded) ?? null })
  }
  if (responses.length === 0) return false
  return html`<section id="limiter"><h2>The rate limiter</h2>
<p class="intro">This section shows every recorded response to a request with a key. Times are the
target's: where its test clock was moved, a minute took milliseconds.</p>
${leftOut > 0 && html`<p class="left-out">${grouped(leftOut)} later responses are left out.</p>`}
${calls(responses)}${refusals(responses)}</section>`
}

const dateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

const fateOf = ({ status }: KeyResponse) => {
  if (status === 429) return 'refused'
  return status < 500 ? 'served' : 'other'
}

/** The date is shown where a run took, or moved the clock over, more than one day. */
const calls = (responses: readonly KeyResponse[]): Markup => {
  const areOfOneDay = new Set(responses.map(({ atMs }) => dateTime(atMs).slice(0, 10))).size <= 1
  return callsFigure({
    title: (unit) => `Calls per ${unit}, all keys`,
    note: 'Time without calls is left out. At a high bar a check spent a whole quota at once.',
    calls: responses.map((each) => ({ second: Math.floor(each.atMs / 1_000), [fateOf(each)]: 1 })),
    print: (second) => dateTime(second * 1_000).slice(areOfOneDay ? 11 : 0),
  })
}

/** Retry-After: how long each refusal asked the client to wait, and what followed. */
const refusals = (responses: readonly KeyResponse[]): Markup => {
  const rows = [...Map.groupBy(responses, ({ key }) => key).values()].flatMap((own) =>
    own.flatMap((response, at) => {
      const { key, atMs, status, retryAfterMs: waitMs } = response
      if (fateOf(response) !== 'refused') return []
      const next = own.slice(at + 1).find((each) => each.atMs >= atMs + (waitMs ?? 0))
      const followed = next
        ? `${next.status}, ${duration(next.atMs - atMs)} after the refusal`
        : 'none'
      const wait = waitMs === null ? 'none' : duration(waitMs)
      return [[key, dateTime(atMs), String(status), wait, followed]]
    }),
  )
  if (rows.length === 0) return html`<p class="quiet">No call with a key was refused.</p>`
  const title = `${grouped(rows.length)} refused calls, and the wait that each stated`
  const headings = [
    'Key',
    'Refused at (UTC)',
    'Status',
    'Retry-After',
    'First call after that wait',
  ]
  return numbersTable(title, headings, rows)
}
