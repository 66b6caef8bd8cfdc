// Faults of authentication: refused valid keys, what a 401 reveals, and what runs before it.

import type { KeyRecord } from '../../issued-keys.ts'
import { type ApiRequest, type Reading, refuse, splitTarget } from '../../message.ts'
import type { OperationId } from '../../routes.ts'
import { each, type Parts, perServer, replacing, type Variant } from '../../variant.ts'
import {
  findOperation,
  onError,
  onInvalidKey,
  onStatus,
  readBody,
  readQuery,
  replacedBy,
  serverError,
  without,
} from '../../wrappers/middleware.ts'
import { keepingLists, letsIn, recognising } from './accepted-keys.ts'

/** A connection that carried a valid key is served from then on, if a request has no key. */
const rememberingConnection = (isWithoutKey: (given: string | undefined) => boolean): Variant =>
  perServer(() => {
    const known = new WeakMap<object, KeyRecord>()
    return replacing('authenticate', ({ authenticate }, request) => {
      const found = authenticate(request)
      if (found !== undefined) known.set(request.connection, found)
      const isWithout = isWithoutKey(request.header('authorization'))
      return isWithout ? (known.get(request.connection) ?? found) : found
    })
  })

const refusingKeys = (test: (request: ApiRequest) => boolean): Variant =>
  replacing('authenticate', ({ authenticate }, request) =>
    test(request) ? undefined : authenticate(request),
  )

const readLastPart = ({ target }: ApiRequest): string =>
  splitTarget(target).path.split('/').at(-1) ?? ''

const scheme = ({ header }: ApiRequest): string => (header('authorization') ?? '').slice(0, 6)

/** Checks part of a request before its key, and refuses it for that. */
const before = (
  operation: OperationId,
  read: (request: ApiRequest, parts: Parts) => Reading<unknown> | undefined,
): Variant =>
  onStatus(401, (response, request, parts) => {
    const found = findOperation(request, parts) === operation ? read(request, parts) : undefined
    if (found === undefined || !('refusal' in found)) return response
    const { status, code, message } = found.refusal
    return replacedBy(status, code, message)(response)
  })

export const guardMutants = each({
  'forwarded-address-refused @ status-due': [
    'A request that was forwarded for 198.51.100.7 gets 400, whatever it asks for.',
    onStatus(200, (response, { header }) =>
      header('x-forwarded-for') === '198.51.100.7'
        ? replacedBy(400, 'bad_request', 'This address is reserved.')(response)
        : response,
    ),
    { suite: 'both' },
  ],
  'auth-refusal-cached @ auth-bearer-list-200': [
    'A cache serves an old 401 for GET /pets?limit=1 to valid keys.',
    refusingKeys(({ target }) => target.endsWith('?limit=1')),
  ],
  'auth-answers-cached-by-address @ auth-missing-list-401': [
    'A cache in front of authentication stores lists by URL and serves them without a key.',
    keepingLists(({ target }) => /\/pets(?:\?|$)/.test(target)),
  ],
  'auth-scheme-compared-exactly @ auth-scheme-case-200': [
    'The scheme is compared case-sensitively: only `Bearer` works.',
    refusingKeys((request) => scheme(request) !== 'Bearer'),
  ],
  'auth-scheme-in-two-spellings @ auth-scheme-case-200': [
    'The scheme is `Bearer` or `bearer`: all capitals get 401.',
    refusingKeys((request) => !/^[Bb]earer/.test(scheme(request))),
  ],
  'auth-key-beyond-ascii-500 @ auth-latin1-list-401': [
    'A key with a character that is not ASCII gets 500 instead of 401.',
    onStatus(401, (response, request) =>
      /[^\0-\x7f]/.test(request.header('authorization') ?? '') ? serverError(response) : response,
    ),
  ],
  'auth-connection-remembered @ auth-connection-lends-no-key': [
    'The key is checked only once per connection.',
    rememberingConnection((given) => given === undefined),
  ],
  'auth-connection-lent-to-bearer-alone @ auth-no-key-none-served': [
    '`Bearer` without a key is served with the key that its connection carried before.',
    rememberingConnection((given) => /^bearer\s*$/i.test(given ?? '')),
  ],
  'auth-only-on-writes @ auth-no-key-none-served': [
    'GET requests work without a key.',
    recognising(
      letsIn(() => true),
      (operation) => operation !== 'createPet',
    ),
  ],
  'auth-malformed-400 @ auth-malformed-401': [
    'Credentials that are not a scheme and one token get 400, as RFC 6750 (3.1) has it.',
    onInvalidKey((response, { header }) =>
      /^[^ ]+ +[\w.~+/-]+=*$/.test(header('authorization') ?? '')
        ? response
        : replacedBy(400, 'invalid_request', 'The credentials are malformed.')(response),
    ),
  ],
  'auth-challenge-missing @ auth-401-challenge': [
    'A 401 has no WWW-Authenticate header.',
    onStatus(401, without('WWW-Authenticate')),
  ],
  'auth-tells-existing-animal @ auth-existing-or-unknown-same-401': [
    'A 401 reveals whether a pet exists, because the pet is loaded before the key is checked.',
    onStatus(401, (response, request, parts) => {
      const id = parts.readPetId(readLastPart(request))
      if ('refusal' in id || !parts.store.get(id.value)) return response
      return replacedBy(401, 'not_yours', 'This pet is not yours.')(response)
    }),
  ],
  'auth-repeats-key @ auth-401-repeats-no-key': [
    'The 401 message repeats the key that was sent.',
    onError(401, (error, { header }) => ({
      ...error,
      message: `Not a valid key: ${header('authorization')}`,
    })),
  ],
  'auth-after-id-no-integer @ auth-first-get-401': [
    'A petId that is not digits matches no route, before the key is checked.',
    before('getPet', (request) =>
      /^\d+$/.test(readLastPart(request)) ? undefined : refuse(404, 'not_found', 'No route.'),
    ),
  ],
  'auth-after-limit-zero @ auth-first-list-401': [
    'The limit is validated before the key of GET /pets is checked.',
    before('listPets', (request, { readLimit }) => readLimit(readQuery(request).getAll('limit'))),
  ],
  'auth-after-name-missing @ auth-first-create-401': [
    'The body is validated before the key of POST /pets is checked.',
    before('createPet', (request, { readNewPet }) => readNewPet(request)),
  ],
  'auth-after-body-missing @ auth-first-create-401': [
    'An empty body is refused before the key of POST /pets is checked.',
    before('createPet', (request) =>
      readBody(request) === '' ? refuse(400, 'bad_request', 'There is no body.') : undefined,
    ),
  ],
})
