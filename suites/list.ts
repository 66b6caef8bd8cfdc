// GET /pets: the list itself, the filter, and the pets in it.

import { type AnyCheck, check } from '../engine/declare.ts'
import type { Header } from '../engine/exchange.ts'
import {
  describeResponse,
  expectPets,
  expectStatus,
  shownValue,
  violate,
} from '../engine/expect.ts'
import { Untested } from '../engine/outcome.ts'
import { isValidList } from '../engine/pets/control.ts'
import { emptyList, exactFiltered, listLimits, ofLongest } from './list/limits.ts'
import { openQueries } from './list/open-queries.ts'
import { differenceOf, knownOf, noneMatching, noPet, statuses } from './pets.ts'
import {
  controlFailed,
  createPet,
  firstOnce,
  listedFor,
  listedOnce,
  listedSome,
  listPets,
  longest,
  sharedAs,
} from './requests.ts'

const reads = (keyed: number) => ({ stage: 'reads', keyed, anonymous: 0, made: 'crowd' }) as const

/** Runs before there are many pets, since an empty list is a list too. */
const success = check({
  id: 'list-sound-200',
  requirement: 'list.success',
  needs: { stage: 'probes', keyed: 1, anonymous: 0 },
  sends: 'One `GET /pets?limit=50&status=pending`, before the run has created many pets.',
  fails: 'Any status but 200, or a body that is not an array of pets.',
  inconclusive:
    'the list is empty and a valid creation is not answered 201: an empty list alone proves ' +
    'little',
  run: async (context) => {
    const answer = await context.call(listPets({ limit: 50, status: 'pending' }))
    expectStatus(answer, 200)
    const pets = expectPets(answer)
    // A server that answers every request with an empty list must not pass.
    if (pets.length === 0) await context.control('create')
  },
})

/** JSON is one of several acceptable types, as in the header of a browser. */
const acceptsJson: Header = ['Accept', 'text/html, application/json;q=0.9']

const accepting = check({
  id: 'list-accept-several-200',
  requirement: 'list.success',
  needs: { stage: 'probes', keyed: 1, anonymous: 0 },
  sends: 'One `GET /pets?limit=1` with `Accept: text/html, application/json;q=0.9`.',
  fails: 'Any status but 200, or a body that is not an array.',
  inconclusive: controlFailed.list,
  run: async (context) => {
    await context.control('list')
    const answer = await context.call({ ...listPets({ limit: 1 }), headers: [acceptsJson] })
    expectStatus(answer, 200)
    if (!isValidList(answer)) violate('a list', describeResponse(answer), answer)
  },
})

const ofStatus = (status: string) => ({ ...reads(1), shares: sharedAs({ ...longest, status }) })

const filters = statuses.map((status) =>
  check({
    id: `list-status-${status}-only`,
    requirement: 'list.status.filter',
    needs: ofStatus(status),
    sends: `One \`GET /pets?status=${status}\`.`,
    fails: `A pet whose status is not exactly \`${status}\`, or that has none.`,
    inconclusive: emptyList,
    run: async (context) => {
      const { answer, pets } = await listedSome(context, { ...longest, status }, listedOnce)
      const other = pets.find((pet) => pet.status !== status)
      if (!other) return
      violate(`only pets with the status ${status}`, `one with ${shownValue(other.status)}`, answer)
    },
  }),
)

const completes = statuses.map((status) =>
  check({
    id: `list-status-${status}-all`,
    requirement: 'list.status.complete',
    needs: ofStatus(status),
    sends:
      `One \`GET /pets?limit=100&status=${status}\`, and another if a pet is less than a second ` +
      'old.',
    fails: `A pet known to be ${status} is missing, although the list holds fewer than 100.`,
    inconclusive: 'the list holds 100 pets, so it may be cut (ambiguous)',
    run: (context) => {
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
        violate(`the ${status} pet ${absent} in the list`, 'it is not there', ...evidence)
      })
    },
  }),
)

const current = check({
  id: 'list-new-animal-found',
  requirement: 'list.current',
  needs: { stage: 'creations', keyed: 2, anonymous: 0, allow: ['write'] },
  sends:
    'A creation with the status pending, then `GET /pets?limit=100&status=pending`, sent again ' +
    'once the pet is a second old.',
  fails: 'The new pet is not listed, although the list holds fewer than 100.',
  inconclusive:
    'the list is full, so it may be cut (ambiguous), or the creation is not answered 201 ' +
    '(blocked)',
  run: async (context) => {
    await context.control('create')
    const created = await context.call(createPet(context.newPet({ status: 'pending' })))
    const id = context.herd.creations.at(-1)?.id
    if (id === undefined || context.herd.creationOf(id)?.exchange !== created) {
      throw new Untested('blocked', 'the valid creation was not answered 201', [created])
    }
    await context.settled(async () => {
      const query = { limit: 100, status: 'pending' }
      const { answer, pets } = await listedFor(context, query, [id])
      if (pets.some((pet) => pet.id === id)) return
      if (pets.length < 100) violate(`the new pet ${id}`, 'it is not listed', created, answer)
      throw new Untested('ambiguous', 'the list is cut; use a new target', [answer])
    })
  },
})

const faithful = check({
  id: 'list-animal-as-created',
  requirement: 'list.faithful',
  needs: ofLongest,
  sends: 'One `GET /pets?limit=100`; its pets are compared with their 201 responses.',
  fails:
    'An id, name, category or given status differs. Trimmed spaces around a name, and the ' +
    'spelling of a lone surrogate, are judged by other checks.',
  inconclusive: 'no listed pet was created by this run (ambiguous)',
  run: async (context) => {
    const { answer, pets } = await listedSome(context, longest, listedOnce)
    const created = pets.flatMap((pet) =>
      typeof pet.id === 'bigint' && context.herd.creationOf(pet.id) ? [{ id: pet.id, pet }] : [],
    )
    if (context.herd.creations.length === 0) throw noPet(context, 'was created by this run')
    if (created.length === 0) {
      const message = 'no listed pet was created by this run; use a new target'
      throw new Untested('ambiguous', message, [answer])
    }
    for (const { id, pet } of created) {
      const difference = differenceOf(knownOf(context, id) ?? {}, pet)
      const creation = context.herd.creationOf(id)?.exchange ?? answer
      if (difference) violate(`pet ${id} as it was created`, difference, creation, answer)
    }
  },
})

export const list: readonly AnyCheck[] = [
  success,
  accepting,
  ...listLimits,
  ...filters,
  ...completes,
  exactFiltered,
  current,
  faithful,
  ...openQueries,
]
