// Faults of GET by id: unknown ids, ids that are not integers, and what the pet shows.

import { isInt64, parseJson, printJson } from '../../json.ts'
import { type ApiResponse, refuse } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import type { Pet } from '../../store.ts'
import { replacing, together, type Variant } from '../../variant.ts'
import { serverError } from '../../wrappers/middleware.ts'
import {
  allPets,
  inStore,
  type Members,
  numbering,
  onCall,
  onResponse,
} from '../../wrappers/pet-store.ts'

const whenUnknown = (status: number, body: string): Variant =>
  onResponse('getPet', 404, (response) => ({ ...response, status, body }))

/** Changes the pet in responses to GET by id only. */
const showingFetched = (change: (pet: Members) => Members): Variant =>
  onResponse('getPet', 200, (response) => ({
    ...response,
    body: printJson(change(parseJson(response.body)?.value as Members)),
  }))

const respondingTo = (text: string, response: ApiResponse): Variant =>
  onCall('getPet', (honest, { petId }) => (petId === text ? response : honest))

const whole = { status: 200, headers: {}, body: '[]' }
const failed = serverError({ ...whole, body: '' })

const respondingToUnreadable = (response: ApiResponse): Variant =>
  onCall('getPet', (honest, { petId }) =>
    petId.length > 100 || /^\w{8}-|%(?!2)/.test(petId) ? response : honest,
  )

/** Reads a text as an id, or as another id than the reference does. */
const readingId = (change: (text: string) => bigint | undefined): Variant =>
  replacing('readPetId', ({ readPetId }, text) => {
    const value = change(text)
    return isInt64(value) ? { value } : readPetId(text)
  })

const leadingDigits = (text: string) => {
  const [digits] = /^-?\d{1,30}/.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

export const getMutants: readonly Mutant[] = [
  ...(
    [
      ['get-unknown-null', 200, 'null'],
      ['get-unknown-empty-object', 200, '{}'],
      ['get-unknown-empty-list', 200, '[]'],
      ['get-unknown-204', 204, ''],
    ] as const
  ).map(
    ([id, status, body]): Mutant => ({
      id,
      caughtBy: 'get-unknown-404',
      fault: `An unknown petId gets ${status} with ${body || 'no body'} instead of 404.`,
      ...whenUnknown(status, body),
    }),
  ),
  ...caughtBy('get-unknown-404', {
    'get-unknown-400': [
      'An unknown petId gets 400 instead of 404.',
      onResponse('getPet', 404, (_response, { error }) =>
        error(400, 'invalid_parameter', 'There is no such pet.'),
      ),
    ],
    'get-unknown-nearest': [
      'An unknown petId returns the nearest pet.',
      inStore((store) => ({ get: (id) => store.get(id) ?? store.list(undefined, 1)[0] })),
    ],
  }),
  ...caughtBy('errors-unknown-animal-404', {
    'get-negative-400': [
      'A negative petId gets 400 instead of 404.',
      replacing('readPetId', ({ readPetId }, text) =>
        text.startsWith('-')
          ? refuse(400, 'invalid_parameter', 'petId has to be positive.')
          : readPetId(text),
      ),
    ],
  }),
  ...caughtBy('get-id-not-truncated', {
    'get-by-double': [
      'petId is parsed into a double and finds another pet.',
      inStore(() => {
        const byId = new Map<number, Pet>()
        return {
          added: (pet) => byId.set(Number(pet.id), pet),
          get: (id) => byId.get(Number(id)),
        }
      }),
    ],
    'get-by-32-bits': [
      'petId is truncated to 32 bits.',
      together(
        numbering((position) => position + 1n),
        replacing('readPetId', ({ readPetId }, text) => {
          const reading = readPetId(text)
          return 'value' in reading ? { value: BigInt.asIntN(32, reading.value) } : reading
        }),
      ),
    ],
  }),
  ...caughtBy('get-animal-as-created', {
    'get-lacks-status': [
      'GET /pets/{petId} leaves out the status.',
      showingFetched(({ status, ...pet }) => pet),
    ],
    'get-rounds-category': [
      'GET /pets/{petId} rounds categoryId to a double.',
      showingFetched((pet) => ({ ...pet, categoryId: BigInt(Number(pet.categoryId)) })),
    ],
    'get-shows-old-encoding': [
      'GET /pets/{petId} replaces characters that are not ASCII with question marks.',
      showingFetched((pet) => ({ ...pet, name: String(pet.name).replace(/[^ -~]/g, '?') })),
    ],
  }),
  ...caughtBy('get-id-own', {
    'get-rounds-id': [
      'GET /pets/{petId} rounds the id to a double.',
      showingFetched((pet) => ({ ...pet, id: BigInt(Number(pet.id)) })),
    ],
    'get-shows-neighbour': [
      'GET /pets/{petId} returns the next pet: an index is off by one.',
      inStore((store) => ({
        get: (id) => store.get(id) && (store.get(id + 1n) ?? store.list(undefined, allPets).at(-1)),
      })),
      { shownBy: 'whole run' },
    ],
  }),
  ...caughtBy('pet-fields', {
    'get-in-list': [
      'GET /pets/{petId} returns an array of one pet.',
      onResponse('getPet', 200, (response) => ({ ...response, body: `[${response.body}]` })),
    ],
  }),
  ...caughtBy('get-unknown-404', {
    'get-sign-lost': [
      'The sign of a negative petId is ignored.',
      readingId((text) => (/^-\d{1,19}$/.test(text) ? BigInt(text.slice(1)) : undefined)),
    ],
  }),
  ...caughtBy('get-id-zero-404', {
    'get-zero-lists': ['GET /pets/0 lists all pets.', respondingTo('0', whole)],
  }),
  ...caughtBy('get-id-most-404', {
    'get-greatest-400': [
      'The largest int64 as petId gets 400 instead of 404.',
      replacing('readPetId', ({ readPetId }, text) =>
        text === `${2n ** 63n - 1n}`
          ? refuse(400, 'invalid_parameter', 'petId is out of range.')
          : readPetId(text),
      ),
    ],
  }),
  ...caughtBy('get-id-least-404', {
    'get-least-500': [
      'The smallest int64 as petId gets 500 instead of 404.',
      respondingTo(`${-(2n ** 63n)}`, failed),
    ],
  }),
  ...caughtBy('get-id-beyond-int64-refused', {
    'get-id-wraps': [
      'A petId outside int64 is wrapped into it.',
      readingId((text) => (/^\d{1,30}$/.test(text) ? BigInt.asIntN(64, BigInt(text)) : undefined)),
    ],
  }),
  ...caughtBy('get-id-word-refused', {
    'get-word-is-first': [
      'A word as petId returns the first pet.',
      replacing('readPetId', ({ store }, text) => {
        const digits = leadingDigits(text)
        const value = digits ?? store.list(undefined, 1)[0]?.id ?? 0n
        return isInt64(value) && (`${value}` === text || digits === undefined)
          ? { value }
          : refuse(400, 'invalid_parameter', 'petId is out of range.')
      }),
    ],
  }),
  ...caughtBy('get-id-fraction-refused', {
    'get-fraction-cut': [
      'The fraction of a petId is cut off.',
      readingId((text) => (/^\d{1,20}\.\d+$/.test(text) ? leadingDigits(text) : undefined)),
    ],
  }),
  ...caughtBy('get-id-blank-refused', {
    'get-blank-lists': ['GET /pets/%20 lists all pets.', respondingTo('%20', whole)],
  }),
  ...caughtBy('get-id-other-refused', {
    'get-unreadable-500': [
      'A petId that cannot be decoded gets 500.',
      respondingToUnreadable(failed),
    ],
    'get-unreadable-lists': [
      'A petId that cannot be read lists all pets.',
      respondingToUnreadable(whole),
    ],
  }),
  ...caughtBy('get-id-prefix-refused', {
    'get-prefix-taken': [
      'Characters after the digits of a petId are ignored.',
      readingId((text) => (/^\d{1,30}[a-z]+$/.test(text) ? leadingDigits(text) : undefined)),
    ],
  }),
]
