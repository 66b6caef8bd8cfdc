// GET /pets/{petId}: existing pets are returned as they were created.

import type { Context } from '../engine/check/context.ts'
import { fetchKnown } from '../engine/check/control-request.ts'
import { type AnyCheck, check } from '../engine/check/declare.ts'
import { isSuccess, statusCode, takeKeyFrom } from '../engine/check/exchange.ts'
import { expectStatus, violateStatus } from '../engine/check/expect.ts'
import { expectEach } from '../engine/check/findings.ts'
import type { Creation } from '../engine/check/known-pets.ts'
import { Inapplicable, Untested } from '../engine/check/outcome.ts'
import { getUnknownIds, reads } from './get/unknown-ids.ts'
import { sendTogether } from './pets/carried.ts'
import {
  acceptedStatus,
  asCreated,
  expectOwnId,
  expectSamePet,
  noPet,
  petWithId,
  recallPet,
  someId,
} from './pets/compare-pets.ts'
import {
  afterControl,
  createPet,
  creating,
  getPet,
  made,
  madeBy,
  noKnownPets,
  readMade,
} from './pets/requests.ts'

/** A pet was fetched right after its creation. */
const newPetFetched = 'a GET of a new pet'

/** The next id, if the last three ascend or descend in equal steps. */
const nextId = ({ knownPets }: Context): bigint | undefined => {
  const [first, second, third] = knownPets.creations.slice(-3).map(({ id }) => id)
  if (first === undefined || second === undefined || third === undefined) return undefined
  const step = third - second
  return step === second - first && step !== 0n ? third + step : undefined
}

/** A server that caches a 404 hides a pet whose id was requested before its creation. */
const afterAbsence = check({
  id: 'get-asked-before-created-200',
  requirement: 'get.success',
  needs: { ...creating(3), getPet: true, sharesEach: [newPetFetched] },
  sends:
    'If ids are consecutive: a GET of the next id, a `POST /pets`, and immediately a GET of ' +
    'the new id with the same key.',
  fails: 'The new pet has that id, and its GET does not return 200.',
  inconclusive:
    'another id was assigned, for example because other clients create pets too (ambiguous); ' +
    'inapplicable if ids are not consecutive',
  run: async (context) => {
    await context.control('create')
    await context.control('get')
    const id = nextId(context)
    const last = context.knownPets.creations.at(-1)?.exchange
    if (id === undefined || !last) {
      throw new Inapplicable('the next id is unknown: ids are not consecutive')
    }
    const before = await context.call(takeKeyFrom(getPet(id), last))
    const sent = createPet(context.newPet({ status: acceptedStatus(context) }))
    const { pet, response: created } = madeBy(await context.call(takeKeyFrom(sent, last)))
    if (pet.id !== id || statusCode(before) !== 404) {
      const message = `the next id was expected to be ${id}: other clients may create pets`
      throw new Untested('ambiguous', message, [before, created])
    }
    const response = await context.call(takeKeyFrom(getPet(id), last))
    if (statusCode(response) === 200) {
      await context.once(newPetFetched, async () => true)
      return
    }
    const expected = `200 for the new pet ${id}, which got 404 before its creation`
    violateStatus(expected, before, created, response)
  },
})

const atOnce = check({
  id: 'get-new-animal-200',
  requirement: 'get.success',
  needs: {
    ...{ stage: 'creations', keyed: 2, anonymous: 0, allow: ['write'], getPet: true },
    sharesEach: ['creation 0', newPetFetched],
  },
  sends:
    'A `POST /pets`, and immediately a GET of the new id with the same key; nothing if ' +
    '`get-asked-before-created-200` has seen it succeed.',
  fails: 'Any status other than 200.',
  ...afterControl('create', async (context) => {
    const fetched = await context.once(newPetFetched, async () => false)
    if (fetched) return
    const carried = await sendTogether(context, 0)
    // Another check may have sent it long before.
    const isNew = carried?.response.check === 'get-new-animal-200' && isSuccess(carried.response)
    const { pet, response: created } = isNew
      ? await readMade(context, carried.response)
      : await made(context, context.newPet())
    const response = await context.call(takeKeyFrom(getPet(pet.id), created))
    if (statusCode(response) === 200) return
    violateStatus(`200 for the new pet ${pet.id}`, created, response)
  }),
})

const maxUnusual = 8

const sampled = { ...reads(1), ample: 4 + maxUnusual, made: 'creations' } as const

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

/** The significant bits of a category: a double holds every power of two. */
const bitsOf = ({ sent }: Creation): bigint => {
  const size = typeof sent.categoryId === 'bigint' ? magnitude(sent.categoryId) : 0n
  return size === 0n ? 0n : size / (size & -size)
}

const strangeLetters = ({ sent }: Creation): bigint => {
  const name = typeof sent.name === 'string' ? sent.name : ''
  return BigInt([...name].filter((letter) => letter > '~' || letter < ' ').length)
}

const greatest = (creations: readonly Creation[], weight: (creation: Creation) => bigint) =>
  creations.reduce((best, next) => (weight(next) > weight(best) ? next : best))

/** How much there is to corrupt at once: digits, letters and a status. */
const fragility = (creation: Creation): bigint => {
  const bits = BigInt(bitsOf(creation).toString(2).length)
  const factor = typeof creation.sent.status === 'string' ? 2n : 1n
  return bits * (1n + strangeLetters(creation)) * factor
}

/** The pets that are most easily corrupted; the first one in every respect. */
const fragile = (creations: readonly Creation[]): readonly Creation[] => {
  const newest = creations.findLast(({ sent }) => typeof sent.status === 'string')
  const weights = [fragility, bitsOf, strangeLetters]
  return [...weights.map((weight) => greatest(creations, weight)), ...(newest ? [newest] : [])]
}

/** Names with control characters, categories of zero or below, names without the run's mark. */
const unusual = ({ knownPets, names }: Context): readonly Creation[] => [
  ...knownPets.creations.filter(({ sent }) =>
    [...String(sent.name)].some((letter) => letter < ' '),
  ),
  ...knownPets.creations.filter(({ sent }) => Number(sent.categoryId) <= 0),
  ...knownPets.creations.filter(({ sent }) => !String(sent.name).startsWith(names.mark)),
]

const faithful = check({
  id: 'get-animal-as-created',
  requirement: 'get.faithful',
  needs: sampled,
  sends:
    'One GET of the pet that is most easily corrupted: a category of many bits, a name with many ' +
    'non-ASCII characters, a status. With a test clock, or a key on a plan larger than Free, up ' +
    'to eleven more: the most bits, the most such characters, the newest, unusual names and ' +
    'categories.',
  fails: 'Any status other than 200, or an id, name, category or status that differs from the 201.',
  inconclusive: noKnownPets,
  run: async (context) => {
    const { creations } = context.knownPets
    if (creations.length === 0) throw noPet(context, 'was created by this run')
    const [most, ...others] = fragile(creations)
    const strange = unusual(context).slice(0, maxUnusual)
    const further = context.sample([...others, ...strange], 0)
    await expectEach([...new Set([...(most ? [most] : []), ...further])], async (creation) => {
      const { id, exchange } = creation
      expectOwnId(context, id)
      const response = await fetchKnown(context, id)
      expectStatus(response, 200)
      const expected = `pet ${id} as it was created`
      expectSamePet(expected, asCreated(creation), petWithId(response), exchange, response)
    })
  },
})

const oldestStays = check({
  id: 'pet-stays-oldest',
  requirement: 'pet.stays',
  needs: reads(1),
  sends: 'One GET of the first pet of the run, late in the run.',
  fails: 'Any status other than 200, or a pet that has changed.',
  ...afterControl('get', async (context) => {
    const { creations, seen, isRepeated } = context.knownPets
    const oldest =
      creations.find(({ id }) => !isRepeated(id))?.id ?? seen.keys().next().value ?? someId(context)
    const response = await fetchKnown(context, oldest)
    expectStatus(response, 200)
    const expected = `pet ${oldest} as it was before`
    expectSamePet(expected, recallPet(context, oldest) ?? {}, petWithId(response), response)
  }),
})

export const get: readonly AnyCheck[] = [
  afterAbsence,
  atOnce,
  faithful,
  oldestStays,
  ...getUnknownIds,
]
