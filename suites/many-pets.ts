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
 * How many pets the other checks of a run leave to create: at most 53 if the target accepts
 * everything that is optional. A target may refuse extreme names, spaces around a name, categories
 * that are unknown, not positive or spelled differently, repeated and further members, a null
 * status, an id, another media type; and past the removal date no check that uses GET by id runs.
 */
const left = { usual: 53, ifRefused: 33 }

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
    'As many valid `POST /pets` as are missing to 101 known pets: up to 53 if the other ' +
    'checks of a run create pets, up to 86 if everything optional is refused, and up to 101 ' +
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

/** Whether a check belongs to those that create pets, or to those whose creations are refused. */
const makes = {
  creations: (each: AnyCheck): boolean =>
    ['probes', 'creations'].includes(needsOf(each).stage ?? ''),
  // A target may wrongly accept a creation without a valid key.
  refusals: (each: AnyCheck): boolean =>
    needsOf(each).stage === 'refusals' ||
    (needsOf(each).stage === 'unauthenticated' && mayCreate(each)),
}

/**
 * The chosen checks and those that create the pets which they judge, so that a part of the
 * catalogue can run alone.
 */
export const withSetUp = (
  all: readonly AnyCheck[],
  chosen: readonly AnyCheck[],
): readonly AnyCheck[] => {
  const sendersOf = (each: AnyCheck) => (each.kind === 'invariant' ? (each.sentBy ?? []) : [])
  const senders = new Set(chosen.flatMap(sendersOf))
  const isSent = (each: AnyCheck) => chosen.includes(each) || senders.has(each.id)
  const needs = all.filter(isSent).map(needsOf)
  const wanted = new Set(needs.map(({ made }) => made))
  const isShort = !wanted.has('creations') && (wanted.has('crowd') || chosen.includes(fill))
  const isMaker = (each: AnyCheck) =>
    (each === unknownCategory && (isShort || chosen.some(mayCreate))) ||
    (wanted.has('creations') && makes.creations(each)) ||
    (wanted.has('refusals') && makes.refusals(each))
  const selected = all.filter((each) => isSent(each) || isMaker(each))
  if (!isShort) return selected
  const crowds = needs.filter(({ made }) => made === 'crowd').map(({ pets = enough }) => pets)
  const pets = chosen.includes(fill) ? enough : Math.max(...crowds)
  return [fillAlone(pets), ...selected.filter((each) => each !== fill)]
}
