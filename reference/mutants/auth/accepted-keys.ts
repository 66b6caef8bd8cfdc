// Faults that serve requests without a valid key: no key, an invalid one, or a valid one elsewhere.
import { largerPlans } from '../../../spec/plans.ts'
import type { Mutant } from '../../variant.ts'
import { readBody, readQuery } from '../../wrappers/middleware.ts'
import { keyAfter, keyIn, keyLike, letsIn, type Recognise, recognising } from './recognise.ts'

/** The operations, by the names that the ids of the checks use. */
const operations = {
  list: ['listPets', 'GET /pets'],
  create: ['createPet', 'POST /pets'],
  get: ['getPet', 'GET /pets/{petId}'],
} as const
type OperationName = keyof typeof operations

const everywhere: readonly OperationName[] = ['list', 'create', 'get']

type KeyFault = readonly [by: readonly OperationName[], fault: string, recognise: Recognise]

/** All parts but the second one: `sk_live_abc` without `live`. */
const withoutSecond = (key: string): string => key.split(/[-_.]/).toSpliced(1, 1).join('-')

/** Accepts requests with such an Authorization header. */
const sending = (value: string | undefined): Recognise =>
  letsIn(({ header }) => header('authorization') === value)

/** What is accepted instead of a key, as in the ids of the checks, and by which operations. */
const keyFaults: Readonly<Record<string, KeyFault>> = {
  missing: [everywhere, 'works without a key', sending(undefined)],
  empty: [everywhere, 'works with an empty Authorization header', sending('')],
  'bearer-alone': [everywhere, 'works with `Bearer` alone', sending('Bearer')],
  'missing-with-status': [
    ['list'],
    'with a status filter works without a key',
    letsIn(
      (request) =>
        request.header('authorization') === undefined && readQuery(request).has('status'),
    ),
  ],
  basic: [everywhere, 'accepts the key under any scheme', keyAfter(/^\w+ (.+)$/)],
  'basic-encoded': [
    ['list'],
    'accepts the key as a Basic password',
    keyIn(({ header }) => {
      const [, encoded = ''] = /^basic (.+)$/i.exec(header('authorization') ?? '') ?? []
      return Buffer.from(encoded, 'base64').toString().split(':')[1]
    }),
  ],
  token: [['create'], 'accepts the scheme Token', keyAfter(/^token (.+)$/i)],
  'api-key-scheme': [['get'], 'accepts the scheme ApiKey', keyAfter(/^apikey (.+)$/i)],
  'no-scheme': [everywhere, 'accepts the key without the scheme Bearer', keyAfter(/^(\S+)$/)],
  'glued-scheme': [
    ['list'],
    'accepts `Bearer` without a space before the key',
    keyAfter(/^bearer *(.+)$/i),
  ],
  'scheme-colon': [['get'], 'accepts `Bearer:` before the key', keyAfter(/^bearer\W+(.+)$/i)],
  'query-api-key': [
    everywhere,
    'accepts the key as the query parameter api_key',
    keyIn((request) => readQuery(request).get('api_key')),
  ],
  'query-access-token': [
    ['list'],
    'accepts the key as the query parameter access_token',
    keyIn((request) => readQuery(request).get('access_token')),
  ],
  cookie: [
    everywhere,
    'accepts the key as a cookie',
    keyIn(({ header }) => /\bapi_key=([^;]*)/.exec(header('cookie') ?? '')?.[1]),
  ],
  'x-api-key': [
    everywhere,
    'accepts the key as X-API-Key',
    keyIn(({ header }) => header('x-api-key')),
  ],
  'proxy-authorization': [
    ['list'],
    'accepts the key in Proxy-Authorization',
    keyIn(({ header }) => header('proxy-authorization')?.replace(/^Bearer /, '')),
  ],
  'body-json': [
    ['create'],
    'accepts the key in a member of the body',
    keyIn((request) => /"api_key": ?"([^"]*)"/.exec(readBody(request))?.[1]),
  ],
  'body-form': [
    ['create'],
    'accepts the key in a form body',
    keyIn((request) => new URLSearchParams(readBody(request)).get('access_token')),
  ],
  'changed-first': [
    everywhere,
    'does not compare the first character of the key',
    keyLike((token, key) => token.slice(1) === key.slice(1)),
  ],
  'changed-last': [
    ['list', 'get'],
    'does not compare the last character of the key',
    keyLike((token, key) => token.slice(0, -1) === key.slice(0, -1)),
  ],
  'changed-middle': [
    ['list'],
    'compares only the first and last characters of the key',
    keyLike(
      (token, key) =>
        token.length === key.length &&
        token.slice(0, 6) === key.slice(0, 6) &&
        token.slice(-4) === key.slice(-4),
    ),
  ],
  'changed-segment': [
    ['list'],
    'does not compare the environment (live or test) in the key',
    keyLike((token, key) => withoutSecond(token) === withoutSecond(key)),
  ],
  'cut-end': [
    everywhere,
    'accepts a prefix of a key',
    keyLike((token, key) => key.startsWith(token)),
  ],
  'cut-start': [
    ['list'],
    'accepts a suffix of a key',
    keyLike((token, key) => key.endsWith(token)),
  ],
  extended: [
    everywhere,
    'accepts a key with characters appended',
    keyLike((token, key) => token.startsWith(key)),
  ],
  'letter-case': [
    everywhere,
    'compares keys case-insensitively',
    keyLike((token, key) => token.toLowerCase() === key.toLowerCase()),
  ],
  'two-keys': [
    ['list'],
    'accepts the first of two keys, comma-separated',
    keyLike((token, key) => token.split(',')[0] === key),
  ],
  'two-keys-turned': [
    ['get'],
    'accepts the last of two keys',
    keyLike((token, key) => token.split(/[ ,]+/).at(-1) === key),
  ],
  'two-headers-none-valid': [
    ['list'],
    'accepts a key whose scheme comes from another header line',
    ({ header }, keys) =>
      keys.find(({ key }) => header('authorization')?.includes(`${key}, Bearer`)),
  ],
  'space-inside': [
    ['list'],
    'ignores white space inside the key',
    keyLike((token, key) => token.replaceAll(' ', '') === key),
  ],
  'word-behind': [
    ['list'],
    'ignores what follows the key after a space',
    keyLike((token, key) => token.split(' ')[0] === key),
  ],
  quoted: [['list'], 'accepts the key in quotes', keyLike((token, key) => token === `"${key}"`)],
  'prototype-name': [
    ['list'],
    'accepts `constructor`: keys are looked up in a plain object',
    letsIn(({ header }) => (header('authorization') ?? '').slice(7) in {}),
  ],
  unissued: [
    everywhere,
    'accepts any key of the right format',
    letsIn(({ header }) => /^Bearer [\w-]+$/.test(header('authorization') ?? '')),
  ],
}

/** One mutant for each operation: a server may check its keys in three places. */
export const authenticationMutants: readonly Mutant[] = [
  ...Object.entries(keyFaults).flatMap(([accepted, [by, fault, recognise]]) =>
    by.map((name): Mutant => {
      const [operation, address] = operations[name]
      return {
        id: `auth-${accepted}-taken-by-${name}`,
        // A request without any key has a check for each operation.
        caughtBy:
          by.length === 1 || accepted === 'missing'
            ? `auth-${accepted}-${name}-401`
            : `auth-${accepted}-401`,
        fault: `${address} ${fault}.`,
        ...recognising(recognise, (each) => each === operation),
      }
    }),
  ),
  ...largerPlans.map(
    (plan): Mutant => ({
      id: `auth-letter-case-of-${plan}-key-taken`,
      caughtBy: `auth-changed-${plan}-key-list-401`,
      fault: 'Keys of one plan are compared case-insensitively.',
      keys: [plan],
      ...recognising((request, keys) =>
        keyLike((token, key) => token.toLowerCase() === key.toLowerCase())(
          request,
          keys.filter((key) => key.plan === plan),
        ),
      ),
    }),
  ),
]
