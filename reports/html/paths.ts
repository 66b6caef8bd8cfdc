// The lines and areas of a drawing; the door of d3-shape.
import { area, curveLinear, curveStepAfter, line } from 'd3-shape'

export type Point = readonly [x: number, y: number]

/** A value that stands until the next one is known. */
export const steps = (points: readonly Point[]): string =>
  line<Point>().curve(curveStepAfter).digits(1)([...points]) ?? ''

export const polyline = (points: readonly Point[]): string =>
  line<Point>().curve(curveLinear).digits(1)([...points]) ?? ''

/** What lies between steps and a base. */
export const under = (points: readonly Point[], base: number): string =>
  area<Point>()
    .x(([x]) => x)
    .y1(([, y]) => y)
    .y0(base)
    .curve(curveStepAfter)
    .digits(1)([...points]) ?? ''
