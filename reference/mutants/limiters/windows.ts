// Faults in when the calls of a minute come back: never, late, or early.
import { clockWindow, type MakeMeter, type Meter } from '../../limiter.ts'
import { legalMeters } from '../../limiters.ts'
import type { Mutant } from '../../mutant.ts'
import { minutesBy } from './over.ts'

/** A window of another length, honest about itself. */
const lasting = (windowMs: number) => minutesBy((limit) => clockWindow(limit, windowMs))

/** What stays of a window when it should end, where anything does. */
const ending =
  (staysUsed: (usedUp: boolean) => boolean): MakeMeter =>
  (limit, windowMs) => {
    let window = clockWindow(limit, windowMs)
    let used = 0
    let endsAtMs = 0
    const look: Meter['look'] = (nowMs) => {
      if (nowMs >= endsAtMs && !staysUsed(used >= limit)) {
        window = clockWindow(limit, windowMs)
        used = 0
      }
      const { resetAtMs } = window.look(nowMs)
      endsAtMs = resetAtMs
      const remaining = limit - used
      return { remaining, resetAtMs, nextAtMs: remaining > 0 ? nowMs : resetAtMs }
    }
    const count = () => {
      used++
    }
    return { limit, look, count }
  }

const tooLong: readonly Mutant[] = [
  {
    id: 'window-never-ends',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: 'The counter has no expiry.',
    ...minutesBy(ending(() => true)),
  },
  {
    id: 'window-never-ends-once-spent',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: 'The refusal writes the counter again, without its expiry.',
    ...minutesBy(ending((usedUp) => usedUp)),
  },
  {
    id: 'window-of-two-minutes',
    breaks: 'limits.window-ends',
    caughtBy: 'window-rested-served',
    fault: 'A window lasts two minutes, and says so.',
    ...lasting(120_000),
  },
  {
    id: 'window-of-ninety-seconds',
    breaks: 'limits.window-ends',
    caughtBy: 'window-rested-served',
    fault: 'A window lasts half as long again as it should, and says so.',
    ...lasting(90_000),
  },
  {
    id: 'window-of-three-minutes',
    breaks: 'limits.window-ends',
    caughtBy: 'window-rested-served',
    fault: 'A window lasts three minutes, and says so.',
    ...lasting(180_000),
  },
]

const tooShort: readonly Mutant[] = [
  {
    id: 'window-of-half-a-minute',
    breaks: 'limits.window-ends',
    caughtBy: 'window-not-shorter',
    fault: 'A window lasts thirty seconds, and says so.',
    ...lasting(30_000),
  },
  {
    id: 'window-of-fifty-seconds',
    breaks: 'limits.window-ends',
    caughtBy: 'window-not-shorter',
    fault: 'A window lasts fifty seconds, and says so.',
    ...lasting(50_000),
  },
  {
    id: 'window-of-ten-seconds',
    breaks: 'limits.window-ends',
    caughtBy: 'window-not-shorter',
    fault: 'A window lasts ten seconds, and says so.',
    ...lasting(10_000),
  },
  {
    id: 'bucket-refills-too-fast',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'The bucket is filled by the millisecond, at the pace of seconds.',
    ...minutesBy((limit) => legalMeters['bucket-reset-full'](limit, 60)),
  },
]

export const windowMutants: readonly Mutant[] = [...tooLong, ...tooShort]
