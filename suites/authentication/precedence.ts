// Without a valid key a request gets 401, whatever else is wrong with it.

import type { Context } from '../../engine/context.ts'
import { check } from '../../engine/declare.ts'
import { type ApiRequest, get, post, unauthorized } from '../../engine/exchange.ts'
import { printJson } from '../../engine/json.ts'
import type { Operation } from '../responses.ts'
import { expectKeyRequired, needsWithoutKey, unlessRequired } from './demand.ts'

type FaultRow = readonly [
  fault: string,
  operation: Operation,
  what: string,
  request: (context: Context) => ApiRequest,
]

const plainText = ['Content-Type', 'text/plain'] as const
const validBody = ({ newPet }: Context): string => printJson(newPet())

const nameless = ({ newPet }: Context): string => {
  const { name: _, ...rest } = newPet()
  return printJson(rest)
}

const faultRows: readonly FaultRow[] = [
  ['limit-zero', 'list', 'a `GET /pets?limit=0`', () => get('/pets?limit=0')],
  [
    'status-unknown',
    'list',
    'a `GET /pets` with an unknown status',
    () => get('/pets?status=petvet'),
  ],
  [
    'name-missing',
    'create',
    'a `POST /pets` without a name',
    (one) => post('/pets', nameless(one)),
  ],
  [
    'json-truncated',
    'create',
    'a `POST /pets` whose JSON lacks its last brace',
    (context) => post('/pets', validBody(context).slice(0, -1)),
  ],
  ['body-missing', 'create', 'a `POST /pets` without a body', () => post('/pets', null)],
  [
    'media-type-text',
    'create',
    'a `POST /pets` sent as `text/plain`',
    (context) => post('/pets', validBody(context), [plainText]),
  ],
  [
    'id-unknown',
    'get',
    'a GET of an id that no pet is likely to have',
    () => get('/pets/7046029254386353087'),
  ],
  ['id-no-integer', 'get', 'a GET of the id `petvet`', () => get('/pets/petvet')],
  ['id-beyond-int64', 'get', 'a GET of the id 2^63', () => get('/pets/9223372036854775808')],
]

export const precedence = faultRows.map(([fault, operation, what, request]) =>
  check({
    id: `auth-first-${fault}-401`,
    requirement: 'auth.first',
    needs: needsWithoutKey(operation),
    sends: `Without a key: ${what}.`,
    fails: 'Any status other than 401.',
    inconclusive: unlessRequired(operation),
    run: (context) => expectKeyRequired(context, operation, () => unauthorized(request(context))),
  }),
)
