// Faults of a refusal: its Retry-After, its status, its headers, its body, and its side effects.

import type { ApiResponse } from '../../message.ts'
import { petStatuses } from '../../store.ts'
import { caughtBy, each, family, type Parts, type Variant } from '../../variant.ts'
import {
  type Change,
  everyResponseBy,
  findOperation,
  onStatus,
  rateLimitNames,
  readBody,
  readQuery,
  redirectedTo,
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

const refusals = family((change: Change) => onStatus(429, change))

/** Another status in place of 429. */
const otherStatus = family(
  (status: number) => onStatus(429, replacedBy(status, 'busy', 'Please try again later.')),
  'Beyond the quota',
)

const page = '<!doctype html><title>429 Too Many Requests</title><h1>Too Many Requests</h1>'

/** Changes what an invalid creation, or the GET of an unknown id, gets beyond the limit. */
const toInvalid = (
  change: (refusal: ApiResponse, creation: string | undefined, parts: Parts) => ApiResponse,
): Variant =>
  onStatus(429, (refusal, request, parts) => {
    const operation = findOperation(request, parts)
    if (operation === 'getPet') return change(refusal, undefined, parts)
    const isInvalid = operation === 'createPet' && 'refusal' in parts.readNewPet(request)
    return isInvalid ? change(refusal, readBody(request), parts) : refusal
  })

/** Creates a pet of the name in an invalid body. */
const mended = (body: string, { store }: Parts) =>
  store.add({
    name: /"name":"([^"]*)"/.exec(body)?.[1] ?? '',
    categoryId: 1n,
    status: petStatuses.find((status) => body.includes(`"${status}"`)) ?? 'available',
  })

export const refusalMutants = [
  ...refusals.caughtBy('retry-after-present', {
    'retry-after-missing': ['A 429 has no Retry-After.', without('Retry-After')],
    'retry-after-missing-on-creations': [
      'A 429 for POST /pets has no Retry-After.',
      (refusal, request, parts) =>
        findOperation(request, parts) === 'createPet' ? without('Retry-After')(refusal) : refusal,
    ],
    'retry-after-twice': [
      'Retry-After is sent twice, with two values.',
      withHeaders({ 'retry-after': '1' }),
    ],
  }),
  ...family(waiting, 'Retry-After').caughtBy('retry-after-present', {
    'retry-after-empty': ['is empty', () => ''],
    'retry-after-zero': ['is always 0', () => '0'],
    'retry-after-negative': ['is negative', (waitMs) => `-${whole(waitMs / 1000)}`],
    'retry-after-decimal': ['has decimals', (waitMs) => (waitMs / 1000).toFixed(3)],
    'retry-after-with-unit': ['has a unit', (waitMs) => `${whole(waitMs / 1000)}s`],
    'retry-after-in-words': ['is in words', () => 'in a minute'],
    'retry-after-with-sign': ['has a plus sign', (waitMs) => `+${whole(waitMs / 1000)}`],
    'retry-after-past-date': [
      'is a date in the past',
      (waitMs, nowMs) => new Date(nowMs + waitMs - 120_000).toUTCString(),
    ],
    'retry-after-zero-in-last-second': [
      'is 0 in the last second of a window',
      (waitMs) => String(waitMs < 1_000 ? 0 : Math.ceil(waitMs / 1_000)),
      { suite: 'days' },
    ],
  }),
  ...retryAfterSeconds.caughtBy('retry-after-each-served', {
    'retry-after-constant-one': ['is always 1', () => 1],
    'retry-after-half-the-wait': ['is half the wait', (waitMs) => Math.floor(waitMs / 2_000)],
    'retry-after-in-minutes': ['is in minutes', (waitMs) => waitMs / 60_000],
    'retry-after-a-second-short': [
      'is rounded down, and up to two seconds short',
      (waitMs) => Math.floor(waitMs / 1000) - 1,
    ],
  }),
  ...retryAfterSeconds.caughtBy('retry-after-not-excessive', {
    'retry-after-milliseconds': ['is in milliseconds', (waitMs) => waitMs],
    'retry-after-epoch': ['is a Unix time', (waitMs, nowMs) => (nowMs + waitMs) / 1000],
    'retry-after-year': ['is always a year', () => 31_536_000],
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
    'refusal-wait-of-zero-when-repeated': [
      'retry-after-present',
      'Retry-After counts down with each refusal, to 0.',
      everyResponseBy(({ authenticate }) => {
        const refusals = new Map<string, number>()
        return (response, request) => {
          const key = authenticate(request)?.key ?? ''
          if (response.status !== 429) refusals.delete(key)
          const before = refusals.get(key) ?? 0
          if (response.status !== 429) return response
          refusals.set(key, before + 1)
          return before < 2 ? response : withHeaders({ 'Retry-After': '0' })(response)
        }
      }),
    ],
    'over-limit-invalid-shows-whole-minute': [
      'limit-not-early',
      'Beyond the limit invalid requests are refused as such, with a whole minute in the headers.',
      toInvalid((refusal, creation, { error }) => ({
        ...(creation === undefined
          ? error(404, 'not_found', 'There is no such pet.')
          : error(400, 'invalid_body', 'categoryId is required.')),
        headers: {
          ...without('Retry-After')(refusal).headers,
          'X-RateLimit-Remaining': refusal.headers['X-RateLimit-Limit'] ?? '',
        },
      })),
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
    'excess-answered-200-with-error': ['the response is 200 with an error in the body', 200],
  }),
  ...otherStatus.caughtBy('quota-429-status', {
    'excess-answered-503': ['the proxy responds with its default, 503, instead of 429', 503],
    'excess-answered-401': [
      'the response is 401 instead of 429',
      401,
      { loadVerdicts: ['load-burst-excess-429'] },
    ],
    'excess-answered-418': ['the response is 418 instead of 429', 418],
    'excess-answered-403': [
      'the response is 403 instead of 429',
      403,
      { loadVerdicts: ['load-ban-after-429'] },
    ],
    'excess-answered-400': ['the response is 400 instead of 429', 400],
  }),
  ...refusals.each({
    'excess-answered-200-with-nothing': [
      'quota-free',
      'Beyond the quota the response is 200 with an empty list.',
      (refusal) => ({ ...refusal, status: 200, body: '[]' }),
    ],
    'refusal-without-limit': [
      'header-limit-present',
      'A 429 has no rate-limit headers.',
      without(...rateLimitNames),
    ],
    'refusal-without-remaining': [
      'header-remaining-present',
      'A 429 has no X-RateLimit-Remaining.',
      without('X-RateLimit-Remaining'),
    ],
    'refusal-without-reset': [
      'header-reset-present',
      'A 429 has no X-RateLimit-Reset.',
      without('X-RateLimit-Reset'),
    ],
    'refusal-below-zero': [
      'header-remaining-integer',
      'X-RateLimit-Remaining of a 429 is -1.',
      withHeaders({ 'X-RateLimit-Remaining': '-1' }),
    ],
    'refusal-as-page': [
      'body-media-type-json',
      "A 429 is the proxy's HTML page.",
      withBody('text/html', page),
    ],
    'excess-answered-302': [
      'quota-429-status',
      'Beyond the quota the response redirects to a pricing page.',
      redirectedTo('/pricing'),
    ],
  }),
  // Of requests beyond the limit that are invalid in themselves.
  ...caughtBy('limit-not-late', {
    'over-limit-invalid-created': [
      'Beyond the limit an invalid creation is repaired instead of refused.',
      toInvalid((refusal, creation, parts) =>
        creation === undefined
          ? refusal
          : { ...refusal, status: 201, body: parts.printPet(mended(creation, parts)) },
      ),
    ],
    'over-limit-bad-limit-served': [
      'A list with an invalid limit is served before the quota is looked at.',
      where(
        ({ status }, request) => status === 429 && readQuery(request).get('limit') === '0',
        (refusal) => ({ ...without('Retry-After')(refusal), status: 200, body: '[]' }),
      ),
    ],
  }),
]
