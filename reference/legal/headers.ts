// Legal headers, and legal ways to serve concurrent requests.
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib'
import type { Handle } from '../message.ts'
import { legal, perServer, replacing, together, type Variant } from '../variant.ts'
import {
  everyResponse,
  everyResponseBy,
  inCoding,
  pause,
  withHeaders,
  without,
} from '../wrappers/middleware.ts'
import { coercing } from '../wrappers/pet-store.ts'

const changing = (change: (headers: Record<string, string>) => Record<string, string>): Variant =>
  everyResponse((response) => ({ ...response, headers: change(response.headers) }))

/** The rate limit in responses to requests without a valid key. */
const shownWithoutKey = (limit: number, remaining: number, resetInMs: number): Variant =>
  replacing('withoutKey', (_parts, nowMs) => ({
    ...{ granted: true, limit, remaining },
    resetAtMs: nowMs + resetInMs,
  }))

const quickBrotli = (body: string): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

const inTurn = ['sold', 'pending', 'available']

export const headerVariants = [
  ...legal(['header-limit-present', 'header-limit-of-plan', 'header-reset-unix-seconds'], {
    'headers-without-key-zero': ['Without a key the limit is 0.', shownWithoutKey(0, 0, 0)],
    'headers-without-key-of-address': [
      'Without a key the headers show a limit for the client address.',
      shownWithoutKey(5_000, 4_321, 3_600_000),
    ],
    'headers-no-date': [
      'No Date is sent, as by a server without a reliable clock.',
      everyResponse(without('Date')),
      { warns: ['date-present'] },
    ],
    'ranges-answered': [
      'A range of bytes of a list gets 206 with that part, as file servers answer it.',
      everyResponse((response, { header }) => {
        const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header('range') ?? '') ?? []
        if (response.status !== 200 || from === undefined) return response
        const whole = Buffer.from(response.body)
        const first = from === '' ? Math.max(0, whole.length - Number(to)) : Number(from)
        const end = from === '' || to === '' ? whole.length : Number(to) + 1
        const part = whole.subarray(first, end)
        const range = `bytes ${first}-${first + part.length - 1}/${whole.length}`
        const body = { body: part.toString('latin1'), encoding: 'latin1' } as const
        return { ...withHeaders({ 'Content-Range': range })(response), status: 206, ...body }
      }),
    ],
    'headers-retry-after-everywhere': [
      'Each response states a wait, also with the last call; without a key none remain.',
      together(
        shownWithoutKey(60, 0, 58_000),
        everyResponseBy(({ clock, retryAfter }) => (response) => {
          const resetMs = Number(response.headers['X-RateLimit-Reset']) * 1_000
          const nowMs = clock.now()
          const wait = { 'Retry-After': retryAfter(Math.max(1_000, resetMs - nowMs), nowMs) }
          return withHeaders({ ...wait, ...response.headers })(response)
        }),
      ),
    ],
    'headers-of-the-draft-beside': [
      'The headers of the newer draft are sent as well.',
      changing((headers) => ({
        ...headers,
        'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
        RateLimit: `"minute";r=${headers['X-RateLimit-Remaining']};t=30`,
        'X-RateLimit-Limit-Day': '1000',
      })),
    ],
  }),
  ...legal(
    ['list-fields-200', 'auth-trusted-fields-401', 'body-media-type-json', 'auth-401-challenge'],
    {
      'headers-of-request-returned': [
        'Fields of the request come back: its id, its trace, and its language as Content-Language.',
        everyResponse((response, { header }) => {
          const returned = {
            'X-Request-ID': header('x-request-id'),
            traceresponse: header('traceparent'),
            'Content-Language': header('accept-language')?.split(/[,;]/)[0],
          }
          const sent = Object.entries(returned).filter(([, value]) => value !== undefined)
          return withHeaders(Object.fromEntries(sent) as Record<string, string>)(response)
        }),
      ],
      'headers-lower-case': [
        'The names of all headers are in lower case.',
        changing((headers) =>
          Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
          ),
        ),
      ],
      'headers-charset': [
        'The media type has a charset, with capitals.',
        everyResponse(withHeaders({ 'Content-Type': 'Application/JSON; Charset=UTF-8' })),
      ],
      'headers-many-others': [
        'CORS, caching, tracing and security headers are sent.',
        everyResponse(
          withHeaders({
            'Access-Control-Allow-Origin': '*',
            'Access-Control-Expose-Headers': 'X-RateLimit-Limit, X-RateLimit-Remaining',
            'Cache-Control': 'private, no-store',
            'Strict-Transport-Security': 'max-age=31536000',
            'X-Request-Id': 'b4ff1c0e-4b8e-4c8b-9e63-9d3d0c3f7d1b',
            Vary: 'Authorization, Origin',
            ETag: '"1"',
          }),
        ),
      ],
      'headers-challenge-with-realm': [
        'The challenge has a realm and a reason, and a second scheme.',
        changing((headers) =>
          headers['WWW-Authenticate'] === undefined
            ? headers
            : {
                ...headers,
                'WWW-Authenticate': 'Basic realm="x", bearer realm="store", error="none"',
              },
        ),
      ],
      'headers-strange-keys-refused-below': [
        'A server in front refuses two Authorization headers, and bytes that are not ASCII.',
        {
          handle: (honest) => async (request) => {
            const given = request.header('authorization') ?? ''
            if (!/[^ -~]|^Basic \S+, Bearer /.test(given)) return honest(request)
            const body = '<html><head><title>400 Bad Request</title></head></html>'
            return { status: 400, headers: { 'Content-Type': 'text/html' }, body }
          },
        },
        { warns: ['error-shape-elsewhere', 'headers-elsewhere-present'] },
      ],
    },
  ),
  ...legal(['body-coding-identity', 'body-strict-json', 'list-body-array'], {
    'headers-coding-negotiated': [
      'A body is compressed unless the request asks for identity.',
      everyResponse((response, { header }) =>
        /\bidentity\b/.test(header('accept-encoding') ?? '')
          ? response
          : inCoding('gzip', gzipSync)(response),
      ),
    ],
    'headers-coding-brotli': [
      'Every body is compressed with br, whatever the request accepts.',
      everyResponse(inCoding('br', quickBrotli)),
      { warns: ['body-coding-identity'] },
    ],
    'headers-coding-deflate': [
      'Every body is compressed with raw deflate, whatever the request accepts.',
      everyResponse(inCoding('deflate', deflateRawSync)),
      { warns: ['body-coding-identity'] },
    ],
  }),
  ...legal(['get-deprecation-sent'], {
    'headers-no-deprecation': [
      'The removal is not announced in headers.',
      replacing('deprecationHeaders', () => ({})),
    ],
    'headers-deprecation-only': [
      'Only Deprecation is sent, as the date of the removal, with a parameter.',
      replacing('deprecationHeaders', (_parts, removalAtMs) => ({
        Deprecation: `@${removalAtMs / 1000}; note="gone"`,
      })),
    ],
  }),
  ...legal(['response-own-in-a-row', 'auth-connection-lends-no-key'], {
    'headers-connection-close': [
      'Every connection is closed after its response.',
      everyResponse(withHeaders({ Connection: 'close' })),
    ],
    'status-default-in-turn': [
      'Without a status the three values are used in turn.',
      perServer((next) =>
        coercing('status', (status) =>
          status === undefined ? inTurn[next() % inTurn.length] : status,
        ),
      ),
    ],
  }),
  ...legal(['response-own-together', 'create-ids-all-distinct'], {
    'responses-out-of-order': [
      'Responses to concurrent requests come in another order.',
      {
        handle: (honest: Handle): Handle => {
          let count = 0
          return async (request) => {
            count += 1
            await pause((count * 37) % 60)
            return honest(request)
          }
        },
      },
      { suite: 'both' },
    ],
    'requests-one-at-a-time': [
      'Concurrent requests are served one after another.',
      {
        handle: (honest: Handle): Handle => {
          let last: Promise<unknown> = Promise.resolve()
          return (request) => {
            const response = last.then(() => honest(request))
            last = response.catch(() => {})
            return response
          }
        },
      },
    ],
  }),
]
