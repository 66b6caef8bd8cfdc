// Faults of authentication: what is taken for a key where a key is missing, or spelt otherwise.
import { largerPlans } from '../../spec/plans.ts'
import type { Mutant } from '../mutant.ts'
import {
  everywhere,
  type KeyFault,
  keyAfter,
  keyIn,
  keyLike,
  letsIn,
  perOperation,
  queryOf,
  recognising,
} from './recognising-keys.ts'
import { keysElsewhere, keysUnlike } from './wrong-keys.ts'

const missing: KeyFault = {
  takes: 'missing',
  on: ['list'],
  fault: 'The route was added without the guard.',
  recognise: letsIn(({ header }) => header('authorization') === undefined),
}

const blank: readonly KeyFault[] = [
  {
    takes: 'empty',
    on: everywhere,
    fault: 'Only whether the header is there is looked at, not whether it says something.',
    recognise: letsIn(({ header }) => header('authorization') === ''),
  },
  {
    takes: 'bearer-alone',
    on: everywhere,
    fault: 'The scheme is cut off, and an empty rest is found among keys that were left empty.',
    recognise: letsIn(({ header }) => header('authorization') === 'Bearer'),
  },
]

const filtered: KeyFault = {
  takes: 'missing-with-status',
  on: ['list'],
  fault: 'The list of what is available is public, as the page of the shop shows it.',
  recognise: letsIn(
    (request) => request.header('authorization') === undefined && queryOf(request).has('status'),
  ),
}

const schemes: readonly KeyFault[] = [
  {
    takes: 'basic',
    on: everywhere,
    fault: 'The second word of the header is the key, whatever the first one.',
    recognise: keyAfter(/^\w+ (.+)$/),
  },
  {
    takes: 'basic-encoded',
    on: ['list'],
    fault: 'The key is taken as a password as well.',
    recognise: keyIn(({ header }) => {
      const [, encoded = ''] = /^basic (.+)$/i.exec(header('authorization') ?? '') ?? []
      return Buffer.from(encoded, 'base64').toString().split(':')[1]
    }),
  },
  {
    takes: 'token',
    on: ['create'],
    fault: 'The scheme of an older version is still taken.',
    recognise: keyAfter(/^token (.+)$/i),
  },
  {
    takes: 'api-key-scheme',
    on: ['get'],
    fault: 'A scheme that the gateway uses inside is taken from outside.',
    recognise: keyAfter(/^apikey (.+)$/i),
  },
]

const anyToken: KeyFault = {
  takes: 'unissued',
  on: everywhere,
  fault: 'The form of the key is validated, and nobody asks whether it was issued.',
  recognise: letsIn(({ header }) => /^Bearer [\w-]+$/.test(header('authorization') ?? '')),
}

export const authenticationMutants: readonly Mutant[] = [
  ...perOperation('list.unauthorized', [missing]),
  ...perOperation('create.unauthorized', [{ ...missing, on: ['create'] }]),
  ...perOperation('get.unauthorized', [{ ...missing, on: ['get'] }]),
  ...perOperation('auth.key-missing', [...blank, filtered]),
  ...perOperation('auth.scheme', schemes),
  ...perOperation('auth.only-bearer', keysElsewhere),
  ...perOperation('auth.key-invalid', keysUnlike),
  ...perOperation('errors.401', [anyToken]),
  ...largerPlans.map(
    (plan): Mutant => ({
      id: `auth-letter-case-of-${plan}-key-taken`,
      breaks: 'auth.key-invalid',
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
