// What charts draw: lines of several servers, steps, and bars of calls by what became of them.
import type { LoadFigures } from '../../engine/run-file.ts'
import {
  fromZero,
  gapLine,
  labelAt,
  legend,
  numbersTable,
  place,
  plot,
  type Scale,
  valueAxis,
} from './chart.ts'
import { grouped, html, type Markup } from './markup.ts'
import type { Fate } from './rate-facts.ts'
import { duration } from './time-axis.ts'

export type Point = readonly [x: number, y: number]

const coordinates = ([x, y]: Point): string => `${place(x)},${place(y)}`

/** Each value holds until the next one. */
export const steps = ([first = [0, 0], ...rest]: readonly Point[]): string =>
  `M${coordinates(first)}${rest.map(([x, y]) => `H${place(x)}V${place(y)}`).join('')}`

export type Column = readonly [title: string, figures: LoadFigures]

/** More lines cannot be distinguished. */
export const maxSeries = 3

interface Series {
  readonly title: string
  readonly points: readonly Point[]
}

/** With more dots the line cannot be seen. */
const maxDots = 60

const seriesName = (index: number): string => `series-${index + 1}`

/** Lines that differ by colour and by dashes. */
export const drawSeries = (all: readonly Series[]): Markup[] =>
  all.map(
    ({ points }, index) =>
      html`<path class="series ${seriesName(index)}" d="M${points.map(coordinates).join('L')}"/>
      ${
        points.length <= maxDots &&
        points.map(
          ([x, y]) =>
            html`<circle class="dot ${seriesName(index)}" r="3"
        cx="${place(x)}" cy="${place(y)}"/>`,
        )
      }`,
  )

export const seriesLegend = (all: readonly Series[]): Markup =>
  legend(all.map(({ title }, index) => [`series ${seriesName(index)}`, title] as const))

export type Bar = Readonly<Record<Fate, number>> & { readonly atMs: number }

const fates: readonly Fate[] = ['served', 'refused', 'banned', 'other']

const fateWords: Readonly<Record<Fate, string>> = {
  served: 'served',
  refused: 'refused',
  banned: 'refused for longer than stated',
  other: 'failed',
}

/** More bars cannot be distinguished. */
const maxBars = 240
const lengthsS = [1, 2, 5, 10, 30, 60, 300, 600, 3_600, 21_600, 86_400, 864_000, 8_640_000]

/** How many seconds one bar stands for, so that there are not too many bars. */
export const barLengthS = (seconds: readonly number[]): number =>
  lengthsS.find(
    (length) => new Set(seconds.map((second) => Math.floor(second / length))).size <= maxBars,
  ) ?? 86_400_000

/** What one bar stands for. */
export const barUnit = (lengthS: number): string =>
  lengthS === 1 ? 'second' : duration(lengthS * 1_000)

export const barLegend = (bars: readonly Bar[]): Markup =>
  legend(
    fates
      .filter((fate) => bars.some((bar) => bar[fate] > 0))
      .map((fate) => [fate, fateWords[fate]] as const),
  )

export const barNumbers = (
  bars: readonly Bar[],
  heading: string,
  print: (ms: number) => string,
): Markup =>
  numbersTable(
    [heading, 'Served', 'Refused', 'Refused longer', 'Failed'],
    bars.map((bar) => [print(bar.atMs), ...fates.map((fate) => bar[fate])]),
  )

const labelWidth = 62

/** Bars in a row, with a dotted line where time is left out between two of them. */
export const drawBars = (
  bars: readonly Bar[],
  lengthMs: number,
  print: (ms: number) => string,
): Markup => {
  const highest = Math.max(...bars.map((bar) => fates.reduce((sum, fate) => sum + bar[fate], 0)))
  const y = fromZero(highest, [plot.bottom, plot.top])
  const width = (plot.right - plot.left) / Math.max(bars.length, 24)
  let free: number = plot.left
  const drawn = bars.map((bar, index) => {
    const x = plot.left + index * width
    const before = bars[index - 1]
    const isAfterGap = before !== undefined && bar.atMs - before.atMs > lengthMs
    const isLabelled = x >= free && x + labelWidth <= plot.right
    if (isLabelled) free = x + labelWidth
    const when = print(bar.atMs)
    return html`${isAfterGap && gapLine(x, false)}${stack(bar, when, [x, width], y)}
      ${isLabelled && labelAt(x, when)}`
  })
  return html`${valueAxis(y, grouped)}${drawn}`
}

const stack = (
  bar: Bar,
  when: string,
  [x, width]: readonly [number, number],
  y: Scale,
): Markup[] => {
  let below = 0
  return fates.flatMap((fate) => {
    const number = bar[fate]
    if (number === 0) return []
    const [bottom, top] = [y.at(below), y.at(below + number)]
    below += number
    return [
      html`<rect class="${fate}" x="${place(x + width * 0.12)}" y="${place(top)}"
        width="${place(width * 0.76)}" height="${place(Math.max(bottom - top, 0.7))}">
        <title>${when}: ${number} ${fateWords[fate]}</title></rect>`,
    ]
  })
}
