// Calls per second: how many were served, refused or went wrong, over all keys.
import { figure, legend, numbersTable, place, plot, restLine, valueAxis } from './chart.ts'
import { grouped, html, type Markup } from './markup.ts'
import type { Fate, RateFacts } from './rate-facts.ts'
import { fromZero } from './scales.ts'
import { clockTime, dateTime, duration } from './time-axis.ts'

export type Bar = Readonly<Record<Fate, number>> & { readonly atMs: number }

const fates: readonly Fate[] = ['served', 'refused', 'banned', 'other']

const words: Readonly<Record<Fate, string>> = {
  served: 'served',
  refused: 'refused',
  banned: 'refused for longer than was stated',
  other: 'failed',
}

/** More bars than this cannot be told apart. */
const mostBars = 240
const lengthsS = [1, 2, 5, 10, 30, 60, 300, 600, 3_600, 21_600, 86_400, 864_000, 8_640_000]

/** How many seconds one bar stands for, so that the bars of these seconds are not too many. */
export const barLengthS = (seconds: readonly number[]): number =>
  lengthsS.find(
    (length) => new Set(seconds.map((second) => Math.floor(second / length))).size <= mostBars,
  ) ?? 86_400_000

/** What one bar stands for. */
export const stretch = (lengthS: number): string =>
  lengthS === 1 ? 'second' : duration(lengthS * 1_000)

export const perSecondFigure = ({ answers }: RateFacts): Markup | false => {
  const all = [...answers.values()].flat()
  if (all.length === 0) return false
  const lengthS = barLengthS(all.map(({ atMs }) => atMs / 1_000))
  const bars = countPer(all, lengthS)
  return figure({
    title: `Calls per ${stretch(lengthS)}, all keys`,
    note:
      `Each bar is a stretch of ${duration(lengthS * 1_000)} with calls to a key; a dotted line ` +
      'stands where time without any is left out. Calls without a valid key are not counted.',
    content: drawBars(bars, lengthS * 1_000, clockTime),
    legend: barLegend(bars),
    numbers: barNumbers(bars, 'From (UTC)', dateTime),
  })
}

export const barLegend = (bars: readonly Bar[]): Markup =>
  legend(
    fates
      .filter((fate) => bars.some((bar) => bar[fate] > 0))
      .map((fate) => [fate, words[fate]] as const),
  )

export const barNumbers = (
  bars: readonly Bar[],
  heading: string,
  print: (ms: number) => string,
): Markup =>
  numbersTable(
    [heading, 'Served', 'Refused', 'Refused longer', 'Failed'],
    bars.map(({ atMs, served, refused, banned, other }) => [
      print(atMs),
      served,
      refused,
      banned,
      other,
    ]),
  )

const countPer = (
  answers: readonly { readonly atMs: number; readonly fate: Fate }[],
  lengthS: number,
): Bar[] => {
  const counts = new Map<number, Record<Fate, number>>()
  for (const { atMs, fate } of answers) {
    const start = Math.floor(atMs / 1_000 / lengthS) * lengthS
    const own = counts.get(start) ?? { served: 0, refused: 0, banned: 0, other: 0 }
    own[fate] += 1
    counts.set(start, own)
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([start, own]) => ({ ...own, atMs: start * 1_000 }))
}

const labelWidth = 62

/** Bars in a row; a dotted line stands where time was left out between two of them. */
export const drawBars = (
  bars: readonly Bar[],
  lengthMs: number,
  print: (ms: number) => string,
): Markup => {
  const most = Math.max(...bars.map((bar) => fates.reduce((sum, fate) => sum + bar[fate], 0)))
  const y = fromZero(most, [plot.bottom, plot.top])
  const step = (plot.right - plot.left) / Math.max(bars.length, 24)
  let free: number = plot.left
  const drawn = bars.map((bar, index) => {
    const x = plot.left + index * step
    const before = bars[index - 1]
    const isRest = before !== undefined && bar.atMs - before.atMs > lengthMs
    const isLabelled = x >= free && x + labelWidth <= plot.right
    if (isLabelled) free = x + labelWidth
    const when = print(bar.atMs)
    return html`${isRest && restLine(x, false)}${stack(bar, when, [x, step], y.at)}
      ${isLabelled && html`<text x="${place(x)}" y="${plot.bottom + 17}">${when}</text>`}`
  })
  return html`${valueAxis(y, grouped)}${drawn}`
}

const stack = (
  bar: Bar,
  when: string,
  [x, step]: readonly [number, number],
  y: (value: number) => number,
): Markup[] => {
  let below = 0
  return fates.flatMap((fate) => {
    const number = bar[fate]
    if (number === 0) return []
    const [bottom, top] = [y(below), y(below + number)]
    below += number
    const height = Math.max(bottom - top, 0.7)
    return [
      html`<rect class="${fate}" x="${place(x + step * 0.12)}" y="${place(top)}"
        width="${place(step * 0.76)}" height="${place(height)}">
        <title>${when}: ${number} ${words[fate]}</title></rect>`,
    ]
  })
}
