// Faults of state that a connection keeps, and faults that show only in some responses.
import { type ApiRequest, type ApiResponse, type Handle, splitTarget } from '../../message.ts'
import type { OperationId } from '../../routes.ts'
import { each, family, type Parts, type Variant } from '../../variant.ts'
import { findOperation } from '../../wrappers/middleware.ts'
import { type Members, rewritingPets } from '../../wrappers/pet-store.ts'

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

export const onConnection = (handle: WithKept): Variant => ({
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

const keepingParameter =
  (name: 'status' | 'limit'): WithKept =>
  async (request, kept, honest, parts) => {
    if (findOperation(request, parts) !== 'listPets') return honest(request)
    const { path, query } = splitTarget(request.target)
    const own = new URLSearchParams(query)
    const merged = new URLSearchParams(query)
    const before = kept.query?.get(name)
    if (before && !own.has(name)) merged.set(name, before)
    kept.query = own
    return honest({ ...request, target: `${path}?${merged}` })
  }

const malformed: ApiResponse = {
  status: 400,
  headers: {},
  body: '{"code":"malformed","message":"No request line.","status":400}',
}

type Serve = (request: ApiRequest, honest: Handle) => ApiResponse | Promise<ApiResponse>

/** Serves every nth valid request of an operation in another way. */
const everyNth = (
  nth: number,
  operation: OperationId,
  serve: Serve,
  isOne = (_: ApiRequest) => true,
): Variant => ({
  handle: (honest, parts) => {
    let count = 0
    return (request) => {
      const isValid = parts.authenticate(request) !== undefined && isOne(request)
      if (!isValid || findOperation(request, parts) !== operation) return honest(request)
      count += 1
      return count % nth === 0 ? serve(request, honest) : honest(request)
    }
  },
})

const requesting =
  (part: RegExp, other: string): Serve =>
  (request, honest) =>
    honest({ ...request, target: request.target.replace(part, other) })

const showing =
  (change: (pet: Members) => Members): Serve =>
  async (request, honest) => {
    const response = await honest(request)
    return response.status >= 300 ? response : rewritingPets(change)(response)
  }

const ofBefore = showing((pet) => ({ ...pet, id: (pet.id as bigint) - 1n }))
const ofAnother = showing((pet) => ({ ...pet, name: `${pet.name}-of-another` }))

const hasFilter = ({ target }: ApiRequest) => /[?&]status=(available|pending|sold)\b/.test(target)
const hasLimit = ({ target }: ApiRequest) => /[?&]limit=\d\d?(&|$)/.test(target)

export const intermittentMutants = [
  ...family(onConnection).caughtBy('response-own-in-a-row', {
    'connection-keeps-400': ['After a 400 the connection repeats it once.', refusedOnce(400)],
    'connection-keeps-filter': [
      'The status filter of a list carries over to the next list on the connection.',
      keepingParameter('status'),
    ],
    'connection-keeps-limit': [
      'The limit of a list carries over to the next list on the connection.',
      keepingParameter('limit'),
    ],
    'connection-keeps-body-of-refused-method': [
      'The body of a refused PUT is left unread, and taken for the next request.',
      async (request, kept, honest) => {
        const isRest = kept.isCut === true
        kept.isCut = request.method === 'PUT'
        return isRest ? malformed : honest(request)
      },
    ],
    'connection-keeps-rest-of-large-body': [
      'The rest of a body that is too large is read as part of the next one.',
      async (request, kept, honest, parts) => {
        const isRest = kept.isCut === true && findOperation(request, parts) === 'createPet'
        kept.isCut = request.body === 'too-large'
        if (request.body === 'too-large' || !isRest) return honest(request)
        return honest({ ...request, body: Buffer.concat([Buffer.from('   }'), request.body]) })
      },
      { overSockets: true },
    ],
  }),
  ...family(onConnection).each({
    'connection-keeps-401 @ ban-only-after-refusals': [
      'After a 401 the connection repeats it once.',
      refusedOnce(401),
      { suite: 'limits' },
    ],
    'connection-keeps-key @ count-per-key': [
      'The first valid key on a connection is used for all its later requests.',
      async (request, kept, honest, parts) => {
        if (parts.authenticate(request)) kept.header ??= request.header
        const { header = request.header } = parts.authenticate(request) ? kept : {}
        const own = (name: string) => (name === 'authorization' ? header : request.header)(name)
        return honest({ ...request, header: own })
      },
      { suite: 'limits' },
    ],
    'connection-keeps-429 @ ban-own-key': [
      'After a 429 the next request on the connection is refused, even with another key.',
      refusedOnce(429),
      { suite: 'limits' },
    ],
  }),
  ...each({
    'list-limit-lost-now-and-then @ list-limit-most': [
      'The limit is sometimes ignored: one replica does not read it.',
      everyNth(5, 'listPets', requesting(/limit=\d+/, 'limit=100'), hasLimit),
    ],
    'list-filter-lost-now-and-then @ list-each-filtered': [
      'The status filter is sometimes ignored: one replica does not read it.',
      everyNth(3, 'listPets', requesting(/status=\w+/, ''), hasFilter),
    ],
    'list-names-mixed-now-and-then @ list-each-as-created': [
      'Lists sometimes show the name of another pet.',
      everyNth(5, 'listPets', ofAnother),
    ],
    'get-neighbour-now-and-then @ get-each-own-id': [
      'GET /pets/{petId} sometimes returns the pet before it.',
      everyNth(4, 'getPet', ofBefore),
    ],
    'get-name-mixed-now-and-then @ get-each-as-created': [
      'GET /pets/{petId} sometimes shows the name of another pet.',
      everyNth(4, 'getPet', ofAnother),
    ],
    'get-lost-now-and-then @ get-each-known-200': [
      'GET /pets/{petId} sometimes misses a pet: one replica is far behind.',
      everyNth(5, 'getPet', requesting(/\/\d+$/, '/7046029254386353087')),
    ],
    'create-echo-mixed-now-and-then @ create-each-echoed': [
      'A 201 sometimes shows the pet of another request.',
      everyNth(11, 'createPet', ofAnother),
    ],
  }),
]
