// Requests that are served without a valid key: no key, a wrong one, or one in the wrong place.
import { largerPlans } from '../../../spec/plans.ts'
import type { Mutant } from '../../mutant.ts'
import { bodyOf, queryOf } from '../../seams/responses.ts'
import { keyAfter, keyIn, keyLike, letsIn, type Recognise, recognising } from './recognise.ts'

/** The operations, by the names that the ids of the checks use. */
const operations = { list: 'listPets', create: 'createPet', get: 'getPet' } as const
type OperationName = keyof typeof operations

const everywhere: readonly OperationName[] = ['list', 'create', 'get']

/** What is accepted in place of a key, in the words of the checks' ids, and by which operations. */
type KeyFault = readonly [
  accepted: string,
  by: readonly OperationName[],
  fault: string,
  recognise: Recognise,
]

/** All parts but the second one: `sk_live_abc` without `live`. */
const withoutSecond = (key: string): string => key.split(/[-_.]/).toSpliced(1, 1).join('-')

const keyFaults: readonly KeyFault[] = [
  [
    'missing',
    everywhere,
    'The route was added without the guard.',
    letsIn(({ header }) => header('authorization') === undefined),
  ],
  [
    'empty',
    everywhere,
    'Only whether the header is there is looked at, not whether it says something.',
    letsIn(({ header }) => header('authorization') === ''),
  ],
  [
    'bearer-alone',
    everywhere,
    'The scheme is cut off, and an empty rest is found among keys that were left empty.',
    letsIn(({ header }) => header('authorization') === 'Bearer'),
  ],
  [
    'missing-with-status',
    ['list'],
    'The list of what is available is public, as the page of the shop shows it.',
    letsIn(
      (request) => request.header('authorization') === undefined && queryOf(request).has('status'),
    ),
  ],
  [
    'basic',
    everywhere,
    'The second word of the header is the key, whatever the first one.',
    keyAfter(/^\w+ (.+)$/),
  ],
  [
    'basic-encoded',
    ['list'],
    'The key is taken as a password as well.',
    keyIn(({ header }) => {
      const [, encoded = ''] = /^basic (.+)$/i.exec(header('authorization') ?? '') ?? []
      return Buffer.from(encoded, 'base64').toString().split(':')[1]
    }),
  ],
  [
    'token',
    ['create'],
    'The scheme of an older version is still taken.',
    keyAfter(/^token (.+)$/i),
  ],
  [
    'api-key-scheme',
    ['get'],
    'A scheme that the gateway uses inside is taken from outside.',
    keyAfter(/^apikey (.+)$/i),
  ],
  ['no-scheme', everywhere, 'The scheme is removed where it is there.', keyAfter(/^(\S+)$/)],
  [
    'glued-scheme',
    ['list'],
    'The scheme is cut off by its length, and the rest is trimmed.',
    keyAfter(/^bearer *(.+)$/i),
  ],
  [
    'scheme-colon',
    ['get'],
    'The header is split at anything but letters.',
    keyAfter(/^bearer\W+(.+)$/i),
  ],
  [
    'query-api-key',
    everywhere,
    'For links, a key in the query is taken.',
    keyIn((request) => queryOf(request).get('api_key')),
  ],
  [
    'query-access-token',
    ['list'],
    'The middleware also knows the query parameter of RFC 6750.',
    keyIn((request) => queryOf(request).get('access_token')),
  ],
  [
    'cookie',
    everywhere,
    'The session of the dashboard opens the API.',
    keyIn(({ header }) => /\bapi_key=([^;]*)/.exec(header('cookie') ?? '')?.[1]),
  ],
  [
    'x-api-key',
    everywhere,
    'X-API-Key is taken as well.',
    keyIn(({ header }) => header('x-api-key')),
  ],
  [
    'proxy-authorization',
    ['list'],
    'What is meant for a proxy is taken too.',
    keyIn(({ header }) => header('proxy-authorization')?.replace(/^Bearer /, '')),
  ],
  [
    'body-json',
    ['create'],
    'A member of the body may hold the key.',
    keyIn((request) => /"api_key": ?"([^"]*)"/.exec(bodyOf(request))?.[1]),
  ],
  [
    'body-form',
    ['create'],
    'The middleware also knows the form parameter of RFC 6750.',
    keyIn((request) => new URLSearchParams(bodyOf(request)).get('access_token')),
  ],
  [
    'changed-first',
    everywhere,
    'The first character, a mark of the kind of key, is not compared.',
    keyLike((token, key) => token.slice(1) === key.slice(1)),
  ],
  [
    'changed-last',
    ['list', 'get'],
    'One character too few is compared.',
    keyLike((token, key) => token.slice(0, -1) === key.slice(0, -1)),
  ],
  [
    'changed-middle',
    ['list'],
    'Of a key only what a dashboard shows of it is stored: its beginning and its end.',
    keyLike(
      (token, key) =>
        token.length === key.length &&
        token.slice(0, 6) === key.slice(0, 6) &&
        token.slice(-4) === key.slice(-4),
    ),
  ],
  [
    'changed-segment',
    ['list'],
    'The environment in a key (live or test) is cut out before it is compared.',
    keyLike((token, key) => withoutSecond(token) === withoutSecond(key)),
  ],
  [
    'cut-end',
    everywhere,
    'The comparison ends where the shorter text does.',
    keyLike((token, key) => key.startsWith(token)),
  ],
  [
    'cut-start',
    ['list'],
    'Keys are searched with LIKE.',
    keyLike((token, key) => key.endsWith(token)),
  ],
  [
    'extended',
    everywhere,
    'Only as many characters as a key has are looked at.',
    keyLike((token, key) => token.startsWith(key)),
  ],
  [
    'letter-case',
    everywhere,
    'The column of the keys has a collation without letter case.',
    keyLike((token, key) => token.toLowerCase() === key.toLowerCase()),
  ],
  [
    'two-keys',
    ['list'],
    'Of a list of credentials the first counts.',
    keyLike((token, key) => token.split(',')[0] === key),
  ],
  [
    'two-keys-turned',
    ['get'],
    'Of a list of credentials the last counts.',
    keyLike((token, key) => token.split(/[ ,]+/).at(-1) === key),
  ],
  [
    'two-headers-none-valid',
    ['list'],
    'The scheme of one header line is put together with the key of another.',
    ({ header }, keys) =>
      keys.find(({ key }) => header('authorization')?.includes(`${key}, Bearer`)),
  ],
  [
    'space-inside',
    ['list'],
    'All white space is removed before the comparison.',
    keyLike((token, key) => token.replaceAll(' ', '') === key),
  ],
  [
    'word-behind',
    ['list'],
    'The header is split at its spaces, and the second part is the key.',
    keyLike((token, key) => token.split(' ')[0] === key),
  ],
  [
    'quoted',
    ['list'],
    'Quotes around the key are removed.',
    keyLike((token, key) => token === `"${key}"`),
  ],
  [
    'prototype-name',
    ['list'],
    'Keys are looked up in an object, which has members of its own.',
    letsIn(({ header }) => (header('authorization') ?? '').slice(7) in {}),
  ],
  [
    'unissued',
    everywhere,
    'The form of the key is validated, and nobody asks whether it was issued.',
    letsIn(({ header }) => /^Bearer [\w-]+$/.test(header('authorization') ?? '')),
  ],
]

/** One mutant for each operation: a server may check its keys in three places. */
export const authenticationMutants: readonly Mutant[] = [
  ...keyFaults.flatMap(([accepted, by, fault, recognise]) =>
    by.map(
      (name): Mutant => ({
        id: `auth-${accepted}-taken-by-${name}`,
        caughtBy: `auth-${accepted}-${name}-401`,
        fault,
        ...recognising((operation) => operation === operations[name], recognise),
      }),
    ),
  ),
  ...largerPlans.map(
    (plan): Mutant => ({
      id: `auth-letter-case-of-${plan}-key-taken`,
      caughtBy: `auth-changed-${plan}-key-list-401`,
      fault: 'Keys of one plan were moved to a table whose collation has no letter case.',
      keys: [plan],
      ...recognising(
        () => true,
        (request, keys) =>
          keyLike((token, key) => token.toLowerCase() === key.toLowerCase())(
            request,
            keys.filter((key) => key.plan === plan),
          ),
      ),
    }),
  ),
]
