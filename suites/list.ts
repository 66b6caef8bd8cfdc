// GET /pets: the list itself, the filter, and what is listed.

import { check, type Question } from '../engine/check.ts'
import { isSoundList } from '../engine/control.ts'
import { expectPets, expectStatus, shownValue, told, violate } from '../engine/expect.ts'
import { Untested } from '../engine/outcome.ts'
import type { Header } from '../engine/request.ts'
import { differenceOf, knownOf, noAnimal, noneMatching } from './animals.ts'
import { exactFiltered, listLimits, ofLongest } from './list/limits.ts'
import { firstOnce, listedFor, listedOnce, listedSome, longest, sharedAs } from './list/listed.ts'
import { strangeQueries } from './list/strange-queries.ts'
import { createPet, listPets, statuses } from './requests.ts'

const reads = (keyed: number) => ({ stage: 'reads', keyed, anonymous: 0, made: 'crowd' }) as const

/** Asked before there are many animals, since an empty list is a list too. */
const success = check(
  'list-sound-200',
  'list.success',
  { stage: 'probes', keyed: 1, anonymous: 0 },
  async (context) => {
    const answer = await context.call(listPets({ limit: 50, status: 'pending' }))
    expectStatus(answer, 200)
    const pets = expectPets(answer)
    // A server that answers every request with an empty list is not to pass.
    if (pets.length === 0) await context.control('create')
  },
)

/** JSON is one of those that are asked for, as a browser's header has it. */
const acceptsJson: Header = ['Accept', 'text/html, application/json;q=0.9']

const accepting = check(
  'list-accept-several-200',
  'list.success',
  { stage: 'probes', keyed: 1, anonymous: 0 },
  async (context) => {
    await context.control('list')
    const answer = await context.call({ ...listPets({ limit: 1 }), headers: [acceptsJson] })
    expectStatus(answer, 200)
    if (!isSoundList(answer)) violate('a list', told(answer), answer)
  },
)

const ofStatus = (status: string) => ({ ...reads(1), shares: sharedAs({ ...longest, status }) })

const filters = statuses.map((status) =>
  check(`list-status-${status}-only`, 'list.status.filter', ofStatus(status), async (context) => {
    const { answer, pets } = await listedSome(context, { ...longest, status }, listedOnce)
    const other = pets.find((pet) => pet.status !== status)
    if (!other) return
    violate(
      `only animals with the status ${status}`,
      `one with ${shownValue(other.status)}`,
      answer,
    )
  }),
)

const completes = statuses.map((status) =>
  check(`list-status-${status}-all`, 'list.status.complete', ofStatus(status), (context) => {
    const ask = firstOnce()
    return context.settled(async () => {
      const { answer, pets, known } = await ask(context, { ...longest, status })
      if (known.length === 0) throw noneMatching(context, status)
      const ids = new Set(pets.map(({ id }) => id))
      const absent = known.find((id) => !ids.has(id))
      if (absent === undefined) return
      if (pets.length >= 100) {
        const message = `100 or more are ${status}, so the list may be cut; use a new target`
        throw new Untested('ambiguous', message, [answer])
      }
      const creation = context.herd.creationOf(absent)
      const evidence = creation ? [creation.exchange, answer] : [answer]
      violate(`the ${status} animal ${absent} in the list`, 'it is not there', ...evidence)
    })
  }),
)

const current = check(
  'list-new-animal-found',
  'list.current',
  { stage: 'creations', keyed: 2, anonymous: 0, allow: ['write'] },
  async (context) => {
    await context.control('create')
    const created = await context.call(createPet(context.newPet({ status: 'pending' })))
    const id = context.herd.creations.at(-1)?.id
    if (id === undefined || context.herd.creationOf(id)?.exchange !== created) {
      throw new Untested('blocked', 'the sound creation was not answered 201', [created])
    }
    await context.settled(async () => {
      const query = { limit: 100, status: 'pending' }
      const { answer, pets } = await listedFor(context, query, [id])
      if (pets.some((pet) => pet.id === id)) return
      if (pets.length < 100) violate(`the new animal ${id}`, 'it is not listed', created, answer)
      throw new Untested('ambiguous', 'the list is cut; use a new target', [answer])
    })
  },
)

const faithful = check('list-animal-as-created', 'list.faithful', ofLongest, async (context) => {
  const { answer, pets } = await listedSome(context, longest, listedOnce)
  const created = pets.flatMap((pet) =>
    typeof pet.id === 'bigint' && context.herd.creationOf(pet.id) ? [{ id: pet.id, pet }] : [],
  )
  if (context.herd.creations.length === 0) throw noAnimal(context, 'was created by this run')
  if (created.length === 0) {
    const message = 'no listed animal is one of this run; use a new target'
    throw new Untested('ambiguous', message, [answer])
  }
  for (const { id, pet } of created) {
    const difference = differenceOf(knownOf(context, id) ?? {}, pet)
    const creation = context.herd.creationOf(id)?.exchange ?? answer
    if (difference) violate(`animal ${id} as it was created`, difference, creation, answer)
  }
})

export const list: readonly Question[] = [
  success,
  accepting,
  ...listLimits,
  ...filters,
  ...completes,
  exactFiltered,
  current,
  faithful,
  ...strangeQueries,
]
