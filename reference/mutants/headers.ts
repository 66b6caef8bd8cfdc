// Faults of headers: missing ones, wrong numbers in those of the rate limit, and Date.

import { gzipSync } from 'node:zlib'
import { plans } from '../../spec/plans.ts'
import type { Decision } from '../limiter.ts'
import { caughtBy, each, family, perServer, replacing } from '../variant.ts'
import {
  dated,
  everyResponse,
  inCoding,
  isOf,
  isOfPets,
  onErrors,
  onStatus,
  rateLimitNames,
  type Test,
  where,
  withHeaders,
  without,
} from '../wrappers/middleware.ts'
import { charging, deciding, decidingBy } from '../wrappers/rate-limiting.ts'

/** One of the three rate-limit headers with another value. */
const wrongHeader = (name: 'Limit' | 'Remaining' | 'Reset') => {
  const header = `X-RateLimit-${name}`
  return family(
    (change: (value: number, nowMs: number) => string | number) =>
      everyResponse((response, _request, { clock }) => {
        const value = change(Number(response.headers[header]), clock.now())
        return withHeaders({ [header]: String(value) })(response)
      }),
    header,
  )
}

const wrongLimit = wrongHeader('Limit')
const wrongRemaining = wrongHeader('Remaining')
const wrongReset = wrongHeader('Reset')

const missing = family(
  (test: Test) => where(test, without(...rateLimitNames)),
  'The rate-limit headers are missing',
)

const shownRemaining = family(
  (remaining: (decision: Decision) => number) =>
    deciding((decision) => ({ ...decision, remaining: Math.max(0, remaining(decision)) })),
  'X-RateLimit-Remaining',
)

/** The text is updated only when it is this old. */
export const keptFor = (ms: number) => () => {
  let kept = Number.NEGATIVE_INFINITY
  return (nowMs: number) => {
    if (nowMs - kept >= ms) kept = nowMs
    return kept
  }
}

export const headerMutants = [
  ...missing.caughtBy('header-limit-present', {
    'headers-missing-on-401': ['on a 401, as keys come first', ({ status }) => status === 401],
    'headers-missing-on-401-and-404': ['on 401, 404', ({ status }) => [401, 404].includes(status)],
    'headers-missing-on-fetch': ['on GET /pets/{petId}', isOf('getPet')],
    'headers-missing-on-success': ['on success', ({ status }) => status < 400],
  }),
  ...missing.each({
    'headers-missing-on-creation @ header-remaining-present': [
      'on POST /pets: only reads pass the limiter',
      isOf('createPet'),
    ],
    'headers-missing-elsewhere @ headers-elsewhere-present': [
      'on responses to unknown addresses',
      ({ status }, request) => status >= 400 && !isOfPets(request),
    ],
  }),
  ...each({
    'headers-renamed @ header-limit-present': [
      'The rate-limit headers have the names of the newer draft.',
      replacing('rateLimitHeaders', ({ rateLimitHeaders }, decision) => {
        const values = Object.entries(rateLimitHeaders(decision))
        return Object.fromEntries(
          values.map(([name, value]) => [name.replace('X-RateLimit', 'RateLimit'), value]),
        )
      }),
    ],
    'date-missing-on-errors @ date-present': [
      'The error handler writes its own headers, without Date.',
      onErrors(without('Date')),
    ],
    'date-of-script @ date-present': [
      'Date is what a script prints of its clock.',
      everyResponse((response) =>
        withHeaders({ Date: String(new Date(response.headers.Date ?? '')) })(response),
      ),
    ],
    'answer-compressed-unasked @ body-coding-identity': [
      'The proxy compresses every body without looking at Accept-Encoding.',
      everyResponse(inCoding('gzip', gzipSync)),
    ],
    'header-limit-doubled @ header-limit-integer': [
      'X-RateLimit-Limit is sent twice, by the gateway and by the service.',
      everyResponse((response) =>
        withHeaders({ 'x-ratelimit-limit': response.headers['X-RateLimit-Limit'] ?? '' })(response),
      ),
    ],
    'header-remaining-negative @ header-remaining-integer': [
      'X-RateLimit-Remaining is -1 without a key.',
      onStatus(401, withHeaders({ 'X-RateLimit-Remaining': '-1' })),
    ],
    'calls-not-counted @ limit-not-late': [
      'Calls are not counted.',
      perServer((next) =>
        replacing('charge', ({ limiter }, { plan, quota }, _request, nowMs) => {
          const calls = next() + 1
          // A key that nobody calls with: every call is the first of its window.
          const first = limiter.take(`${plan}-${calls}`, quota, nowMs)
          return { ...first, resetAtMs: first.resetAtMs + 1000 * (calls % 2) }
        }),
      ),
      { suite: 'both' },
    ],
    'remaining-of-two-replicas @ refills-within-limit': [
      'X-RateLimit-Remaining of every other response comes from another replica.',
      decidingBy(() => {
        let calls = 0
        return (decision) =>
          calls++ % 2 === 1 ? { ...decision, remaining: decision.limit - 1 } : decision
      }),
    ],
  }),
  ...wrongLimit.caughtBy('header-limit-integer', {
    'header-limit-of-both-windows': ['lists the minute and the day', (limit) => `${limit}, 1000`],
    'header-limit-with-window': ['includes its window', (limit) => `${limit};w=60`],
  }),
  ...wrongReset.caughtBy('header-reset-integer', {
    'header-reset-iso': ['is an ISO date', (reset) => new Date(reset * 1000).toISOString()],
    'header-reset-decimal': ['has decimals', (reset) => `${reset}.412`],
  }),
  ...wrongLimit.caughtBy('header-limit-of-plan', {
    'header-limit-of-other-plan': ['is that of Pro for every key', () => plans.pro.perMinute],
    'header-limit-per-second': ['is calls per second', (limit) => Math.ceil(limit / 60)],
  }),
  ...wrongRemaining.each({
    'header-remaining-of-the-day @ header-remaining-bounds': [
      'is of the day, X-RateLimit-Limit of the minute',
      (left) => left + plans.free.perDay - plans.free.perMinute,
    ],
    'header-remaining-decimal @ header-remaining-integer': [
      'has decimals',
      (left) => (left + 0.25).toFixed(2),
    ],
    'header-remaining-before-counting @ header-remaining-counts': [
      'is written before the call is counted',
      (left) => Math.min(left + 1, plans.free.perMinute),
    ],
    'header-remaining-constant @ header-remaining-counts': ['is always 60', () => 60],
    'remaining-stuck @ remaining-rises-at-reset': ['never changes', () => 59],
  }),
  ...wrongReset.caughtBy('header-reset-unix-seconds', {
    'header-reset-delta': ['is seconds from now', (reset, ms) => Math.ceil(reset - ms / 1000)],
    'header-reset-milliseconds': ['is in milliseconds', (reset) => reset * 1000],
    'header-reset-zero': ['is 0 until the limit is reached', () => 0],
  }),
  ...wrongReset.caughtBy('header-reset-ahead', {
    'header-reset-of-last-window': ['is the start of the window', (reset) => reset - 120],
    'header-reset-in-local-time': ['is in local time instead of UTC', (reset) => reset + 2 * 3_600],
  }),
  ...family(charging).caughtBy('remaining-falls-by-one', {
    'creations-counted-twice': ['POST counts twice.', ({ method }) => (method === 'GET' ? 1 : 2)],
    'calls-counted-three-times': ['Each call is counted by key, by plan and by route.', () => 3],
  }),
  // What only the rate-limit suites see.
  ...caughtBy('header-remaining-counts', {
    'remaining-before-creation': [
      'The rate-limit headers of a creation are written before it is counted.',
      deciding((decision, _nowMs, _key, { method }) =>
        decision.granted && method === 'POST'
          ? { ...decision, remaining: decision.remaining + 1 }
          : decision,
      ),
      { suite: 'both' },
    ],
  }),
  ...shownRemaining.caughtBy('limit-not-below-quota', {
    'remaining-shows-used': [
      'shows the calls used',
      ({ limit, remaining }) => limit - remaining - 1,
      { suite: 'limits' },
    ],
    'remaining-one-too-low': ['is one less', ({ remaining }) => remaining - 1, { suite: 'limits' }],
  }),
  ...family(dated).caughtBy('date-advances', {
    'date-stands-still': ['Date is computed once, at the first response.', keptFor(Infinity)],
    'date-of-another-clock': ['Date is by the clock of the proxy.', () => () => Date.now()],
  }),
]
