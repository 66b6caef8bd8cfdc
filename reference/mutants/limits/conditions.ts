// Faults that show only under one condition: other keys, errors, a cache, the end of a minute.
import { plans } from '../../../spec/plans.ts'
import type { KeyRecord } from '../../issued-keys.ts'
import { legalMeters } from '../../legal-meters.ts'
import { clockWindow, createLimiter, minuteMs } from '../../limiter.ts'
import type { ApiResponse } from '../../message.ts'
import { caughtBy, each, perServer, replacing, together, type Variant } from '../../variant.ts'
import { everyResponseBy, replacedBy, withHeaders } from '../../wrappers/middleware.ts'
import { enforcing, minuteOf, minutesBy, withResetOf } from '../../wrappers/rate-limiting.ts'

/** How long a ban lasts. */
const shutOutMs = 90_000

const countUp = (counts: Map<string, number>, name: string): number => {
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  return count
}

/** Every so many responses of some kind ban their key, or under another name the whole address. */
const shuttingOut = (
  max: number,
  statuses: readonly number[],
  nameBanned: (key: KeyRecord | undefined) => string | undefined,
): Variant => ({
  handle: (honest, { authenticate, clock }) => {
    const counts = new Map<string, number>()
    const until = new Map<string | undefined, number>()
    return async (request) => {
      const key = authenticate(request)
      const name = nameBanned(key)
      const leftMs = (until.get(name) ?? 0) - clock.now()
      const target = request.target.replace(/\/pets.*/, '/pets?limit=1')
      const isOut = key !== undefined && leftMs > 0
      const response = await honest(isOut ? { ...request, method: 'GET', target } : request)
      if (isOut) {
        const wait = { 'Retry-After': `${Math.ceil(leftMs / 1000)}` }
        return withHeaders(wait)(replacedBy(403, 'key_banned', 'Banned for a while.')(response))
      }
      if (name === undefined || !statuses.includes(response.status)) return response
      if (countUp(counts, name) % max === 0) until.set(name, clock.now() + shutOutMs)
      return response
    }
  },
})

const bucket = legalMeters['bucket-reset-full']

export const conditionMutants = [
  ...caughtBy('remaining-rises-at-reset', {
    'filtered-lists-with-old-headers': [
      'Filtered lists are cached for 30 seconds with their rate-limit headers.',
      everyResponseBy(({ clock }) => {
        const kept = new Map<string, { atMs: number; headers: ApiResponse['headers'] }>()
        return (response, { header, target }) => {
          if (response.status !== 200 || !target.includes('status=')) return response
          const name = `${header('authorization')} ${target}`
          const known = kept.get(name)
          if (known && clock.now() - known.atMs < 30_000)
            return { ...response, headers: known.headers }
          kept.set(name, { atMs: clock.now(), headers: response.headers })
          return response
        }
      }),
    ],
  }),
  ...each({
    'errors-halve-the-quota': [
      'limit-not-early',
      'After five errors of a key its quota is halved, which the headers do not show.',
      perServer(() => {
        const errors = new Map<string, number>()
        let latest = ''
        return together(
          enforcing(({ key, quota }) => {
            latest = key
            return (errors.get(key) ?? 0) < 5 ? {} : { perMinute: quota.perMinute / 2 }
          }),
          replacing('error', ({ error }, status, ...more) => {
            if ([400, 404].includes(status)) countUp(errors, latest)
            return error(status, ...more)
          }),
        )
      }),
    ],
    'invalid-keys-block-address': [
      'isolation-invalid-key-free',
      'Each twelfth request with an invalid key blocks the client address for all keys.',
      shuttingOut(12, [401], () => 'the address'),
    ],
    // It shows where a run sends many invalid requests.
    'errors-ban-their-key': [
      'get-new-animal-200',
      'Each tenth error of a key bans it.',
      shuttingOut(10, [400, 404], (key) => key?.key),
      { suite: 'contract' },
    ],
    'day-count-of-plan': [
      'limit-not-below-quota',
      'The day is counted per plan, not per key.',
      {
        parts: ({ limiter }) => {
          const days = createLimiter(minuteOf((_limit, windowMs) => clockWindow(1e9, windowMs)))
          return {
            charge: ({ key, plan, quota }, _request, nowMs) => {
              const day = days.take(plan, quota, nowMs)
              return day.granted ? limiter.take(key, { ...quota, perDay: 1e9 }, nowMs) : day
            },
          }
        },
      },
      { suite: 'days' },
    ],
  }),
  ...each({
    'pro-refilled-too-slowly': [
      'limit-not-below-quota',
      'The token bucket of a larger plan refills at the rate of the smallest plan.',
      // Reset is that of the plan.
      minutesBy((limit, windowMs) =>
        withResetOf(
          bucket(limit, windowMs),
          bucket(limit, (2 * windowMs * limit) / plans.free.perMinute),
        ),
      ),
      { keys: ['pro'] },
    ],
    'pro-window-of-forty-seconds': [
      'refills-within-limit',
      'The window of the larger plans lasts 40 seconds, not 60.',
      minutesBy((limit) => clockWindow(limit, limit > plans.free.perMinute ? 40_000 : minuteMs)),
      { keys: ['pro'] },
    ],
  }),
]
