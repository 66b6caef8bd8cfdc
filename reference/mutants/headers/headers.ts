// Faults of headers that a single response shows, and of Date.
import { gzipSync } from 'node:zlib'
import { caughtBy, type Mutant } from '../../mutant.ts'
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
  ...caughtBy('header-limit-integer', {
    'header-limit-of-both-windows': [
      'X-RateLimit-Limit lists the minute and the day.',
      rewritingHeader('Limit', (limit) => `${limit}, 1000`),
    ],
    'header-limit-with-window': [
      'X-RateLimit-Limit includes its window, as in the draft.',
      rewritingHeader('Limit', (limit) => `${limit};w=60`),
    ],
    'header-limit-doubled': [
      'X-RateLimit-Limit is sent twice, by the gateway and by the service.',
      sentTwice('X-RateLimit-Limit'),
    ],
  }),
  ...caughtBy('header-remaining-integer', {
    'header-remaining-decimal': [
      'X-RateLimit-Remaining has decimals.',
      rewritingHeader('Remaining', (remaining) => (remaining + 0.25).toFixed(2)),
    ],
    'header-remaining-negative': [
      'X-RateLimit-Remaining is -1 without a key.',
      onStatus(401, withHeaders({ 'X-RateLimit-Remaining': '-1' })),
    ],
    'header-remaining-null': [
      'X-RateLimit-Remaining is `null` before the counter exists.',
      rewritingHeader('Remaining', (remaining) => (remaining === 59 ? 'null' : String(remaining))),
    ],
  }),
  ...caughtBy('header-reset-integer', {
    'header-reset-iso': [
      'X-RateLimit-Reset is an ISO date.',
      rewritingHeader('Reset', (reset) => new Date(reset * 1000).toISOString()),
    ],
    'header-reset-decimal': [
      'X-RateLimit-Reset has decimals.',
      rewritingHeader('Reset', (reset) => `${reset}.412`),
    ],
  }),
]

const hourMs = 3_600_000

const onceMade = () => {
  let first: number | undefined
  return (nowMs: number) => {
    first ??= nowMs
    return first
  }
}

const doubled = () => {
  let first: number | undefined
  return (nowMs: number) => {
    first ??= nowMs
    return nowMs + (nowMs - first)
  }
}

const byTurns = () => {
  const hours = [0, 5, -3, 1, -7]
  let responses = 0
  return (nowMs: number) => nowMs + (hours[responses++ % hours.length] ?? 0) * hourMs
}

/** The clock of the machine, whatever the test clock says. */
const ofMachine = () => () => Date.now()

export const dateMutants: readonly Mutant[] = caughtBy('date-advances', {
  'date-stands-still': ['Date is computed once, at the first response.', dated(onceMade)],
  'date-twice-as-fast': ['Date runs twice as fast as the clock.', dated(doubled)],
  'date-runs-wild': ['Each worker writes Date in its own time zone.', dated(byTurns)],
  'date-of-another-clock': [
    'Date comes from the proxy, whose clock is not the test clock.',
    dated(ofMachine),
  ],
})
