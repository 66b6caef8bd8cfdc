// Animals that keep every sentence in another way: their ids, default status and spelling.
import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import { isInt64, parseJson, printJson } from '../json.ts'
import type { ApiRequest } from '../message.ts'
import type { LegalVariant } from '../mutant.ts'
import { everyPet, type Members, numbering, onAnswer, showing } from '../mutants/over-animals.ts'
import { sqliteStore } from '../sqlite-store.ts'
import type { PetStatus } from '../store.ts'

/** An odd factor, so that no id comes twice, and all sizes and signs come. */
const scattered = (position: bigint) => BigInt.asIntN(64, (position + 1n) * 0x9e37_79b9_7f4a_7c15n)

const ofIds: readonly LegalVariant[] = [
  { id: 'ids-small', does: 'Ids begin at 1.', ...numbering((position) => position + 1n) },
  { id: 'ids-from-zero', does: 'Ids begin at 0.', ...numbering((position) => position) },
  {
    id: 'ids-falling-below-zero',
    does: 'Ids begin at -1 and fall.',
    ...numbering((position) => -1n - position),
  },
  {
    id: 'ids-from-least-on',
    does: 'Ids begin at the least int64.',
    ...numbering((position) => position - 2n ** 63n),
  },
  { id: 'ids-scattered', does: 'Ids are any int64.', ...numbering(scattered) },
  {
    id: 'store-in-file-format',
    does: 'The animals lie in SQLite.',
    parts: () => ({ store: sqliteStore(':memory:') }),
  },
]

const statusIn = (body: ApiRequest['body']): unknown =>
  (parseJson(String(body))?.value as Members | undefined)?.status

/** Animals that were created without a status keep none. */
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
            .list(status, everyPet)
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

const ofStatus: readonly LegalVariant[] = [
  {
    id: 'status-default-none',
    does: 'An animal created without a status has none.',
    ...withoutDefault(),
  },
  ...(['pending', 'sold'] as const).map(
    (status): LegalVariant => ({
      id: `status-default-${status}`,
      does: `An animal created without a status is ${status}.`,
      ...defaultingTo(status),
    }),
  ),
]

/** Every letter that HTML or an old reader might mistake, as an escape. */
const escaped = (text: string): string =>
  text.replace(/[<>&'/]|[^ -~]/g, (unit) =>
    unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const picture = 'A'.repeat(55_000)

const ofSpelling: readonly LegalVariant[] = [
  {
    id: 'json-escaped',
    does: 'JSON is written in ASCII, with escapes for the rest.',
    parts: ({ printPet }) => ({ printPet: (pet) => escaped(printPet(pet)) }),
  },
  {
    id: 'json-spaced-and-turned',
    does: 'JSON is written with spaces and line breaks, the members the other way round.',
    parts: () => ({
      printPet: ({ id, name, categoryId, status }) =>
        `{\n  "status" : "${status}",\n  "categoryId" : ${categoryId},\n` +
        `  "name" : ${JSON.stringify(name)},\n  "id" : ${id}\n}\n`,
    }),
  },
  {
    id: 'members-more-than-named',
    does: 'An animal has further members.',
    ...showing((pet) => ({ ...pet, createdAt: '2026-01-01T00:00:00Z', tags: [], owner: null })),
  },
  {
    id: 'members-long',
    does: 'A pet has a picture of 55 KB, so that a list of twenty is longer than 1 MiB.',
    ...showing((pet) => ({ ...pet, picture })),
  },
  {
    id: 'created-with-location',
    does: 'A 201 names the address of the new animal.',
    ...onAnswer('createPet', 201, (answer) => ({
      ...answer,
      headers: { ...answer.headers, Location: '/v1/pets/1' },
    })),
  },
]

const spelledFreely = (text: string): bigint | undefined => {
  const [, digits] = /^\s*(?:%20|%2B|\+)?(-?\d{1,30})(?:\.0+|e0)?$/i.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

const ofPetId: readonly LegalVariant[] = [
  {
    id: 'pet-id-spelled-freely',
    does: 'Other spellings of an integer are taken.',
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
      does: `A petId that is no int64 is answered ${status}.`,
      parts: ({ readPetId }) => ({
        readPetId: (text) => {
          const reading = readPetId(text)
          if ('value' in reading) return reading
          return refuse(status, 'not_found', 'There is no such animal.')
        },
      }),
    }),
  ),
]

export const legalAnimals: readonly LegalVariant[] = [
  ...ofIds,
  ...ofStatus,
  ...ofSpelling,
  ...ofPetId,
]
