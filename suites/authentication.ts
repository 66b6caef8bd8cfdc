// Authentication: a valid key is accepted as bearer token, everything else gets 401.
import { type AnyCheck, check, observe } from '../engine/check/declare.ts'
import { headerOf } from '../engine/check/parts.ts'
import { createPet, listPets } from '../engine/check/requests.ts'
import { openRow, packedRow, row } from '../engine/check/row.ts'
import { unauthorized, withKey } from '../history/exchange.ts'
import { credentials } from './authentication/credentials.ts'
import { sent } from './authentication/demand.ts'
import { getUnknown } from './pets/requests.ts'
import headerFields from './vocabulary/header-fields.json' with { type: 'json' }

const shortList = listPets({ limit: 1 })

/** At an address that got 401 before: it is shared with no other row. */
const accepted = row('list', {
  ...{ id: 'auth-bearer-list-200', requirement: 'auth.bearer', needs: { stage: 'reads' } },
  values: [['with a valid key, after refusals without one', () => shortList]],
})

/** The scheme is case-insensitive. */
const schemes = packedRow('list', {
  ...{ id: 'auth-scheme-case-200', needs: { stage: 'reads' } },
  values: ['bearer', 'BEARER'].map((scheme) => [`with the scheme ${scheme}`, { scheme }]),
})

/**
 * What a naive gateway or service takes for a proof of who calls, or for another request: none of
 * it is a key, so the response stays 401 (ruling 13). No method override: OPTIONS needs no key. In
 * packs in which each name is once, whose head no server may refuse as too large.
 */
const trustedFields: readonly (readonly string[])[] = headerFields.trusted

const trusted = row('list', {
  id: 'auth-trusted-fields-401',
  ...{ requirement: 'auth.only-bearer', needs: { stage: 'unauthenticated' } },
  values: trustedFields.map((fields) => [
    `without a key, with ${fields.length} fields such as ${fields[0]}`,
    () => ({ ...unauthorized(shortList), headers: fields.map(headerOf) }),
  ]),
})

const connection = check({
  ...{ id: 'auth-connection-list-401', requirement: 'auth.each-request' },
  needs: { stage: 'reads' },
  sends:
    'A `GET /pets` with a valid key, a GET of an unknown id, and a `POST /pets` of `{}` where ' +
    'that is permitted; after each a list without a key on the same connection. With up to three ' +
    'other keys a list before and after one without a key.',
  fails: 'A status that is not due; `auth-connection-lends-no-key` judges the connection.',
  after: 'list',
  run: async (context) => {
    const refused = context.allow.includes('write') ? [createPet('{}')] : []
    await context.call(shortList)
    await context.call(unauthorized(shortList))
    for (const request of [getUnknown(context), ...refused]) {
      await context.prepare(request)
      await context.call(unauthorized(shortList))
    }
    for (const { label } of context.limits.keys.slice(1, 4)) {
      await context.call(withKey(shortList, label))
      await context.call(unauthorized(shortList))
      await context.prepare(withKey(shortList, label))
    }
  },
})

const repeated = openRow('list', {
  // It counts for the key if the target accepts the valid header.
  ...{ id: 'auth-two-headers-list', requirement: 'auth.two-headers', needs: { stage: 'reads' } },
  record: 'status',
  values: [
    [
      'with two `Authorization` headers: a valid key and an invalid one',
      (context) => {
        const carries = context.limits.keys[0]?.label
        const request = sent('Bearer KEY', 'Bearer OTHER')(listPets({}), context)
        return { ...request, ...(carries && { carries }) }
      },
    ],
  ],
})

const scope = observe({
  id: 'auth-animals-by-key',
  requirement: 'auth.scope',
  needs: { stage: 'reads' },
  sends: 'No requests of its own: it looks at the lists and GETs of a run with several keys.',
  records:
    'Whether a key sees pets that another key created or sees, and whether some are hidden ' +
    'from it. A pet that only one key sees is requested with that key from then on.',
  run: async ({ knownPets: { isApart, isShared } }) => {
    if (isShared) return isApart ? 'shared between some keys' : 'shared between keys'
    return isApart ? 'each key has its own' : 'not seen: no key requested pets of another'
  },
})

export const authentication: readonly AnyCheck[] = [
  accepted,
  schemes,
  ...credentials,
  trusted,
  connection,
  repeated,
  scope,
]
