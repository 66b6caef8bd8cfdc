// The rate limiter in charts, as far as the recorded responses show it.
import { count } from '../../engine/record/text.ts'
import {
  figure,
  labelAt,
  legend,
  logarithmic,
  numbersTable,
  place,
  plot,
  valueAxis,
} from './chart.ts'
import { type Bar, barLegend, barLengthS, barNumbers, barUnit, drawBars } from './lines-and-bars.ts'
import { grouped, html, type Markup } from './markup.ts'
import type { Answer, Fate, RateFacts } from './rate-facts.ts'
import { remainingFigures } from './remaining.ts'
import { clockTime, dateTime, duration } from './time-axis.ts'

export const limiter = (facts: RateFacts): Markup | false => {
  if (facts.answers.size === 0) return false
  return html`<section id="limiter"><h2>The rate limiter in charts</h2>
<p class="intro">From every recorded response to a key. Times are those at the target; where its
test clock was moved, a minute took milliseconds.</p>
${
  facts.leftOut > 0 &&
  html`<p class="left-out">${grouped(facts.leftOut)} later responses are left out of
    these charts.</p>`
}
${remainingFigures(facts)}${callsFigure(facts)}${waitsFigure(facts)}</section>`
}

const callsFigure = ({ answers }: RateFacts): Markup => {
  const all = [...answers.values()].flat()
  const lengthS = barLengthS(all.map(({ atMs }) => atMs / 1_000))
  const bars = countPer(all, lengthS)
  return figure({
    title: `Calls per ${barUnit(lengthS)}, all keys`,
    note:
      `Each bar is ${duration(lengthS * 1_000)} with calls to a key; time without calls is left ` +
      'out at the dotted lines. Calls without a valid key are not counted.',
    content: drawBars(bars, lengthS * 1_000, clockTime),
    legend: barLegend(bars),
    numbers: barNumbers(bars, 'From (UTC)', dateTime),
  })
}

const countPer = (answers: readonly Answer[], lengthS: number): Bar[] => {
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

interface Refusal {
  readonly key: string
  readonly answer: Answer
  /** The later responses to the key. */
  readonly later: readonly Answer[]
}

const maxRefusals = 120

const asBansDo =
  'although nothing was served in between, as a ban does, or a limiter that counts refused calls'

/** Retry-After: how long each refusal asked the client to wait, and what followed. */
const waitsFigure = ({ answers }: RateFacts): Markup => {
  const refusals = [...answers].flatMap(([key, own]) => refusalsOf(key, own))
  if (refusals.length === 0) {
    return html`<p class="quiet">No call with a key was refused, so no wait was stated.</p>`
  }
  const shown = refusals.toSorted((a, b) => a.answer.atMs - b.answer.atMs).slice(0, maxRefusals)
  const left = refusals.length - shown.length
  const bans = shown.filter(({ answer }) => answer.fate === 'banned').length
  return figure({
    title: 'Retry-After: the wait that each refusal stated',
    note: [
      `${count(refusals.length, 'call was refused', 'calls were refused')}.`,
      ...(bans > 0 ? [`${bans} extended the stated wait ${asBansDo}.`] : []),
      'The scale is logarithmic.',
      ...(left > 0 ? [`The first ${maxRefusals} are shown.`] : []),
    ].join(' '),
    content: drawWaits(shown),
    legend: legend([
      ['refused', 'stated wait'],
      ...(bans > 0 ? [['banned', 'extended wait'] as const] : []),
    ]),
    numbers: numbersTable(
      ['Key', 'Refused at (UTC)', 'Status', 'Stated wait', 'Until Reset', 'First call after it'],
      shown.map(waitRow),
    ),
  })
}

const refusalsOf = (key: string, own: readonly Answer[]): Refusal[] =>
  own.flatMap((answer, index) =>
    answer.fate === 'refused' || answer.fate === 'banned'
      ? [{ key, answer, later: own.slice(index + 1) }]
      : [],
  )

const waitRow = ({ key, answer, later }: Refusal): string[] => {
  const { atMs, status, retryAfterMs, resetS } = answer
  const untilMs = atMs + (retryAfterMs ?? 0)
  const next = later.find((each) => each.atMs >= untilMs)
  return [
    key,
    dateTime(atMs),
    String(status),
    retryAfterMs === null ? 'none' : duration(retryAfterMs),
    resetS === null ? 'none' : duration(resetS * 1_000 - atMs),
    next ? `${next.status}, after ${duration(next.atMs - atMs)}` : 'none',
  ]
}

const waitTicks = [1, 10, 60, 600, 3_600, 21_600, 86_400, 864_000].map((seconds) => seconds * 1_000)

const labelWidth = 70

const drawWaits = (refusals: readonly Refusal[]): Markup => {
  const waits = refusals.map(({ answer }) => Math.max(answer.retryAfterMs ?? 0, 1_000))
  const y = logarithmic(waits, [plot.bottom, plot.top + 8], waitTicks)
  const width = (plot.right - plot.left) / Math.max(refusals.length, 24)
  let last = ''
  let free = 0
  const bars = refusals.map(({ key, answer }, index) => {
    const top = y.at(waits[index] ?? 1_000)
    const x = plot.left + index * width
    const isLabelled = key !== last && x >= free
    last = key
    if (isLabelled) free = x + labelWidth
    const name = answer.fate === 'banned' ? 'banned' : 'refused'
    const wait = answer.retryAfterMs === null ? 'no wait stated' : duration(answer.retryAfterMs)
    return html`<rect class="${name}" x="${place(x + width * 0.2)}" y="${place(top - 1)}"
      width="${place(Math.min(width * 0.6, 14))}" height="${place(plot.bottom - top + 1)}">
      <title>${key}: ${wait}</title></rect>
      ${isLabelled && labelAt(x, key)}`
  })
  return html`${valueAxis(y, duration)}${bars}`
}
