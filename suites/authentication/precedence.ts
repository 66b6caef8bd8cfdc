// Without a valid key a request gets 401, whatever else is wrong with it.

import type { Context } from '../../engine/check/context.ts'
import { check } from '../../engine/check/declare.ts'
import { type ApiRequest, get, json, post, unauthorized } from '../../engine/check/exchange.ts'
import { printJson } from '../../engine/check/json.ts'
import type { Operation } from '../../engine/check/operations.ts'
import { createPet, getPet } from '../pets/requests.ts'
import { expectKeyRequired, needsWithoutKey, unlessRequired } from './demand.ts'

type Row = readonly [
  fault: string,
  operation: Operation,
  words: string,
  request: (context: Context) => ApiRequest,
]

const rows: readonly Row[] = [
  ['limit-zero', 'list', 'a `GET /pets?limit=0`', () => get('/pets?limit=0')],
  [
    'status-unknown',
    'list',
    'a `GET /pets` with an unknown status',
    () => get('/pets?status=petvet'),
  ],
  [
    'json-truncated',
    'create',
    'a `POST /pets` whose JSON lacks its last brace',
    ({ newPet }) => createPet(printJson(newPet()).slice(0, -1)),
  ],
  ['body-missing', 'create', 'a `POST /pets` without a body', () => createPet(null)],
  [
    'media-type-text',
    'create',
    'a `POST /pets` sent as `text/plain`',
    ({ newPet }) => post('/pets', printJson(newPet()), [[json[0], 'text/plain']]),
  ],
  [
    'id-unknown',
    'get',
    'a GET of an id that no pet is likely to have',
    () => getPet(7046029254386353087n),
  ],
  ['id-no-integer', 'get', 'a GET of the id `petvet`', () => getPet('petvet')],
]

export const precedence = rows.map(([fault, operation, words, request]) =>
  check({
    id: `auth-first-${fault}-401`,
    requirement: 'auth.first',
    needs: needsWithoutKey(operation),
    sends: `Without a key: ${words}.`,
    fails: 'Any status other than 401.',
    inconclusive: unlessRequired(operation),
    run: (context) => expectKeyRequired(context, operation, () => unauthorized(request(context))),
  }),
)
