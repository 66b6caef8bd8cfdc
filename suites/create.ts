// POST /pets: valid creations, faulty ones, and what the interface leaves open.

import type { Context } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import {
  isSuccess,
  recognizeOperation,
  statusCode,
  takeKeyFrom,
  withKey,
} from '../history/exchange.ts'
import { petsIn, sentObject } from '../history/known-pets.ts'
import { Untested } from '../history/outcome.ts'
import { createOpen } from './create/open.ts'
import { createFaults, createHazards, createValid } from './create/rows.ts'
import { unlikelyIds } from './pets/arbitraries.ts'
import { expectOwnId, someId } from './pets/compare-pets.ts'
import { createPet, listPets } from './pets/requests.ts'
import { openRow, row } from './pets/rows.ts'

/** Clauses judge that it is another pet. */
const twice = row('create', 'Any status other than 201.', {
  ...{ id: 'create-equal-bodies-201', requirement: 'create.twice' },
  needs: { stage: 'creations', allow: ['write'] },
  values: [
    [
      'with the body of an earlier one, and the same key',
      ({ history }) => {
        const last = history.exchanges.findLast(
          (one) => one.key !== null && isSuccess(one) && recognizeOperation(one) === 'create',
        )
        if (!last) throw new Untested('blocked', 'no creation was served yet')
        return takeKeyFrom(createPet(last.apiRequest.body), last)
      },
    ],
  ],
})

const ofExisting = (context: Context): bigint => {
  const id = someId(context)
  expectOwnId(context, id)
  return id
}

const idOf = {
  sent: ['that no pet has, by the seed', ({ seed }: Context) => unlikelyIds(seed, 1)[0] ?? 0n],
  taken: ['of an existing pet', ofExisting],
} as const

/** Where the largest id is taken, a server that counts on from it creates no pet any more. */
const sentIds = (['sent', 'taken'] as const).map((kind) =>
  openRow('create', {
    id: `create-id-${kind}`,
    requirement: 'pet.id.sent',
    needs: { stage: kind === 'sent' ? 'hazards' : 'creations', allow: ['write'] },
    records: 'Whether the id was ignored, or the creation refused.',
    record: (response) => {
      if (!isSuccess(response)) return `refused with ${statusCode(response)}`
      return petsIn(response)[0]?.id === sentObject(response)?.id ? 'taken' : 'ignored'
    },
    values: [
      [
        `with an id ${idOf[kind][0]}`,
        (context) => createPet(context.newPet({ id: idOf[kind][1](context) })),
      ],
    ],
  }),
)

/** Each refused creation had a name of its own, or a category, including those without a key. */
const afterRefusals = row('list', 'Any status other than 200.', {
  ...{ id: 'list-after-refusals-200', requirement: 'list.success' },
  sentBy: ['create-other-fault-400', 'create-name-number-400', 'create-name-missing-400'],
  needs: { stage: 'refusals', allow: ['write'] },
  values: [
    [
      'of a hundred pets after the creations that were refused',
      ({ knownPets }) => {
        const last = knownPets.refusals.findLast(({ exchange }) => exchange.key !== null)
        if (!last) throw new Untested('blocked', 'no creation was refused yet')
        return withKey(listPets({ limit: 100 }), last.exchange.key ?? undefined)
      },
    ],
  ],
})

const createStored = [twice, ...sentIds, afterRefusals]

export const create: readonly AnyCheck[] = [
  ...createFaults,
  ...createHazards,
  ...createValid,
  ...createStored,
  ...createOpen,
]
