// Faults of state that stays on a connection, and faults of one response in several.

import { parseJson, printJson } from '../../json.ts'
import { type ApiRequest, type ApiResponse, type Handle, splitTarget } from '../../message.ts'
import type { Mutant } from '../../mutant.ts'
import type { Parts } from '../../parts.ts'
import type { OperationId } from '../../routes.ts'
import type { Members } from '../../seams/pets.ts'
import { operationOf } from '../../seams/responses.ts'

interface Kept {
  answer?: ApiResponse
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

/** Once after a refusal, the next request of the connection is given it as well. */
const refusedOnce =
  (status: number): WithKept =>
  async (request, kept, honest) => {
    const answer = await honest(request)
    const before = kept.answer
    kept.answer = answer
    return before?.status === status && answer.status < 300 ? before : answer
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

/** The key of a connection is looked up once. */
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

/** Serves every nth valid request of an operation otherwise. */
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

const asking =
  (change: (target: string) => string): Serve =>
  (request, honest) =>
    honest({ ...request, target: change(request.target) })

const showing =
  (change: (pet: Members) => Members): Serve =>
  async (request, honest) => {
    const answer = await honest(request)
    if (answer.status >= 300) return answer
    const value = parseJson(answer.body)?.value as Members | Members[]
    const changed = Array.isArray(value) ? value.map(change) : change(value)
    return { ...answer, body: printJson(changed) }
  }

const others = showing((pet) => ({ ...pet, name: `${pet.name}-of-another` }))

const hasFilter = ({ target }: ApiRequest) => /[?&]status=(available|pending|sold)\b/.test(target)
const hasLimit = ({ target }: ApiRequest) => /[?&]limit=\d\d?(&|$)/.test(target)
const unknownId = '7046029254386353087'

export const intermittentMutants: readonly Mutant[] = [
  onConnection(
    'connection-keeps-400',
    'The error of a connection is cleared after the next response, and not before it.',
    refusedOnce(400),
  ),
  onConnection(
    'connection-keeps-401',
    'That a key was not valid is remembered of its connection for one request more.',
    refusedOnce(401),
  ),
  onConnection(
    'connection-keeps-filter',
    'The filter of a list is the default of the next one on its connection.',
    withQuery(['status']),
  ),
  onConnection(
    'connection-keeps-limit',
    'The limit of a list is the default of the next one on its connection.',
    withQuery(['limit']),
  ),
  onConnection(
    'connection-keeps-body-of-refused-method',
    'A method that is refused leaves its body unread, in front of the next request.',
    async (request, kept, honest) => {
      const isRest = kept.isCut === true
      kept.isCut = request.method === 'PUT'
      return isRest ? malformed : honest(request)
    },
  ),
  onConnection(
    'connection-keeps-rest-of-large-body',
    'Of a body beyond the limit a part stays in the buffer, before the next one.',
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
      'The account of a connection is looked up once, with the first valid key on it.',
      keyOfFirst,
    ),
    caughtBy: 'response-own-key',
    suite: 'limits',
  },
  {
    ...onConnection(
      'connection-keeps-429',
      'That a key was refused is remembered of its connection, and refuses the next one on it.',
      refusedOnce(429),
    ),
    caughtBy: 'ban-own-key',
    suite: 'limits',
  },
  {
    id: 'list-limit-lost-now-and-then',
    caughtBy: 'list-each-within-limit',
    fault: 'One replica of several does not read the limit.',
    handle: everyNth(
      5,
      'listPets',
      asking((target) => target.replace(/limit=\d+/, 'limit=100')),
      hasLimit,
    ),
  },
  {
    id: 'list-filter-lost-now-and-then',
    caughtBy: 'list-each-filtered',
    fault: 'One replica of several does not read the filter.',
    handle: everyNth(
      3,
      'listPets',
      asking((target) => target.replace(/status=\w+/, '')),
      hasFilter,
    ),
  },
  {
    id: 'list-short-now-and-then',
    caughtBy: 'list-each-no-fewer',
    fault: 'One replica of several has a lower limit of its own.',
    handle: everyNth(
      4,
      'listPets',
      asking((target) => target.replace(/limit=\d+/, 'limit=1')),
    ),
  },
  {
    id: 'list-names-mixed-now-and-then',
    caughtBy: 'list-each-as-created',
    fault: 'The names of a list come from another query, which may be one row off.',
    handle: everyNth(5, 'listPets', others),
  },
  {
    id: 'get-neighbour-now-and-then',
    caughtBy: 'get-each-own-id',
    fault: 'The row that a cursor shows may be the one before.',
    handle: everyNth(
      4,
      'getPet',
      showing((pet) => ({ ...pet, id: (pet.id as bigint) - 1n })),
    ),
  },
  {
    id: 'get-name-mixed-now-and-then',
    caughtBy: 'get-each-as-created',
    fault: 'The name comes from a cache whose entry may be that of another pet.',
    handle: everyNth(4, 'getPet', others),
  },
  {
    id: 'get-lost-now-and-then',
    caughtBy: 'get-each-known-200',
    fault: 'One replica of several lags far behind.',
    handle: everyNth(
      5,
      'getPet',
      asking((target) => target.replace(/\/\d+$/, `/${unknownId}`)),
    ),
  },
  {
    id: 'create-echo-mixed-now-and-then',
    caughtBy: 'create-each-echoed',
    fault: 'The answer to a creation is read back, and may be the pet of another one.',
    handle: everyNth(11, 'createPet', others),
  },
]
