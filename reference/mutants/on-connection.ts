// Faults of what is kept on a connection: a request is answered by what came before it there.
import type { ApiRequest, ApiResponse, Handle } from '../message.ts'
import { splitTarget } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import type { Parts } from '../parts.ts'
import { operationOf } from './over.ts'

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
  breaks: 'service.own-response',
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

export const onConnectionMutants: readonly Mutant[] = [
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
    breaks: 'ban.own-key',
    caughtBy: 'ban-own-key',
    suite: 'limits',
  },
]
