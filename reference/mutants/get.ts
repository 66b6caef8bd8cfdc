// Faults of the fetch by id: what is found for ids and texts that no animal has, and what is shown.

import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import { isInt64, parseJson, printJson } from '../json.ts'
import type { ApiResponse } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import { makePet, type Pet } from '../store.ts'
import { answering, everyPet, inStore, type Members, onAnswer } from './over-animals.ts'

const whenUnknown = (status: number, body: string): Variant =>
  onAnswer('getPet', 404, (answer) => ({ ...answer, status, body }))

const ofUnknown: readonly Mutant[] = [
  ...(
    [
      ['get-unknown-null', 200, 'null'],
      ['get-unknown-empty-object', 200, '{}'],
      ['get-unknown-empty-list', 200, '[]'],
      ['get-unknown-204', 204, ''],
      ['get-unknown-404-empty', 404, ''],
    ] as const
  ).map(
    ([id, status, body]): Mutant => ({
      id,
      breaks: 'get.unknown',
      caughtBy: 'get-unknown-404',
      fault: `An unknown animal is answered ${status} with ${body || 'no body'}.`,
      ...whenUnknown(status, body),
    }),
  ),
  {
    id: 'get-unknown-400',
    breaks: 'get.unknown',
    caughtBy: 'get-unknown-404',
    fault: 'An id that no animal has counts as a bad request.',
    ...onAnswer('getPet', 404, (_answer, { error }) =>
      error(400, 'invalid_parameter', 'There is no such animal.'),
    ),
  },
  {
    id: 'get-unknown-nearest',
    breaks: 'get.unknown',
    caughtBy: 'get-unknown-404',
    fault: 'The store is asked for the first animal from the id on, or the last one.',
    ...inStore((store) => ({ get: (id) => store.get(id) ?? store.list(undefined, 1)[0] })),
  },
  {
    id: 'get-negative-400',
    breaks: 'errors.404',
    caughtBy: 'errors-unknown-animal-404',
    fault: 'A negative id counts as malformed.',
    parts: ({ readPetId }) => ({
      readPetId: (text) =>
        text.startsWith('-')
          ? refuse(400, 'invalid_parameter', 'petId has to be positive.')
          : readPetId(text),
    }),
  },
  {
    id: 'get-by-double',
    breaks: 'get.unknown',
    caughtBy: 'get-id-not-truncated',
    fault: 'The store looks animals up by doubles.',
    ...inStore((store) => {
      const byId = new Map<number, Pet>()
      return {
        add: (fields) => {
          const pet = store.add(fields)
          byId.set(Number(pet.id), pet)
          return pet
        },
        get: (id) => byId.get(Number(id)),
      }
    }),
  },
  {
    id: 'get-by-32-bits',
    breaks: 'get.unknown',
    caughtBy: 'get-id-not-truncated',
    fault: 'Ids are small, and the one in the path is cut to 32 bits.',
    ...inStore(() => {
      const pets: Pet[] = []
      return {
        add: (fields) => {
          const pet = makePet(BigInt(pets.length + 1), fields)
          pets.push(pet)
          return pet
        },
        get: (id) => pets[Number(BigInt.asIntN(32, id)) - 1],
        list: (status, limit) =>
          pets.filter((pet) => !status || pet.status === status).slice(-limit),
      }
    }),
  },
]

const firstOf = (text: string, answer: (parts: string) => ApiResponse): Variant =>
  answering('getPet', (honest, { petId }) => (petId === text ? answer(petId) : honest))

const whole = { status: 200, headers: {}, body: '[]' }
const broken: ApiResponse = {
  status: 500,
  headers: {},
  body: '{"code":"internal","message":"The service failed.","status":500}',
}

const edges: readonly Mutant[] = [
  {
    id: 'get-zero-lists',
    breaks: 'get.unknown',
    caughtBy: 'get-id-zero-404',
    fault: '0 counts as no id, and then all animals are listed.',
    ...firstOf('0', () => whole),
  },
  {
    id: 'get-greatest-400',
    breaks: 'get.unknown',
    caughtBy: 'get-id-most-404',
    fault: 'The bound of int64 is taken for exclusive.',
    parts: ({ readPetId }) => ({
      readPetId: (text) =>
        text === `${2n ** 63n - 1n}`
          ? refuse(400, 'invalid_parameter', 'petId is out of range.')
          : readPetId(text),
    }),
  },
  {
    id: 'get-least-500',
    breaks: 'get.unknown',
    caughtBy: 'get-id-least-404',
    fault: 'The magnitude of the least int64 does not fit into int64.',
    ...firstOf(`${-(2n ** 63n)}`, () => broken),
  },
]

/** Takes a text for an id that the honest reading refuses. */
const readingId = (change: (text: string) => bigint | undefined): Variant => ({
  parts: ({ readPetId }) => ({
    readPetId: (text) => {
      const value = change(text)
      return value !== undefined && isInt64(value) ? { value } : readPetId(text)
    },
  }),
})

const leadingDigits = (text: string) => {
  const [digits] = /^-?\d{1,30}/.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

const noInteger: readonly Mutant[] = [
  {
    id: 'get-id-wraps',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-beyond-int64-refused',
    fault: 'An id outside int64 is wrapped into it.',
    ...readingId((text) => (/^\d{1,30}$/.test(text) ? BigInt.asIntN(64, BigInt(text)) : undefined)),
  },
  {
    id: 'get-word-is-first',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-word-refused',
    fault: 'A word becomes no number, and no number finds the first animal.',
    parts: ({ store }) => ({
      readPetId: (text) => {
        const value = leadingDigits(text) ?? store.list(undefined, 1)[0]?.id ?? 0n
        return isInt64(value) && (`${value}` === text || leadingDigits(text) === undefined)
          ? { value }
          : refuse(400, 'invalid_parameter', 'petId is out of range.')
      },
    }),
  },
  {
    id: 'get-fraction-cut',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-fraction-refused',
    fault: 'The fraction of an id is cut off.',
    ...readingId((text) => (/^\d{1,20}\.\d+$/.test(text) ? leadingDigits(text) : undefined)),
  },
  {
    id: 'get-uuid-500',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-uuid-refused',
    fault: 'A text in which digits and letters mix reaches the store, which fails.',
    ...answering('getPet', (answer, { petId }) => (/^\w{8}-\w{4}-/.test(petId) ? broken : answer)),
  },
  {
    id: 'get-blank-lists',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-blank-refused',
    fault: 'A blank id is trimmed to none, and then all animals are listed.',
    ...firstOf('%20', () => whole),
  },
  {
    id: 'get-400-digits-500',
    breaks: 'get.id-parameter',
    caughtBy: 'get-id-400-digits-refused',
    fault: 'A number that overflows is a fault of the server.',
    ...answering('getPet', (answer, { petId }) => (petId.length > 100 ? broken : answer)),
  },
  {
    id: 'get-prefix-taken',
    breaks: 'get.id-prefix',
    caughtBy: 'get-id-prefix-refused',
    fault: 'The digits at the beginning are read, and the rest is not looked at.',
    ...readingId((text) => (/^\d{1,30}[a-z]+$/.test(text) ? leadingDigits(text) : undefined)),
  },
]

/** Shows the animal of a fetch, and of no other answer, otherwise. */
const showingFetched = (change: (pet: Members) => Members): Variant =>
  onAnswer('getPet', 200, (answer) => ({
    ...answer,
    body: printJson(change(parseJson(answer.body)?.value as Members)),
  }))

const shown: readonly Mutant[] = [
  {
    id: 'get-lacks-status',
    breaks: 'get.faithful',
    caughtBy: 'get-animal-as-created',
    fault: 'A fetch shows the animal without its status.',
    ...showingFetched(({ status, ...pet }) => pet),
  },
  {
    id: 'get-rounds-category',
    breaks: 'get.faithful',
    caughtBy: 'get-animal-as-created',
    fault: 'A fetch is written through doubles, the id apart.',
    ...showingFetched((pet) => ({ ...pet, categoryId: BigInt(Number(pet.categoryId)) })),
  },
  {
    id: 'get-shows-old-encoding',
    breaks: 'get.faithful',
    caughtBy: 'get-animal-as-created',
    fault: 'A fetch shows a question mark for each letter that is not ASCII.',
    ...showingFetched((pet) => ({ ...pet, name: String(pet.name).replace(/[^ -~]/g, '?') })),
  },
  {
    id: 'get-rounds-id',
    breaks: 'get.own-id',
    caughtBy: 'get-id-own',
    fault: 'A fetch shows the id as a double.',
    ...showingFetched((pet) => ({ ...pet, id: BigInt(Number(pet.id)) })),
  },
  {
    id: 'get-shows-neighbour',
    breaks: 'get.own-id',
    caughtBy: 'get-id-own',
    fault: 'An index that starts at 0 meets ids that start at 1.',
    ...inStore((store) => ({
      get: (id) => store.get(id) && (store.get(id + 1n) ?? store.list(undefined, everyPet).at(-1)),
    })),
  },
  {
    id: 'get-in-list',
    breaks: 'pet.fields',
    caughtBy: 'pet-fields',
    fault: 'A fetch returns a list of one.',
    ...onAnswer('getPet', 200, (answer) => ({ ...answer, body: `[${answer.body}]` })),
  },
]

export const getMutants: readonly Mutant[] = [...ofUnknown, ...edges, ...noInteger, ...shown]
