// Legal differences of pets: their ids, default status, JSON and owners.
import type { Variant } from '../compose.ts'
import { isInt64, parseJson, printJson } from '../json.ts'
import type { KeyRecord } from '../keys.ts'
import { type ApiRequest, refuse } from '../message.ts'
import type { LegalVariant } from '../mutant.ts'
import type { Call, Operation, Parts } from '../parts.ts'
import { allPets, type Members, numbering, onResponse, showing } from '../seams/pets.ts'
import { sqliteStore } from '../sqlite-store.ts'
import type { PetStatus, Store } from '../store.ts'

const unknownIds = ['get-unknown-404', 'get-id-not-truncated', 'get-id-own'] as const

const owned = [
  'list-limit-no-fewer',
  'list-status-sold-all',
  'list-animal-as-created',
  'pet-stays-oldest',
  'get-animal-as-created',
  'get-id-own',
  'get-id-not-truncated',
  'stateful-list-add-fetch',
  'create-refused-no-trace',
  'count-across-operations',
  'pet-stays-over-time',
  'get-after-removal-gone',
  'list-after-removal-200',
  'auth-animals-by-key',
] as const

/** An odd factor, so that ids are distinct and of all sizes and signs. */
const scattered = (position: bigint) => BigInt.asIntN(64, (position + 1n) * 0x9e37_79b9_7f4a_7c15n)

const statusIn = (body: ApiRequest['body']): unknown =>
  (parseJson(String(body))?.value as Members | undefined)?.status

/** Pets that were created without a status have none. */
const withoutDefault = (): Variant => ({
  parts: ({ store, readNewPet }) => {
    const bare = new WeakSet<object>()
    const none = new Set<bigint>()
    return {
      readNewPet: (request) => {
        const reading = readNewPet(request)
        if ('value' in reading && statusIn(request.body) === undefined) bare.add(reading.value)
        return reading
      },
      store: {
        ...store,
        add: (fields) => {
          const pet = store.add(fields)
          if (bare.has(fields)) none.add(pet.id)
          return pet
        },
        list: (status, limit) =>
          store
            .list(status, allPets)
            .filter(({ id }) => status === undefined || !none.has(id))
            .slice(0, limit),
      },
      printPet: ({ id, name, categoryId, status }) =>
        printJson(none.has(id) ? { id, name, categoryId } : { id, name, categoryId, status }),
    }
  },
})

const defaultingTo = (status: PetStatus): Variant => ({
  parts: ({ readNewPet }) => ({
    readNewPet: (request) => {
      const reading = readNewPet(request)
      if ('refusal' in reading || statusIn(request.body) !== undefined) return reading
      return { value: { ...reading.value, status } }
    },
  }),
})

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

export const petVariants: readonly LegalVariant[] = [
  {
    id: 'ids-small',
    does: 'Ids start at 1.',
    exercises: [...unknownIds, 'auth-existing-or-unknown-same-401'],
    ...numbering((position) => position + 1n),
  },
  {
    id: 'ids-from-zero',
    does: 'Ids start at 0.',
    exercises: [...unknownIds, 'get-id-zero-404'],
    ...numbering((position) => position),
  },
  {
    id: 'ids-falling-below-zero',
    does: 'Ids start at -1 and fall.',
    exercises: [...unknownIds, 'errors-unknown-animal-404', 'pet-id-int64'],
    ...numbering((position) => -1n - position),
  },
  {
    id: 'ids-from-least-on',
    does: 'Ids start at the smallest int64.',
    exercises: [...unknownIds, 'get-id-least-404', 'pet-id-int64'],
    ...numbering((position) => position - 2n ** 63n),
  },
  {
    id: 'ids-scattered',
    does: 'Ids are scattered over int64.',
    exercises: [
      ...unknownIds,
      'get-id-zero-404',
      'get-id-most-404',
      'get-id-least-404',
      'create-ids-all-distinct',
      'pet-id-int64',
    ],
    ...numbering(scattered),
  },
  {
    id: 'store-in-file-format',
    does: 'The pets are stored in SQLite.',
    exercises: ['create-category-exact', 'create-name-ordinary-kept', 'get-id-own'],
    parts: () => ({ store: sqliteStore(':memory:') }),
  },
  {
    id: 'status-default-none',
    does: 'A pet created without a status has none.',
    exercises: ['create-status-omitted-201', 'create-status-default', 'pet-fields'],
    ...withoutDefault(),
  },
  ...(['pending', 'sold'] as const).map(
    (status): LegalVariant => ({
      id: `status-default-${status}`,
      does: `A pet created without a status is ${status}.`,
      exercises: [
        'create-status-default',
        `list-status-${status}-only`,
        status === 'sold' ? 'get-animal-as-created' : 'pet-fields',
      ],
      ...defaultingTo(status),
    }),
  ),
  {
    id: 'json-escaped',
    does: 'JSON is written in ASCII, with escapes for the rest.',
    exercises: ['body-strict-json', 'create-name-ordinary-kept', 'create-values-echoed'],
    parts: ({ printPet }) => ({ printPet: (pet) => escaped(printPet(pet)) }),
  },
  {
    id: 'json-spaced-and-turned',
    does: 'JSON has spaces and line breaks, and the members in reverse order.',
    exercises: ['body-strict-json', 'create-category-exact', 'list-body-array'],
    parts: () => ({
      printPet: ({ id, name, categoryId, status }) =>
        `{\n  "status" : "${status}",\n  "categoryId" : ${categoryId},\n` +
        `  "name" : ${JSON.stringify(name)},\n  "id" : ${id}\n}\n`,
    }),
  },
  {
    id: 'members-more-than-named',
    does: 'A pet has further members.',
    exercises: ['pet-fields', 'create-values-echoed', 'list-body-array'],
    ...showing((pet) => ({ ...pet, createdAt: '2026-01-01T00:00:00Z', tags: [], owner: null })),
  },
  {
    id: 'members-long',
    does: 'A pet has a picture of 55 KB, so that a list of twenty is longer than 1 MiB.',
    exercises: ['list-body-array', 'create-sound-201', 'body-strict-json', 'pet-fields'],
    ...showing((pet) => ({ ...pet, picture })),
  },
  {
    id: 'created-with-location',
    does: 'A 201 has a Location header.',
    exercises: ['create-sound-201'],
    ...onResponse('createPet', 201, (response) => ({
      ...response,
      headers: { ...response.headers, Location: '/v1/pets/1' },
    })),
  },
  {
    id: 'pet-id-spelled-freely',
    does: 'Other spellings of an integer are accepted.',
    exercises: [
      'get-id-leading-zeros',
      'get-id-plus',
      'get-id-point-zero',
      'get-id-fraction-refused',
    ],
    parts: ({ readPetId }) => ({
      readPetId: (text) => {
        const id = spelledFreely(text)
        return isInt64(id) ? { value: id } : readPetId(text)
      },
    }),
  },
  ...([404, 422] as const).map(
    (status): LegalVariant => ({
      id: `pet-id-unreadable-${status}`,
      does: `A petId that is not an int64 gets ${status}.`,
      exercises: ['get-id-word-refused', 'get-id-beyond-int64-refused'],
      parts: ({ readPetId }) => ({
        readPetId: (text) => {
          const reading = readPetId(text)
          if ('value' in reading) return reading
          return refuse(status, 'not_found', 'There is no such pet.')
        },
      }),
    }),
  ),
]

type Owners = Map<bigint, string>

/** The pets of one owner, in the store that all share, so that no id is given twice. */
const ownStore = (store: Store, owners: Owners, owner: string): Store => ({
  ...store,
  add: (fields) => {
    const pet = store.add(fields)
    owners.set(pet.id, owner)
    return pet
  },
  get: (id) => (owners.get(id) === owner ? store.get(id) : undefined),
  list: (status, limit) =>
    store
      .list(status, allPets)
      .filter(({ id }) => owners.get(id) === owner)
      .slice(0, limit),
})

/** @param ownerOf the owner of the pets that a key creates and sees */
const owning = (ownerOf: (key: KeyRecord) => string): Variant => ({
  parts: ({ operations, store }) => {
    const owners: Owners = new Map()
    const own =
      (operation: Operation): Operation =>
      (call: Call, parts: Parts) =>
        operation(call, { ...parts, store: ownStore(store, owners, ownerOf(call.key)) })
    const { listPets, createPet, getPet } = operations
    return {
      operations: { listPets: own(listPets), createPet: own(createPet), getPet: own(getPet) },
    }
  },
})

export const legalOwners: readonly LegalVariant[] = [
  {
    id: 'animals-of-each-key',
    does: 'Each key has pets of its own, and sees no others.',
    exercises: owned,
    suite: 'both',
    ...owning(({ key }) => key),
  },
  {
    id: 'animals-of-each-plan',
    does: 'The keys of a plan share their pets, and see no others.',
    exercises: owned,
    suite: 'both',
    ...owning(({ plan }) => plan),
  },
]
