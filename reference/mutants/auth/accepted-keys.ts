// Faults that serve requests without a valid key: no key, an invalid one, or a valid one elsewhere.
import { largerPlans, plans } from '../../../spec/plans.ts'
import type { KeyRecord } from '../../issued-keys.ts'
import type { ApiRequest, ApiResponse } from '../../message.ts'
import type { OperationId } from '../../routes.ts'
import { type Mutant, replacing, type Variant } from '../../variant.ts'
import { everyResponseBy, findOperation, readBody, readQuery } from '../../wrappers/middleware.ts'

/** Finds a key in a request without a valid one. */
type Recognise = (request: ApiRequest, keys: readonly KeyRecord[]) => KeyRecord | undefined

/** Accepts more than the reference does, for the operations that `where` selects. */
export const recognising = (
  recognise: Recognise,
  where: (operation: OperationId | undefined) => boolean = () => true,
): Variant =>
  replacing('authenticate', (honest, request) => {
    const found = honest.authenticate(request)
    if (found !== undefined || !where(findOperation(request, honest))) return found
    return recognise(request, honest.keys.all)
  })

/** The record of a caller without a key; its quota is never reached. */
const callerWithoutKey: KeyRecord = {
  key: '',
  plan: 'enterprise',
  quota: { perMinute: 1_000 * plans.business.perMinute, perDay: 1_000 * plans.business.perDay },
}

const authorization = ({ header }: ApiRequest): string => header('authorization') ?? ''

/** Accepts requests that pass the test. */
export const letsIn =
  (test: (request: ApiRequest) => boolean): Recognise =>
  (request) =>
    test(request) ? callerWithoutKey : undefined

/** Reads the key from another text than the bearer token. */
const keyIn =
  (read: (request: ApiRequest) => string | null | undefined): Recognise =>
  (request, keys) => {
    const text = read(request)
    return keys.find(({ key }) => key === text)
  }

const keyInQuery = (name: string): Recognise => keyIn((request) => readQuery(request).get(name))

/** The first group of a pattern, over the Authorization header. */
const keyAfter = (pattern: RegExp): Recognise =>
  keyIn((request) => pattern.exec(authorization(request))?.[1])

/** Compares the token with the keys in another way than for equality. */
const keyLike =
  (like: (token: string, key: string) => boolean): Recognise =>
  (request, keys) => {
    const token = /^bearer +(.+)$/i.exec(authorization(request))?.[1]
    return token === undefined ? undefined : keys.find(({ key }) => like(token, key))
  }

const keyReadAs = (read: (text: string) => string): Recognise =>
  keyLike((token, key) => read(token) === read(key))

const keyWithin = (read: (token: string) => string | undefined): Recognise =>
  keyLike((token, key) => read(token) === key)

const inAnyCase = keyReadAs((text) => text.toLowerCase())

/** A cache in front of the keys keeps some lists by their address, and serves them to anyone. */
export const keepingLists = (isKept: (request: ApiRequest) => boolean): Variant =>
  everyResponseBy(() => {
    const kept = new Map<string, ApiResponse>()
    return (response, request) => {
      if (request.method !== 'GET' || !isKept(request)) return response
      if (response.status === 200) kept.set(request.target, response)
      return response.status === 401 ? (kept.get(request.target) ?? response) : response
    }
  })

/** The operations, by the names that the ids of the checks use. */
const operations = {
  list: ['listPets', 'GET /pets'],
  create: ['createPet', 'POST /pets'],
  get: ['getPet', 'GET /pets/{petId}'],
} as const
type OperationName = keyof typeof operations

/** All parts but the second one: `sk_live_abc` without `live`. */
const withoutSecond = (key: string): string => key.split(/[-_.]/).toSpliced(1, 1).join('-')

const sending = (value: string | undefined): Recognise =>
  letsIn(({ header }) => header('authorization') === value)

/** What is accepted instead of a key, as in the ids of the checks. */
type KeyFaults = Readonly<Record<string, readonly [fault: string, recognise: Recognise]>>

/** One mutant for each operation: a server may check its keys in three places. */
const takenBy = (by: readonly OperationName[], faults: KeyFaults): readonly Mutant[] =>
  Object.entries(faults).flatMap(([accepted, [fault, recognise]]) =>
    by.map((name): Mutant => {
      const [operation, address] = operations[name]
      return {
        id: `auth-${accepted}-taken-by-${name}`,
        caughtBy: `auth-${accepted}-${name}-401`,
        fault: `${address} ${fault}.`,
        ...recognising(recognise, (each) => each === operation),
      }
    }),
  )

export const authenticationMutants = [
  ...takenBy(['list', 'create', 'get'], {
    missing: ['works without a key', sending(undefined)],
    empty: ['works with an empty Authorization header', sending('')],
    'bearer-alone': ['works with `Bearer` alone', sending('Bearer')],
    basic: ['accepts the key under any scheme', keyAfter(/^\w+ (.+)$/)],
    'no-scheme': ['accepts the key without the scheme Bearer', keyAfter(/^(\S+)$/)],
    'query-api-key': ['accepts the key as the query parameter api_key', keyInQuery('api_key')],
    cookie: [
      'accepts the key as a cookie',
      keyIn(({ header }) => /\bapi_key=([^;]*)/.exec(header('cookie') ?? '')?.[1]),
    ],
    'x-api-key': ['accepts the key as X-API-Key', keyIn(({ header }) => header('x-api-key'))],
    'changed-first': ['ignores the first character of the key', keyReadAs((key) => key.slice(1))],
    'cut-end': ['accepts a prefix of a key', keyLike((token, key) => key.startsWith(token))],
    extended: ['accepts a key with more after it', keyLike((token, key) => token.startsWith(key))],
    'letter-case': ['compares keys case-insensitively', inAnyCase],
    'unissued-elsewhere': [
      'demands a key as X-API-Key, and looks none up',
      letsIn(({ header }) => header('x-api-key') !== undefined),
    ],
    unissued: [
      'accepts any key of the right format',
      letsIn(({ header }) => /^Bearer [\w-]+$/.test(header('authorization') ?? '')),
    ],
  }),
  ...takenBy(['list'], {
    pattern: ['looks its key up by LIKE', sending('Bearer %')],
    'gateway-fields': [
      'accepts the key under the name that a gateway has for it',
      keyIn(({ header }) => header('ocp-apim-subscription-key')),
    ],
    'gateway-fields-bearer': [
      'accepts the key in X-Forwarded-Authorization',
      keyIn(({ header }) => header('x-forwarded-authorization')?.replace(/^Bearer /, '')),
    ],
    'gateway-parameters': ['accepts the key as parameter user_key', keyInQuery('user_key')],
    'missing-with-status': [
      'with a status filter works without a key',
      letsIn(
        (request) =>
          request.header('authorization') === undefined && readQuery(request).has('status'),
      ),
    ],
    'basic-encoded': [
      'accepts the key as a Basic password',
      keyIn(({ header }) => {
        const [, encoded = ''] = /^basic (.+)$/i.exec(header('authorization') ?? '') ?? []
        return Buffer.from(encoded, 'base64').toString().split(':')[1]
      }),
    ],
    'glued-scheme': ['accepts `Bearer` right before the key', keyAfter(/^bearer *(.+)$/i)],
    'query-access-token': ['accepts the key as parameter access_token', keyInQuery('access_token')],
    'proxy-authorization': [
      'accepts the key in Proxy-Authorization',
      keyIn(({ header }) => header('proxy-authorization')?.replace(/^Bearer /, '')),
    ],
    'changed-middle': [
      'compares only the length, and the first and last characters of the key',
      keyReadAs((key) => `${key.length} ${key.slice(0, 6)} ${key.slice(-4)}`),
    ],
    'changed-segment': [
      'ignores the environment (live, test) in the key',
      keyReadAs(withoutSecond),
    ],
    'cut-start': ['accepts a suffix of a key', keyLike((token, key) => key.endsWith(token))],
    'two-keys': ['accepts the first of two keys', keyWithin((token) => token.split(',')[0])],
    'two-headers-none-valid': [
      'accepts a key whose scheme comes from another header line',
      ({ header }, keys) =>
        keys.find(({ key }) => header('authorization')?.includes(`${key}, Bearer`)),
    ],
    'space-inside': [
      'ignores white space inside the key',
      keyWithin((token) => token.replaceAll(' ', '')),
    ],
    'word-behind': ['ignores words behind the key', keyWithin((token) => token.split(' ')[0])],
    quoted: ['accepts the key in quotes', keyLike((token, key) => token === `"${key}"`)],
    'prototype-name': [
      'accepts `constructor`: keys are looked up in a plain object',
      letsIn(({ header }) => (header('authorization') ?? '').slice(7) in {}),
    ],
  }),
  ...takenBy(['create'], {
    token: ['accepts the scheme Token', keyAfter(/^token (.+)$/i)],
    'body-json': [
      'accepts the key in a member of the body',
      keyIn((request) => /"api_key": ?"([^"]*)"/.exec(readBody(request))?.[1]),
    ],
    'body-form': [
      'accepts the key in a form body',
      keyIn((request) => new URLSearchParams(readBody(request)).get('access_token')),
    ],
  }),
  ...takenBy(['get'], {
    'api-key-scheme': ['accepts the scheme ApiKey', keyAfter(/^apikey (.+)$/i)],
    'scheme-colon': ['accepts `Bearer:` before the key', keyAfter(/^bearer\W+(.+)$/i)],
    'two-keys-turned': [
      'accepts the last of two keys',
      keyWithin((token) => token.split(/[ ,]+/).at(-1)),
    ],
  }),
  ...takenBy(['list', 'get'], {
    'changed-last': ['ignores the last character of the key', keyReadAs((key) => key.slice(0, -1))],
  }),
  ...largerPlans.map(
    (plan): Mutant => ({
      id: `auth-letter-case-of-${plan}-key-taken`,
      caughtBy: `auth-changed-${plan}-key-list-401`,
      fault: 'Keys of one plan are compared case-insensitively.',
      keys: [plan],
      ...recognising((request, keys) =>
        inAnyCase(
          request,
          keys.filter((key) => key.plan === plan),
        ),
      ),
    }),
  ),
]
