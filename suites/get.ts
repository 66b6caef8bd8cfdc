// GET /pets/{petId} as rows: pets of this run. Clauses judge which pet comes back, and whether it
// has changed.

import type { Context } from '../engine/check/context.ts'
import { withKnowingKey } from '../engine/check/control-request.ts'
import { type AnyCheck, check, type Value } from '../engine/check/declare.ts'
import { sentWith, statusCode, withKey } from '../history/exchange.ts'
import type { Creation } from '../history/known-pets.ts'
import { violateStatus } from '../model/clause.ts'
import { getUnknownIds } from './get/unknown-ids.ts'
import { noPet } from './pets/compare-pets.ts'
import { afterControl, createPet, creating, getPet, readMade } from './pets/requests.ts'
import { row } from './pets/rows.ts'

/** Of the next id first, if ids are consecutive: a server may cache that there is no such pet. */
const atOnce = check({
  id: 'get-new-animal-200',
  requirement: 'get.success',
  needs: { ...creating, getPet: true },
  sends:
    'A GET of the id after that of the newest pet, a `POST /pets`, and immediately two GETs of ' +
    'the new id, all with the same key.',
  fails: 'Any status other than 200 for the new id.',
  ...afterControl('create', async (context, { key }) => {
    const last = context.knownPets.creations.at(-1)?.id
    if (last !== undefined) await context.call(withKey(getPet(last + 1n), key))
    const created = await context.call(withKey(createPet(context.newPet()), key))
    const { pet } = await readMade(context, created)
    for (let nth = 0; nth < 2; nth += 1) {
      const response = await context.call(withKey(getPet(pet.id), key))
      if (statusCode(response) === 200) continue
      violateStatus(`200 for the new pet ${pet.id}`, created, response)
    }
  }),
})

/** Its size alone: categories of a run differ from those of another in their digits. */
const bitsOf = (category: bigint): number => {
  // A double holds every power of two.
  if ((category & -category) === category) return 1
  return category > 2n ** 53n ? 60 : 30
}

/** How much there is to corrupt: the bits of a category, letters, and a status. */
const fragility = ({ sent: { categoryId, name, status } }: Creation): number => {
  const bits = typeof categoryId === 'bigint' ? bitsOf(categoryId) : 1
  const letters = [...String(name)].filter((letter) => letter > '~' || letter < ' ').length
  return bits * (1 + letters) * (typeof status === 'string' ? 2 : 1)
}

const mostFragile = (context: Context, nth: number): bigint => {
  const { creations, isRepeated } = context.knownPets
  // Which of those in flight together got which id is chance.
  const own = creations.filter(
    ({ id, exchange }) => !isRepeated(id) && sentWith(exchange).length === 0,
  )
  const found = own.toSorted((a, b) => fragility(b) - fragility(a))[nth % Math.max(1, own.length)]
  if (!found) throw noPet(context, 'was created by this run')
  return found.id
}

const fragile = row('get', 'Any status other than 200.', {
  ...{ id: 'get-fragile-200', requirement: 'get.success', sentBy: ['create-sound-201'] },
  needs: { stage: 'reads', getPet: true },
  values: Array.from(
    { length: 12 },
    (_, nth): Value => [
      'of the pets that are most easily corrupted: many bits, letters beyond ASCII, a status',
      (context) => {
        const id = mostFragile(context, nth)
        return withKnowingKey(context, id, getPet(id))
      },
    ],
  ),
})

export const get: readonly AnyCheck[] = [atOnce, fragile, ...getUnknownIds]
