// Scales from numbers to places on a drawing; the door of d3-scale.
import { scaleLinear, scaleLog } from 'd3-scale'

export interface Scale {
  readonly at: (value: number) => number
  readonly ticks: readonly number[]
}

const tickCount = 4

/** From zero to a round number that is not below `most`. */
export const fromZero = (most: number, range: readonly [number, number]): Scale => {
  const scale = scaleLinear([0, Math.max(most, 1)], range).nice(tickCount)
  return { at: (value) => scale(value), ticks: scale.ticks(tickCount) }
}

/** For values that lie far apart; `ticks` are those of the reader, within the range of them. */
export const logarithmic = (
  values: readonly number[],
  range: readonly [number, number],
  ticks: readonly number[],
): Scale => {
  const least = Math.min(...values)
  const most = Math.max(...values)
  const low = ticks.findLast((tick) => tick <= least) ?? least
  const high = ticks.find((tick) => tick >= most) ?? most
  const scale = scaleLog([low, high > low ? high : low * 10], range).clamp(true)
  return { at: (value) => scale(value), ticks: ticks.filter((tick) => tick >= low && tick <= high) }
}

/** Several straight pieces in a row, each of its own slope. */
export const pieced = (
  domain: readonly number[],
  range: readonly number[],
): ((value: number) => number) => {
  const scale = scaleLinear([...domain], [...range]).clamp(true)
  return (value) => scale(value)
}
