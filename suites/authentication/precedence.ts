// The key comes first: without a valid one a request is answered 401, whatever else is wrong.
import type { Operation } from '../answers.ts'
import { check } from '../kit/check.ts'
import { printJson } from '../kit/json.ts'
import type { ApiRequest } from '../kit/request.ts'
import { get, json, post, unauthorized } from '../kit/request.ts'
import { demandKey, stranger } from './demand.ts'

type Row = readonly [fault: string, operation: Operation, request: ApiRequest]

const text = ['Content-Type', 'text/plain'] as const
const sound = printJson({ name: 'petvet', categoryId: 1n })

const rows: readonly Row[] = [
  ['limit-zero', 'list', get('/pets?limit=0')],
  ['status-unknown', 'list', get('/pets?status=petvet')],
  ['name-missing', 'create', post('/pets', printJson({ categoryId: 1n }))],
  ['json-truncated', 'create', post('/pets', '{"name": "petvet", "categoryId": 1')],
  ['body-missing', 'create', post('/pets', null, [json])],
  ['media-type-text', 'create', post('/pets', sound, [text])],
  ['id-unknown', 'get', get('/pets/7046029254386353087')],
  ['id-no-integer', 'get', get('/pets/petvet')],
  ['id-beyond-int64', 'get', get('/pets/9223372036854775808')],
]

export const precedence = rows.map(([fault, operation, request]) =>
  check(`auth-first-${fault}-401`, 'auth.first', stranger(operation), (context) =>
    demandKey(context, operation, () => unauthorized(request)),
  ),
)
