// Faults in what is promised of a window: it ends otherwise than its refusals say.
import {
  clockWindow,
  createLimiter,
  type Limiter,
  type MakeMeter,
  minuteMs,
} from '../../limiter.ts'
import { legalMeters } from '../../limiters.ts'
import type { Mutant } from '../../mutant.ts'
import { limitedBy, minutesBy, refusingWith } from './over.ts'

/** Everything comes back after ten windows at once; told is the pace of a bucket. */
const refillingSlowly: MakeMeter = (limit, windowMs) => {
  const told = legalMeters['bucket-reset-full'](limit, windowMs)
  const real = legalMeters['window-from-first-call'](limit, 10 * windowMs)
  return {
    limit,
    look: (nowMs) => {
      const { remaining, nextAtMs } = real.look(nowMs)
      const { resetAtMs, nextAtMs: toldAtMs } = told.look(nowMs)
      // A refusal is told of the pace that the plan has.
      const soonMs = Math.max(toldAtMs, nowMs + Math.ceil(windowMs / limit))
      return { remaining, resetAtMs, nextAtMs: nextAtMs > nowMs ? soonMs : nowMs }
    },
    count: (nowMs) => {
      told.count(nowMs)
      real.count(nowMs)
    },
  }
}

/** Each call prolongs the window, of which only the first one's end is told. */
const prolonged: MakeMeter = (limit, windowMs) => {
  let used = 0
  let endsAtMs = 0
  let toldMs = 0
  return {
    limit,
    look: (nowMs) => {
      if (nowMs >= endsAtMs) {
        return { remaining: limit, resetAtMs: nowMs + windowMs, nextAtMs: nowMs }
      }
      const nextAtMs = used < limit ? nowMs : Math.max(toldMs, nowMs + 1)
      return { remaining: limit - used, resetAtMs: Math.max(toldMs, nowMs), nextAtMs }
    },
    count: (nowMs) => {
      if (nowMs >= endsAtMs) {
        used = 0
        toldMs = nowMs + windowMs
      }
      used++
      endsAtMs = nowMs + windowMs
    },
  }
}

/** Every refusal begins the count anew, for all keys. */
const clearedByRefusal = (): Limiter => {
  let current = createLimiter(clockWindow)
  return {
    take: (key, quota, nowMs) => {
      const decision = current.take(key, quota, nowMs)
      if (!decision.granted) current = createLimiter(clockWindow)
      return decision
    },
  }
}

/** Refusals that are to end later than they say. */
const penalised = (penaltyMs: number) => (): Limiter => {
  const honest = createLimiter(clockWindow)
  const until = new Map<string, number>()
  return {
    take: (key, quota, nowMs) => {
      const decision = honest.take(key, quota, nowMs)
      if (!decision.granted) until.set(key, decision.resetAtMs + penaltyMs)
      if (!decision.granted || nowMs >= (until.get(key) ?? 0)) return decision
      return { ...decision, granted: false, remaining: 0, retryAfterMs: 1_000 }
    },
  }
}

/** A log in which refusals take room like other calls, and which does not tell of it. */
const loggingRefusalsUntold = (): Limiter => {
  const logs = new Map<string, { atMs: number; granted: boolean }[]>()
  return {
    take: (key, { perMinute }, nowMs) => {
      const log = (logs.get(key) ?? []).filter(({ atMs }) => atMs + minuteMs > nowMs)
      const granted = log.length < perMinute
      const oldestMs = log.find((call) => call.granted)?.atMs ?? nowMs
      logs.set(key, [...log, { atMs: nowMs, granted }])
      const remaining = Math.max(0, perMinute - log.length - 1)
      const decision = { granted, limit: perMinute, remaining, resetAtMs: nowMs + minuteMs }
      return granted ? decision : { ...decision, retryAfterMs: oldestMs + minuteMs - nowMs }
    },
  }
}

export const promiseMutants: readonly Mutant[] = [
  {
    id: 'window-prolonged-by-each-call',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: "Each call sets the expiry of the counter anew, and the first one's end is told.",
    ...minutesBy(prolonged),
  },
  {
    id: 'refusal-clears-count',
    breaks: 'limits.not-late',
    caughtBy: 'limit-not-late',
    fault: 'Whoever was refused starts anew.',
    ...limitedBy(clearedByRefusal),
  },
  {
    id: 'refusal-draws-untold-penalty',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: 'Each refusal prolongs the wait by thirty seconds that nobody is told of.',
    ...limitedBy(penalised(30_000)),
  },
  {
    id: 'refusals-logged-untold',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: 'Refusals take room in the log, and Retry-After speaks of the oldest call all the same.',
    ...limitedBy(loggingRefusalsUntold),
  },
  {
    id: 'bucket-refills-too-slowly',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: 'The bucket is filled by a job that runs every ten minutes, and told of by the plan.',
    ...minutesBy(refillingSlowly),
  },
  {
    id: 'window-ends-before-it-is-over',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: 'Refusals speak of the middle of the minute, where another replica begins it.',
    ...refusingWith((refusal, nowMs) => ({
      ...refusal,
      retryAfterMs: Math.max(0, (refusal.retryAfterMs ?? 0) - 30_000),
      resetAtMs: Math.max(nowMs, refusal.resetAtMs - 30_000),
    })),
  },
]
