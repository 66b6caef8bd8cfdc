// Faults of headers that a single response shows, and of Date.
import { gzipSync } from 'node:zlib'
import { caughtBy, family, type Mutant } from '../../mutant.ts'
import { replacing, type Variant } from '../../variant.ts'
import {
  dated,
  everyResponse,
  inCoding,
  isOfPets,
  onOperation,
  onStatus,
  rateLimitNames,
  rewritingHeader,
  where,
  withHeaders,
  without,
} from '../../wrappers/middleware.ts'

/** A second header line of the same name, as a gateway adds one. */
const sentTwice = (name: string): Variant =>
  everyResponse((response) => {
    const value = response.headers[name] ?? ''
    return withHeaders({ [name.toLowerCase()]: value })(response)
  })

/** One of the three rate-limit headers with another value. */
const wrongHeader = (name: 'Limit' | 'Remaining' | 'Reset') =>
  family(
    (change: Parameters<typeof rewritingHeader>[1]) => rewritingHeader(name, change),
    `X-RateLimit-${name}`,
  )

export const wrongLimit = wrongHeader('Limit')
export const wrongRemaining = wrongHeader('Remaining')
export const wrongReset = wrongHeader('Reset')

export const headerMutants: readonly Mutant[] = [
  ...caughtBy('header-limit-present', {
    'headers-missing-on-401': [
      'A 401 has no rate-limit headers: authentication runs before the limiter.',
      onStatus(401, without(...rateLimitNames)),
    ],
    'headers-missing-on-405': [
      'A 405 has no rate-limit headers: the router responds by itself.',
      onStatus(405, without(...rateLimitNames)),
    ],
    'headers-missing-on-fetch': [
      'GET /pets/{petId} has no rate-limit headers.',
      onOperation('getPet', without(...rateLimitNames)),
    ],
    'headers-missing-on-success': [
      'Successful responses have no rate-limit headers.',
      where(({ status }) => status < 400, without(...rateLimitNames)),
    ],
    'headers-renamed': [
      'The rate-limit headers have the names of the newer draft.',
      replacing('rateLimitHeaders', ({ rateLimitHeaders }, decision) => {
        const values = Object.entries(rateLimitHeaders(decision))
        return Object.fromEntries(
          values.map(([name, value]) => [name.replace('X-RateLimit', 'RateLimit'), value]),
        )
      }),
    ],
  }),
  ...caughtBy('header-remaining-present', {
    'headers-missing-on-404': [
      'A 404 has no rate-limit headers: the exception drops them.',
      onStatus(404, without(...rateLimitNames)),
    ],
    'headers-missing-on-creation': [
      'POST /pets has no rate-limit headers: only reads pass the limiter.',
      onOperation('createPet', without(...rateLimitNames)),
    ],
  }),
  ...caughtBy('header-reset-present', {
    'headers-missing-on-400': [
      'A 400 has no rate-limit headers: validation runs before the limiter.',
      onStatus(400, without(...rateLimitNames)),
    ],
    'header-reset-missing': [
      'X-RateLimit-Reset is missing.',
      everyResponse(without('X-RateLimit-Reset')),
    ],
  }),
  ...caughtBy('headers-elsewhere-present', {
    'headers-missing-elsewhere': [
      'Responses to unknown addresses have no rate-limit headers.',
      where(
        (response, request) => response.status >= 400 && !isOfPets(request),
        without(...rateLimitNames),
      ),
    ],
  }),
  ...caughtBy('body-coding-identity', {
    'answer-compressed-unasked': [
      'The proxy compresses every body without looking at Accept-Encoding.',
      everyResponse(inCoding('gzip', gzipSync)),
    ],
  }),
  ...wrongLimit.caughtBy('header-limit-integer', {
    'header-limit-of-both-windows': ['lists the minute and the day', (limit) => `${limit}, 1000`],
    'header-limit-with-window': [
      'includes its window, as in the draft',
      (limit) => `${limit};w=60`,
    ],
  }),
  ...caughtBy('header-limit-integer', {
    'header-limit-doubled': [
      'X-RateLimit-Limit is sent twice, by the gateway and by the service.',
      sentTwice('X-RateLimit-Limit'),
    ],
  }),
  ...wrongLimit.caughtBy('response-fits-description', {
    'header-limit-in-words': ['is a number in words', () => 'sixty'],
  }),
  ...wrongRemaining.caughtBy('header-remaining-integer', {
    'header-remaining-decimal': ['has decimals', (remaining) => (remaining + 0.25).toFixed(2)],
  }),
  ...caughtBy('header-remaining-integer', {
    'header-remaining-negative': [
      'X-RateLimit-Remaining is -1 without a key.',
      onStatus(401, withHeaders({ 'X-RateLimit-Remaining': '-1' })),
    ],
  }),
  ...wrongRemaining.caughtBy('header-remaining-integer', {
    'header-remaining-null': [
      'is `null` before the counter exists',
      (remaining) => (remaining === 59 ? 'null' : remaining),
    ],
  }),
  ...wrongReset.caughtBy('header-reset-integer', {
    'header-reset-iso': ['is an ISO date', (reset) => new Date(reset * 1000).toISOString()],
    'header-reset-decimal': ['has decimals', (reset) => `${reset}.412`],
  }),
]

const hourMs = 3_600_000

/** A time computed from that of a response and that of the first one. */
const sinceFirst = (compute: (nowMs: number, firstMs: number) => number) => () => {
  let firstMs: number | undefined
  return (nowMs: number) => {
    firstMs ??= nowMs
    return compute(nowMs, firstMs)
  }
}

const byTurns = () => {
  const hours = [0, 5, -3, 1, -7]
  let responses = 0
  return (nowMs: number) => nowMs + (hours[responses++ % hours.length] ?? 0) * hourMs
}

export const dateMutants: readonly Mutant[] = family(dated).caughtBy('date-advances', {
  'date-stands-still': [
    'Date is computed once, at the first response.',
    sinceFirst((_nowMs, firstMs) => firstMs),
  ],
  'date-twice-as-fast': [
    'Date runs twice as fast as the clock.',
    sinceFirst((nowMs, firstMs) => 2 * nowMs - firstMs),
  ],
  'date-runs-wild': ['Each worker writes Date in its own time zone.', byTurns],
  'date-of-another-clock': [
    'Date comes from the proxy, whose clock is not the test clock.',
    () => () => Date.now(),
  ],
})
