// The key comes first: without a valid one a request is answered 401, whatever else is wrong.

import { check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { printJson } from '../../engine/json.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { get, json, post, unauthorized } from '../../engine/request.ts'
import type { Operation } from '../answers.ts'
import { demandKey, stranger } from './demand.ts'

type Row = readonly [fault: string, operation: Operation, request: (context: Context) => ApiRequest]

const text = ['Content-Type', 'text/plain'] as const
const sound = ({ newPet }: Context): string => printJson(newPet())

const nameless = ({ newPet }: Context): string => {
  const { name: _, ...rest } = newPet()
  return printJson(rest)
}

const rows: readonly Row[] = [
  ['limit-zero', 'list', () => get('/pets?limit=0')],
  ['status-unknown', 'list', () => get('/pets?status=petvet')],
  ['name-missing', 'create', (context) => post('/pets', nameless(context))],
  ['json-truncated', 'create', (context) => post('/pets', sound(context).slice(0, -1))],
  ['body-missing', 'create', () => post('/pets', null, [json])],
  ['media-type-text', 'create', (context) => post('/pets', sound(context), [text])],
  ['id-unknown', 'get', () => get('/pets/7046029254386353087')],
  ['id-no-integer', 'get', () => get('/pets/petvet')],
  ['id-beyond-int64', 'get', () => get('/pets/9223372036854775808')],
]

export const precedence = rows.map(([fault, operation, request]) =>
  check(`auth-first-${fault}-401`, 'auth.first', stranger(operation), (context) =>
    demandKey(context, operation, () => unauthorized(request(context))),
  ),
)
