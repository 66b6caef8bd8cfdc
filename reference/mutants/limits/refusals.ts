// Faults of a refusal: its Retry-After, its status, its headers, its body, and its side effects.

import { each, family } from '../../variant.ts'
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
import { decidingFor, refusingWith, waiting } from '../../wrappers/rate-limiting.ts'
import { keepingRefused } from '../create/bodies.ts'

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
  }),
  ...retryAfterSeconds.caughtBy('retry-after-each-served', {
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
