// Faults of errors: their form, each of their members, their status, and what they reveal.

import type { ApiRequest, ApiResponse } from '../../message.ts'
import { caughtBy, each, type Variant } from '../../variant.ts'
import {
  everyResponseBy,
  onError,
  onErrors,
  onInvalidKey,
  onStatus,
  redirectedTo,
  replacedBy,
  rewritten,
  withBody,
} from '../../wrappers/middleware.ts'
import { memberIn } from '../../wrappers/pet-store.ts'

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

const statusIn = (request: ApiRequest): string | undefined => {
  const status = memberIn(request, 'status')
  return typeof status === 'string' ? status : undefined
}

export const errorMutants = [
  ...caughtBy('error-shape', {
    'error-page-for-404': [
      "A 404 is the web server's HTML page.",
      onStatus(404, withBody('text/html; charset=utf-8', html)),
    ],
    'error-empty-for-401': ['A 401 has no body.', onStatus(401, withBody('application/json', ''))],
    'error-enveloped': [
      'Errors are wrapped in a member `error`.',
      onErrors(rewritten((error) => ({ error }))),
    ],
    'error-list': ['A 400 is an array of errors.', onError(400, (error) => [error])],
    'error-bare-string': [
      'The body of an error is only the message.',
      onError(404, ({ message }) => message),
    ],
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
      onErrors(rewritten((error) => ({ ...error, code: 1000 + error.status }))),
    ],
    'error-message-missing': [
      'A 404 has a code and no message.',
      onError(404, ({ code, status }) => ({ code, status })),
    ],
    'error-message-list': [
      'The message of a 400 is an array.',
      onError(400, (error) => ({ ...error, message: [error.message] })),
    ],
  }),
  ...caughtBy('body-media-type-json', {
    'error-text-for-401': [
      'A 401 is plain text.',
      onStatus(401, withBody('text/plain', 'Unauthorized')),
    ],
    'error-page-for-405': [
      "A 405 is the router's HTML page.",
      onStatus(405, withBody('text/html', html)),
    ],
  }),
  ...caughtBy('error-status-of-answer', {
    'error-status-missing': [
      'Errors have no status member.',
      onErrors(rewritten(({ code, message }) => ({ code, message }))),
    ],
    'error-status-text': [
      'The status member of an error is a string.',
      onErrors(rewritten((error) => ({ ...error, status: String(error.status) }))),
    ],
    'error-status-always-400': [
      'The status member of every error is 400, whatever the HTTP status.',
      onErrors(rewritten((error) => ({ ...error, status: 400 }))),
    ],
  }),
  ...each({
    'error-401-as-403': [
      'auth-extended-list-401',
      'An invalid key gets 403 instead of 401.',
      onInvalidKey(replacedBy(403, 'forbidden', 'This key is not valid.')),
    ],
    'error-401-as-redirect': [
      'auth-missing-get-401',
      'A request without a key is redirected to a login page.',
      onStatus(401, redirectedTo('/login')),
    ],
    'error-401-as-200': [
      'auth-missing-create-401',
      'Errors get 200, with the error in the body.',
      onStatus(401, (response): ApiResponse => ({ ...response, status: 200 })),
    ],
    'error-shape-missing-elsewhere': [
      'error-shape-elsewhere',
      "A 405 has the router's own JSON format.",
      onError(405, ({ message }) => ({ error: message })),
    ],
  }),
  ...caughtBy('body-strict-json', {
    'error-repeats-status-unescaped': [
      'An error repeats the invalid status of a creation, without escapes.',
      repeating(statusIn),
    ],
    'error-repeats-status-half-escaped': [
      'An error repeats the invalid status of a creation, with escapes for quotes alone.',
      repeating((request) => statusIn(request)?.replaceAll('"', '\\"')),
    ],
    'error-repeats-id-unescaped': [
      'An error repeats an invalid petId, without escapes.',
      repeating(({ target }) => /\/pets\/(.*)$/.exec(target)?.[1]?.replaceAll('%22', '"')),
    ],
  }),
  ...caughtBy('error-code-stable', {
    'error-code-random': [
      'The code of an error contains a request number.',
      everyResponseBy(() => {
        let count = 0
        return (response) => {
          if (response.status < 400) return response
          count++
          return { ...response, body: response.body.replace(/("code":"\w+)"/, `$1-${count}"`) }
        }
      }),
    ],
    'error-code-by-operation': [
      'The code for a missing key depends on the operation.',
      onError(401, (error, { method }) => ({ ...error, code: `${method}_${error.code}` })),
    ],
  }),
  ...caughtBy('error-no-internals', {
    'error-stack-trace': [
      'A 400 contains a stack trace.',
      saying(400, 'SyntaxError: Unexpected token\n    at parse (/srv/store/src/body.js:12:7)'),
    ],
    'error-sql': [
      'A 404 contains the SQL statement.',
      saying(404, 'No rows: SELECT id, name FROM animals WHERE id = $1'),
    ],
    'error-file-path': [
      'The message of a 400 contains a file path.',
      onError(400, (error, { method }) =>
        method === 'GET' ? { ...error, message: 'Rejected by /app/rules/limit.yaml' } : error,
      ),
    ],
  }),
]
