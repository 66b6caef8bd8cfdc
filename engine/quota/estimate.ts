// About how long a run takes without a test clock: the windows that its calls need, and its waits.
import { type Asked, type Experiment, unshared } from '../declare.ts'
import type { KeyOption, RunOptions } from '../run-options.ts'
import { heldBy } from './experiments.ts'

const minuteMs = 60_000

/** Real time that an experiment waits, besides the windows that its requests need. */
const waitMs = (experiment: Experiment, isRested: boolean): number => {
  switch (experiment) {
    case 'silence':
      return minuteMs
    case 'burst':
      return isRested ? 0 : 2 * minuteMs
    case 'knocks':
      return 3 * minuteMs + 90_000 // Rests, and a ban as long as that of the reference.
    default:
      return 0
  }
}

/**
 * Estimates the real time that checks take, with fixed windows of a minute and one key at a time.
 * @param before the checks that were run already: their experiments are not held again
 * @param spent how many calls of the present window are gone, over all keys
 * @returns milliseconds, about a minute more or less
 */
export const estimateMs = (
  before: readonly Asked[],
  left: readonly Asked[],
  options: Pick<RunOptions, 'allow' | 'clockUrl' | 'keys'>,
  spent: number,
): number => {
  const done = heldBy(before, options)
  const all = heldBy([...before, ...left], options)
  const held = all.filter(
    (one) => !done.some(({ experiment, key }) => experiment === one.experiment && key === one.key),
  )
  const isRested = (key: KeyOption) =>
    all.some((one) => one.key === key && one.experiment === 'silence')
  const waits = held.map(({ experiment, key }) => ({ key, ms: waitMs(experiment, isRested(key)) }))
  const calls = unshared(left)
    .filter(
      ({ needs: { holds } }) => holds === undefined || holds === 'silence' || holds === 'retry',
    )
    .reduce((sum, { needs }) => sum + needs.keyed, 0)
  const perMinute = options.keys.reduce((sum, { quota }) => sum + quota.perMinute, 0)
  const windows = Math.max(0, Math.ceil((spent + calls) / Math.max(1, perMinute)) - 1)
  const sumOf = (some: typeof waits) => some.reduce((sum, { ms }) => sum + ms, windows * minuteMs)
  const days = held
    .filter(({ experiment }) => experiment === 'day')
    .map(({ key }) => {
      const dayMs = Math.ceil(key.quota.perDay / key.quota.perMinute) * minuteMs
      // What else is called with the key counts for its day.
      return Math.max(0, dayMs - sumOf(waits.filter((wait) => wait.key === key)))
    })
  return days.reduce((sum, ms) => sum + ms, sumOf(waits))
}
