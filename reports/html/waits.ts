// Retry-After: how long each refusal told the client to wait, and what came of it.
import { count } from '../../engine/count.ts'
import { figure, legend, numbersTable, place, plot, valueAxis } from './chart.ts'
import { html, type Markup } from './markup.ts'
import type { Answer, RateFacts } from './rate-facts.ts'
import { logarithmic } from './scales.ts'
import { dateTime, duration } from './time-axis.ts'

interface Refusal {
  readonly key: string
  readonly answer: Answer
  /** All answers to the key, and the place of this one among them. */
  readonly own: readonly Answer[]
  readonly index: number
}

const shownRefusals = 120

const putOff =
  'although nothing was served in between, as a ban does, and a limiter that counts refused calls'

export const waitsFigure = ({ answers }: RateFacts): Markup | false => {
  const refusals = [...answers].flatMap(([key, own]) => refusalsOf(key, own))
  if (refusals.length === 0) return false
  const shown = refusals.toSorted((a, b) => a.answer.atMs - b.answer.atMs).slice(0, shownRefusals)
  const left = refusals.length - shown.length
  const bans = shown.filter(({ answer }) => answer.fate === 'banned').length
  return figure({
    title: 'Retry-After: the wait that each refusal stated',
    note: [
      `${count(refusals.length, 'call was refused', 'calls were refused')}.`,
      ...(bans > 0 ? [`${bans} put the stated time off ${putOff}.`] : []),
      'The scale is logarithmic.',
      ...(left > 0 ? [`The first ${shownRefusals} are shown.`] : []),
    ].join(' '),
    content: drawWaits(shown),
    legend: legend([
      ['refused', 'stated wait'],
      ...(bans > 0 ? [['banned', 'stated wait, put off'] as const] : []),
    ]),
    numbers: numbersTable(
      ['Key', 'Refused at (UTC)', 'Status', 'Stated wait', 'Until Reset', 'First call after it'],
      shown.map(rowOf),
    ),
  })
}

const refusalsOf = (key: string, own: readonly Answer[]): Refusal[] =>
  own.flatMap((answer, index) =>
    answer.fate === 'refused' || answer.fate === 'banned' ? [{ key, answer, own, index }] : [],
  )

const rowOf = ({ key, answer, own, index }: Refusal): string[] => {
  const { atMs, status, retryAfterMs, resetS } = answer
  const untilMs = atMs + (retryAfterMs ?? 0)
  const next = own.find((later, place) => place > index && later.atMs >= untilMs)
  return [
    key,
    dateTime(atMs),
    String(status),
    retryAfterMs === null ? 'none stated' : duration(retryAfterMs),
    resetS === null ? 'not told' : duration(resetS * 1_000 - atMs),
    next ? `${next.status}, after ${duration(next.atMs - atMs)}` : 'none',
  ]
}

const steps = [1, 10, 60, 600, 3_600, 21_600, 86_400, 864_000].map((seconds) => seconds * 1_000)

const labelWidth = 70

const drawWaits = (refusals: readonly Refusal[]): Markup => {
  const waits = refusals.map(({ answer }) => Math.max(answer.retryAfterMs ?? 0, 1_000))
  const y = logarithmic(waits, [plot.bottom, plot.top + 8], steps)
  const step = (plot.right - plot.left) / Math.max(refusals.length, 24)
  let last = ''
  let free = 0
  const bars = refusals.map(({ key, answer }, index) => {
    const top = y.at(waits[index] ?? 1_000)
    const x = plot.left + index * step
    const isNew = key !== last && x >= free
    last = key
    if (isNew) free = x + labelWidth
    const name = answer.fate === 'banned' ? 'banned' : 'refused'
    const told = answer.retryAfterMs === null ? 'no wait stated' : duration(answer.retryAfterMs)
    return html`<rect class="${name}" x="${place(x + step * 0.2)}" y="${place(top - 1)}"
      width="${place(Math.min(step * 0.6, 14))}" height="${place(plot.bottom - top + 1)}">
      <title>${key}: ${told}</title></rect>
      ${isNew && html`<text x="${place(x)}" y="${plot.bottom + 17}">${key}</text>`}`
  })
  return html`${valueAxis(y, duration)}${bars}`
}
