// What only a move of the target's clock shows: animals stay, and one operation is removed.

import type { Question } from '../engine/check.ts'
import { check } from '../engine/check.ts'
import type { Context } from '../engine/context.ts'
import { expectMember, expectStatus, shownValue, violate } from '../engine/expect.ts'
import { fetchKnown, forOneWhoKnows } from '../engine/fetch-known.ts'
import { Untested } from '../engine/outcome.ts'
import { animalIn, asCreated, differenceOf, knownOf, noneMatching, someId } from './animals.ts'
import { listedKnown } from './list/listed.ts'
import { createPet, getPet, statuses } from './requests.ts'

const hourMs = 3_600_000
/** Caches and jobs work by the hour and by the day; both are passed by a little. */
const pausesMs = [hourMs + 360_000, 24 * hourMs]

/** The last hours in which the deprecated operation has to work, and the first without it. */
const lastEvening = '2030-12-04T23:00:00Z'
const removed = '2030-12-06T00:00:01Z'

const needs = { anonymous: 0, clock: true } as const

const expectBeforeRemoval = (nowMs: number) => {
  if (nowMs < Date.UTC(2030, 11, 5)) return
  const now = new Date(nowMs).toISOString()
  const message = `restart the target: its clock stands at ${now}, past 4 December 2030`
  throw new Untested('clock', message)
}

/** The clock moves forward only; a later check of the same day needs no move. */
const moveTo = async ({ clock }: Context, iso: string) => {
  if ((await clock.now()) < Date.parse(iso)) await clock.set(iso)
}

const toLastEvening = async (context: Context) => {
  expectBeforeRemoval(await context.clock.now())
  await moveTo(context, lastEvening)
}

const oldestId = (context: Context) => context.herd.seen.keys().next().value ?? someId(context)

/** The oldest pet by its id, and those of this run in lists of each status, are as they were. */
const expectUnchanged = async (context: Context, id: bigint): Promise<void> => {
  const fetched = await fetchKnown(context, id)
  expectStatus(fetched, 200)
  const difference = differenceOf(knownOf(context, id) ?? {}, animalIn(fetched))
  if (difference) violate(`pet ${id} as it was before`, difference, fetched)
  for (const status of statuses) {
    const { answer, pets } = await listedKnown(context, { limit: 100, status })
    for (const pet of pets) {
      const creation = typeof pet.id === 'bigint' ? context.herd.creationOf(pet.id) : undefined
      const change = creation && differenceOf(asCreated(creation), pet)
      if (change) violate(`pet ${pet.id} as it was before`, change, answer)
    }
  }
}

const stays = check(
  'pet-stays-over-time',
  'pet.stays',
  { ...needs, stage: 'time', keyed: pausesMs.length * (1 + statuses.length), getPet: true },
  async (context) => {
    await context.control('get')
    const id = oldestId(context)
    for (const ms of pausesMs) {
      expectBeforeRemoval((await context.clock.now()) + ms)
      await context.clock.advance(ms)
      await expectUnchanged(context, id)
    }
  },
)

const worksUntil = check(
  'get-last-evening-200',
  'get.until-removal',
  { ...needs, stage: 'time', keyed: 1, getPet: true },
  async (context) => {
    await context.control('get')
    await toLastEvening(context)
    const id = someId(context)
    const answer = await fetchKnown(context, id)
    expectStatus(answer, 200)
    expectMember(animalIn(answer), 'id', id, answer)
  },
)

/** What replaces the operation: the list with its filter. It is there on both sides. */
const expectReplacement = async (context: Context) => {
  const status = 'available'
  if (context.herd.count(status) === 0) throw noneMatching(context, status)
  const { answer, pets, known } = await listedKnown(context, { limit: 100, status })
  if (known.length === 0) throw noneMatching(context, status)
  if (pets.length === 0) violate(`animals with the status ${status}`, 'none', answer)
  const other = pets.find((pet) => pet.status !== status)
  if (other) violate(`only ${status} animals`, `one has ${shownValue(other.status)}`, answer)
}

const expectCreation = async (context: Context) => {
  const sent = context.newPet({ status: 'available' })
  const answer = await context.call(createPet(sent))
  expectStatus(answer, 201)
  expectMember(animalIn(answer), 'name', sent.name ?? null, answer)
}

const evenings = [
  ['last-evening', 'time', toLastEvening],
  ['after-removal', 'removal', (context: Context) => moveTo(context, removed)],
] as const

const replacements = evenings.flatMap(([when, stage, move]) => [
  check(`list-${when}-200`, 'get.replacement', { ...needs, stage, keyed: 1 }, async (context) => {
    await context.control('list')
    await move(context)
    await expectReplacement(context)
  }),
  check(
    `create-${when}-201`,
    'get.replacement',
    { ...needs, stage, keyed: 1, allow: ['write'] },
    async (context) => {
      await context.control('create')
      await move(context)
      await expectCreation(context)
    },
  ),
])

/** Asks for an animal that exists, once the operation has been removed. */
const expectGone = async (context: Context, id: bigint) => {
  await moveTo(context, removed)
  const answer = await context.call(forOneWhoKnows(context, id, getPet(id)))
  expectStatus(answer, 404, 410, 501)
}

/** That it worked before is what the control tells, which was asked before the clock moved. */
const deprecated = check(
  'version-deprecated-until-removal',
  'version.deprecated-works',
  { ...needs, stage: 'removal', keyed: 1, getPet: true },
  async (context) => {
    await context.control('get')
    await expectGone(context, oldestId(context))
  },
)

const gone = check(
  'get-after-removal-gone',
  'get.removed',
  { ...needs, stage: 'removal', keyed: 1, getPet: true },
  async (context) => {
    await context.control('get')
    await expectGone(context, someId(context))
  },
)

const [listBefore, createBefore, listAfter, createAfter] = replacements

export const time: readonly Question[] = [
  stays,
  worksUntil,
  ...[listBefore, createBefore].filter((one) => one !== undefined),
  deprecated,
  gone,
  ...[listAfter, createAfter].filter((one) => one !== undefined),
]
