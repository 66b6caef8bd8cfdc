// Lines of several servers in one drawing, told apart by colour and by dashes.
import type { LoadFigures } from '../../engine/load-figures.ts'
import { legend, place, plot } from './chart.ts'
import { html, type Markup } from './markup.ts'
import { type Point, polyline } from './paths.ts'

export type Column = readonly [title: string, figures: LoadFigures]

/** More lines than this cannot be told apart. */
export const mostSeries = 3

interface Series {
  readonly title: string
  readonly points: readonly Point[]
}

/** With more of them the line is all dots. */
const mostDots = 60

const seriesName = (index: number): string => `series-${index + 1}`

export const drawSeries = (all: readonly Series[]): Markup[] =>
  all.map(
    ({ points }, index) =>
      html`<path class="series ${seriesName(index)}" d="${polyline(points)}"/>
      ${
        points.length <= mostDots &&
        points.map(
          ([x, y]) =>
            html`<circle class="dot ${seriesName(index)}" r="3"
        cx="${place(x)}" cy="${place(y)}"/>`,
        )
      }`,
  )

export const seriesLegend = (all: readonly Series[]): Markup =>
  legend(all.map(({ title }, index) => [`series ${seriesName(index)}`, title] as const))

export const tickBelow = (x: number, words: string): Markup =>
  html`<text x="${place(x)}" y="${plot.bottom + 17}" text-anchor="middle">${words}</text>`
