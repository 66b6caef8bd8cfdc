// Faults in what every response must be: JSON, never a server error, and the form of an Error with
// each of its members, its status, and what it reveals.

import type { ApiRequest, ApiResponse } from '../../message.ts'
import { caughtBy, each, family, perServer, replacing, type Variant } from '../../variant.ts'
import {
  everyResponse,
  failingAt,
  onError,
  onErrors,
  onInvalidKey,
  onStatus,
  readBody,
  readQuery,
  replacedBy,
  rewritingErrors,
  withBody,
  withHeaders,
  without,
} from '../../wrappers/middleware.ts'
import { listMembers, memberIn, onBody, onResponse } from '../../wrappers/pet-store.ts'

const html = '<!doctype html><title>Error</title><p>Something went wrong.</p>'

const problem = JSON.stringify({ type: 'about:blank', title: 'Bad Request', status: 400 })

const saying = (status: number, message: string): Variant =>
  onError(status, (error) => ({ ...error, message }))

/** An error whose JSON is put together by hand, with a text of the request in its message. */
const repeating = (textIn: (request: ApiRequest) => string | undefined): Variant =>
  onErrors((response, request) => {
    const { status } = response
    const text = [400, 404].includes(status) ? textIn(request) : undefined
    const body = `{"code":"invalid","status":${status},"message":"Not valid: ${text}"}`
    return text === undefined ? response : { ...response, body }
  })

/** What writes an error reads a field of its request, and fails at one value. */
const notWritten = (status: number, name: string, test: (value: string) => boolean): Variant =>
  onStatus(status, (response, { header }) =>
    test(header(name) ?? '') ? replacedBy(500, 'internal', 'Failed.')(response) : response,
  )

/** So many bytes of a body, where it has more. */
const startOf = (body: string, bytes: number): string =>
  Buffer.byteLength(body) <= bytes ? body : Buffer.from(body).subarray(0, bytes).toString()

const failingWith500 = family((test: (request: ApiRequest) => boolean) => failingAt(500, test))

export const errorMutants = [
  ...each({
    'unauthorized-in-any-language-500 @ auth-fields-401': [
      'A 401 for a caller who takes any language (Accept-Language: *) becomes a 500.',
      notWritten(401, 'accept-language', (value) => value === '*'),
      { condition: 'with Accept-Language' },
    ],
    'unknown-pet-with-proxies-500 @ get-unknown-fields-404': [
      'A 404 of a request that passed several proxies becomes a 500.',
      notWritten(404, 'x-forwarded-for', (value) => value.includes(', ')),
      { condition: 'with X-Forwarded-For' },
    ],
    'invalid-pet-in-language-tags-500 @ create-fields-400': [
      'A 400 for a caller with a language of three subtags becomes a 500.',
      notWritten(400, 'accept-language', (value) => /\w-\w+-\w/.test(value)),
      { condition: 'with Accept-Language' },
    ],
  }),
  ...caughtBy('error-shape', {
    'error-page-for-404': [
      "A 404 is the web server's HTML page.",
      onStatus(404, withBody('text/html; charset=utf-8', html)),
    ],
    'error-empty-for-401': ['A 401 has no body.', onStatus(401, withBody('application/json', ''))],
    'error-problem-details': [
      'A 400 is in the format problem details (RFC 9457).',
      onStatus(400, withBody('application/problem+json', problem)),
    ],
    'error-code-missing': [
      'A 400 for a body has no code.',
      onError(400, ({ message, status }) => ({ message, status })),
    ],
    'error-code-number': [
      'The code of an error is a number.',
      rewritingErrors((error) => ({ ...error, code: 1000 + error.status })),
    ],
  }),
  ...caughtBy('body-media-type-json', {
    'error-page-for-405': ['A 405 is an HTML page.', onStatus(405, withBody('text/html', html))],
    'answer-list-as-text': [
      'A list is sent as text/plain.',
      onResponse('listPets', 200, withHeaders({ 'Content-Type': 'text/plain; charset=utf-8' })),
    ],
    'answer-creation-without-type': [
      'A 201 has no Content-Type.',
      onStatus(201, without('Content-Type')),
    ],
  }),
  ...family(rewritingErrors, 'Every error').caughtBy('error-status-of-answer', {
    'error-status-missing': ['has no status member', ({ code, message }) => ({ code, message })],
    'error-status-always-400': ['has the status 400', (error) => ({ ...error, status: 400 })],
  }),
  ...each({
    'error-401-as-403 @ auth-extended-list-401': [
      'An invalid key gets 403 instead of 401.',
      onInvalidKey(replacedBy(403, 'forbidden', 'This key is not valid.')),
    ],
    'error-401-as-redirect @ auth-missing-get-401': [
      'A request without a key is redirected to a login page.',
      onStatus(401, (response) =>
        withHeaders({ Location: '/login' })({ ...response, status: 302 }),
      ),
    ],
    'error-401-as-200 @ auth-missing-create-401': [
      'Errors get 200, with the error in the body.',
      onStatus(401, (response): ApiResponse => ({ ...response, status: 200 })),
    ],
    'error-shape-missing-elsewhere @ error-shape-elsewhere': [
      "A 405 has the router's own JSON format.",
      onError(405, ({ message }) => ({ error: message })),
    ],
    'answer-cut-at-16-kib @ body-strict-json': [
      'A response is cut where the buffer of the proxy ends, at 16,384 bytes.',
      everyResponse((response) => ({ ...response, body: startOf(response.body, 16_384) })),
    ],
    'error-repeats-status-unescaped @ body-strict-json': [
      'An error repeats the invalid status of a creation, without escapes.',
      repeating((request) => {
        const status = memberIn(request, 'status')
        return typeof status === 'string' ? status : undefined
      }),
    ],
    'error-repeats-id-unescaped @ body-strict-json': [
      'An error repeats an invalid petId, without escapes.',
      repeating(({ target }) => /\/pets\/(.*)$/.exec(target)?.[1]?.replaceAll('%22', '"')),
    ],
    'answer-with-byte-order-mark @ body-strict-json': [
      'Bodies begin with a byte order mark.',
      onBody('getPet', (body) => `\uFEFF${body}`),
    ],
    'answer-in-latin-1 @ body-strict-json': [
      'Bodies are sent in Latin-1, not in UTF-8.',
      everyResponse((response) => ({ ...response, encoding: 'latin1' })),
    ],
    'error-code-random @ error-code-stable': [
      'The code of an error contains a request number.',
      perServer((next) =>
        replacing('error', ({ error }, status, code, message) =>
          error(status, `${code}-${next() + 1}`, message),
        ),
      ),
    ],
    'error-code-by-operation @ error-code-stable': [
      'The code for a missing key depends on the operation.',
      onError(401, (error, { method }) => ({ ...error, code: `${method}_${error.code}` })),
    ],
    'error-stack-trace @ error-no-internals': [
      'A 400 contains a stack trace.',
      saying(400, 'SyntaxError: Unexpected token\n    at parse (/srv/store/src/body.js:12:7)'),
    ],
    'error-sql @ error-no-internals': [
      'A 404 contains the SQL statement.',
      saying(404, 'No rows: SELECT id, name FROM animals WHERE id = $1'),
    ],
    'error-file-path @ error-no-internals': [
      'The message of a 400 contains a file path.',
      onError(400, (error, { method }) =>
        method === 'GET' ? { ...error, message: 'Rejected by /app/rules/limit.yaml' } : error,
      ),
    ],
  }),
  ...failingWith500.each({
    'answer-500-for-empty-traceparent @ list-fields-200': [
      'An empty traceparent is split into parts that are not there, and gets 500.',
      ({ header }) => header('traceparent') === '',
    ],
    'answer-500-for-operator-in-query @ answer-no-5xx': [
      'A parameter with an operator of the store in brackets reaches it, and gets 500.',
      (request) => [...readQuery(request).keys()].some((name) => name.includes('[$')),
    ],
    'answer-500-for-malformed-date @ answer-no-5xx': [
      'An If-Modified-Since that is no date gets 500.',
      ({ header }) => Number.isNaN(Date.parse(header('if-modified-since') ?? '2030-01-01')),
    ],
    'answer-500-for-id-of-many-digits @ answer-no-5xx': [
      'A petId of more digits than the language converts (4,300 in Python) gets 500.',
      ({ target }) => /\/pets\/\d{4301}/.test(target),
    ],
    'answer-500-for-member-with-dot @ answer-no-5xx': [
      'A member with a dot in its name is refused by the document store, and gets 500.',
      (request) => listMembers(readBody(request)).some((name) => name.includes('.')),
    ],
    'answer-500-for-huge-limit @ answer-no-5xx': [
      'A limit beyond int64 overflows the column type and gets 500.',
      (request) => /^\d{19,}$/.test(readQuery(request).get('limit') ?? ''),
    ],
    'answer-500-for-negative-limit @ answer-no-5xx': [
      'A negative limit reaches the database, which rejects it, and gets 500.',
      (request) => (readQuery(request).get('limit') ?? '').startsWith('-'),
    ],
    'answer-500-for-unknown-status @ answer-no-5xx': [
      'An unknown status fails the enum lookup and gets 500.',
      (request) => {
        const status = readQuery(request).get('status')
        return status !== null && !['available', 'pending', 'sold'].includes(status)
      },
    ],
    'answer-500-for-nul-in-name @ answer-no-5xx': [
      'A NUL character in a name is rejected by the database and gets 500.',
      (request) => readBody(request).includes('\\u0000'),
    ],
    'answer-500-for-media-type @ answer-no-5xx': [
      'A body of another media type is not parsed, and reading it gets 500.',
      (request) => {
        const isJson = (request.header('content-type') ?? '').includes('json')
        return request.method === 'POST' && !isJson
      },
    ],
    'answer-500-for-list-body @ answer-no-5xx': [
      'A JSON array as the body is read like an object and gets 500.',
      (request) => readBody(request).startsWith('['),
    ],
    'answer-500-for-id-no-integer @ answer-no-5xx': [
      'A petId that is not an integer makes the conversion throw, and gets 500.',
      ({ target }) => /\/pets\/[a-z]/.test(target),
    ],
    'answer-500-for-escape-in-query @ list-query-other-answered': [
      'A percent-escape in the query makes hand-written decoding throw, and gets 500.',
      ({ target }) => /^[^?]*\/pets\?.*%/.test(target),
    ],
  }),
]
