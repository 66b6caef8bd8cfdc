// Faults that show after other requests, at values between those that are usually tried, or after
// time: what no single request finds. And faults that users of frameworks, gateways and parsers
// reported: valid requests that failed for something that asks for nothing.

import type { Clock } from '../clock.ts'
import { type ApiRequest, type ApiResponse, splitTarget } from '../message.ts'
import { makePet, type Pet, type Store } from '../store.ts'
import { caughtBy, each, type Mutant, type Parts, replacing, type Variant } from '../variant.ts'
import { everyResponseBy, failingAt, findOperation, where } from '../wrappers/middleware.ts'
import { coercing, inStore, memberIn, refusingText } from '../wrappers/pet-store.ts'
import { keepingLists, letsIn, recognising } from './auth/recognise.ts'

const hourMs = 3_600_000

/** Refused creations go to a queue, whose worker stores them an hour later. */
const createQueue = ({ clock, store }: Parts) => {
  const waiting: { readonly name: string; readonly atMs: number }[] = []
  return (response: ApiResponse, request: ApiRequest, parts: Parts): ApiResponse => {
    while ((waiting[0]?.atMs ?? Number.POSITIVE_INFINITY) < clock.now() - hourMs) {
      const { name = '' } = waiting.shift() ?? {}
      store.add({ name, categoryId: 1n, status: 'available' })
    }
    const isRefused = response.status === 400 && findOperation(request, parts) === 'createPet'
    const name = isRefused ? memberIn(request, 'name') : undefined
    if (typeof name === 'string') waiting.push({ name, atMs: clock.now() })
    return response
  }
}

const monthMs = 30 * 24 * hourMs

/** A job that frees pets which nobody fetched after a month of reservation. */
const createReservations = (store: Store, clock: Clock): Partial<Store> => {
  const sinceMs = new Map<bigint, number>()
  const freed = (pet: Pet): Pet => {
    const known = sinceMs.get(pet.id) ?? clock.now()
    sinceMs.set(pet.id, known)
    const isOver = pet.status === 'pending' && clock.now() - known > monthMs
    return isOver ? makePet(pet.id, { ...pet, status: 'available' }) : pet
  }
  return {
    get: (id) => {
      const pet = store.get(id)
      return pet && freed(pet)
    },
  }
}

const value = ({ header }: ApiRequest, name: string): string => header(name) ?? ''

/** As frameworks obey fields that ask for another method or address. */
const obeying = (change: (request: ApiRequest) => Partial<ApiRequest>): Variant => ({
  handle: (honest) => (request) => honest({ ...request, ...change(request) }),
})

export const overrideMutants: readonly Mutant[] = caughtBy('create-override-ignored-201', {
  'override-method-obeyed': [
    'X-HTTP-Method-Override changes the method of a POST.',
    obeying(({ method, header }) => ({
      method: method === 'POST' ? (header('x-http-method-override') ?? method) : method,
    })),
  ],
  'override-url-obeyed': [
    'X-Original-URL or X-Rewrite-URL replaces the address.',
    obeying(({ target, header }) => ({
      target: header('x-original-url') ?? header('x-rewrite-url') ?? target,
    })),
  ],
})

const knownMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

export const sequenceMutants: readonly Mutant[] = [
  ...each({
    'reserved-for-a-month': [
      'walk-years-kept',
      'A reservation ends after a month: a pending pet is fetched as available from then on.',
      inStore(createReservations),
    ],
    'status-line-end-taken': [
      'create-status-line-feed-400',
      'A status may end with a line feed, before which `$` of a regular expression matches.',
      coercing('status', (status) =>
        typeof status === 'string' ? status.replace(/\n$/, '') : status,
      ),
    ],
    'refused-retried-an-hour-later': [
      'walk-refused-no-trace',
      'A creation that gets 400 is put on a queue, whose worker stores it an hour later.',
      everyResponseBy(createQueue),
    ],
    'get-undefined-is-any': [
      'walk-other-id-refused',
      'An id that is `undefined` or `null` is no condition to the query: it finds the first pet.',
      replacing('readPetId', ({ readPetId, store }, text) => {
        const [newest] = store.list(undefined, 1)
        return newest && /^(?:undefined|null|NaN)$/.test(text)
          ? { value: newest.id }
          : readPetId(text)
      }),
    ],
    'method-unknown-is-get': [
      'walk-other-method-refused',
      'A method that the router does not know is taken for GET.',
      replacing('findRoute', ({ findRoute }, method, path) =>
        findRoute(knownMethods.includes(method.toUpperCase()) ? method : 'GET', path),
      ),
    ],
    'method-delete-of-nothing-204': [
      'method-other-refused',
      'DELETE of a pet that does not exist gets 204; of one that exists, 405.',
      where(
        ({ status }, { method, target }, { readPetId, store }) => {
          const [, text = ''] = /\/pets\/([^/]+)$/.exec(splitTarget(target).path) ?? []
          const id = readPetId(text)
          return status === 405 && method === 'DELETE' && 'value' in id && !store.get(id.value)
        },
        (response) => ({ ...response, status: 204, body: '' }),
      ),
    ],
    'lists-kept-for-anyone': [
      'auth-no-key-none-served',
      'A gateway keeps lists with a limit, and gives them out before it looks at the key.',
      keepingLists(({ target }) => target.includes('limit=')),
    ],
  }),
  // Each names the report.
  ...caughtBy('list-fields-200', {
    // TheHive-Project/TheHive#438, windmill-labs/windmill#10628, Altinn/dialogporten#4103.
    'reported-type-of-empty-body': [
      'A GET with a Content-Type is refused: its empty body is not valid JSON.',
      failingAt(
        400,
        (request) => request.method === 'GET' && /json/i.test(value(request, 'content-type')),
      ),
    ],
    // freeunitorg/freeunit#109.
    'reported-traceparent': [
      'A malformed traceparent makes a request fail, instead of a new trace.',
      failingAt(
        500,
        (request) =>
          request.header('traceparent') !== undefined &&
          !/^00-[0-9a-f]{32}-[0-9a-f]{16}-\d\d$/.test(value(request, 'traceparent')),
      ),
    ],
    // code-dot-org/code-dot-org#5947, stefanprodan/AspNetCoreRateLimit#415.
    'reported-forwarded-for-unknown': [
      'X-Forwarded-For is parsed as an IP address, and is `unknown` behind some proxies.',
      failingAt(500, (request) => /unknown/.test(value(request, 'x-forwarded-for'))),
    ],
  }),
  ...each({
    // cesanta/mjson#73, maciejhirsz/json-rust#167.
    'reported-escaped-solidus': [
      'create-json-form-201',
      'The JSON parser does not know the escape of a slash.',
      refusingText((text) => /(?<!\\)(?:\\\\)*\\\//.test(text)),
    ],
    // openfoodfacts/openfoodfacts-explorer#1060, request/request#1571.
    'reported-key-of-nothing': [
      'auth-no-value-list-401',
      'The keys are read from variables that are not set: the word for no value is a key.',
      recognising(
        letsIn(({ header }) =>
          /^Bearer (?:undefined|null|None|nil|\(null\))$/i.test(header('authorization') ?? ''),
        ),
      ),
    ],
    // BC-SECURITY/Empire#274.
    'reported-key-of-template': [
      'auth-placeholder-list-401',
      'The keys are read from a template that nothing fills in: the name of a variable is a key.',
      recognising(
        letsIn(({ header }) => /^Bearer [${%<]{1,3}.*key.*$/i.test(header('authorization') ?? '')),
      ),
    ],
  }),
  ...caughtBy('auth-trusted-fields-401', {
    // home-assistant/core#14345, KanishJebaMathewM/Truxify#13918.
    'reported-forwarded-for-local': [
      'A request that X-Forwarded-For says is from this machine needs no key.',
      recognising(
        letsIn((request) => /^(?:127\.0\.0\.1|::1)$/.test(value(request, 'x-forwarded-for'))),
      ),
    ],
    // vibed-project/vibeD#44.
    'reported-forwarded-user': [
      'The user that a proxy names in X-Forwarded-User is taken from any client.',
      recognising(letsIn((request) => value(request, 'x-forwarded-user') !== '')),
    ],
  }),
]
