// The clocks of several instances of k6 against that of the target, by its Date.
import type { Instance } from './read.ts'

export type Alignment = ReturnType<typeof alignClocks>

/** A Date may come from the cache of a server, so bounds may cross. */
const boundsOf = ({ minOffsetMs, maxOffsetMs }: Instance): readonly [min: number, max: number] =>
  Number.isFinite(minOffsetMs) && Number.isFinite(maxOffsetMs)
    ? [minOffsetMs, Math.max(minOffsetMs, maxOffsetMs)]
    : [0, 0]

/** Clocks that do not contradict each other are left as they are. */
export const alignClocks = (instances: ReadonlyMap<string, Instance>) => {
  const bounds = new Map([...instances].map(([name, one]) => [name, boundsOf(one)]))
  const min = Math.max(...[...bounds.values()].map(([low]) => low))
  const max = Math.min(...[...bounds.values()].map(([, high]) => high))
  const isOneTime = min <= max
  const common = isOneTime ? (min + max) / 2 : 0
  const middleOf = (name: string) => {
    const [low = 0, high = 0] = bounds.get(name) ?? []
    return (low + high) / 2
  }
  const slackOf = (name: string): number => {
    if (bounds.size < 2) return 0
    const [low = 0, high = 0] = bounds.get(name) ?? []
    return isOneTime ? Math.max(high - common, common - low) : (high - low) / 2
  }
  const [first = ''] = bounds.keys()
  return {
    /** What is added to the times of an instance, in milliseconds. */
    shiftOf: (name: string): number => (isOneTime ? 0 : middleOf(name) - middleOf(first)),
    /** How far its times may still be wrong. */
    slackOf,
    /** How far two clocks may differ; 0 for one instance. */
    maxSkewMs: 2 * Math.max(...[...bounds.keys()].map(slackOf)),
  }
}
