// Faults of errors: their form, each of their members, their status, and what they reveal.

import type { ApiResponse } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import {
  everyResponse,
  onErrors,
  onStatus,
  replacedBy,
  rewritten,
  withBody,
} from '../../seams/responses.ts'

const html = '<!doctype html><title>Error</title><p>Something went wrong.</p>'

export const errorMutants: readonly Mutant[] = [
  ...caughtBy('error-shape', [
    [
      'error-page-for-404',
      'The web server in front has its own page for 404.',
      onStatus(404, withBody('text/html; charset=utf-8', html)),
    ],
    [
      'error-empty-for-401',
      'The guard answers with a status alone.',
      onStatus(401, withBody('application/json', '')),
    ],
    [
      'get-unknown-404-empty',
      'An unknown animal is answered 404 with no body.',
      onStatus(404, withBody('application/json', '')),
    ],
    [
      'error-enveloped',
      'The error is wrapped in a member `error`.',
      onErrors(rewritten((error) => ({ error }))),
    ],
    [
      'error-list',
      'Errors of a body come as a list, one for each member.',
      onStatus(
        400,
        rewritten((error) => [error]),
      ),
    ],
    [
      'error-bare-string',
      'The message alone is the body.',
      onStatus(
        404,
        rewritten(({ message }) => message),
      ),
    ],
    [
      'error-problem-details',
      'The framework writes problem details (RFC 9457).',
      onStatus(400, (answer, request, parts) =>
        withBody(
          'application/problem+json',
          JSON.stringify({ type: 'about:blank', title: 'Bad Request', status: 400 }),
        )(answer, request, parts),
      ),
    ],
  ]),
  ...caughtBy('body-media-type-json', [
    [
      'error-text-for-401',
      'The guard answers with plain text.',
      onStatus(401, withBody('text/plain', 'Unauthorized')),
    ],
    [
      'error-page-for-405',
      'The router answers 405 with its own page.',
      onStatus(405, withBody('text/html', html)),
    ],
  ]),
  {
    id: 'error-shape-missing-elsewhere',
    caughtBy: 'error-shape-elsewhere',
    fault: 'The router answers 405 in a form of its own.',
    ...onStatus(
      405,
      rewritten(({ message }) => ({ error: message })),
    ),
  },
  ...caughtBy('error-code-string', [
    [
      'error-code-missing',
      'A refused body has no code.',
      onStatus(
        400,
        rewritten(({ message, status }) => ({ message, status })),
      ),
    ],
    [
      'error-code-number',
      'The code is a number of an inner table.',
      onErrors(rewritten((error) => ({ ...error, code: 1000 + error.status }))),
    ],
  ]),
  ...caughtBy('error-message-string', [
    [
      'error-message-missing',
      'An animal that is not there has a code and no message.',
      onStatus(
        404,
        rewritten(({ code, status }) => ({ code, status })),
      ),
    ],
    [
      'error-message-list',
      'The message is a list of what a validator found.',
      onStatus(
        400,
        rewritten((error) => ({ ...error, message: [error.message] })),
      ),
    ],
  ]),
  ...caughtBy('error-status-of-answer', [
    [
      'error-status-missing',
      'The status is thought to be said by HTTP already.',
      onErrors(rewritten(({ code, message }) => ({ code, message }))),
    ],
    [
      'error-status-text',
      'The status is written as a string.',
      onErrors(rewritten((error) => ({ ...error, status: String(error.status) }))),
    ],
    [
      'error-status-always-400',
      'The body of an error says 400, whatever HTTP says.',
      onErrors(rewritten((error) => ({ ...error, status: 400 }))),
    ],
    [
      'error-status-word',
      'The status is the word `error`.',
      onStatus(
        401,
        rewritten((error) => ({ ...error, status: 'error' })),
      ),
    ],
  ]),
  {
    id: 'error-401-as-403',
    caughtBy: 'auth-extended-list-401',
    fault: 'An invalid key is answered 403.',
    ...onStatus(401, (answer, request, parts) =>
      request.header('authorization') === undefined
        ? answer
        : replacedBy(403, 'forbidden', 'This key is not valid.')(answer, request, parts),
    ),
  },
  {
    id: 'error-401-as-400',
    caughtBy: 'auth-empty-create-401',
    fault: 'A header without a token is called a bad request.',
    ...onStatus(401, (answer, request, parts) =>
      request.header('authorization') === ''
        ? replacedBy(400, 'bad_request', 'The header is malformed.')(answer, request, parts)
        : answer,
    ),
  },
  {
    id: 'error-401-as-redirect',
    caughtBy: 'auth-missing-get-401',
    fault: 'Who has no key is sent to the page of the dashboard that gives one.',
    ...onStatus(401, (answer) => ({
      ...answer,
      status: 302,
      headers: { ...answer.headers, Location: '/login' },
    })),
  },
  {
    id: 'error-401-as-200',
    caughtBy: 'auth-missing-create-401',
    fault: 'Errors are told in the body of an answer 200.',
    ...onStatus(401, (answer): ApiResponse => ({ ...answer, status: 200 })),
  },
  ...caughtBy('error-code-stable', [
    [
      'error-code-random',
      'The code holds a number of the request.',
      {
        handle: (honest) => {
          let count = 0
          return async (request) => {
            const answer = await honest(request)
            if (answer.status < 400) return answer
            count++
            return { ...answer, body: answer.body.replace(/("code":"\w+)"/, `$1-${count}"`) }
          }
        },
      },
    ],
    [
      'error-code-by-operation',
      'Each operation has its own code for a missing key.',
      onStatus(
        401,
        rewritten((error, { method }) => ({ ...error, code: `${method}_${error.code}` })),
      ),
    ],
  ]),
  ...caughtBy('error-no-internals', [
    [
      'error-stack-trace',
      'A refused body is answered with the stack of the parser.',
      onStatus(
        400,
        rewritten((error) => ({
          ...error,
          message: 'SyntaxError: Unexpected token\n    at parse (/srv/store/src/body.js:12:7)',
        })),
      ),
    ],
    [
      'error-sql',
      'An animal that is not there is answered with the statement that found none.',
      onStatus(
        404,
        rewritten((error) => ({
          ...error,
          message: 'No rows: SELECT id, name FROM animals WHERE id = $1',
        })),
      ),
    ],
    [
      'error-file-path',
      'The message of a bad parameter names a file.',
      everyResponse((answer, request, parts) =>
        answer.status === 400 && request.method === 'GET'
          ? rewritten((error) => ({ ...error, message: 'Rejected by /app/rules/limit.yaml' }))(
              answer,
              request,
              parts,
            )
          : answer,
      ),
    ],
  ]),
]
