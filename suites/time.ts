// Requirements that need the test clock: pets remain, and GET by id is removed on its date.

import type { Context } from '../engine/check/context.ts'
import { fetchKnown, withKnowingKey } from '../engine/check/control-request.ts'
import { type AnyCheck, type Check, check, type Stage } from '../engine/check/declare.ts'
import { expectMember, expectStatus, violateAs } from '../engine/check/expect.ts'
import { expectEach } from '../engine/check/findings.ts'
import { Untested } from '../engine/check/outcome.ts'
import {
  asCreated,
  expectOnly,
  expectSamePet,
  noneMatching,
  petWithId,
  recallPet,
  someId,
  statuses,
} from './pets/compare-pets.ts'
import { listedKnown } from './pets/lists.ts'
import {
  afterControl,
  createPet,
  expectCreated,
  expectKeptBy,
  getPet,
  madeBy,
  naming,
  noKnownPets,
} from './pets/requests.ts'
import { quotaAfterRemoval } from './rate-limit/quota.ts'
import { removalWalk } from './time-walks.ts'

const hourMs = 3_600_000
/** A little over an hour, when caches expire, and a day, when jobs run. */
const pausesMs = [hourMs + 360_000, 24 * hourMs]

/** The last hour in which the deprecated operation must work, and the first without it. */
const lastEvening = '2030-12-04T23:00:00Z'
const removed = '2030-12-06T00:00:01Z'

const needs = { anonymous: 0, clock: true } as const

const pastRemoval = 'the clock is already past 4 December 2030: restart the target (clock)'

const expectBeforeRemoval = (nowMs: number) => {
  if (nowMs < Date.UTC(2030, 11, 5)) return
  throw new Untested('clock', 'restart the target: its clock is past 4 December 2030')
}

/** The clock only moves forward; a check that follows at the same date does not move it. */
const moveTo = async ({ clock }: Context, iso: string) => {
  if ((await clock.now()) < Date.parse(iso)) await clock.set(iso)
}

const toLastEvening = async (context: Context) => {
  expectBeforeRemoval(await context.clock.now())
  await moveTo(context, lastEvening)
}

const toRemoved = (context: Context): Promise<void> => moveTo(context, removed)

/** The minute of a Business key takes too many requests for a second time. */
const keptPlans = ['free', 'pro', 'enterprise'] as const

const oldestId = (context: Context) => context.knownPets.seen.keys().next().value ?? someId(context)

/** The oldest known pet, and the oldest that this run created: many were created since. */
const oldestIds = (context: Context): bigint[] => {
  const { creations, isRepeated } = context.knownPets
  const creation = creations.find(({ id }) => !isRepeated(id))
  return [...new Set([oldestId(context), ...(creation ? [creation.id] : [])])]
}

/** Expects these pets by id, and the pets of this run in lists of each status, unchanged. */
const expectUnchanged = async (context: Context, ids: readonly bigint[]): Promise<void> => {
  for (const id of ids) {
    const fetched = await fetchKnown(context, id)
    expectStatus(fetched, 200)
    const expected = `pet ${id} as it was before`
    expectSamePet(expected, recallPet(context, id) ?? {}, petWithId(fetched), fetched)
  }
  for (const status of statuses) {
    const { response, pets } = await listedKnown(context, { limit: 100, status })
    for (const pet of pets) {
      const creation = typeof pet.id === 'bigint' ? context.knownPets.creationOf(pet.id) : undefined
      if (!creation || context.knownPets.isRepeated(creation.id)) continue
      expectSamePet(`pet ${pet.id} as it was before`, asCreated(creation), pet, response)
    }
  }
}

const stays = check({
  id: 'pet-stays-over-time',
  requirement: 'pet.stays',
  needs: { ...needs, stage: 'time', keyed: pausesMs.length * (2 + statuses.length), getPet: true },
  sends:
    'A GET of the oldest known pet and of one of the first pets of this run, and a list of ' +
    'each status: an hour later and a day later by the test clock.',
  fails: 'Any status other than 200 for a GET, or a pet that has changed.',
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
  sends: 'A GET of a pet with the test clock at 23:00 UTC on 4 December 2030.',
  fails: 'Any status other than 200, or another id.',
  inconclusive: pastRemoval,
  run: async (context) => {
    await context.control('get')
    await toLastEvening(context)
    const id = someId(context)
    const response = await fetchKnown(context, id)
    expectStatus(response, 200)
    expectMember(petWithId(response), 'id', id, response)
  },
})

/**
 * When the operation may be switched off for a test of its removal: in the last month, at hours and
 * minutes that drift through the day; and every two months of the year before.
 */
const samplesMs = {
  months: Array.from({ length: 6 }, (_, at) => Date.UTC(2029, 11 + 2 * at, 6, at * 4, at * 10)),
  days: Array.from({ length: 12 }, (_, at) => Date.UTC(2030, 10, 6) + at * (55 * hourMs + 660_000)),
}

/** Of two pets in turn, as an operation may fail by chance, or for what is old. */
const worksMeanwhile = check({
  id: 'get-year-before-removal-200',
  requirement: 'get.until-removal',
  needs: { ...needs, stage: 'time', keyed: 18, getPet: true },
  sends:
    'With the test clock a GET of a pet every two months of the year before the removal, and ' +
    '12 in the last one, each at another hour and minute.',
  fails: 'Any status other than 200: the operation is switched off for a time, or now and then.',
  inconclusive: pastRemoval,
  run: async (context) => {
    await context.control('get')
    const ids = oldestIds(context)
    const moments = [...samplesMs.months, ...samplesMs.days].sort((a, b) => a - b)
    const now = await context.clock.now()
    const ahead = moments.filter((atMs) => atMs > now)
    if (ahead.length === 0)
      throw new Untested('clock', 'restart the target: its clock is in December 2030')
    await expectEach([...ahead.entries()], async ([place, atMs]) => {
      await context.clock.set(new Date(atMs).toISOString())
      const response = await fetchKnown(context, ids[place % ids.length] ?? someId(context))
      naming(new Date(atMs).toISOString(), () => expectStatus(response, 200))
    })
  },
})

/** The status filter and creations, which replace GET by id, before or after its removal. */
const replacements = (
  when: string,
  stage: Stage,
  at: string,
  move: (context: Context) => Promise<void>,
): Check[] => [
  check({
    id: `list-${when}-200`,
    requirement: 'get.replacement',
    needs: { ...needs, stage, keyed: 1 },
    sends: `With the test clock ${at}: one \`GET /pets?limit=100&status=available\`.`,
    fails:
      'Any status other than 200, no pet although some are known, or a pet with another status.',
    inconclusive: noKnownPets,
    run: async (context) => {
      const status = 'available'
      await context.control('list')
      await move(context)
      if (context.knownPets.count(status) === 0) throw noneMatching(context, status)
      const { response, pets, known } = await listedKnown(context, { limit: 100, status })
      if (known.length === 0) throw noneMatching(context, status)
      const none = { aspect: 'count', kind: 'none' } as const
      const wanted = `pets with status "${status}"`
      if (pets.length === 0) violateAs(none, wanted, 'an empty list', response)
      expectOnly(status, pets, response)
    },
  }),
  check({
    id: `create-${when}-201`,
    requirement: 'get.replacement',
    needs: { ...needs, stage, keyed: 1, allow: ['write'] },
    sends: `With the test clock ${at}: one valid \`POST /pets\`.`,
    fails: 'Any status other than 201, or another name than was sent.',
    ...afterControl('create', async (context) => {
      await move(context)
      const sent = context.newPet({ status: 'available' })
      const response = await context.call(createPet(sent))
      await expectCreated(context, response)
      await expectKeptBy(context, madeBy(response), sent, 'name')
    }),
  }),
]

/** GETs of existing pets after the removal; the control request shows that it worked before. */
const gone = check({
  id: 'get-after-removal-gone',
  requirement: 'get.removed',
  needs: { ...needs, stage: 'removal', keyed: 2, getPet: true },
  sends:
    'A GET of the oldest pet and of another one, which worked before, with the test clock one ' +
    'second into 6 December 2030.',
  fails:
    'Any status other than 404, 410 and 501 for an existing pet. 5 December itself is not judged.',
  ...afterControl('get', async (context) => {
    const ids = new Set([oldestId(context), someId(context)])
    await toRemoved(context)
    await expectEach([...ids], async (petId) => {
      const response = await context.call(withKnowingKey(context, petId, getPet(petId)))
      expectStatus(response, 404, 410, 501)
    })
  }),
})

export const time: readonly AnyCheck[] = [
  stays,
  worksMeanwhile,
  worksUntil,
  ...replacements('last-evening', 'time', 'at 23:00 UTC on 4 December 2030', toLastEvening),
  removalWalk(toLastEvening, removed), // Begins on that evening, before all that comes after it.
  gone,
  ...replacements('after-removal', 'removal', 'one second into 6 December 2030', toRemoved),
  ...keptPlans.map((plan) => quotaAfterRemoval(plan, toRemoved)),
]
