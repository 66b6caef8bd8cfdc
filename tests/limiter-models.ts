// The algorithms of some libraries, for 60 calls a minute; where a legal design of the reference is
// the same, it is that one.

import {
  counterToNextCall,
  fromFirstCall,
  legalMeters,
  offset,
  toTheMillisecond,
} from '../reference/legal-meters.ts'
import { clockWindow, createLimiter, type MakeMeter } from '../reference/limiter.ts'

/** Each call renews the window. */
const elastic = fromFirstCall((timeMs) => timeMs, 'calls')

/** An algorithm with another Reset, and where it says so with a wait of a whole window. */
const stating =
  (make: MakeMeter, resetOf: (nowMs: number) => number, waitsWhole: boolean): MakeMeter =>
  (limit, windowMs) => {
    const { look, count } = make(limit, windowMs)
    const nextAtMs = (nextMs: number, nowMs: number) =>
      waitsWhole && nextMs > nowMs ? nowMs + windowMs : nextMs
    return {
      look: (nowMs) => {
        const { remaining, nextAtMs: nextMs } = look(nowMs)
        return { remaining, resetAtMs: resetOf(nowMs), nextAtMs: nextAtMs(nextMs, nowMs) }
      },
      count,
    }
  }

const minuteMs = 60_000
const endOfMinute = (nowMs: number) => (Math.floor(nowMs / minuteMs) + 1) * minuteMs
const inAMinute = (nowMs: number) => nowMs + minuteMs
const greedy = legalMeters['bucket-reset-next-one']

interface Named {
  readonly is: string
  readonly meter: MakeMeter
  /** If the requests sent cannot distinguish it from another design. */
  readonly isUnsure?: true
}

export const models: Readonly<Record<string, Named>> = {
  'limits, fixed window': { is: 'fixed window on the clock', meter: clockWindow },
  'limits, fixed window with elastic expiry': { is: 'inconclusive', meter: elastic },
  'limits, moving window': { is: 'sliding window', meter: legalMeters['log-reset-oldest'] },
  'limits, sliding window counter': {
    ...{ is: 'sliding window', meter: counterToNextCall, isUnsure: true },
  },
  httprate: {
    is: 'sliding window',
    meter: stating(legalMeters['sliding-counter'], endOfMinute, true),
  },
  'Bucket4j, greedily': { is: 'token bucket', meter: greedy },
  'Bucket4j, by the interval': {
    ...{ is: 'fixed window off the clock', meter: offset(17_000), isUnsure: true },
  },
  'GCRA, Reset when full': { is: 'token bucket', meter: legalMeters['bucket-reset-full'] },
  'a bucket that states a minute': {
    is: 'token bucket',
    meter: stating(greedy, inAMinute, false),
  },
  'a bucket that states a minute, and a wait of one': {
    ...{ is: 'token bucket', meter: stating(greedy, inAMinute, true), isUnsure: true },
  },
  'express-rate-limit, @fastify/rate-limit, rate-limiter-flexible': {
    is: 'fixed window from the first request',
    meter: toTheMillisecond,
  },
}

/** Takes calls of one key at times in milliseconds since 1970. */
export const takerOf = ({ meter }: Named) => {
  const limiter = createLimiter(meter)
  return (nowMs: number) => limiter.take('one', { perMinute: 60, perDay: 1_000_000 }, nowMs)
}
