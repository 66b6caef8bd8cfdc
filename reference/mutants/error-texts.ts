// Faults in what errors say: another status than the one of the interface, codes, and internals.
import type { ApiResponse } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import { everyAnswer, onStatus, replacedBy, rewritten } from './over.ts'

const statuses: readonly Mutant[] = [
  {
    id: 'error-401-as-403',
    breaks: 'auth.key-invalid',
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
    breaks: 'auth.key-missing',
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
    breaks: 'get.unauthorized',
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
    breaks: 'create.unauthorized',
    caughtBy: 'auth-missing-create-401',
    fault: 'Errors are told in the body of an answer 200.',
    ...onStatus(401, (answer): ApiResponse => ({ ...answer, status: 200 })),
  },
]

const said: readonly Mutant[] = [
  {
    id: 'error-code-random',
    breaks: 'error.code-stable',
    caughtBy: 'error-code-stable',
    fault: 'The code holds a number of the request.',
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
  {
    id: 'error-code-by-operation',
    breaks: 'error.code-stable',
    caughtBy: 'error-code-stable',
    fault: 'Each operation has its own code for a missing key.',
    ...onStatus(
      401,
      rewritten((error, { method }) => ({ ...error, code: `${method}_${error.code}` })),
    ),
  },
  {
    id: 'error-stack-trace',
    breaks: 'error.internals',
    caughtBy: 'error-no-internals',
    fault: 'A refused body is answered with the stack of the parser.',
    ...onStatus(
      400,
      rewritten((error) => ({
        ...error,
        message: 'SyntaxError: Unexpected token\n    at parse (/srv/store/src/body.js:12:7)',
      })),
    ),
  },
  {
    id: 'error-sql',
    breaks: 'error.internals',
    caughtBy: 'error-no-internals',
    fault: 'An animal that is not there is answered with the statement that found none.',
    ...onStatus(
      404,
      rewritten((error) => ({
        ...error,
        message: 'No rows: SELECT id, name FROM animals WHERE id = $1',
      })),
    ),
  },
  {
    id: 'error-file-path',
    breaks: 'error.internals',
    caughtBy: 'error-no-internals',
    fault: 'The message of a bad parameter names a file.',
    ...everyAnswer((answer, request, parts) =>
      answer.status === 400 && request.method === 'GET'
        ? rewritten((error) => ({ ...error, message: 'Rejected by /app/rules/limit.yaml' }))(
            answer,
            request,
            parts,
          )
        : answer,
    ),
  },
]

export const errorTextMutants: readonly Mutant[] = [...statuses, ...said]
