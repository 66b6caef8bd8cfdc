// Faults of the guard: whom it turns away, whom it lets in, and what it says.
import type { Variant } from '../compose.ts'
import type { KeyRecord } from '../keys.ts'
import type { ApiRequest, ApiResponse } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import { onStatus, petIdOf, replacedBy, rewritten, without } from './over.ts'
import { letsIn, recognising } from './recognising-keys.ts'

/** A connection that carried a valid key is served from then on. */
const rememberingConnection: Variant = {
  parts: (honest) => {
    const known = new WeakMap<object, KeyRecord>()
    return {
      authenticate: (request) => {
        const found = honest.authenticate(request)
        if (found !== undefined) known.set(request.connection, found)
        const isBare = request.header('authorization') === undefined
        return isBare ? known.get(request.connection) : found
      },
    }
  },
}

/** What was served to somebody is served to everybody. */
const cachingLists: Variant = {
  handle: (honest) => {
    const cached = new Map<string, ApiResponse>()
    return async (request) => {
      const answer = await honest(request)
      const known = cached.get(request.target)
      const isList = request.method === 'GET' && /\/pets(?:\?|$)/.test(request.target)
      if (isList && answer.status === 200) cached.set(request.target, answer)
      return isList && answer.status === 401 && known ? known : answer
    }
  },
}

/** Turns away requests with a valid key. */
const turningAway = (test: (request: ApiRequest) => boolean): Variant => ({
  parts: ({ authenticate }) => ({
    authenticate: (request) => (test(request) ? undefined : authenticate(request)),
  }),
})

const scheme = ({ header }: ApiRequest): string => (header('authorization') ?? '').slice(0, 6)

const wrong: readonly Mutant[] = [
  {
    id: 'auth-refusal-cached',
    breaks: 'auth.bearer',
    caughtBy: 'auth-bearer-list-200',
    fault: 'An answer 401 for the shortest list lies in a cache that knows no keys.',
    ...turningAway(({ target }) => target.endsWith('?limit=1')),
  },
  {
    id: 'auth-answers-cached-by-address',
    breaks: 'list.unauthorized',
    caughtBy: 'auth-missing-list-401',
    fault:
      'A cache before the guard keeps lists by their address alone, and serves them to anyone.',
    ...cachingLists,
  },
  {
    id: 'auth-scheme-compared-exactly',
    breaks: 'auth.scheme-case',
    caughtBy: 'auth-scheme-lower-case-200',
    fault: 'The header has to start with `Bearer `, letter for letter.',
    ...turningAway((request) => scheme(request) !== 'Bearer'),
  },
  {
    id: 'auth-key-beyond-ascii-500',
    breaks: 'auth.key-invalid',
    caughtBy: 'auth-latin1-list-401',
    fault: 'Keys are compared as ASCII bytes, into which not every header goes.',
    ...onStatus(401, (answer, request, parts) =>
      /[^\0-\x7f]/.test(request.header('authorization') ?? '')
        ? replacedBy(500, 'internal', 'The service failed.')(answer, request, parts)
        : answer,
    ),
  },
  {
    id: 'auth-connection-remembered',
    breaks: 'auth.each-request',
    caughtBy: 'auth-connection-list-401',
    fault: 'The key is looked up once for each connection.',
    ...rememberingConnection,
  },
  {
    id: 'auth-only-on-writes',
    breaks: 'service.key',
    caughtBy: 'auth-no-key-none-served',
    fault: 'Reading is public.',
    ...recognising(
      (operation) => operation !== 'createPet',
      letsIn(() => true),
    ),
  },
  {
    id: 'auth-challenge-missing',
    breaks: 'auth.challenge',
    caughtBy: 'auth-401-challenge',
    fault: 'An answer 401 names no scheme.',
    ...onStatus(401, without('WWW-Authenticate')),
  },
]

const talkative: readonly Mutant[] = [
  {
    id: 'auth-tells-existing-animal',
    breaks: 'auth.reveals-nothing',
    caughtBy: 'auth-existing-or-unknown-same-401',
    fault: 'The animal is loaded first, and its owner asked for the right to see it.',
    ...onStatus(401, (answer, request, parts) => {
      const id = parts.readPetId(petIdOf(request))
      if ('refusal' in id || !parts.store.get(id.value)) return answer
      return replacedBy(401, 'not_yours', 'This animal is not yours.')(answer, request, parts)
    }),
  },
  {
    id: 'auth-repeats-key',
    breaks: 'auth.repeats-no-key',
    caughtBy: 'auth-401-repeats-no-key',
    fault: 'The message quotes the header that was refused.',
    ...onStatus(
      401,
      rewritten((error, { header }) => ({
        ...error,
        message: `Not a valid key: ${header('authorization')}`,
      })),
    ),
  },
]

export const guardMutants: readonly Mutant[] = [...wrong, ...talkative]
