// What only a move of the target's clock shows: pets stay, and one operation is removed.

import type { Context } from '../engine/context.ts'
import { type AnyCheck, check } from '../engine/declare.ts'
import { expectMember, expectStatus, shownValue, violate } from '../engine/expect.ts'
import { Untested } from '../engine/outcome.ts'
import { fetchKnown, withKnowingKey } from '../engine/pets/control.ts'
import {
  asCreated,
  differenceOf,
  knownOf,
  noneMatching,
  petWithId,
  someId,
  statuses,
} from './pets.ts'
import { controlFailed, createPet, getPet, listedKnown, noKnownPets } from './requests.ts'

const hourMs = 3_600_000
/** A little over an hour and a day, the periods of caches and jobs. */
const pausesMs = [hourMs + 360_000, 24 * hourMs]

/** The last hours in which the deprecated operation must work, and the first without it. */
const lastEvening = '2030-12-04T23:00:00Z'
const removed = '2030-12-06T00:00:01Z'

const needs = { anonymous: 0, clock: true } as const

const pastRemoval = 'the clock is past 4 December 2030 already: restart the target (clock)'

const failsUnlessGone =
  'Any status but 404, 410 and 501 to a pet that was fetched before. The 5th itself is not judged.'

const expectBeforeRemoval = (nowMs: number) => {
  if (nowMs < Date.UTC(2030, 11, 5)) return
  const now = new Date(nowMs).toISOString()
  const message = `restart the target: its clock is at ${now}, past 4 December 2030`
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

/** The oldest pet known, and the oldest that this run created: by then many have followed it. */
const oldestIds = (context: Context): bigint[] => {
  const [creation] = context.herd.creations
  return [...new Set([oldestId(context), ...(creation ? [creation.id] : [])])]
}

/** The oldest pets by their ids, and pets of this run in lists of each status, are unchanged. */
const expectUnchanged = async (context: Context, ids: readonly bigint[]): Promise<void> => {
  for (const id of ids) {
    const fetched = await fetchKnown(context, id)
    expectStatus(fetched, 200)
    const difference = differenceOf(knownOf(context, id) ?? {}, petWithId(fetched))
    if (difference) violate(`pet ${id} as it was before`, difference, fetched)
  }
  for (const status of statuses) {
    const { answer, pets } = await listedKnown(context, { limit: 100, status })
    for (const pet of pets) {
      const creation = typeof pet.id === 'bigint' ? context.herd.creationOf(pet.id) : undefined
      const change = creation && differenceOf(asCreated(creation), pet)
      if (change) violate(`pet ${pet.id} as it was before`, change, answer)
    }
  }
}

const stays = check({
  id: 'pet-stays-over-time',
  requirement: 'pet.stays',
  needs: { ...needs, stage: 'time', keyed: pausesMs.length * (2 + statuses.length), getPet: true },
  sends:
    'A GET of the oldest pet known, one of the first pet that this run created, and a list of ' +
    'each status, an hour later and a day later by the test clock.',
  fails: 'Any status but 200 to a GET, or a pet that differs from what was known of it.',
  inconclusive: pastRemoval,
  run: async (context) => {
    await context.control('get')
    const ids = oldestIds(context)
    for (const ms of pausesMs) {
      expectBeforeRemoval((await context.clock.now()) + ms)
      await context.clock.advance(ms)
      await expectUnchanged(context, ids)
    }
  },
})

const worksUntil = check({
  id: 'get-last-evening-200',
  requirement: 'get.until-removal',
  needs: { ...needs, stage: 'time', keyed: 1, getPet: true },
  sends: 'A GET of a pet with the clock at 23:00 UTC on 4 December 2030.',
  fails: 'Any status but 200, or another id.',
  inconclusive: pastRemoval,
  run: async (context) => {
    await context.control('get')
    await toLastEvening(context)
    const id = someId(context)
    const answer = await fetchKnown(context, id)
    expectStatus(answer, 200)
    expectMember(petWithId(answer), 'id', id, answer)
  },
})

/** The list with its filter replaces the operation: it works before and after. */
const expectReplacement = async (context: Context) => {
  const status = 'available'
  if (context.herd.count(status) === 0) throw noneMatching(context, status)
  const { answer, pets, known } = await listedKnown(context, { limit: 100, status })
  if (known.length === 0) throw noneMatching(context, status)
  if (pets.length === 0) violate(`pets with the status ${status}`, 'none', answer)
  const other = pets.find((pet) => pet.status !== status)
  if (other) violate(`only ${status} pets`, `one has ${shownValue(other.status)}`, answer)
}

const expectCreation = async (context: Context) => {
  const sent = context.newPet({ status: 'available' })
  const answer = await context.call(createPet(sent))
  expectStatus(answer, 201)
  expectMember(petWithId(answer), 'name', sent.name ?? null, answer)
}

const evenings = [
  ['last-evening', 'time', 'at 23:00 UTC on 4 December 2030', toLastEvening],
  [
    'after-removal',
    'removal',
    'a second into 6 December 2030',
    (context: Context) => moveTo(context, removed),
  ],
] as const

const replacements = evenings.flatMap(([when, stage, at, move]) => [
  check({
    id: `list-${when}-200`,
    requirement: 'get.replacement',
    needs: { ...needs, stage, keyed: 1 },
    sends: `With the clock ${at}, one \`GET /pets?limit=100&status=available\`.`,
    fails: 'Any status but 200, no pet although some are known, or one with another status.',
    inconclusive: noKnownPets,
    run: async (context) => {
      await context.control('list')
      await move(context)
      await expectReplacement(context)
    },
  }),
  check({
    id: `create-${when}-201`,
    requirement: 'get.replacement',
    needs: { ...needs, stage, keyed: 1, allow: ['write'] },
    sends: `With the clock ${at}, one valid creation.`,
    fails: 'Any status but 201, or another name than was sent.',
    inconclusive: controlFailed.create,
    run: async (context) => {
      await context.control('create')
      await move(context)
      await expectCreation(context)
    },
  }),
])

/** Requests an existing pet once the operation has been removed. */
const expectGone = async (context: Context, id: bigint) => {
  await moveTo(context, removed)
  const answer = await context.call(withKnowingKey(context, id, getPet(id)))
  expectStatus(answer, 404, 410, 501)
}

/** The control, sent before the clock moved, shows that it worked before. */
const deprecated = check({
  id: 'version-deprecated-until-removal',
  requirement: 'version.deprecated-works',
  needs: { ...needs, stage: 'removal', keyed: 1, getPet: true },
  sends: 'The oldest pet, fetched before, with the clock a second into 6 December 2030.',
  fails: failsUnlessGone,
  inconclusive: controlFailed.get,
  run: async (context) => {
    await context.control('get')
    await expectGone(context, oldestId(context))
  },
})

const gone = check({
  id: 'get-after-removal-gone',
  requirement: 'get.removed',
  needs: { ...needs, stage: 'removal', keyed: 1, getPet: true },
  sends: 'A pet, fetched before, with the clock a second into 6 December 2030.',
  fails: failsUnlessGone,
  inconclusive: controlFailed.get,
  run: async (context) => {
    await context.control('get')
    await expectGone(context, someId(context))
  },
})

const [listBefore, createBefore, listAfter, createAfter] = replacements

export const time: readonly AnyCheck[] = [
  stays,
  worksUntil,
  ...[listBefore, createBefore].filter((one) => one !== undefined),
  deprecated,
  gone,
  ...[listAfter, createAfter].filter((one) => one !== undefined),
]
