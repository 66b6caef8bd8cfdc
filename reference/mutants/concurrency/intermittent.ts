// Faults of state that a connection keeps, faults that show only in some responses, and faults
// under a condition that no row names, which each of them carries as data.
import { type ApiRequest, type ApiResponse, type Handle, splitTarget } from '../../message.ts'
import type { OperationId } from '../../routes.ts'
import { caughtBy, each, family, type Parts, type Variant } from '../../variant.ts'
import {
  everyResponseBy,
  findOperation,
  readBody,
  readQuery,
  serverError,
} from '../../wrappers/middleware.ts'
import {
  listMembers,
  type Members,
  memberIn,
  refusing,
  refusingText,
  rewriting,
  rewritingPets,
} from '../../wrappers/pet-store.ts'

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

const onConnection = (handle: WithKept): Variant => ({
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
    'connection-keeps-401': [
      'ban-only-after-refusals',
      'After a 401 the connection repeats it once.',
      refusedOnce(401),
      { suite: 'limits' },
    ],
    'connection-keeps-key': [
      'count-per-key',
      'The first valid key on a connection is used for all its later requests.',
      async (request, kept, honest, parts) => {
        if (parts.authenticate(request)) kept.header ??= request.header
        const { header = request.header } = parts.authenticate(request) ? kept : {}
        const own = (name: string) => (name === 'authorization' ? header : request.header)(name)
        return honest({ ...request, header: own })
      },
      { suite: 'limits' },
    ],
    'connection-keeps-429': [
      'ban-own-key',
      'After a 429 the next request on the connection is refused, even with another key.',
      refusedOnce(429),
      { suite: 'limits' },
    ],
  }),
  ...each({
    'list-limit-lost-now-and-then': [
      'list-limit-most',
      'The limit is sometimes ignored: one replica does not read it.',
      everyNth(5, 'listPets', requesting(/limit=\d+/, 'limit=100'), hasLimit),
    ],
    'list-filter-lost-now-and-then': [
      'list-each-filtered',
      'The status filter is sometimes ignored: one replica does not read it.',
      everyNth(3, 'listPets', requesting(/status=\w+/, ''), hasFilter),
    ],
    'list-names-mixed-now-and-then': [
      'list-each-as-created',
      'Lists sometimes show the name of another pet.',
      everyNth(5, 'listPets', ofAnother),
    ],
    'get-neighbour-now-and-then': [
      'get-each-own-id',
      'GET /pets/{petId} sometimes returns the pet before it.',
      everyNth(4, 'getPet', ofBefore),
    ],
    'get-name-mixed-now-and-then': [
      'get-each-as-created',
      'GET /pets/{petId} sometimes shows the name of another pet.',
      everyNth(4, 'getPet', ofAnother),
    ],
    'get-lost-now-and-then': [
      'get-each-known-200',
      'GET /pets/{petId} sometimes misses a pet: one replica is far behind.',
      everyNth(5, 'getPet', requesting(/\/\d+$/, '/7046029254386353087')),
    ],
    'create-echo-mixed-now-and-then': [
      'create-each-echoed',
      'A 201 sometimes shows the pet of another request.',
      everyNth(11, 'createPet', ofAnother),
    ],
  }),
]

/** Requests that would be served break the server; the test is made for each server. */
const breaking = (make: () => (request: ApiRequest, parts: Parts) => boolean): Variant =>
  everyResponseBy((parts) => {
    const breaks = make()
    return (response, request) =>
      breaks(request, parts) && response.status < 300 ? serverError(response) : response
  })

const isList = (request: ApiRequest, parts: Parts): boolean =>
  findOperation(request, parts) === 'listPets'

const onCreation = (breaks: (request: ApiRequest) => boolean): Variant =>
  breaking(() => (request) => request.method === 'POST' && breaks(request))

const onList = (breaks: (request: ApiRequest, query: URLSearchParams) => boolean): Variant =>
  breaking(() => (request, parts) => isList(request, parts) && breaks(request, readQuery(request)))

const authorization = ({ header }: ApiRequest): string => header('authorization') ?? ''

export const conditionedMutants = [
  ...each({
    'name-over-50-refused': [
      'create-valid-201',
      'A name of more than 50 characters is refused.',
      refusing(({ name }) => [...name].length <= 50),
      { condition: 'with a name of more than 50 characters' },
    ],
    'name-in-capitals-taken': [
      'create-other-fault-400',
      'A pet is created by its Name too.',
      rewriting((text) =>
        listMembers(text).includes('name') ? text : text.replace('"Name"', '"name"'),
      ),
      { condition: 'without name and with the extra member Name' },
    ],
    'status-first-refused': [
      'create-json-form-201',
      'A creation whose first member is not the name is refused.',
      refusingText((text) => listMembers(text)[0] !== 'name'),
      { condition: 'with the members of its JSON in another order' },
    ],
  }),
  ...caughtBy('answer-no-5xx', {
    'name-over-60-breaks': [
      'A name of more than 60 characters breaks the server.',
      onCreation((request) => [...String(memberIn(request, 'name'))].length > 60),
      { condition: 'with a name of more than 60 characters' },
    ],
    'traced-and-sold-breaks': [
      'A sold pet with a traceparent breaks the server.',
      onCreation(
        (request) =>
          memberIn(request, 'status') === 'sold' && request.header('traceparent') !== undefined,
      ),
      { condition: 'with traceparent' },
    ],
    'lists-broken-by-depth': [
      'Once a body is nested deep, every list is a 500.',
      breaking(() => {
        let isBroken = false
        return (request, parts) => {
          isBroken ||= request.method === 'POST' && readBody(request).includes('['.repeat(1_000))
          return isBroken && isList(request, parts)
        }
      }),
      { condition: 'POST /pets with a body nested 10001 deep' },
    ],
    'every-third-list-breaks': [
      'Every third list is a 500.',
      breaking(() => {
        let lists = 0
        return (request, parts) => isList(request, parts) && ++lists % 3 === 0
      }),
      { condition: ' times)' },
    ],
    'second-key-breaks-lists': [
      'Lists break with one of two keys.',
      onList((request) => /key-1-|free-2/.test(authorization(request))),
      { condition: 'with key free-2', suite: 'both' },
    ],
    'long-limit-breaks': [
      'A limit of 100 with a status breaks the server.',
      onList((_request, query) => query.get('limit') === '100' && query.has('status')),
      { condition: 'with limit=100 and status=' },
    ],
    'lower-scheme-and-filter-breaks': [
      'The scheme in lower case with a limit breaks the server.',
      onList((request, query) => authorization(request).startsWith('bearer') && query.has('limit')),
      { condition: 'with the scheme bearer' },
    ],
  }),
]
