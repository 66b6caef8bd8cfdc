// Which calls of a key lie in a span of time, how many they are, and which of them bound what a
// call may find.

import { type Call, isBefore, laterBeside } from './calls.ts'

/** The other calls that may have been decided after a moment and before a call. */
export const overlapping = (sinceMs: number, to: Call): readonly Call[] => {
  const found: Call[] = []
  for (let { before: call } = to; call && call.latestMs > sinceMs; call = call.before) {
    if (call.toMs > sinceMs) found.push(call)
  }
  found.push(...laterBeside(to))
  return found
}

/** The first place in an order at which something holds, as it does from there on. */
export const firstPlace = (all: readonly Call[], holds: (call: Call) => boolean): number => {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(all[middle] as Call)) high = middle
    else low = middle + 1
  }
  return low
}

/** How many calls from a place on had been answered by a moment, and how many of them served. */
export const answeredBy = (all: readonly Call[], ms: number, begin = 0) => {
  const servedUpTo = (place: number) => all[place - 1]?.servedCount ?? 0
  let at = Math.max(
    begin,
    firstPlace(all, (call) => call.latestMs > ms),
  )
  const found = { count: at - begin, served: servedUpTo(at) - servedUpTo(begin) }
  for (; (all[at]?.fromMs ?? Number.POSITIVE_INFINITY) <= ms; at += 1) {
    const { toMs, served } = all[at] as Call
    if (toMs > ms) continue
    found.count += 1
    found.served += Number(served)
  }
  return found
}

/** How many calls are `overlapping`: of a day they are too many to go through for each. */
export const countOverlapping = (sinceMs: number, to: Call): number =>
  to.place - answeredBy(to.all, sinceMs).count + laterBeside(to).length

/** Calls that may have been decided after one call and before another. */
export const between = (from: Call, to: Call): readonly Call[] =>
  overlapping(from.fromMs, to).filter((call) => call !== from)

type Fits = (call: Call) => boolean

/** So many calls an anchor may lie back: all minutes of the plans fit into this, twice. */
export const maxReach = 2_500

/** The latest response about the same window, or any, that was there before a call was sent. */
const latestBefore = (call: Call, which: 'before' | 'quietBefore', fits: Fits) => {
  let latest: Call | undefined
  for (let { [which]: other } = call; other; other = other[which]) {
    if (other.place < call.place - maxReach) break
    if (latest && other.latestMs < latest.toMs) break
    if (call.window && other.window?.name !== call.window.name) continue
    if (!isBefore(other, call) || !fits(other)) continue
    if (!latest || other.toMs > latest.toMs) latest = other
  }
  return latest
}

/**
 * The responses that bound what a call may find: the latest, and the latest that nothing
 * overlapped, since in a burst the latest one bounds badly.
 */
export const anchorsOf = (call: Call, fits: Fits): Set<Call> => {
  const all = [latestBefore(call, 'before', fits), latestBefore(call, 'quietBefore', fits)]
  return new Set(all.filter((one) => one !== undefined))
}

/**
 * Whether numbers of a declared window are missing in the responses: another client received
 * them.
 */
export const skipsNumbers = (some: readonly Call[]): boolean => {
  const counted = some.filter((call) => call.window && !call.refused)
  const groups = Map.groupBy(counted, (call) => `${call.window?.name} ${call.reset}`)
  return [...groups.values()].some((group) => {
    const seen = new Set(group.map(({ remaining }) => remaining))
    return Math.max(...seen) - Math.min(...seen) + 1 > seen.size
  })
}
