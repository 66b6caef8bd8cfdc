// Faults in what shares a count, and in how often a request is counted.

import type { KeyRecord } from '../../issued-keys.ts'
import { type ApiRequest, type ApiResponse, splitTarget } from '../../message.ts'
import { caughtBy, each, family, type Parts, perServer, replacing } from '../../variant.ts'
import { findOperation } from '../../wrappers/middleware.ts'
import {
  charging,
  countedAs,
  deciding,
  decidingBy,
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
    'long-lists-count-twice': [
      'A list of more than 50 pets counts as two calls.',
      charging(({ target }) => (target.includes('limit=100') ? 2 : 1)),
    ],
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
    'refused-by-chance': [
      'limit-not-early',
      'Some calls are refused: one of several limiters is out of sync.',
      decidingBy(() => {
        let calls = 0
        return (decision) =>
          decision.granted && ++calls % 17 === 0 ? refusedFor(1_000, decision) : decision
      }),
      { suite: 'both' },
    ],
    'fetches-not-refused': [
      'quota-pro',
      'GET /pets/{petId} is counted, but never refused.',
      deciding((decision, _nowMs, _key, { target }) =>
        target.includes('/pets/') ? { ...decision, granted: true } : decision,
      ),
      { keys: ['pro'] },
    ],
    'reset-of-several-workers': [
      'reset-not-moved-back',
      'X-RateLimit-Reset differs between workers, and moves back.',
      perServer(() => {
        const laterSeconds = [0, 35, 15, 50]
        let responses = 0
        return resetting((reset) => Math.ceil(reset) + (laterSeconds[responses++ % 4] ?? 0))
      }),
    ],
    'creations-free': [
      'limit-not-late',
      'POST /pets is not counted.',
      charging((request) => (isRead(request) ? 1 : 0)),
    ],
    'count-per-address': [
      'limit-not-below-quota',
      'Calls are counted per client address, not per key.',
      countedAs(() => ''),
    ],
    'refusal-closes-the-address': [
      'limit-not-below-quota',
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
      { suite: 'both' },
    ],
    'count-per-plan': [
      'count-per-key',
      'All keys of a plan share one count.',
      countedAs(({ plan }) => plan),
    ],
    'count-per-key-prefix': [
      'keys-in-turn',
      'Keys are counted by their first sixteen characters.',
      countedAs(({ key }) => key.slice(0, 16)),
    ],
    'invalid-keys-charge-connection': [
      'isolation-invalid-key-free',
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
  }),
]
