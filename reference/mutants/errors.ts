// Faults in the form of errors: the whole, and each of its members.
import type { Mutant } from '../mutant.ts'
import { onErrors, onStatus, rewritten, withBody } from './over.ts'

const html = '<!doctype html><title>Error</title><p>Something went wrong.</p>'

const shape: readonly Mutant[] = [
  {
    id: 'error-page-for-404',
    breaks: 'errors.shape',
    caughtBy: 'error-shape',
    fault: 'The web server in front has its own page for 404.',
    ...onStatus(404, withBody('text/html; charset=utf-8', html)),
  },
  {
    id: 'error-text-for-401',
    breaks: 'service.json',
    caughtBy: 'body-media-type-json',
    fault: 'The guard answers with plain text.',
    ...onStatus(401, withBody('text/plain', 'Unauthorized')),
  },
  {
    id: 'error-empty-for-401',
    breaks: 'errors.shape',
    caughtBy: 'error-shape',
    fault: 'The guard answers with a status alone.',
    ...onStatus(401, withBody('application/json', '')),
  },
  {
    id: 'get-unknown-404-empty',
    breaks: 'errors.shape',
    caughtBy: 'error-shape',
    fault: 'An unknown animal is answered 404 with no body.',
    ...onStatus(404, withBody('application/json', '')),
  },
  {
    id: 'error-enveloped',
    breaks: 'errors.shape',
    caughtBy: 'error-shape',
    fault: 'The error is wrapped in a member `error`.',
    ...onErrors(rewritten((error) => ({ error }))),
  },
  {
    id: 'error-list',
    breaks: 'errors.shape',
    caughtBy: 'error-shape',
    fault: 'Errors of a body come as a list, one for each member.',
    ...onStatus(
      400,
      rewritten((error) => [error]),
    ),
  },
  {
    id: 'error-bare-string',
    breaks: 'errors.shape',
    caughtBy: 'error-shape',
    fault: 'The message alone is the body.',
    ...onStatus(
      404,
      rewritten(({ message }) => message),
    ),
  },
  {
    id: 'error-problem-details',
    breaks: 'errors.shape',
    caughtBy: 'error-shape',
    fault: 'The framework writes problem details (RFC 9457).',
    ...onStatus(400, (answer, request, parts) =>
      withBody(
        'application/problem+json',
        JSON.stringify({ type: 'about:blank', title: 'Bad Request', status: 400 }),
      )(answer, request, parts),
    ),
  },
  {
    id: 'error-shape-missing-elsewhere',
    breaks: 'errors.shape-low',
    caughtBy: 'error-shape-elsewhere',
    fault: 'The router answers 405 in a form of its own.',
    ...onStatus(
      405,
      rewritten(({ message }) => ({ error: message })),
    ),
  },
  {
    id: 'error-page-for-405',
    breaks: 'service.json',
    caughtBy: 'body-media-type-json',
    fault: 'The router answers 405 with its own page.',
    ...onStatus(405, withBody('text/html', html)),
  },
]

const members: readonly Mutant[] = [
  {
    id: 'error-code-missing',
    breaks: 'error.code',
    caughtBy: 'error-code-string',
    fault: 'A refused body has no code.',
    ...onStatus(
      400,
      rewritten(({ message, status }) => ({ message, status })),
    ),
  },
  {
    id: 'error-code-number',
    breaks: 'error.code',
    caughtBy: 'error-code-string',
    fault: 'The code is a number of an inner table.',
    ...onErrors(rewritten((error) => ({ ...error, code: 1000 + error.status }))),
  },
  {
    id: 'error-message-missing',
    breaks: 'error.message',
    caughtBy: 'error-message-string',
    fault: 'An animal that is not there has a code and no message.',
    ...onStatus(
      404,
      rewritten(({ code, status }) => ({ code, status })),
    ),
  },
  {
    id: 'error-message-list',
    breaks: 'error.message',
    caughtBy: 'error-message-string',
    fault: 'The message is a list of what a validator found.',
    ...onStatus(
      400,
      rewritten((error) => ({ ...error, message: [error.message] })),
    ),
  },
  {
    id: 'error-status-missing',
    breaks: 'error.status',
    caughtBy: 'error-status-of-answer',
    fault: 'The status is thought to be said by HTTP already.',
    ...onErrors(rewritten(({ code, message }) => ({ code, message }))),
  },
  {
    id: 'error-status-text',
    breaks: 'error.status',
    caughtBy: 'error-status-of-answer',
    fault: 'The status is written as a string.',
    ...onErrors(rewritten((error) => ({ ...error, status: String(error.status) }))),
  },
  {
    id: 'error-status-always-400',
    breaks: 'error.status',
    caughtBy: 'error-status-of-answer',
    fault: 'The body of an error says 400, whatever HTTP says.',
    ...onErrors(rewritten((error) => ({ ...error, status: 400 }))),
  },
  {
    id: 'error-status-word',
    breaks: 'error.status',
    caughtBy: 'error-status-of-answer',
    fault: 'The status is the word `error`.',
    ...onStatus(
      401,
      rewritten((error) => ({ ...error, status: 'error' })),
    ),
  },
]

export const errorMutants: readonly Mutant[] = [...shape, ...members]
