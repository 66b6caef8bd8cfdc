// GET /pets/{petId}: animals that exist, as they were created.

import type { Question } from '../engine/check.ts'
import { check } from '../engine/check.ts'
import type { Context } from '../engine/context.ts'
import { statusOf } from '../engine/exchange.ts'
import { expectMember, expectStatus, told, violate } from '../engine/expect.ts'
import { fetchKnown } from '../engine/fetch-known.ts'
import type { Creation } from '../engine/herd.ts'
import { Inapplicable, Untested } from '../engine/outcome.ts'
import { property } from '../engine/property.ts'
import { withKeyOf } from '../engine/request.ts'
import {
  acceptedStatus,
  animalIn,
  asCreated,
  differenceOf,
  knownOf,
  noAnimal,
  someId,
} from './animals.ts'
import { draft } from './arbitraries.ts'
import { bodyOf, made, madeBy } from './create/made.ts'
import { getStrangers } from './get/strangers.ts'
import { createPet, getPet } from './requests.ts'

const reads = (keyed: number) => ({ stage: 'reads', keyed, anonymous: 0, getPet: true }) as const

const atOnce = property(
  'get-new-animal-200',
  'get.success',
  {
    stage: 'creations',
    keyed: 2,
    anonymous: 0,
    allow: ['write'],
    getPet: true,
    runs: 1,
    shrinks: 4,
  },
  draft,
  async (context, value) => {
    const { pet, answer: created } = await made(context, bodyOf(context, value))
    const answer = await context.call(withKeyOf(getPet(pet.id), created))
    if (answer.response.status === 200) return
    violate(`200 for the new animal ${pet.id}`, `${answer.response.status}`, created, answer)
  },
)

/** The id that comes next, where the last ones count up, or down, in even steps. */
const nextId = ({ herd }: Context): bigint | undefined => {
  const [first, second, third] = herd.creations.slice(-3).map(({ id }) => id)
  if (first === undefined || second === undefined || third === undefined) return undefined
  const step = third - second
  return step === second - first && step !== 0n ? third + step : undefined
}

/** Where an absence is cached, a pet that was asked for too early stays away. */
const afterAbsence = check(
  'get-asked-before-created-200',
  'get.success',
  { stage: 'creations', keyed: 3, anonymous: 0, allow: ['write'], getPet: true },
  async (context) => {
    await context.control('create')
    await context.control('get')
    const id = nextId(context)
    const last = context.herd.creations.at(-1)?.exchange
    if (id === undefined || !last) {
      throw new Inapplicable('no id can be asked for before it is assigned: they do not count up')
    }
    const before = await context.call(withKeyOf(getPet(id), last))
    const sent = createPet(context.newPet({ status: acceptedStatus(context) }))
    const { pet, answer: created } = madeBy(await context.call(withKeyOf(sent, last)))
    if (pet.id !== id || statusOf(before) !== 404) {
      const message = `the next id was not ${id}, as expected: others may create pets meanwhile`
      throw new Untested('ambiguous', message, [before, created])
    }
    const answer = await context.call(withKeyOf(getPet(id), last))
    if (statusOf(answer) === 200) return
    const expected = `200 for the new pet ${id}, which was asked for before it was created`
    violate(expected, told(answer), before, created, answer)
  },
)

const others = 8

const sampled = { ...reads(3), ample: 3 + others, made: 'creations' } as const

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

/** The bits of a category that need room: those of a power of two fit anywhere. */
const bitsOf = ({ sent }: Creation): bigint => {
  const size = typeof sent.categoryId === 'bigint' ? magnitude(sent.categoryId) : 0n
  return size === 0n ? 0n : size / (size & -size)
}

const strangeLetters = ({ sent }: Creation): bigint => {
  const name = typeof sent.name === 'string' ? sent.name : ''
  return BigInt([...name].filter((letter) => letter > '~' || letter < ' ').length)
}

const greatest = (creations: readonly Creation[], weight: (creation: Creation) => bigint) =>
  creations.reduce((most, next) => (weight(next) > weight(most) ? next : most))

/** What is most easily lost or changed: the category that needs most room, the strangest name. */
const fragile = (creations: readonly Creation[]): Set<Creation> => {
  const newest = creations.findLast(({ sent }) => typeof sent.status === 'string')
  const most = [greatest(creations, bitsOf), greatest(creations, strangeLetters)]
  return new Set(newest ? [...most, newest] : most)
}

/** Names that need an escape, categories that need a sign, names that begin as no other does. */
const unusual = ({ herd, names }: Context): readonly Creation[] => [
  ...herd.creations.filter(({ sent }) => [...String(sent.name)].some((letter) => letter < ' ')),
  ...herd.creations.filter(({ sent }) => Number(sent.categoryId) <= 0),
  ...herd.creations.filter(({ sent }) => !String(sent.name).startsWith(names.mark)),
]

const faithful = check('get-animal-as-created', 'get.faithful', sampled, async (context) => {
  const { creations } = context.herd
  if (creations.length === 0) throw noAnimal(context, 'was created by this run')
  const further = context.sample(unusual(context), 0).slice(0, others)
  for (const creation of new Set([...fragile(creations), ...further])) {
    const { id, exchange } = creation
    const answer = await fetchKnown(context, id)
    expectStatus(answer, 200)
    const difference = differenceOf(asCreated(creation), animalIn(answer))
    if (difference) violate(`animal ${id} as it was created`, difference, exchange, answer)
  }
})

/** Fetched once: it is to be the one that was asked for, and to be as it was. */
const ofOldest = { ...reads(1), shares: 'the oldest pet' } as const

const oldestFetched = async (context: Context) => {
  await context.control('get')
  const { creations, seen } = context.herd
  const oldest = creations[0]?.id ?? seen.keys().next().value ?? someId(context)
  const answer = await context.once(ofOldest.shares, () => fetchKnown(context, oldest))
  expectStatus(answer, 200)
  return { oldest, answer }
}

const ownId = check('get-id-own', 'get.own-id', ofOldest, async (context) => {
  const { oldest, answer } = await oldestFetched(context)
  expectMember(animalIn(answer), 'id', oldest, answer)
})

const oldestStays = check('pet-stays-oldest', 'pet.stays', ofOldest, async (context) => {
  const { oldest, answer } = await oldestFetched(context)
  const difference = differenceOf(knownOf(context, oldest) ?? {}, animalIn(answer))
  if (difference) violate(`animal ${oldest} as it was before`, difference, answer)
})

export const get: readonly Question[] = [
  atOnce,
  afterAbsence,
  faithful,
  ownId,
  oldestStays,
  ...getStrangers,
]
