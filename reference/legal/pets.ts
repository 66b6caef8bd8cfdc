// Legal differences of pets: their ids, default status, JSON and owners.

import type { PetStatus, Store } from '../store.ts'
import { legal, type Operation, replacing, type Variant } from '../variant.ts'
import {
  everyResponse,
  findOperation,
  rewritingBody,
  where,
  withHeaders,
} from '../wrappers/middleware.ts'
import {
  memberIn,
  numbering,
  onResponse,
  reading,
  readingId,
  refusingCalls,
  showing,
  storeWith,
} from '../wrappers/pet-store.ts'

/** Longer than what a client of JSON may want to read. */
const history = 'x'.repeat(1_100_000)

const withHistory = rewritingBody((body) =>
  body.replace('"name":', `"history":"${history}","name":`),
)

/** An odd factor, so that ids are distinct and of all sizes and signs. */
const scattered = (position: bigint) => BigInt.asIntN(64, (position + 1n) * 0x9e37_79b9_7f4a_7c15n)

/** Escapes every character that HTML or an old parser might misread. */
const escaped = (text: string): string =>
  text.replace(/[<>&'/]|[^ -~]/g, (unit) =>
    unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const picture = 'A'.repeat(55_000)

const spelledFreely = (text: string): bigint | undefined => {
  const [, digits] = /^\s*(?:%20|%2B|\+)?(-?\d{1,30})(?:\.0+|e0)?$/i.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

/** A key sees only the pets that it created. */
const ownPets: Variant = {
  parts: ({ operations, store }) => {
    const owners = new Map<bigint, string>()
    // One store for all owners, so that no id is given twice.
    const selectStore = (owner: string): Store =>
      storeWith(store, {
        added: ({ id }) => owners.set(id, owner),
        get: (id) => (owners.get(id) === owner ? store.get(id) : undefined),
        lists: ({ id }) => owners.get(id) === owner,
      })
    const own =
      (operation: Operation): Operation =>
      (call, parts) =>
        operation(call, { ...parts, store: selectStore(call.key.key) })
    const { listPets, createPet, getPet } = operations
    return {
      operations: { listPets: own(listPets), createPet: own(createPet), getPet: own(getPet) },
    }
  },
}

/** Another status, or none, of a pet that is created without one. */
const withDefault = (status: PetStatus | undefined): Variant =>
  reading((read, request) =>
    'refusal' in read || memberIn(request, 'status') !== undefined
      ? read
      : { value: { ...read.value, status: status as PetStatus } },
  )

export const petVariants = [
  ...legal(['get-unknown-404', 'get-id-not-truncated', 'get-each-own-id', 'pet-id-int64'], {
    'ids-from-zero': ['Ids start at 0.', numbering((position) => position)],
    'ids-from-least-on': ['Ids start at the smallest int64.', numbering((at) => at - 2n ** 63n)],
    'ids-scattered': ['Ids are scattered over int64.', numbering(scattered)],
  }),
  ...legal(['create-status-default', 'list-each-filtered', 'pet-fields'], {
    'status-default-none': ['A pet created without a status has none.', withDefault(undefined)],
    'status-default-pending': ['A pet without a status is pending.', withDefault('pending')],
  }),
  ...legal(
    ['body-strict-json', 'create-name-scripts-201', 'create-each-echoed', 'list-body-array'],
    {
      'json-escaped': [
        'JSON is written in ASCII, with escapes for the rest.',
        replacing('printPet', ({ printPet }, pet) => escaped(printPet(pet))),
      ],
      'json-spaced-and-turned': [
        'JSON has spaces and line breaks, and the members in reverse order.',
        replacing(
          'printPet',
          (_parts, { id, name, categoryId, status }) =>
            `{\n  "status" : "${status}",\n  "categoryId" : ${categoryId},\n` +
            `  "name" : ${JSON.stringify(name)},\n  "id" : ${id}\n}\n`,
        ),
      ],
      'members-more-than-named': [
        'A pet has further members.',
        showing((pet) => ({ ...pet, createdAt: '2026-01-01T00:00:00Z', tags: [], owner: null })),
      ],
      'members-long': [
        'A pet has a picture of 55 KB, so that a list of twenty is longer than 1 MiB.',
        showing((pet) => ({ ...pet, picture })),
      ],
      'created-with-location': [
        'A 201 has a Location header.',
        onResponse('createPet', 201, withHeaders({ Location: '/v1/pets/1' })),
      ],
    },
  ),
  ...legal(['walk-statuses'], {
    'members-longer-than-read': [
      'A pet has a history of more than 1 MiB, but in lists.',
      where(
        (_response, request, parts) => findOperation(request, parts) !== 'listPets',
        withHistory,
      ),
      { isUnread: true },
    ],
    'members-longer-than-read-everywhere': [
      'The first pet of each response has a history of more than 1 MiB.',
      everyResponse(withHistory),
      { isUnread: true },
    ],
  }),
  ...legal(['get-id-spelling', 'get-id-word-refused', 'get-id-beyond-int64-refused'], {
    'pet-id-spelled-freely': ['Other spellings of an id are accepted.', readingId(spelledFreely)],
    'pet-id-unreadable-404': [
      'A petId that is not an int64 gets 404.',
      refusingCalls('getPet', 404, (_call, { status }) => status === 400),
    ],
  }),
  ...legal(['get-fragile-200', 'walk-statuses', 'pet-stays', 'auth-animals-by-key'], {
    'animals-of-each-key': ['Each key sees only its own pets.', ownPets, { suite: 'both' }],
  }),
]
