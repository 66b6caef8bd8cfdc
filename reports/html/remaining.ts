// Remaining over time: one drawing for each key and each limit that its answers spoke of.
import { count } from '../../engine/count.ts'
import { figure, legend, numbersTable, place, plot, timeTicks, valueAxis } from './chart.ts'
import { grouped, html, type Markup } from './markup.ts'
import { type Point, steps, under } from './paths.ts'
import type { Answer, RateFacts } from './rate-facts.ts'
import { fromZero } from './scales.ts'
import { clockTime, dateTime, type TimeAxis, timeAxis } from './time-axis.ts'

type Told = Answer & { readonly limit: number; readonly remaining: number; readonly resetS: number }

const isTold = (answer: Answer): answer is Told => answer.limit !== null

interface Panel {
  readonly key: string
  readonly limit: number
  readonly answers: readonly Told[]
}

const shownPanels = 8

export const remainingFigures = ({ answers }: RateFacts): Markup => {
  const panels = [...answers].flatMap(([key, own]) =>
    [...Map.groupBy(own.filter(isTold), ({ limit }) => limit)].map(
      ([limit, told]): Panel => ({ key, limit, answers: told }),
    ),
  )
  // Those with the most answers, in the order of the keys.
  const least = panels.map((panel) => panel.answers.length).sort((a, b) => b - a)[shownPanels - 1]
  const shown = panels.filter((panel) => panel.answers.length >= (least ?? 0)).slice(0, shownPanels)
  const left = panels.length - shown.length
  return html`${shown.map((panel, index) => panelFigure(panel, index === 0))}
${
  left > 0 &&
  html`<p class="left-out">${count(left, 'further pair', 'further pairs')} of key and limit left
    out, with fewer answers.</p>`
}`
}

const explained =
  'What X-RateLimit-Remaining said on each answer. Rests without a call are left out, at the ' +
  'dotted lines; each stretch between them has the room of its calls.'

const panelFigure = ({ key, limit, answers }: Panel, isFirst: boolean): Markup => {
  const ordered = answers.toSorted((a, b) => a.atMs - b.atMs)
  const axis = timeAxis(
    ordered.map(({ atMs }) => atMs),
    [plot.left, plot.right],
  )
  const most = ordered.reduce((so, { remaining }) => Math.max(so, remaining), limit)
  const y = fromZero(most, [plot.bottom, plot.top])
  const banned = ordered.some(({ fate }) => fate === 'banned')
  const refused = ordered.filter(({ fate }) => fate === 'refused' || fate === 'banned')
  return figure({
    title: `Remaining of ${grouped(limit)}: key ${key}`,
    note: isFirst ? explained : null,
    content: html`${valueAxis(y, grouped)}${timeTicks(axis)}
${spanLines(ordered, axis, y.at)}
${thinned(refused, axis).map((answer) => diamond(answer, axis, y.at))}`,
    legend: legend([
      ['trace', 'Remaining'],
      ...(refused.length > 0 ? [['mark', 'a refused call'] as const] : []),
      ...(banned ? [['mark banned', 'refused for longer than was stated'] as const] : []),
    ]),
    numbers: windowTable(ordered),
  })
}

/** A line must not run on through a rest, where nothing is known. */
const spanLines = (
  ordered: readonly Told[],
  axis: TimeAxis,
  y: (value: number) => number,
): Markup[] => {
  let from = 0
  return axis.spans.map(({ calls }) => {
    const own = ordered.slice(from, from + calls)
    from += calls
    const points = thinned(own, axis).map(
      ({ atMs, remaining }): Point => [axis.at(atMs), y(remaining)],
    )
    // The last value is seen only if it stands for a while.
    const [x, lastY] = points.at(-1) ?? [0, 0]
    points.push([x + 3, lastY])
    return html`<path class="under" d="${under(points, plot.bottom)}"/>
      <path class="trace" d="${steps(points)}"/>`
  })
}

/** Of the answers that fall on one place those with the least and the most left are drawn. */
const thinned = (answers: readonly Told[], axis: TimeAxis): Told[] => {
  const places = Map.groupBy(answers, ({ atMs }) => Math.round(axis.at(atMs) * 2))
  return [...places.values()].flatMap((own) => {
    if (own.length <= 4) return own
    const byRemaining = own.toSorted((a, b) => a.remaining - b.remaining)
    const kept = new Set([own[0], byRemaining.at(-1), byRemaining[0], own.at(-1)])
    return own.filter((each) => kept.has(each))
  })
}

const arm = 4.5

const diamond = (answer: Told, axis: TimeAxis, y: (value: number) => number): Markup => {
  const [x, at] = [axis.at(answer.atMs), y(answer.remaining)]
  const name = answer.fate === 'banned' ? 'mark banned' : 'mark'
  const path = `M${place(x)} ${place(at - arm)}l${arm} ${arm}l-${arm} ${arm}l-${arm} -${arm}z`
  return html`<path class="${name}" d="${path}">
    <title>${clockTime(answer.atMs)}: ${answer.status}</title></path>`
}

/** One row for each window that the answers declared. */
const windowTable = (ordered: readonly Told[]): Markup => {
  const windows = [...Map.groupBy(ordered, ({ resetS }) => resetS)]
  return numbersTable(
    [
      'Reset at (UTC)',
      'First answer',
      'Last answer',
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
