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
 * heap and outside. Of the whole process V8 holds the free pages of its busiest moment, and gives
 * them back where memory is short; that bound is for what is lost to both.
 */
export const soakBounds: Bounds = {
  from: 60,
  heapBytes: 2 * mib,
  externalBytes: mib,
  residentBytes: 128 * mib,
}

const measures = ['heapBytes', 'externalBytes', 'residentBytes'] as const

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Medians of the first and the last quarter. */
const quartersOf = (values: readonly number[]): readonly [first: number, last: number] => {
  const quarter = Math.max(1, Math.floor(values.length / 4))
  return [median(values.slice(0, quarter)), median(values.slice(-quarter))]
}

const grown = (past: readonly Past[], bounds: Bounds): string[] =>
  measures.flatMap((measure) => {
    const [first, last] = quartersOf(past.map(({ held }) => held[measure]))
    const most = bounds[measure]
    return last - first <= most
      ? []
      : [`${measure} grew from ${first} to ${last}, and ${most} is the most`]
  })

/** What is open when nothing is: the channel to the parent. */
const idle = ['PipeWrap']

const isIdle = ({ resources }: Held): boolean => resources.every((each) => idle.includes(each))

const leftOpen = (past: readonly Past[]): string[] => {
  const files = past[0]?.held.files
  const busy = past.find(({ held }) => !isIdle(held))
  const more = past.find(({ held }) => held.files !== files)
  return [
    ...(busy ? [`kept open: ${busy.held.resources.join(' ')}`] : []),
    ...(more ? [`${files} open files, and then ${more.held.files}`] : []),
  ]
}

/** @returns a line for each thing that is wrong with the rounds as a whole */
export const faultsOf = ({ past, differing, code }: Rounds, bounds: Bounds): readonly string[] => [
  ...differing,
  ...grown(past.slice(bounds.from), bounds),
  ...leftOpen(past),
  ...(code === 0 ? [] : [`the process did not end by itself: ${code}`]),
]

export const inMib = (bytes: number): string => (bytes / mib).toFixed(1)

/** The medians of the first and the last quarter of the rounds, in lines. */
export const figuresOf = ({ past }: Rounds, { from }: Bounds): readonly string[] =>
  measures.map((measure) => {
    const [first, last] = quartersOf(past.slice(from).map(({ held }) => held[measure]))
    return `${measure}: ${inMib(first)} to ${inMib(last)} MiB`
  })
