// Faults of the fetch by id: what is found for ids that no animal has, and what is shown.
import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import { parseJson, printJson } from '../json.ts'
import type { Mutant } from '../mutant.ts'
import type { Pet } from '../store.ts'
import { everyPet, inStore, type Members, numbering, onAnswer } from './over-animals.ts'

const whenUnknown = (status: number, body: string): Variant =>
  onAnswer('getPet', 404, (answer) => ({ ...answer, status, body }))

const ofUnknown: readonly Mutant[] = [
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
    parts: (honest) => ({
      ...numbering((position) => position + 1n).parts?.(honest),
      readPetId: (text) => {
        const reading = honest.readPetId(text)
        return 'value' in reading ? { value: BigInt.asIntN(32, reading.value) } : reading
      },
    }),
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

export const getMutants: readonly Mutant[] = [...ofUnknown, ...shown]
