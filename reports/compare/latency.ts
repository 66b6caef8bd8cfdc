// How long answers took in two runs: of single requests, and of the load scenarios.
import type { Latency } from '../../engine/load-figures.ts'
import type { RunFile } from '../../engine/run-file.ts'
import type { ReadExchanges } from '../exchanges.ts'

export interface LatencyChange {
  readonly what: string
  readonly wasMs: number
  readonly isMs: number
}

/** As many exchanges as are looked at; a run of the suites has fewer. */
const lookedAtMost = 100_000

const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  if (upper === undefined) return null
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** The median over the whole answers, in milliseconds; null without one. */
const medianOf = (exchanges: ReadExchanges): number | null => {
  const times: number[] = []
  for (const { response, ms } of exchanges()) {
    if (response !== null) times.push(ms)
    if (times.length >= lookedAtMost) break
  }
  return median(times)
}

const percentiles = (latency: Latency): Readonly<Record<string, number>> => ({
  p50: latency.p50Ms,
  p99: latency.p99Ms,
})

/** The percentiles of the scenarios that both runs have. */
const ofScenarios = (old: RunFile, now: RunFile): LatencyChange[] =>
  (now.load ?? []).flatMap(({ id, columns }) => {
    const was = old.load?.find((scenario) => scenario.id === id)?.columns.target?.latency
    const is = columns.target?.latency
    if (!was || !is) return []
    const before = percentiles(was)
    return Object.entries(percentiles(is)).map(([name, isMs]) => ({
      what: `${id}, ${name}`,
      wasMs: before[name] ?? 0,
      isMs,
    }))
  })

/** @param read the exchanges of the two runs; one that kept none says nothing here */
export const compareLatency = (
  old: RunFile,
  now: RunFile,
  read: { readonly old: ReadExchanges; readonly new: ReadExchanges },
): LatencyChange[] => {
  const [wasMs, isMs] = [medianOf(read.old), medianOf(read.new)]
  const single = wasMs === null || isMs === null ? [] : [{ what: 'a request, median', wasMs, isMs }]
  return [...single, ...ofScenarios(old, now)]
}
