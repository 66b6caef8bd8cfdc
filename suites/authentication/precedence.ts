// Without a valid key a request gets 401, whatever else is wrong with it.

import type { Context } from '../../engine/check/context.ts'
import { check } from '../../engine/check/declare.ts'
import { type ApiRequest, get, json, post, unauthorized } from '../../engine/check/exchange.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { printJson } from '../../engine/check/json.ts'
import type { Operation } from '../../engine/check/operations.ts'
import { createPet, getPet } from '../pets/requests.ts'
import { expectKeyRequired, unlessRequired, usable } from './demand.ts'

type Row = readonly [operation: Operation, words: string, request: (context: Context) => ApiRequest]

const rows: readonly Row[] = [
  ['list', 'a `GET /pets?limit=0`', () => get('/pets?limit=0')],
  ['list', 'a `GET /pets` with an unknown status', () => get('/pets?status=petvet')],
  [
    'create',
    'a `POST /pets` whose JSON lacks its last brace',
    ({ newPet }) => createPet(printJson(newPet()).slice(0, -1)),
  ],
  ['create', 'a `POST /pets` without a body', () => createPet(null)],
  [
    'create',
    'a `POST /pets` sent as `text/plain`',
    ({ newPet }) => post('/pets', printJson(newPet()), [[json[0], 'text/plain']]),
  ],
  ['get', 'a GET of an id that no pet is likely to have', () => getPet(7046029254386353087n)],
  ['get', 'a GET of the id `petvet`', () => getPet('petvet')],
]

export const precedence = check({
  id: 'auth-first-401',
  requirement: 'auth.first',
  needs: { stage: 'unauthenticated', keyed: 0, anonymous: rows.length },
  sends: `Without a key, each with another fault: ${rows.map(([, words]) => words).join(', ')}.`,
  fails: 'Any status other than 401.',
  inconclusive: unlessRequired('list', 'create', 'get'),
  run: async (context) => {
    const operations = await usable(context, ['list', 'create', 'get'])
    const sent = rows.filter(([operation]) => operations.includes(operation))
    await expectEach(sent, ([operation, , request]) =>
      expectKeyRequired(context, operation, () => unauthorized(request(context))),
    )
  },
})
