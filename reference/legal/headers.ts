// Other legal headers: of the rate limit, of the connection, of the removal, and further ones.
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib'
import type { Variant } from '../compose.ts'
import type { ApiResponse } from '../message.ts'
import type { LegalVariant } from '../mutant.ts'
import { inCoding } from '../mutants/over.ts'

/** Another form of every answer. */
const answered = (change: (answer: ApiResponse, nowMs: number) => ApiResponse): Variant => ({
  handle:
    (honest, { clock }) =>
    async (request) =>
      change(await honest(request), clock.now()),
})

/** Other headers on every answer. */
const withHeaders = (
  change: (headers: Record<string, string>, nowMs: number) => Record<string, string>,
): Variant => answered((answer, nowMs) => ({ ...answer, headers: change(answer.headers, nowMs) }))

const quickBrotli = (body: string): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

const ofRateLimit: readonly LegalVariant[] = [
  {
    id: 'headers-lower-case',
    does: 'The names of all headers are in lower case.',
    ...withHeaders((headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    ),
  },
  {
    id: 'headers-of-the-draft-beside',
    does: 'The headers of the newer draft are sent as well.',
    ...withHeaders((headers) => ({
      ...headers,
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: `"minute";r=${headers['X-RateLimit-Remaining']};t=30`,
      'X-RateLimit-Limit-Day': '1000',
    })),
  },
  {
    id: 'headers-without-key-zero',
    does: 'Who has no key is told that nothing is allowed and nothing remains.',
    parts: () => ({
      withoutKey: (nowMs) => ({ granted: true, limit: 0, remaining: 0, resetAtMs: nowMs }),
    }),
  },
  {
    id: 'headers-without-key-of-address',
    does: 'Who has no key is told of a limit for the address.',
    parts: () => ({
      withoutKey: (nowMs) => ({
        granted: true,
        limit: 5_000,
        remaining: 4_321,
        resetAtMs: nowMs + 3_600_000,
      }),
    }),
  },
  {
    id: 'headers-reset-rounded-down',
    does: 'Reset is cut to its second, not rounded up.',
    parts: ({ rateLimitHeaders }) => ({
      rateLimitHeaders: (decision) => ({
        ...rateLimitHeaders(decision),
        'X-RateLimit-Reset': String(Math.floor(decision.resetAtMs / 1000)),
      }),
    }),
  },
]

const others: readonly LegalVariant[] = [
  {
    id: 'headers-no-date',
    does: 'No Date is sent, as by a server without a clock it trusts.',
    ...withHeaders(({ Date: _date, ...headers }) => headers),
  },
  {
    id: 'headers-connection-close',
    does: 'Every connection is closed after its answer.',
    ...withHeaders((headers) => ({ ...headers, Connection: 'close' })),
  },
  {
    id: 'headers-refusal-closes',
    does: 'A connection is closed after an answer 401.',
    ...answered((answer) =>
      answer.status === 401
        ? { ...answer, headers: { ...answer.headers, Connection: 'close' } }
        : answer,
    ),
  },
  {
    id: 'headers-charset',
    does: 'The media type names its encoding, in capitals here and there.',
    ...withHeaders((headers) => ({
      ...headers,
      'Content-Type': 'Application/JSON; Charset=UTF-8',
    })),
  },
  {
    id: 'headers-many-others',
    does: 'CORS, caching, tracing and security headers are sent.',
    ...withHeaders((headers) => ({
      ...headers,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'X-RateLimit-Limit, X-RateLimit-Remaining',
      'Cache-Control': 'private, no-store',
      'Strict-Transport-Security': 'max-age=31536000',
      'X-Request-Id': 'b4ff1c0e-4b8e-4c8b-9e63-9d3d0c3f7d1b',
      Vary: 'Authorization, Origin',
      ETag: '"1"',
    })),
  },
  {
    id: 'headers-coding-negotiated',
    does: 'A body is compressed where the request does not ask for none.',
    handle: (honest) => async (request) => {
      const answer = await honest(request)
      const isPlain = /\bidentity\b/.test(request.header('accept-encoding') ?? '')
      return isPlain ? answer : inCoding('gzip', gzipSync)(answer)
    },
  },
  {
    id: 'headers-coding-brotli',
    does: 'Every body is in br, whatever the request asks for.',
    warns: ['body-coding-identity'],
    ...answered(inCoding('br', quickBrotli)),
  },
  {
    id: 'headers-coding-deflate',
    does: 'Every body is in deflate, without the frame of zlib, whatever the request asks for.',
    warns: ['body-coding-identity'],
    ...answered(inCoding('deflate', deflateRawSync)),
  },
  {
    id: 'headers-challenge-with-realm',
    does: 'The challenge names a realm and a reason, beside another scheme.',
    ...withHeaders((headers) =>
      headers['WWW-Authenticate'] === undefined
        ? headers
        : { ...headers, 'WWW-Authenticate': 'Basic realm="x", bearer realm="store", error="none"' },
    ),
  },
  {
    id: 'headers-strange-keys-refused-below',
    does: 'A server before the API takes no two Authorization headers, nor bytes beyond ASCII.',
    warns: ['error-shape-elsewhere', 'headers-elsewhere-present'],
    handle: (honest) => async (request) => {
      const given = request.header('authorization') ?? ''
      if (!/[^ -~]|^Basic \S+, Bearer /.test(given)) return honest(request)
      const body = '<html><head><title>400 Bad Request</title></head></html>'
      return { status: 400, headers: { 'Content-Type': 'text/html' }, body }
    },
  },
  {
    id: 'headers-no-deprecation',
    does: 'The removal is not announced in headers.',
    parts: () => ({ deprecationHeaders: () => ({}) }),
  },
  {
    id: 'headers-deprecation-only',
    does: 'Deprecation is sent alone, as of the removal itself, with a parameter.',
    parts: () => ({
      deprecationHeaders: (removalAtMs) => ({ Deprecation: `@${removalAtMs / 1000}; note="gone"` }),
    }),
  },
  {
    id: 'answers-slow',
    does: 'Every answer takes a few milliseconds.',
    handle: (honest) => async (request) => {
      const answer = await honest(request)
      await sleep(3)
      return answer
    },
  },
]

export const headerVariants: readonly LegalVariant[] = [...ofRateLimit, ...others]
