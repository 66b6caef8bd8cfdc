// Legal errors: their codes and messages, and responses to unknown addresses and methods. Refusals
// beyond the quota: their Retry-After, body and delay.

import { type ApiRequest, type ApiResponse, type Refusal, refuse, splitTarget } from '../message.ts'
import { letsIn, recognising } from '../mutants/auth/accepted-keys.ts'
import { legal, type Parts, perServer, replacing, together } from '../variant.ts'
import {
  delayedBy,
  everyResponse,
  isOfPets,
  onInvalidKey,
  onStatus,
  readParts,
  replacedBy,
  rewritingErrors,
  where,
  withHeaders,
  without,
  withoutBody,
} from '../wrappers/middleware.ts'
import { waiting, waitingUntil } from '../wrappers/rate-limiting.ts'

export const errorVariants = [
  ...legal(['error-shape', 'error-code-stable', 'auth-existing-or-unknown-same-401'], {
    'errors-other-codes': [
      'The codes are numbers as text, and the messages in another language.',
      rewritingErrors(({ status }) => {
        return { status, code: `E${status}`, message: 'Das geht so nicht – 失敗 🐾.' }
      }),
    ],
    'errors-empty-message': [
      'Code and message are empty strings.',
      rewritingErrors(({ status }) => ({ code: '', message: '', status })),
    ],
    'errors-extra-members': [
      'An Error has further members.',
      rewritingErrors((error) => ({ ...error, details: [{ rule: 'type' }], traceId: '4bf92f35' })),
    ],
    'errors-numbered': [
      'Every message contains the number of its request.',
      perServer((next) =>
        replacing('error', ({ error }, status, code, message) =>
          error(status, code, `${message} (${next()})`),
        ),
      ),
    ],
    'errors-other-text-for-bad-keys': [
      'A missing key and an invalid one get different messages.',
      onInvalidKey(replacedBy(401, 'bad_request', 'This key is not valid.')),
    ],
    'errors-no-shape-429': ['A 429 has no body.', onStatus(429, withoutBody)],
  }),
  ...legal(['auth-401-repeats-no-key', 'auth-malformed-401', 'error-no-internals'], {
    'errors-401-in-plain-words': [
      'A 401 says `Not authenticated`, and a request may have had a cookie with that word.',
      onStatus(401, replacedBy(401, 'not_authenticated', 'Not authenticated')),
    ],
    'errors-link-to-pages': [
      'A message links to a page.',
      replacing('error', ({ error }, status, code) =>
        error(status, code, `See https://docs.example.com/app/errors/${code}.html, or /docs.`),
      ),
    ],
    'errors-repeat-request': [
      'An error for a valid key repeats what was requested.',
      everyResponse((response, request) => {
        if (response.status !== 404 && response.status !== 400) return response
        const message = `Nothing for ${decodeURI(request.target.replaceAll('%', '%25'))}.`
        return replacedBy(response.status, 'not_found', message)(response)
      }),
    ],
  }),
  ...legal(['address-spelling', 'address-spelling-needs-key', 'headers-elsewhere-present'], {
    'addresses-slash-at-end': [
      'Trailing slashes, doubled slashes and letter case in paths are ignored.',
      replacing('findRoute', ({ findRoute }, method, path) => {
        const usual = path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
        return findRoute(method, usual.toLowerCase())
      }),
    ],
    'addresses-dots-resolved': [
      'Dot segments of a path are resolved before its key is checked.',
      replacing('findRoute', ({ findRoute }, method, path) =>
        findRoute(method, new URL(path.replace(/^\/+/, '/'), 'http://localhost').pathname),
      ),
    ],
    'addresses-redirected': [
      'A router redirects other spellings of a path before counting.',
      everyResponse((response, { target }) => {
        const { path } = splitTarget(target)
        const hasDots = /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)
        const resolved = hasDots ? new URL(`http://localhost${path}`).pathname : path
        const usual = resolved.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
        if (usual === path) return response
        return { status: 301, headers: { Location: usual }, body: '' }
      }),
    ],
  }),
  ...legal(['method-put-list-refused', 'method-known-refused', 'address-nonsense-not-2xx'], {
    'addresses-known-before-keys': [
      'Unknown addresses and methods get 404 and 405 without a key.',
      recognising(
        letsIn(() => true),
        (operation) => operation === undefined,
      ),
    ],
    'open-requests-403': [
      'Another limit or status of a list, text that is no id, other methods and addresses get 403.',
      where(
        ({ status }, request) =>
          isOfPets(request)
            ? status === 405 || (status === 400 && request.method === 'GET')
            : status === 404,
        replacedBy(403, 'bad_request', 'This request is not open to you.'),
      ),
    ],
    'methods-not-implemented': [
      'Methods that the interface does not have get 501.',
      onStatus(405, replacedBy(501, 'method_not_allowed', 'Nobody wrote this.')),
    ],
  }),
  ...legal(
    ['method-405-allow', 'method-head-list', 'method-options-list', 'header-limit-present'],
    {
      'methods-allow-more': [
        'Allow also names HEAD and OPTIONS, in another order and spacing.',
        onStatus(405, withHeaders({ Allow: 'OPTIONS,HEAD, POST ,GET' })),
      ],
      'methods-head-and-options': [
        'HEAD is served like GET, and OPTIONS gets 204, both without a body or rate limit.',
        everyResponse((response, { method }) => {
          const { Allow = 'GET' } = response.headers
          if (method === 'OPTIONS') return { status: 204, headers: { Allow }, body: '' }
          const isHead = method === 'HEAD' && response.status === 405
          const headers = { 'Content-Type': 'application/json' }
          return isHead ? { status: 200, headers, body: '' } : response
        }),
      ],
    },
  ),
]

/** Such as `Sun Nov  6 08:49:37 1994`. */
const asctime = (date: Date): string => {
  const [weekday = '', day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ')
  return `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`
}

/** Why a request within the quota would be refused. */
const refusalOf = (request: ApiRequest, parts: Parts): Refusal | undefined => {
  const read = readParts(request, parts)
  if ('refusal' in read) return read.refusal
  const isUnknown = typeof read.value === 'bigint' && !parts.store.get(read.value)
  return isUnknown ? refuse(404, 'not_found', 'There is no such pet.').refusal : undefined
}

const whenRefused = ({ status }: ApiResponse) => (status === 429 ? 120 : undefined)

export const refusalVariants = [
  ...legal(['quota-free', 'limit-not-late', 'limit-not-early', 'remaining-falls-by-one'], {
    'refusal-of-the-invalid-as-such': [
      'Beyond the limit invalid requests and unknown ids get 400 and 404, and nothing remains.',
      onStatus(429, (response, request, parts) => {
        const refusal = refusalOf(request, parts)
        if (refusal === undefined) return response
        const { status, code, message } = refusal
        return replacedBy(status, code, message)(without('Retry-After')(response))
      }),
    ],
    'answers-late-by-chance': [
      'Responses take up to 30 ms, and overtake each other.',
      delayedBy(() => {
        let responses = 0
        // It looks random: mostly 1 ms, otherwise up to 29 ms.
        return () => (++responses % 4 === 0 ? (responses * 17) % 30 : 1)
      }),
    ],
  }),
  ...legal(['retry-after-present', 'retry-after-each-served', 'retry-after-form'], {
    'retry-after-jittered': [
      'Retry-After is jittered by some seconds.',
      perServer((next) =>
        waiting((waitMs) => String(Math.ceil(waitMs / 1000) + 1 + ((next() * 7) % 11))),
      ),
    ],
    'retry-after-full-minute': [
      'Retry-After is never less than a minute.',
      waiting((waitMs) => String(Math.max(60, Math.ceil(waitMs / 1000)))),
    ],
    'retry-after-with-zeros': [
      'Retry-After has leading zeros.',
      replacing('retryAfter', ({ retryAfter }, ...wait) => retryAfter(...wait).padStart(5, '0')),
    ],
    'retry-after-date-of-rfc-850': [
      'Retry-After is an HTTP-date in the obsolete RFC 850 form, which recipients must accept.',
      waitingUntil((date) => {
        const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ')
        const weekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
        return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`
      }),
    ],
    'answers-all-with-retry-after': [
      'Every response has Retry-After: the seconds until Reset.',
      everyResponse((response, _request, { clock }) => {
        const resetMs = Number(response.headers['X-RateLimit-Reset']) * 1000
        const seconds = String(Math.max(1, Math.ceil((resetMs - clock.now()) / 1000)))
        return { ...response, headers: { 'Retry-After': seconds, ...response.headers } }
      }),
    ],
  }),
  ...legal(['retry-after-present', 'retry-after-form'], {
    'retry-after-date-of-asctime-without-date': [
      'Retry-After is an HTTP-date in the obsolete asctime form, and no Date shows the time.',
      together(waitingUntil(asctime), everyResponse(without('Date'))),
      { warns: ['date-present'] },
    ],
  }),
  ...legal(['refusal-body', 'error-shape', 'body-strict-json'], {
    'refusal-body-of-one-word': [
      'The body of a refusal is a JSON string.',
      onStatus(429, (response) => ({ ...response, body: '"slow down"' })),
    ],
  }),
  ...legal(['quota-429-status', 'retry-after-present', 'header-limit-integer'], {
    'refusals-slow': ['A refusal takes 120 ms.', delayedBy(() => whenRefused)],
  }),
]
