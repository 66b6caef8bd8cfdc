// Creates the pets that are missing to a list of more than a hundred, so that limits are tested.

import type { Context } from '../engine/check/context.ts'
import {
  type AnyCheck,
  type Check,
  check,
  type Needs,
  sendsRequests,
} from '../engine/check/declare.ts'
import { unknownCategory } from './create/categories.ts'
import { scarcestStatus } from './pets/compare-pets.ts'
import { controlFailed, creating, listPets, made, makeBody } from './pets/requests.ts'

const enough = 101

/**
 * How many pets the other checks of a run leave to create: at most 25 if the target accepts
 * everything that is optional. A target may refuse extreme names, spaces around a name, categories
 * that are unknown, not positive or spelled differently, repeated and further members, a null
 * status, an id, another media type; and past the removal date no check that uses GET by id runs.
 */
const left = { usual: 25, ifRefused: 33 }

/** One more than a list without `limit` may hold: so many of each status. */
const enoughOfEach = 21

/** @param max how many creations it may cost */
const fillUp = async (context: Context, max: number, wanted = enough): Promise<void> => {
  const { knownPets } = context
  for (let at = 0; at < max; at += 1) {
    const status = scarcestStatus(context)
    const isBalanced = wanted < enough || knownPets.count(status) >= enoughOfEach
    if (knownPets.seen.size >= wanted && isBalanced) return
    const category = 2n ** BigInt(at % 63)
    await made(context, makeBody(context, { tail: `of a crowd, ${at}`, category, status }))
  }
}

export const fill: Check = check({
  id: 'create-hundredth-201',
  requirement: 'create.success',
  needs: { ...creating(left.usual), ifRefused: left.ifRefused },
  sends:
    'As many valid `POST /pets` as are missing to 101 known pets: up to 25 if the other ' +
    'checks of a run create pets, up to 58 if everything optional is refused, and up to 101 ' +
    'if it runs alone.',
  fails: 'Any status other than 201.',
  inconclusive: controlFailed.create,
  run: (context) => fillUp(context, left.usual + left.ifRefused),
})

/** All that the chosen checks need: one list first shows how many exist already. */
const fillAlone = (pets: number): Check => ({
  ...fill,
  needs: creating(pets + 1),
  run: async (context) => {
    if (context.knownPets.seen.size < pets) await context.call(listPets({ limit: 100 }))
    await fillUp(context, Math.max(0, pets - context.knownPets.seen.size), pets)
  },
})

const needsOf = (each: AnyCheck): Partial<Needs> => (sendsRequests(each) ? each.needs : {})

const mayCreate = (each: AnyCheck): boolean => needsOf(each).allow?.includes('write') ?? false

/** How many pets some checks create, by what they declare. */
const createdBy = (checks: readonly AnyCheck[]): number =>
  checks
    .map(needsOf)
    .filter(({ stage = '' }) => ['probes', 'creations'].includes(stage))
    .reduce((sum, { keyed = 0 }) => sum + keyed, 0)

/** The chosen checks and those that cause what they judge, so that each can run alone. */
export const withSetUp = (
  all: readonly AnyCheck[],
  chosen: readonly AnyCheck[],
): readonly AnyCheck[] => {
  const wanted = new Set(chosen)
  // It grows while it is read.
  for (const { sentBy = [] } of wanted) {
    for (const each of all) if (sentBy.includes(each.id)) wanted.add(each)
  }
  if ([...wanted].some(mayCreate)) wanted.add(unknownCategory)
  const selected = all.filter((each) => wanted.has(each))
  const pets = Math.max(
    wanted.has(fill) ? enough : 0,
    ...selected.map((each) => needsOf(each).pets ?? 0),
  )
  if (pets === 0 || createdBy(selected) >= enough - left.usual) return selected
  const probed = all.filter((each) => wanted.has(each) || each === unknownCategory)
  return [fillAlone(pets), ...probed.filter((each) => each !== fill)]
}
