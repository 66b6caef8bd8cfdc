// Whether anything grew from round to round, first quarter against last, or stayed open.
import type { Held } from './held-resources.ts'
import type { Past, Rounds } from './run-rounds.ts'

/** By how much the last quarter of the rounds may lie above the first one, medians of both. */
export interface Bounds {
  /** The first of the rounds that count: before them the compiler warms up. */
  readonly from: number
  readonly heapBytes: number
  readonly externalBytes: number
  readonly residentBytes: number
}

const mib = 2 ** 20

/**
 * Of an hour, and of any that is long enough for the compiler to be done. What is kept shows in the
 * heap and outside. Of the whole process V8 holds the free pages of its busiest moment, 80 MiB at
 * the reference, and gives them back where memory is short; that bound is for what is lost to both.
 */
export const soakBounds: Bounds = {
  from: 60,
  heapBytes: 2 * mib,
  externalBytes: mib,
  residentBytes: 128 * mib,
}

const measures = ['heapBytes', 'externalBytes', 'residentBytes'] as const
type Who = 'vetter' | 'server'

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Medians of the first and the last quarter. */
const quartersOf = (values: readonly number[]): readonly [first: number, last: number] => {
  const quarter = Math.max(1, Math.floor(values.length / 4))
  return [median(values.slice(0, quarter)), median(values.slice(-quarter))]
}

const grown = (past: readonly Past[], who: Who, bounds: Bounds): string[] =>
  measures.flatMap((measure) => {
    const [first, last] = quartersOf(past.map((each) => each[who][measure]))
    const most = bounds[measure]
    return last - first <= most
      ? []
      : [`the ${who}'s ${measure} grew from ${first} to ${last}, and ${most} is the most`]
  })

/** What is open when nothing is: the channel to the parent. */
const idle = ['PipeWrap']

const isIdle = ({ resources }: Held): boolean => resources.every((each) => idle.includes(each))

const leftOpen = (past: readonly Past[], who: Who): string[] => {
  const files = past[0]?.[who].files
  const busy = past.find((each) => !isIdle(each[who]))
  const more = past.find((each) => each[who].files !== files)
  return [
    ...(busy ? [`the ${who} kept open: ${busy[who].resources.join(' ')}`] : []),
    ...(more ? [`the ${who} had ${files} open files, and then ${more[who].files}`] : []),
  ]
}

/** @returns a line for each thing that is wrong with the rounds as a whole */
export const faultsOf = ({ past, differing, codes }: Rounds, bounds: Bounds): readonly string[] => {
  const counted = past.slice(bounds.from)
  return [
    ...differing,
    ...(['vetter', 'server'] as const).flatMap((who) => [
      ...grown(counted, who, bounds),
      ...leftOpen(past, who),
      ...(codes[who] === 0 ? [] : [`the ${who} did not end by itself: ${codes[who]}`]),
    ]),
  ]
}

export const inMib = (bytes: number): string => (bytes / mib).toFixed(1)

/** The medians of the first and the last quarter of the rounds, in lines. */
export const figuresOf = ({ past }: Rounds, { from }: Bounds): readonly string[] =>
  (['vetter', 'server'] as const).flatMap((who) =>
    measures.map((measure) => {
      const [first, last] = quartersOf(past.slice(from).map((each) => each[who][measure]))
      return `${who}, ${measure}: ${inMib(first)} to ${inMib(last)} MiB`
    }),
  )
