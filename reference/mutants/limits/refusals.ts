// Faults of a refusal: its Retry-After, its status, its headers, its body, and its side effects.

import type { Decision } from '../../limiter.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import type { Variant } from '../../variant.ts'
import {
  everyResponseBy,
  onOperation,
  onStatus,
  rateLimitNames,
  redirectedTo,
  replacedBy,
  storingRefused,
  withBody,
  withHeaders,
  without,
} from '../../wrappers/middleware.ts'
import { decidingBy, refusingWith, waiting } from '../../wrappers/rate-limits.ts'

const seconds = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000))

/** Retry-After as a number of seconds, at least 1. */
const stating = (value: (waitMs: number, nowMs: number) => number): Variant =>
  waiting((waitMs, nowMs) => String(Math.max(1, Math.ceil(value(waitMs, nowMs)))))

/** Another status in place of 429. */
const respondingWith = (status: number): Variant =>
  onStatus(429, replacedBy(status, 'busy', 'Please try again later.'))

/** Changes the refusals of a key that follow another one; a ban stays as it is. */
const repeatedRefusals = (change: (refusal: Decision) => Decision): Variant =>
  decidingBy(() => {
    const refused = new Set<string>()
    return (decision, _nowMs, { key }) => {
      if (decision.granted) refused.delete(key)
      else if (decision.banned || !refused.has(key)) refused.add(key)
      else return change(decision)
      return decision
    }
  })

const page = '<!doctype html><title>429 Too Many Requests</title><h1>Too Many Requests</h1>'

export const refusalMutants: readonly Mutant[] = [
  ...caughtBy('retry-after-present', {
    'retry-after-missing': ['A 429 has no Retry-After.', onStatus(429, without('Retry-After'))],
    'retry-after-missing-on-creations': [
      'A 429 for POST /pets has no Retry-After.',
      onOperation('createPet', (response) =>
        response.status === 429 ? without('Retry-After')(response) : response,
      ),
    ],
    'retry-after-empty': ['Retry-After is empty.', waiting(() => '')],
    'retry-after-zero': ['Retry-After is always 0.', waiting(() => '0')],
    'retry-after-negative': [
      'Retry-After is negative.',
      waiting((waitMs) => String(-seconds(waitMs))),
    ],
    'retry-after-decimal': [
      'Retry-After has decimals.',
      waiting((waitMs) => (waitMs / 1000).toFixed(3)),
    ],
    'retry-after-with-unit': [
      'Retry-After has a unit.',
      waiting((waitMs) => `${seconds(waitMs)}s`),
    ],
    'retry-after-in-words': ['Retry-After is in words.', waiting(() => 'in a minute')],
    'retry-after-iso': [
      'Retry-After is an ISO date.',
      waiting((waitMs, nowMs) => new Date(nowMs + waitMs).toISOString()),
    ],
    'retry-after-with-sign': [
      'Retry-After has a plus sign.',
      waiting((waitMs) => `+${seconds(waitMs)}`),
    ],
    'retry-after-past-date': [
      'Retry-After is a date in the past.',
      waiting((waitMs, nowMs) => new Date(nowMs + waitMs - 120_000).toUTCString()),
    ],
    'retry-after-date-in-other-zone': [
      'Retry-After is a local time labelled GMT.',
      waiting((waitMs, nowMs) => new Date(nowMs + waitMs - 3 * 3_600_000).toUTCString()),
    ],
    'retry-after-twice': [
      'Retry-After is sent twice, with two values.',
      onStatus(429, withHeaders({ 'retry-after': '1' })),
    ],
  }),
  ...caughtBy('retry-after-served', {
    'retry-after-constant-one': ['Retry-After is always 1.', stating(() => 1)],
    'retry-after-half-the-wait': [
      'Retry-After is half the wait.',
      stating((waitMs) => Math.floor(waitMs / 2_000)),
    ],
    'retry-after-in-minutes': [
      'Retry-After is in minutes.',
      stating((waitMs) => Math.ceil(waitMs / 60_000)),
    ],
    'retry-after-a-second-short': [
      'Retry-After is rounded down, and up to two seconds short.',
      stating((waitMs) => Math.floor(waitMs / 1000) - 1),
    ],
    'retry-after-two-seconds-short': [
      'Retry-After is two seconds too short, to allow for the network.',
      stating((waitMs) => Math.ceil(waitMs / 1000) - 2),
    ],
    'retry-after-ten-seconds-short': [
      'Retry-After is ten seconds too short.',
      stating((waitMs) => Math.floor(waitMs / 1000) - 10),
    ],
  }),
  ...caughtBy('retry-after-not-excessive', {
    'retry-after-milliseconds': ['Retry-After is in milliseconds.', stating((waitMs) => waitMs)],
    'retry-after-epoch': [
      'Retry-After is a Unix time.',
      stating((waitMs, nowMs) => (nowMs + waitMs) / 1000),
      { shownBy: 'whole run' },
    ],
    'retry-after-year': [
      'Retry-After is always a year.',
      stating(() => 31_536_000),
      { shownBy: 'whole run' },
    ],
    'retry-after-hour': ['Retry-After is always an hour.', stating(() => 3_600)],
  }),
  ...caughtBy('retry-after-last-second', {
    'retry-after-zero-in-last-second': [
      'Retry-After is 0 in the last second of a window.',
      waiting((waitMs) => String(waitMs < 1_000 ? 0 : Math.ceil(waitMs / 1_000))),
    ],
  }),
  ...caughtBy('retry-after-repeated-served', {
    'refusal-wait-of-one-when-repeated': [
      'A repeated refusal has Retry-After: 1, whatever the first one said.',
      repeatedRefusals((refusal) => ({ ...refusal, retryAfterMs: 1_000 })),
      { shownBy: 'whole run' },
    ],
    'refusal-wait-of-zero-when-repeated': [
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
  }),
  ...caughtBy('quota-excess-429', {
    'excess-answered-503': [
      'Beyond the quota the proxy responds with its default, 503, instead of 429.',
      respondingWith(503),
    ],
    'excess-answered-401': [
      'Beyond the quota the response is 401 instead of 429.',
      respondingWith(401),
      { loadVerdicts: ['load-burst-excess-429'] },
    ],
    'excess-answered-418': [
      'Beyond the quota the response is 418 instead of 429.',
      respondingWith(418),
    ],
    'excess-answered-200-with-error': [
      'Beyond the quota the response is 200 with an error in the body.',
      respondingWith(200),
    ],
    'excess-answered-302': [
      'Beyond the quota the response redirects to a pricing page.',
      onStatus(429, redirectedTo('/pricing')),
    ],
  }),
  ...caughtBy('quota-429-status', {
    'excess-answered-403': [
      'Beyond the quota the response is 403 instead of 429.',
      respondingWith(403),
      { loadVerdicts: ['load-ban-after-429'] },
    ],
    'excess-answered-400': [
      'Beyond the quota the response is 400 instead of 429.',
      respondingWith(400),
    ],
    'excess-answered-500': [
      "Beyond the quota the limiter's exception gets 500 instead of 429.",
      respondingWith(500),
    ],
    'excess-answered-200-with-nothing': [
      'Beyond the quota the response is 200 with an empty list.',
      onStatus(429, (response) => ({ ...response, status: 200, body: '[]' })),
    ],
  }),
  ...caughtBy('header-limit-present', {
    'refusal-without-limit': [
      'A 429 has no rate-limit headers.',
      onStatus(429, without(...rateLimitNames)),
    ],
  }),
  ...caughtBy('header-remaining-present', {
    'refusal-without-remaining': [
      'A 429 has no X-RateLimit-Remaining.',
      onStatus(429, without('X-RateLimit-Remaining')),
    ],
  }),
  ...caughtBy('header-reset-present', {
    'refusal-without-reset': [
      'A 429 has no X-RateLimit-Reset.',
      onStatus(429, without('X-RateLimit-Reset')),
    ],
  }),
  ...caughtBy('header-remaining-integer', {
    'refusal-below-zero': [
      'X-RateLimit-Remaining of a 429 is -1.',
      onStatus(429, withHeaders({ 'X-RateLimit-Remaining': '-1' })),
    ],
  }),
  ...caughtBy('body-media-type-json', {
    'refusal-as-page': [
      "A 429 is the proxy's HTML page.",
      onStatus(429, withBody('text/html', page)),
    ],
  }),
  ...caughtBy('refusal-remaining-zero', {
    'refusal-says-one-remains': [
      'X-RateLimit-Remaining of a 429 is 1.',
      refusingWith((refusal) => ({ ...refusal, remaining: 1 })),
    ],
    'refusal-says-all-remain': [
      'X-RateLimit-Remaining of a 429 is the full limit.',
      refusingWith((refusal) => ({ ...refusal, remaining: refusal.limit })),
    ],
  }),
  ...caughtBy('refused-creation-no-effect', {
    'refused-creation-stored': [
      'POST /pets beyond the quota gets 429, and the pet is stored anyway.',
      storingRefused(({ status }) => status === 429),
    ],
  }),
]
