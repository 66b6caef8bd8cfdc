// Faults in what shares a count, in how often a request is counted, and those that show only under
// one condition: other keys, errors, a cache.
import type { KeyRecord } from '../../issued-keys.ts'
import { clockWindow, createLimiter } from '../../limiter.ts'
import { type ApiRequest, type ApiResponse, splitTarget } from '../../message.ts'
import {
  caughtBy,
  each,
  family,
  type Parts,
  perServer,
  replacing,
  together,
  type Variant,
} from '../../variant.ts'
import {
  everyResponseBy,
  findOperation,
  replacedBy,
  withHeaders,
} from '../../wrappers/middleware.ts'
import {
  charging,
  countedAs,
  deciding,
  decidingBy,
  enforcing,
  minuteOf,
  racing,
  refusedFor,
  replicated,
  resetting,
} from '../../wrappers/rate-limiting.ts'

/** One count for each key and some property of the request. */
const countedPer = family(
  (property: (request: ApiRequest, parts: Parts) => string) =>
    countedAs(({ key }, request, parts) => `${key} ${property(request, parts)}`),
  'Calls are counted',
)

const isRead = ({ method }: ApiRequest) => method === 'GET'

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

export const countMutants = [
  ...countedPer.caughtBy('calls-share-one-count', {
    'count-per-operation': [
      'per operation',
      (request, parts) => findOperation(request, parts) ?? '',
    ],
    'count-per-method': ['per method', ({ method }) => method],
    'count-per-route': [
      'per route, so GET by id has a count for itself',
      ({ target }) => splitTarget(target).path.replace(/(?<=\/pets)\/.+/, '/{petId}'),
    ],
    'count-per-path': ['per path', ({ target }) => splitTarget(target).path],
    'count-per-query': ['per query', ({ target }) => splitTarget(target).query],
    'count-per-scheme-spelling': [
      'per Authorization header, so another spelling of the scheme starts anew',
      ({ header }) => header('authorization') ?? '',
    ],
    'count-per-forwarded-for': [
      'per X-Forwarded-For, which the client controls',
      ({ header }) => header('x-forwarded-for') ?? '',
    ],
    'count-per-user-agent': ['per key and User-Agent', ({ header }) => header('user-agent') ?? ''],
  }),
  ...caughtBy('count-of-any-call', {
    'count-per-connection': [
      'Calls are counted per connection.',
      replicated(1_000_000),
      { loadVerdicts: ['load-burst-one-count'] },
    ],
    'count-per-replica': [
      'Two replicas count separately, and connections alternate between them.',
      replicated(2),
      { loadVerdicts: ['load-replicas-one-count'] },
    ],
  }),
  ...caughtBy('quota-free', {
    'race-between-look-and-count': [
      'The limiter reads the count and increments it later, so concurrent calls pass.',
      racing,
      { loadVerdicts: ['load-burst-not-more'] },
    ],
    'reads-free': ['GET is not counted.', charging((request) => (isRead(request) ? 0 : 1))],
    'lists-from-a-cache': [
      'Lists are cached for ten seconds with their headers, and cached ones are not counted.',
      {
        handle: (honest, { clock }) => {
          const held = new Map<string, { response: ApiResponse; untilMs: number }>()
          return async (request) => {
            const nowMs = clock.now()
            const name = `${request.header('authorization')} ${request.target}`
            const known = request.method === 'GET' ? held.get(name) : undefined
            if (known && nowMs < known.untilMs) return known.response
            const response = await honest(request)
            if (response.status === 200) held.set(name, { response, untilMs: nowMs + 10_000 })
            return response
          }
        },
      },
    ],
  }),
  ...each({
    'refused-by-chance @ limit-not-early': [
      'Some calls are refused: one of several limiters is out of sync.',
      decidingBy(() => {
        let calls = 0
        return (decision) =>
          decision.granted && ++calls % 17 === 0 ? refusedFor(1_000, decision) : decision
      }),
      { suite: 'both' },
    ],
    'fetches-not-refused @ quota-pro': [
      'GET /pets/{petId} is counted, but never refused.',
      deciding((decision, _nowMs, _key, { target }) =>
        target.includes('/pets/') ? { ...decision, granted: true } : decision,
      ),
      { keys: ['pro'] },
    ],
    'reset-of-several-workers @ reset-not-moved-back': [
      'X-RateLimit-Reset differs between workers, and moves back.',
      perServer((next) =>
        resetting((reset) => Math.ceil(reset) + ([0, 35, 15, 50][next() % 4] ?? 0)),
      ),
    ],
    'creations-free @ limit-not-late': [
      'POST /pets is not counted.',
      charging((request) => (isRead(request) ? 1 : 0)),
    ],
    'count-per-address @ limit-not-below-quota': [
      'Calls are counted per client address, not per key.',
      countedAs(() => ''),
    ],
    'refusal-closes-the-address @ limit-not-below-quota': [
      'While one key has to wait, keys of other plans are refused as well.',
      decidingBy(() => {
        const waits = new Map<string, number>()
        return (decision, nowMs, key) => {
          const untilMs = Math.max(
            0,
            ...[...waits].map(([plan, at]) => (plan === key.plan ? 0 : at)),
          )
          if (!decision.granted) waits.set(key.plan, nowMs + (decision.retryAfterMs ?? 0))
          return nowMs >= untilMs ? decision : refusedFor(untilMs - nowMs, decision)
        }
      }),
      { suite: 'both', condition: 'while a key of another plan is refused' },
    ],
    'count-per-plan @ count-per-key': [
      'All keys of a plan share one count.',
      countedAs(({ plan }) => plan),
    ],
    'count-per-key-prefix @ keys-in-turn': [
      'Keys are counted by their first sixteen characters.',
      countedAs(({ key }) => key.slice(0, 16)),
    ],
    'long-lists-count-twice @ remaining-falls-by-one': [
      'A list of more than 50 pets counts as two calls.',
      charging(({ target }) => (target.includes('limit=100') ? 2 : 1)),
    ],
    'invalid-keys-charge-connection @ remaining-falls-by-one': [
      'Requests with an invalid key are charged to the latest key of the connection.',
      perServer(() => {
        const latest = new WeakMap<object, KeyRecord>()
        return replacing('authenticate', ({ authenticate, limiter, clock }, request) => {
          const found = authenticate(request)
          if (found) latest.set(request.connection, found)
          const pays = found ? undefined : latest.get(request.connection)
          if (pays) limiter.take(pays.key, pays.quota, clock.now())
          return found
        })
      }),
    ],
    'filtered-lists-with-old-headers @ remaining-rises-at-reset': [
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
    'errors-halve-the-quota @ limit-not-early': [
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
    'invalid-keys-block-address @ ban-only-after-refusals': [
      'Each twelfth request with an invalid key blocks the client address for all keys.',
      shuttingOut(12, [401], () => 'the address'),
    ],
    // It shows where a run sends many invalid requests.
    'errors-ban-their-key @ ban-only-after-refusals': [
      'Each tenth error of a key bans it.',
      shuttingOut(10, [400, 404], (key) => key?.key),
      { suite: 'contract' },
    ],
    'day-count-of-plan @ limit-not-below-quota': [
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
]
