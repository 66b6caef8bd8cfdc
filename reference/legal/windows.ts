// Other legal windows: how they lie, how long they are told to be, and what is counted in them.
import { usualBan, withBans } from '../bans.ts'
import type { Variant } from '../compose.ts'
import { clockWindow, createLimiter, type MakeMeter, minuteMs } from '../limiter.ts'
import { legalMeters } from '../limiters.ts'
import type { LegalVariant } from '../mutant.ts'
import { loggingRefusals } from './logging-refusals.ts'
import { counterToNextCall, offset, toTheMillisecond } from './meters.ts'

/** `make` is called for each server, so that none counts for another. */
const meteredBy = (makeMeter: MakeMeter): Variant => ({
  parts: () => ({ limiter: withBans(createLimiter(makeMeter), usualBan) }),
})

const ofWindows: readonly LegalVariant[] = [
  {
    id: 'limiter-minute-from-second-17',
    does: 'A minute begins seventeen seconds after that of the clock.',
    ...meteredBy(offset(17_000)),
  },
  {
    id: 'limiter-day-of-another-zone',
    does: 'A day begins when it does in Tokyo; the minute is that of the clock.',
    ...meteredBy((limit, windowMs) =>
      (windowMs === minuteMs ? clockWindow : offset(15 * 3_600_000))(limit, windowMs),
    ),
  },
  {
    id: 'limiter-to-the-millisecond',
    does: 'A window from the first call ends on its millisecond; Reset is rounded up.',
    ...meteredBy(toTheMillisecond),
  },
  {
    id: 'limiter-day-from-first-call',
    does: 'The minute is that of the clock, a day begins with its first call.',
    ...meteredBy((limit, windowMs) =>
      (windowMs === minuteMs ? clockWindow : toTheMillisecond)(limit, windowMs),
    ),
  },
  {
    id: 'limiter-bucket-and-day-of-clock',
    does: 'A bucket for the minute, a day of the clock.',
    ...meteredBy((limit, windowMs) =>
      (windowMs === minuteMs ? legalMeters['bucket-reset-full'] : clockWindow)(limit, windowMs),
    ),
  },
  {
    id: 'limiter-counter-reset-next-call',
    does: 'A sliding counter, of which Reset is when it forgets its next call.',
    ...meteredBy((limit, windowMs) =>
      (windowMs === minuteMs ? counterToNextCall : clockWindow)(limit, windowMs),
    ),
  },
  {
    id: 'limiter-refusals-logged',
    does: 'A log of all calls, in which refused ones take room like others.',
    parts: () => ({ limiter: withBans(loggingRefusals(), usualBan) }),
  },
]

const rounding = (round: (seconds: number) => number, makeMeter: MakeMeter): Variant => ({
  parts: ({ rateLimitHeaders }) => ({
    limiter: withBans(createLimiter(makeMeter), usualBan),
    rateLimitHeaders: (decision) => ({
      ...rateLimitHeaders(decision),
      'X-RateLimit-Reset': String(round(decision.resetAtMs / 1000)),
    }),
  }),
})

const ofRounding: readonly LegalVariant[] = [
  {
    id: 'limiter-reset-rounded-down',
    does: 'A window ends on its millisecond; Reset is rounded down.',
    ...rounding(Math.floor, toTheMillisecond),
  },
  {
    id: 'limiter-reset-a-second-later',
    does: 'A window ends on its millisecond; Reset is the second after, always.',
    ...rounding((seconds) => Math.floor(seconds) + 1, toTheMillisecond),
  },
  {
    id: 'limiter-log-reset-rounded-down',
    does: 'A log, of which Reset is rounded down.',
    ...rounding(Math.floor, legalMeters['log-reset-newest']),
  },
  {
    id: 'limiter-bucket-reset-rounded-down',
    does: 'A bucket, of which Reset is rounded down.',
    ...rounding(Math.floor, legalMeters['bucket-reset-full']),
  },
]

export const windowVariants: readonly LegalVariant[] = [...ofWindows, ...ofRounding]
