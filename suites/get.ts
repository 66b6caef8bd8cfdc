// GET /pets/{petId}: pets that exist, as they were created.

import type { Context, Creation } from '../engine/context.ts'
import { type AnyCheck, check } from '../engine/declare.ts'
import { statusOf, withKeyOf } from '../engine/exchange.ts'
import { describeResponse, expectMember, expectStatus, violate } from '../engine/expect.ts'
import { Inapplicable, Untested } from '../engine/outcome.ts'
import { fetchKnown } from '../engine/pets/control.ts'
import { property } from '../engine/property.ts'
import { draft } from './arbitraries.ts'
import { getUnknown } from './get/unknown-ids.ts'
import {
  acceptedStatus,
  asCreated,
  differenceOf,
  knownOf,
  noPet,
  petWithId,
  someId,
} from './pets.ts'
import { bodyOf, controlFailed, createPet, getPet, made, madeBy, noKnownPets } from './requests.ts'

const reads = (keyed: number) => ({ stage: 'reads', keyed, anonymous: 0, getPet: true }) as const

const atOnce = property({
  id: 'get-new-animal-200',
  requirement: 'get.success',
  needs: {
    stage: 'creations',
    keyed: 2,
    anonymous: 0,
    allow: ['write'],
    getPet: true,
    runs: 1,
    shrinks: 4,
  },
  sends: 'A generated creation, then at once a GET of its id with the same key.',
  fails: 'Any status but 200.',
  inconclusive: controlFailed.create,
  arbitrary: draft,
  run: async (context, value) => {
    const { pet, answer: created } = await made(context, bodyOf(context, value))
    const answer = await context.call(withKeyOf(getPet(pet.id), created))
    if (answer.response.status === 200) return
    violate(`200 for the new pet ${pet.id}`, `${answer.response.status}`, created, answer)
  },
})

/** The next id, if the last ones count up or down in even steps. */
const nextId = ({ herd }: Context): bigint | undefined => {
  const [first, second, third] = herd.creations.slice(-3).map(({ id }) => id)
  if (first === undefined || second === undefined || third === undefined) return undefined
  const step = third - second
  return step === second - first && step !== 0n ? third + step : undefined
}

/** A server that caches a 404 keeps a pet away that was requested before it was created. */
const afterAbsence = check({
  id: 'get-asked-before-created-200',
  requirement: 'get.success',
  needs: { stage: 'creations', keyed: 3, anonymous: 0, allow: ['write'], getPet: true },
  sends:
    'If ids count up or down in even steps: a GET of the next id, a creation, and at once a GET ' +
    'of its id with the same key.',
  fails:
    'The creation got that id, which was answered 404 before, and its GET is not answered 200.',
  inconclusive:
    'another id was assigned, for example because other clients create pets too (ambiguous); ' +
    'inapplicable if ids do not count up',
  run: async (context) => {
    await context.control('create')
    await context.control('get')
    const id = nextId(context)
    const last = context.herd.creations.at(-1)?.exchange
    if (id === undefined || !last) {
      throw new Inapplicable('the next id is not known: ids do not count up')
    }
    const before = await context.call(withKeyOf(getPet(id), last))
    const sent = createPet(context.newPet({ status: acceptedStatus(context) }))
    const { pet, answer: created } = madeBy(await context.call(withKeyOf(sent, last)))
    if (pet.id !== id || statusOf(before) !== 404) {
      const message = `the next id was not ${id}, as expected: other clients may create pets`
      throw new Untested('ambiguous', message, [before, created])
    }
    const answer = await context.call(withKeyOf(getPet(id), last))
    if (statusOf(answer) === 200) return
    const expected = `200 for the new pet ${id}, which was requested before it was created`
    violate(expected, describeResponse(answer), before, created, answer)
  },
})

const maxUnusual = 8

const sampled = { ...reads(3), ample: 3 + maxUnusual, made: 'creations' } as const

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

/** The significant bits of a category: a power of two fits anywhere. */
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

/** What is most easily lost or changed: the category with most bits, the strangest name. */
const fragile = (creations: readonly Creation[]): Set<Creation> => {
  const newest = creations.findLast(({ sent }) => typeof sent.status === 'string')
  const rarest = [greatest(creations, bitsOf), greatest(creations, strangeLetters)]
  return new Set(newest ? [...rarest, newest] : rarest)
}

/** Names with control characters, categories up to zero, names without the mark of the run. */
const unusual = ({ herd, names }: Context): readonly Creation[] => [
  ...herd.creations.filter(({ sent }) => [...String(sent.name)].some((letter) => letter < ' ')),
  ...herd.creations.filter(({ sent }) => Number(sent.categoryId) <= 0),
  ...herd.creations.filter(({ sent }) => !String(sent.name).startsWith(names.mark)),
]

const faithful = check({
  id: 'get-animal-as-created',
  requirement: 'get.faithful',
  needs: sampled,
  sends:
    'Up to three GETs of what is most easily lost: the category that needs most bits, the name ' +
    'with most non-ASCII characters, the newest pet with a status. With a test clock, or a key ' +
    'on a plan larger than Free, eight more with unusual names and categories.',
  fails: 'Any status but 200, or an id, name, category or status that differs from its 201.',
  inconclusive: noKnownPets,
  run: async (context) => {
    const { creations } = context.herd
    if (creations.length === 0) throw noPet(context, 'was created by this run')
    const further = context.sample(unusual(context), 0).slice(0, maxUnusual)
    for (const creation of new Set([...fragile(creations), ...further])) {
      const { id, exchange } = creation
      const answer = await fetchKnown(context, id)
      expectStatus(answer, 200)
      const difference = differenceOf(asCreated(creation), petWithId(answer))
      if (difference) violate(`pet ${id} as it was created`, difference, exchange, answer)
    }
  },
})

/** Fetched once: it must be the requested one, and be as it was. */
const ofOldest = { ...reads(1), shares: 'the oldest pet' } as const

const oldestFetched = async (context: Context) => {
  await context.control('get')
  const { creations, seen } = context.herd
  const oldest = creations[0]?.id ?? seen.keys().next().value ?? someId(context)
  const answer = await context.once(ofOldest.shares, () => fetchKnown(context, oldest))
  expectStatus(answer, 200)
  return { oldest, answer }
}

const ownId = check({
  id: 'get-id-own',
  requirement: 'get.own-id',
  needs: ofOldest,
  sends: 'One GET of a known pet.',
  fails: 'Any status but 200, or a pet with another id.',
  inconclusive: controlFailed.get,
  run: async (context) => {
    const { oldest, answer } = await oldestFetched(context)
    expectMember(petWithId(answer), 'id', oldest, answer)
  },
})

const oldestStays = check({
  id: 'pet-stays-oldest',
  requirement: 'pet.stays',
  needs: ofOldest,
  sends: 'One GET of the first pet of the run, after everything that was sent since.',
  fails: 'Any status but 200, or a pet that differs from what was known of it.',
  inconclusive: controlFailed.get,
  run: async (context) => {
    const { oldest, answer } = await oldestFetched(context)
    const difference = differenceOf(knownOf(context, oldest) ?? {}, petWithId(answer))
    if (difference) violate(`pet ${oldest} as it was before`, difference, answer)
  },
})

export const get: readonly AnyCheck[] = [
  atOnce,
  afterAbsence,
  faithful,
  ownId,
  oldestStays,
  ...getUnknown,
]
