// Faults of ids and of how a pet is printed.

import { parseJson } from '../../json.ts'
import { refuse } from '../../message.ts'
import { caughtBy, family, type Mutant } from '../../mutant.ts'
import { makePet, type Pet } from '../../store.ts'
import { perServer, type Variant } from '../../variant.ts'
import { inStore, numbering, reading, rounding, showing } from '../../wrappers/pet-store.ts'

/** Uses the id in the body, if `isTaken`. */
const honouring = (isTaken: (id: bigint, isKnown: boolean) => boolean): Variant => ({
  parts: ({ store, readNewPet }) => {
    const wanted = new WeakMap<object, bigint>()
    const own = new Map<bigint, Pet>()
    return {
      readNewPet: (request) => {
        const reading = readNewPet(request)
        const sent = parseJson(String(request.body))?.value
        const id = (sent as { id?: unknown } | undefined)?.id
        if ('value' in reading && typeof id === 'bigint') wanted.set(reading.value, id)
        return reading
      },
      store: {
        ...store,
        add: (fields) => {
          const pet = store.add(fields)
          const id = wanted.get(fields)
          const known = id !== undefined && store.get(id) !== undefined
          if (id === undefined || !isTaken(id, known)) return pet
          const moved = makePet(id, fields)
          own.set(id, moved)
          return moved
        },
        get: (id) => own.get(id) ?? store.get(id),
      },
    }
  },
})

export const idMutants: readonly Mutant[] = [
  ...caughtBy('create-id-sent-ignored', {
    'id-of-body-taken': [
      'An id in the body is used for the new pet.',
      honouring((_id, isKnown) => !isKnown),
    ],
  }),
  ...caughtBy('create-id-taken-ignored', {
    'id-of-body-overwrites': [
      'An id in the body that exists already changes that pet.',
      honouring((_id, isKnown) => isKnown),
    ],
  }),
  ...caughtBy('create-equal-bodies-two', {
    'creation-idempotent': [
      'An equal body returns the existing pet instead of a new one.',
      inStore((store) => {
        const made = new Map<string, Pet>()
        return {
          add: (fields) => {
            const { name, categoryId, status } = fields
            const body = JSON.stringify([name, `${categoryId}`, status])
            const pet = made.get(body) ?? store.add(fields)
            made.set(body, pet)
            return pet
          },
        }
      }),
    ],
    'creation-unique-name': [
      'A name that exists already is refused.',
      perServer(() => {
        const names = new Set<string>()
        return reading((read) => {
          if ('refusal' in read) return read
          const { name } = read.value
          if (names.has(name)) return refuse(409, 'invalid_body', 'It exists.')
          names.add(name)
          return read
        })
      }),
    ],
  }),
  ...caughtBy('create-together-distinct-ids', {
    'id-of-the-second': [
      'Ids are the time in seconds, so pets created together share one.',
      numbering((_position, _pet, nowMs) => BigInt(Math.floor(nowMs / 1_000))),
    ],
  }),
  ...caughtBy('create-ids-all-distinct', {
    'id-reused': ['Ids repeat after 64 pets.', numbering((position) => 1n + (position % 64n))],
    'id-of-name': [
      'Ids are a short hash of the name, and repeat.',
      numbering((_position, { name }) =>
        [...name].reduce((hash, letter) => (hash * 31n + BigInt(letter.charCodeAt(0))) % 1021n, 7n),
      ),
    ],
    'id-through-double': ['Ids are rounded to doubles when printed.', showing(rounding('id'))],
  }),
  ...family(showing).caughtBy('pet-id-int64', {
    'id-as-string': [
      'Ids are strings in JSON, so that no client rounds them.',
      (pet) => ({ ...pet, id: String(pet.id) }),
    ],
    'id-beyond-int64': [
      'Ids are unsigned and exceed int64.',
      (pet) => ({ ...pet, id: (pet.id as bigint) + 2n ** 63n }),
    ],
    'id-named-otherwise': ['The id is named petId.', ({ id, ...pet }) => ({ petId: id, ...pet })],
  }),
  ...family(showing).caughtBy('pet-fields', {
    'category-as-string': [
      'categoryId is a string in JSON.',
      (pet) => ({ ...pet, categoryId: String(pet.categoryId) }),
    ],
    'numeric-names-as-numbers': [
      'Names of digits are printed as numbers.',
      (pet) => (/^\d+$/.test(String(pet.name)) ? { ...pet, name: Number(pet.name) } : pet),
    ],
    'members-in-snake-case': [
      'categoryId is named category_id.',
      ({ categoryId, ...pet }) => ({ ...pet, category_id: categoryId }),
    ],
  }),
]
