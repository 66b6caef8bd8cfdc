// Faults in what shares a count, and in how often a request is counted; and of a refusal: its
// Retry-After, its status, its headers, its body, and its side effects.

import type { KeyRecord } from '../../issued-keys.ts'
import { type ApiRequest, type ApiResponse, splitTarget } from '../../message.ts'
import { caughtBy, each, family, type Parts, perServer, replacing } from '../../variant.ts'
import {
  type Change,
  findOperation,
  onStatus,
  readQuery,
  replacedBy,
  where,
  withBody,
  withHeaders,
  without,
} from '../../wrappers/middleware.ts'
import {
  charging,
  countedAs,
  deciding,
  decidingBy,
  decidingFor,
  racing,
  refusedFor,
  refusingWith,
  replicated,
  resetting,
  waiting,
} from '../../wrappers/rate-limiting.ts'
import { keepingRefused } from '../create/bodies.ts'

/** One count for each key and some property of the request. */
const countedPer = family(
  (property: (request: ApiRequest, parts: Parts) => string) =>
    countedAs(({ key }, request, parts) => `${key} ${property(request, parts)}`),
  'Calls are counted',
)

const isRead = ({ method }: ApiRequest) => method === 'GET'

export const countMutants = [
  ...countedPer.caughtBy('count-of-any-call', {
    'count-per-operation': ['per route', (request, parts) => findOperation(request, parts) ?? ''],
    'count-per-method': ['per method', ({ method }) => method],
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
      'remaining-falls-by-one',
      'All keys of a plan share one count.',
      countedAs(({ plan }) => plan),
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

/** A number of seconds as a header has it: whole, and at least 1. */
const whole = (seconds: number): string => String(Math.max(1, Math.ceil(seconds)))

const retryAfterSeconds = family(
  (seconds: (waitMs: number, nowMs: number) => number) =>
    waiting((waitMs, nowMs) => whole(seconds(waitMs, nowMs))),
  'Retry-After',
)

const refusals = family((change: Change) => onStatus(429, change), 'A 429')

/** Another status in place of 429. */
const otherStatus = family(
  (status: number) => onStatus(429, replacedBy(status, 'busy', 'Please try again later.')),
  'Beyond the quota the status is',
)

const page = '<!doctype html><title>429 Too Many Requests</title><h1>Too Many Requests</h1>'

export const refusalMutants = [
  ...refusals.caughtBy('retry-after-present', {
    'retry-after-missing': ['has no Retry-After', without('Retry-After')],
    'retry-after-twice': ['has two of Retry-After', withHeaders({ 'retry-after': '1' })],
  }),
  ...family(waiting, 'Retry-After').caughtBy('retry-after-present', {
    'retry-after-empty': ['is empty', () => ''],
    'retry-after-zero': ['is always 0', () => '0'],
    'retry-after-negative': ['is negative', (waitMs) => `-${whole(waitMs / 1000)}`],
    'retry-after-decimal': ['has decimals', (waitMs) => (waitMs / 1000).toFixed(3)],
    'retry-after-with-unit': ['has a unit', (waitMs) => `${whole(waitMs / 1000)}s`],
    'retry-after-past-date': ['is past', (_, nowMs) => new Date(nowMs - 60_000).toUTCString()],
    'retry-after-zero-in-last-second': [
      'is 0 in the last second of a window',
      (waitMs) => String(waitMs < 1_000 ? 0 : Math.ceil(waitMs / 1_000)),
      { suite: 'days' },
    ],
  }),
  ...retryAfterSeconds.caughtBy('retry-after-each-served', {
    'retry-after-constant-one': ['is always 1', () => 1],
    'retry-after-in-minutes': ['is in minutes', (waitMs) => waitMs / 60_000],
    'retry-after-a-second-short': ['is a second or two short', (waitMs) => waitMs / 1000 - 2],
  }),
  ...retryAfterSeconds.caughtBy('retry-after-not-excessive', {
    'retry-after-milliseconds': ['is in milliseconds', (waitMs) => waitMs],
    'retry-after-epoch': ['is a Unix time', (waitMs, nowMs) => (nowMs + waitMs) / 1000],
    'retry-after-hour': ['is always an hour', () => 3_600],
  }),
  ...each({
    'refusal-wait-of-one-when-repeated': [
      'retry-after-each-served',
      'A repeated refusal has Retry-After: 1, whatever the first one said.',
      decidingFor(
        () => ({ isRefused: false }),
        (decision, _nowMs, latest) => {
          const isRepeated = latest.isRefused && !decision.granted && !decision.banned
          latest.isRefused = !decision.granted
          return isRepeated ? { ...decision, retryAfterMs: 1_000 } : decision
        },
      ),
    ],
    'over-limit-invalid-shows-whole-minute': [
      'limit-not-early',
      'Beyond the limit invalid requests are refused as such, with a whole minute in the headers.',
      onStatus(429, (refusal, request, parts) => {
        const operation = findOperation(request, parts)
        const isInvalid = operation === 'createPet' && 'refusal' in parts.readNewPet(request)
        if (operation !== 'getPet' && !isInvalid) return refusal
        const remaining = { 'X-RateLimit-Remaining': refusal.headers['X-RateLimit-Limit'] ?? '' }
        const shown = withHeaders(remaining)(without('Retry-After')(refusal))
        return isInvalid
          ? replacedBy(400, 'invalid_body', 'categoryId is required.')(shown)
          : replacedBy(404, 'not_found', 'There is no such pet.')(shown)
      }),
    ],
    'over-limit-bad-limit-served': [
      'limit-not-late',
      'Beyond the limit a list with an invalid limit is served.',
      where(
        ({ status }, request) => status === 429 && readQuery(request).get('limit') === '0',
        (refusal) => ({ ...without('Retry-After')(refusal), status: 200, body: '[]' }),
      ),
    ],
    'refusal-says-all-remain': [
      'refusal-remaining-zero',
      'X-RateLimit-Remaining of a 429 is the full limit.',
      refusingWith((refusal) => ({ ...refusal, remaining: refusal.limit })),
    ],
    'refused-creation-stored': [
      'create-refused-no-trace',
      'POST /pets beyond the quota gets 429, and the pet is stored anyway.',
      keepingRefused(429),
    ],
  }),
  ...otherStatus.caughtBy('quota-free', {
    'excess-answered-200-with-error': ['200, with an error in the body', 200],
  }),
  ...otherStatus.caughtBy('quota-429-status', {
    'excess-answered-503': ['503, the default of the proxy', 503],
    'excess-answered-401': ['401', 401, { loadVerdicts: ['load-burst-excess-429'] }],
    'excess-answered-403': ['403', 403, { loadVerdicts: ['load-ban-after-429'] }],
  }),
  ...refusals.each({
    'excess-answered-200-with-nothing': [
      'quota-free',
      'is replaced by a 200 with an empty list',
      (refusal) => ({ ...refusal, status: 200, body: '[]' }),
    ],
    'refusal-without-remaining': [
      'header-remaining-present',
      'has no X-RateLimit-Remaining',
      without('X-RateLimit-Remaining'),
    ],
    'refusal-without-reset': ['header-reset-present', 'has no Reset', without('X-RateLimit-Reset')],
    'refusal-below-zero': [
      'header-remaining-integer',
      'says that -1 remain',
      withHeaders({ 'X-RateLimit-Remaining': '-1' }),
    ],
    'refusal-as-page': ['body-media-type-json', 'is an HTML page', withBody('text/html', page)],
  }),
]
