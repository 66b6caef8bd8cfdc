// Faults of state that a connection keeps, and faults that show only in some responses.

import { parseJson, printJson } from '../../json.ts'
import { type ApiRequest, type ApiResponse, type Handle, splitTarget } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import type { Parts } from '../../parts.ts'
import type { OperationId } from '../../routes.ts'
import type { Members } from '../../seams/pets.ts'
import { operationOf } from '../../seams/responses.ts'

interface Kept {
  response?: ApiResponse
  query?: URLSearchParams
  isCut?: boolean
  header?: ApiRequest['header']
}

type WithKept = (
  request: ApiRequest,
  kept: Kept,
  honest: Handle,
  parts: Parts,
) => Promise<ApiResponse>

const onConnection = (id: string, fault: string, handle: WithKept): Mutant => ({
  id,
  caughtBy: 'response-own-in-a-row',
  fault,
  handle: (honest, parts) => {
    const all = new WeakMap<object, Kept>()
    return (request) => {
      const kept = all.get(request.connection) ?? {}
      all.set(request.connection, kept)
      return handle(request, kept, honest, parts)
    }
  },
})

/** After a refusal, the next request on the connection gets it as well. */
const refusedOnce =
  (status: number): WithKept =>
  async (request, kept, honest) => {
    const response = await honest(request)
    const before = kept.response
    kept.response = response
    return before?.status === status && response.status < 300 ? before : response
  }

const withQuery =
  (names: readonly string[]): WithKept =>
  async (request, kept, honest, parts) => {
    if (operationOf(request, parts) !== 'listPets') return honest(request)
    const { path, query } = splitTarget(request.target)
    const own = new URLSearchParams(query)
    const merged = new URLSearchParams(query)
    for (const name of names) {
      const before = kept.query?.get(name)
      if (before && !own.has(name)) merged.set(name, before)
    }
    kept.query = own
    return honest({ ...request, target: `${path}?${merged}` })
  }

/** Uses the first valid key of a connection for all of its requests. */
const keyOfFirst: WithKept = async (request, kept, honest, parts) => {
  if (parts.authenticate(request)) kept.header ??= request.header
  const { header = request.header } = parts.authenticate(request) ? kept : {}
  const own = (name: string) => (name === 'authorization' ? header : request.header)(name)
  return honest({ ...request, header: own })
}

const malformed: ApiResponse = {
  status: 400,
  headers: {},
  body: '{"code":"malformed","message":"No request line.","status":400}',
}

type Serve = (request: ApiRequest, honest: Handle) => ApiResponse | Promise<ApiResponse>

/** Serves every nth valid request of an operation in another way. */
const everyNth =
  (nth: number, operation: OperationId, serve: Serve, isOne = (_: ApiRequest) => true) =>
  (honest: Handle, parts: Parts): Handle => {
    let count = 0
    return (request) => {
      const isValid = parts.authenticate(request) !== undefined && isOne(request)
      if (!isValid || operationOf(request, parts) !== operation) return honest(request)
      count += 1
      return count % nth === 0 ? serve(request, honest) : honest(request)
    }
  }

const requesting =
  (change: (target: string) => string): Serve =>
  (request, honest) =>
    honest({ ...request, target: change(request.target) })

const showing =
  (change: (pet: Members) => Members): Serve =>
  async (request, honest) => {
    const response = await honest(request)
    if (response.status >= 300) return response
    const value = parseJson(response.body)?.value as Members | Members[]
    const changed = Array.isArray(value) ? value.map(change) : change(value)
    return { ...response, body: printJson(changed) }
  }

const ofAnother = showing((pet) => ({ ...pet, name: `${pet.name}-of-another` }))

const hasFilter = ({ target }: ApiRequest) => /[?&]status=(available|pending|sold)\b/.test(target)
const hasLimit = ({ target }: ApiRequest) => /[?&]limit=\d\d?(&|$)/.test(target)
const unknownId = '7046029254386353087'

export const intermittentMutants: readonly Mutant[] = [
  onConnection(
    'connection-keeps-400',
    'After a 400 the next request on the connection gets the same error.',
    refusedOnce(400),
  ),
  onConnection(
    'connection-keeps-401',
    'After a 401 the next request on the connection gets 401, too.',
    refusedOnce(401),
  ),
  onConnection(
    'connection-keeps-filter',
    'The status filter of a list carries over to the next list on the connection.',
    withQuery(['status']),
  ),
  onConnection(
    'connection-keeps-limit',
    'The limit of a list carries over to the next list on the connection.',
    withQuery(['limit']),
  ),
  onConnection(
    'connection-keeps-body-of-refused-method',
    'The body of a refused PUT is left unread, and taken for the next request.',
    async (request, kept, honest) => {
      const isRest = kept.isCut === true
      kept.isCut = request.method === 'PUT'
      return isRest ? malformed : honest(request)
    },
  ),
  onConnection(
    'connection-keeps-rest-of-large-body',
    'The rest of a body that is too large is read as part of the next one.',
    async (request, kept, honest, parts) => {
      const isRest = kept.isCut === true && operationOf(request, parts) === 'createPet'
      kept.isCut = request.body === 'too-large'
      if (request.body === 'too-large' || !isRest) return honest(request)
      return honest({ ...request, body: Buffer.concat([Buffer.from('   }'), request.body]) })
    },
  ),
  {
    ...onConnection(
      'connection-keeps-key',
      'The first valid key on a connection is used for all its later requests.',
      keyOfFirst,
    ),
    caughtBy: 'response-own-key',
    suite: 'limits',
  },
  {
    ...onConnection(
      'connection-keeps-429',
      'After a 429 the next request on the connection is refused, even with another key.',
      refusedOnce(429),
    ),
    caughtBy: 'ban-own-key',
    suite: 'limits',
  },
  ...caughtBy('list-each-within-limit', {
    'list-limit-lost-now-and-then': [
      'The limit is sometimes ignored: one replica does not read it.',
      {
        handle: everyNth(
          5,
          'listPets',
          requesting((target) => target.replace(/limit=\d+/, 'limit=100')),
          hasLimit,
        ),
      },
    ],
  }),
  ...caughtBy('list-each-filtered', {
    'list-filter-lost-now-and-then': [
      'The status filter is sometimes ignored: one replica does not read it.',
      {
        handle: everyNth(
          3,
          'listPets',
          requesting((target) => target.replace(/status=\w+/, '')),
          hasFilter,
        ),
      },
    ],
  }),
  ...caughtBy('list-each-no-fewer', {
    'list-short-now-and-then': [
      'Pages are sometimes short: one replica has a lower maximum.',
      {
        handle: everyNth(
          4,
          'listPets',
          requesting((target) => target.replace(/limit=\d+/, 'limit=1')),
        ),
      },
    ],
  }),
  ...caughtBy('list-each-as-created', {
    'list-names-mixed-now-and-then': [
      'Lists sometimes show the name of another pet.',
      { handle: everyNth(5, 'listPets', ofAnother) },
    ],
  }),
  ...caughtBy('get-each-own-id', {
    'get-neighbour-now-and-then': [
      'GET /pets/{petId} sometimes returns the pet before it.',
      {
        handle: everyNth(
          4,
          'getPet',
          showing((pet) => ({ ...pet, id: (pet.id as bigint) - 1n })),
        ),
      },
    ],
  }),
  ...caughtBy('get-each-as-created', {
    'get-name-mixed-now-and-then': [
      'GET /pets/{petId} sometimes shows the name of another pet.',
      { handle: everyNth(4, 'getPet', ofAnother) },
    ],
  }),
  ...caughtBy('get-each-known-200', {
    'get-lost-now-and-then': [
      'GET /pets/{petId} sometimes misses a pet: one replica is far behind.',
      {
        handle: everyNth(
          5,
          'getPet',
          requesting((target) => target.replace(/\/\d+$/, `/${unknownId}`)),
        ),
      },
    ],
  }),
  ...caughtBy('create-each-echoed', {
    'create-echo-mixed-now-and-then': [
      'A 201 sometimes shows the pet of another request.',
      { handle: everyNth(11, 'createPet', ofAnother) },
    ],
  }),
]
