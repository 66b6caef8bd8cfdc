// Replays calls on one key through each design of a limiter: what would remain after each call.
import { minuteMs } from './reading.ts'

/** A call that was served, at the time of the target in milliseconds since 1970. */
export interface ReplayedCall {
  readonly atMs: number
  /** From sending it to having its response: it was decided in between. */
  readonly spanMs: number
  readonly remaining: number
  /** As it was declared, in Unix seconds. */
  readonly reset: number
}

/** What a design has left after each of the calls. */
type Replay = (calls: readonly ReplayedCall[], limit: number) => readonly number[]

const clockBegin = (atMs: number) => Math.floor(atMs / minuteMs) * minuteMs

/** Replicas may round a Reset this way and that. */
const sameResetS = 2

/** Windows that end as they say themselves. */
const fixedWindow: Replay = (calls, limit) => {
  let reset = Number.NEGATIVE_INFINITY
  let used = 0
  return calls.map((call) => {
    if (Math.abs(call.reset - reset) > sameResetS) {
      reset = call.reset
      used = 0
    }
    used += 1
    return limit - used
  })
}

const slidingLog: Replay = (calls, limit) =>
  calls.map(({ atMs }, place) => {
    const counted = calls.filter((call, at) => at <= place && call.atMs > atMs - minuteMs)
    return limit - counted.length
  })

const slidingCounter: Replay = (calls, limit) =>
  calls.map(({ atMs }, place) => {
    const beginMs = clockBegin(atMs)
    const before = calls.slice(0, place + 1)
    const current = before.filter((call) => call.atMs >= beginMs).length
    const earlier = before.filter(
      (call) => call.atMs < beginMs && call.atMs >= beginMs - minuteMs,
    ).length
    const weight = 1 - (atMs - beginMs) / minuteMs
    return Math.floor(limit - current - earlier * weight)
  })

const tokenBucket: Replay = (calls, limit) => {
  let tokens = limit
  let seenMs = calls[0]?.atMs ?? 0
  return calls.map(({ atMs }) => {
    tokens = Math.min(limit, tokens + ((atMs - seenMs) * limit) / minuteMs) - 1
    seenMs = atMs
    return Math.floor(tokens)
  })
}

const designs = {
  'fixed window': fixedWindow,
  'sliding log': slidingLog,
  'sliding counter': slidingCounter,
  'token bucket': tokenBucket,
} as const satisfies Record<string, Replay>

type Name = keyof typeof designs

export type Design =
  | Exclude<Name, 'fixed window'>
  | 'fixed window on the clock'
  | 'fixed window off the clock'
  | 'fixed window from the first request'
  | 'inconclusive'

type Fit = 'fits' | 'unsure' | 'contradicted'

/** Numbers are rounded this way or that; what is farther off is another design's. */
const near = 1
const far = 2

const worst = (fits: readonly Fit[]): Fit =>
  fits.includes('contradicted') ? 'contradicted' : fits.includes('unsure') ? 'unsure' : 'fits'

const fitOf = (replay: Replay, calls: readonly ReplayedCall[], limit: number): Fit => {
  const predicted = replay(calls, limit)
  return worst(
    calls.map(({ remaining, spanMs }, at): Fit => {
      const off = Math.abs((predicted[at] ?? remaining) - remaining)
      const room = Math.floor((spanMs * limit) / minuteMs)
      if (off >= far + 2 * room) return 'contradicted'
      return off <= near + room ? 'fits' : 'unsure'
    }),
  )
}

/** Where in the room that Date leaves the time at the target may lie. */
const shares = [0, 0.25, 0.5, 0.75, 1]

/** The best of what it may be, as nobody knows the time at the target to the millisecond. */
const bestFit = (replay: Replay, { calls, roomMs }: Replayed, limit: number): Fit => {
  const fits = shares.map((share) => {
    const shifted = calls.map((call) => ({ ...call, atMs: call.atMs + share * roomMs }))
    return fitOf(replay, shifted, limit)
  })
  return (['fits', 'unsure'] as const).find((fit) => fits.includes(fit)) ?? 'contradicted'
}

/** The first call of each window that the key was given. */
const beginnings = (calls: readonly ReplayedCall[]): readonly ReplayedCall[] => {
  let reset = Number.NEGATIVE_INFINITY
  return calls.filter((call) => {
    const isNew = call.reset > reset + sameResetS
    if (isNew) reset = call.reset
    return isNew
  })
}

const minWindows = 3
/** From the first call to a Reset, both of them rounded. */
const wholeMs = { least: minuteMs - 2_500, most: minuteMs + 2_500 }

/** Where fixed windows lie: at one second of the minute, or where the first call falls. */
const placed = (calls: readonly ReplayedCall[]): Design => {
  const windows = beginnings(calls)
  const phaseOf = ({ reset }: ReplayedCall) => reset % 60
  const isAt = (phase: number) =>
    windows.every((call) => {
      const apart = Math.abs(phaseOf(call) - phase)
      return Math.min(apart, 60 - apart) <= 1
    })
  const [first] = windows
  if (!first || windows.length < minWindows) return 'inconclusive'
  if (isAt(0)) return 'fixed window on the clock'
  if (isAt(phaseOf(first))) return 'fixed window off the clock'
  const isFromFirst = windows.every(({ reset, atMs }) => {
    const aheadMs = reset * 1_000 - atMs
    return aheadMs >= wholeMs.least && aheadMs <= wholeMs.most
  })
  return isFromFirst ? 'fixed window from the first request' : 'inconclusive'
}

export interface Replayed {
  /** From the first one after a rest of two windows, in the order of their decision. */
  readonly calls: readonly ReplayedCall[]
  /** By how much later than given all of them may have been. */
  readonly roomMs: number
  /** All of the run. */
  readonly all: readonly ReplayedCall[]
}

/** The one design that fits while all others are contradicted; else nothing is said. */
export const designIn = (replayed: Replayed, limit: number): Design => {
  const fits = Object.entries(designs).map(([name, replay]) => ({
    name: name as Name,
    fit: bestFit(replay, replayed, limit),
  }))
  const [only, ...more] = fits.filter(({ fit }) => fit !== 'contradicted')
  if (only?.fit !== 'fits' || more.length > 0) return 'inconclusive'
  return only.name === 'fixed window' ? placed(replayed.all) : only.name
}
