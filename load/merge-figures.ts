// The figures of a scenario on several machines, put together: what was counted adds up, latencies
// come from the histogram of all.
import type {
  Counts,
  Fate,
  LoadFigures,
  LoadScenarioFigures,
  LoadStep,
} from '../suites/kit/load-figures.ts'
import { fates } from '../suites/kit/load-figures.ts'
import { createHistogram, decodeHistogram } from './histogram.ts'
import { labelInWhole, type Shard } from './shard.ts'

/** What one machine has measured. */
export interface Part<T> {
  readonly shard: Shard
  readonly value: T
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

const addCounts = (all: readonly Counts[]): Counts =>
  Object.fromEntries(
    fates.map((fate) => [fate, total(all.map((counts) => counts[fate]))]),
  ) as Record<Fate, number>

/** No key is on two machines, so that names taken in the whole never meet. */
export const relabelled = <T>(
  parts: readonly Part<Readonly<Record<string, T>>>[],
): Record<string, T> =>
  Object.fromEntries(
    parts.flatMap(({ shard, value }) =>
      Object.entries(value).map(([label, each]) => [labelInWhole(label, shard), each]),
    ),
  )

const mergeLatency = (all: readonly LoadFigures[]): LoadFigures['latency'] => {
  const histogram = createHistogram()
  for (const { latency } of all) if (latency) histogram.add(decodeHistogram(latency.hdr))
  return histogram.latency()
}

/** Steps of the same place are one step of all machines; a step that one lacks is none. */
const mergeSteps = (all: readonly (readonly LoadStep[])[]): LoadStep[] => {
  const count = Math.min(...all.map(({ length }) => length))
  return Array.from({ length: count }, (_, at) => {
    const same = all.flatMap((steps) => steps[at] ?? [])
    return {
      connections: total(same.map(({ connections }) => connections)),
      perSecond: total(same.map(({ perSecond }) => perSecond)),
      // A step has no histogram: this is the slowest machine's.
      p50Ms: Math.max(...same.map(({ p50Ms }) => p50Ms)),
      p99Ms: Math.max(...same.map(({ p99Ms }) => p99Ms)),
      errors: total(same.map(({ errors }) => errors)),
    }
  })
}

const mergeColumn = (parts: readonly Part<LoadFigures>[]): LoadFigures => {
  const all = parts.map(({ value }) => value)
  const steps = all.every((figures) => figures.steps !== undefined)
    ? { steps: mergeSteps(all.map((figures) => figures.steps ?? [])) }
    : {}
  return {
    durationMs: Math.max(...all.map(({ durationMs }) => durationMs)),
    sent: total(all.map(({ sent }) => sent)),
    neverSent: total(all.map(({ neverSent }) => neverSent)),
    counts: addCounts(all.map(({ counts }) => counts)),
    countsByKey: relabelled(parts.map(({ shard, value }) => ({ shard, value: value.countsByKey }))),
    latency: mergeLatency(all),
    seconds: parts
      .flatMap(({ shard, value }) =>
        value.seconds.map((each) => ({ ...each, key: labelInWhole(each.key, shard) })),
      )
      .sort((a, b) => a.second - b.second),
    ...steps,
  }
}

/** One scenario of all machines. */
export const mergeScenario = (
  parts: readonly Part<LoadScenarioFigures>[],
): LoadScenarioFigures | undefined => {
  const [first] = parts
  if (!first) return undefined
  const names = new Set(parts.flatMap(({ value }) => Object.keys(value.columns)))
  const columnOf = (name: string) =>
    parts.flatMap(({ shard, value }) => {
      const column = value.columns[name]
      return column ? [{ shard, value: column }] : []
    })
  return {
    ...first.value,
    connections: total(parts.map(({ value }) => value.connections)),
    columns: Object.fromEntries([...names].map((name) => [name, mergeColumn(columnOf(name))])),
  }
}
