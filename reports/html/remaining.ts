// Remaining over time: one chart for each key and each limit that its responses declared.
import { count } from '../../engine/record/text.ts'
import {
  figure,
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
import { type Point, steps } from './lines-and-bars.ts'
import { grouped, html, type Markup } from './markup.ts'
import type { Answer, RateFacts } from './rate-facts.ts'
import { clockTime, dateTime, duration, type TimeAxis, timeAxis } from './time-axis.ts'

type WithLimit = Answer & {
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
}

const hasLimit = (answer: Answer): answer is WithLimit => answer.limit !== null

interface Panel {
  readonly key: string
  readonly limit: number
  readonly answers: readonly WithLimit[]
}

const maxPanels = 8

export const remainingFigures = ({ answers }: RateFacts): Markup => {
  const panels = [...answers].flatMap(([key, own]) =>
    [...Map.groupBy(own.filter(hasLimit), ({ limit }) => limit)].map(
      ([limit, answers]): Panel => ({ key, limit, answers }),
    ),
  )
  // Those with the most responses, in the order of the keys.
  const minAnswers = panels.map((panel) => panel.answers.length).sort((a, b) => b - a)[
    maxPanels - 1
  ]
  const shown = panels
    .filter((panel) => panel.answers.length >= (minAnswers ?? 0))
    .slice(0, maxPanels)
  const left = panels.length - shown.length
  return html`${shown.map((panel, index) => panelFigure(panel, index === 0))}
${
  left > 0 &&
  html`<p class="left-out">${count(left, 'more pair', 'more pairs')} of key and limit left
    out, with fewer responses.</p>`
}`
}

const explained =
  'X-RateLimit-Remaining of each response. Time without calls is left out at the dotted lines; ' +
  'the width between two of them is proportional to the number of calls.'

const panelFigure = ({ key, limit, answers }: Panel, isFirst: boolean): Markup => {
  const ordered = answers.toSorted((a, b) => a.atMs - b.atMs)
  const axis = timeAxis(
    ordered.map(({ atMs }) => atMs),
    [plot.left, plot.right],
  )
  const highest = ordered.reduce((max, { remaining }) => Math.max(max, remaining), limit)
  const y = fromZero(highest, [plot.bottom, plot.top])
  const banned = ordered.some(({ fate }) => fate === 'banned')
  const refused = ordered.filter(({ fate }) => fate === 'refused' || fate === 'banned')
  return figure({
    title: `Remaining of ${grouped(limit)}: key ${key}`,
    note: isFirst ? explained : null,
    content: html`${valueAxis(y, grouped)}${timeTicks(axis)}
${spanLines(ordered, axis, y)}
${thinned(refused, axis).map((answer) => diamond(answer, axis, y))}`,
    legend: legend([
      ['trace', 'Remaining'],
      ...(refused.length > 0 ? [['mark', 'a refused call'] as const] : []),
      ...(banned ? [['mark banned', 'refused for longer than stated'] as const] : []),
    ]),
    numbers: windowTable(ordered),
  })
}

const labelWidth = 58

/** Lines where time is left out, and the time at the beginning of what follows. */
const timeTicks = ({ at, gaps, spans }: TimeAxis): Markup => {
  let free: number = plot.left
  const labels = spans.flatMap(({ start }) => {
    const x = at(start)
    if (x < free || x + labelWidth > plot.right) return []
    free = x + labelWidth
    return [labelAt(x, clockTime(start))]
  })
  const marks = gaps.map(({ x, fromMs, toMs }) =>
    gapLine(x, html`<title>${duration(toMs - fromMs)} without calls</title>`),
  )
  return html`${marks}${labels}`
}

/** Interrupted at the gaps, where nothing is known. */
const spanLines = (ordered: readonly WithLimit[], axis: TimeAxis, y: Scale): Markup[] => {
  let from = 0
  return axis.spans.map(({ calls }) => {
    const own = ordered.slice(from, from + calls)
    from += calls
    const points = thinned(own, axis).map(
      ({ atMs, remaining }): Point => [axis.at(atMs), y.at(remaining)],
    )
    // The last value has no width of its own.
    const [x, lastY] = points.at(-1) ?? [0, 0]
    points.push([x + 3, lastY])
    const base = `V${plot.bottom}H${place(points[0]?.[0] ?? x)}Z`
    return html`<path class="under" d="${steps(points)}${base}"/>
      <path class="trace" d="${steps(points)}"/>`
  })
}

/** Of the responses at one place only the first, last, lowest and highest are drawn. */
const thinned = (answers: readonly WithLimit[], axis: TimeAxis): WithLimit[] => {
  const places = Map.groupBy(answers, ({ atMs }) => Math.round(axis.at(atMs) * 2))
  return [...places.values()].flatMap((own) => {
    if (own.length <= 4) return own
    const byRemaining = own.toSorted((a, b) => a.remaining - b.remaining)
    const kept = new Set([own[0], byRemaining.at(-1), byRemaining[0], own.at(-1)])
    return own.filter((each) => kept.has(each))
  })
}

const arm = 4.5

const diamond = (answer: WithLimit, axis: TimeAxis, y: Scale): Markup => {
  const [x, at] = [axis.at(answer.atMs), y.at(answer.remaining)]
  const name = answer.fate === 'banned' ? 'mark banned' : 'mark'
  const path = `M${place(x)} ${place(at - arm)}l${arm} ${arm}l-${arm} ${arm}l-${arm} -${arm}z`
  return html`<path class="${name}" d="${path}">
    <title>${clockTime(answer.atMs)}: ${answer.status}</title></path>`
}

/** One row for each window that the responses declared. */
const windowTable = (ordered: readonly WithLimit[]): Markup => {
  const windows = [...Map.groupBy(ordered, ({ resetS }) => resetS)]
  return numbersTable(
    [
      'Reset at (UTC)',
      'First response',
      'Last response',
      'Served',
      'Refused',
      'Remaining, first',
      'last',
    ],
    windows.map(([resetS, own]) => {
      const refused = own.filter(({ fate }) => fate === 'refused' || fate === 'banned').length
      const [first, last] = [own[0], own.at(-1)]
      return [
        dateTime(resetS * 1_000),
        clockTime(first?.atMs ?? 0),
        clockTime(last?.atMs ?? 0),
        own.length - refused,
        refused,
        first?.remaining ?? 0,
        last?.remaining ?? 0,
      ]
    }),
  )
}
