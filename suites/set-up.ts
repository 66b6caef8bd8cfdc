// What a selection of checks needs before it: others that cause what it judges, and more than a
// hundred pets, so that limits are tested.

import type { Context } from '../engine/check/context.ts'
import {
  type AnyCheck,
  type Check,
  check,
  controlFailed,
  sendsRequests,
} from '../engine/check/declare.ts'
import { createPet, listPets, scarcestStatus } from '../engine/check/requests.ts'
import type { JsonObject } from '../history/json.ts'
import type { Creation } from '../history/known-pets.ts'
import { unknownCategory } from './create/open.ts'
import { manyPets } from './get/list.ts'
import { furtherTails, shuffled } from './pets/arbitraries.ts'
import { creating, made, makeBody } from './pets/requests.ts'

/** One more than a list without `limit` may hold: so many of each status. */
const enoughOfEach = 21

/** A list of a hundred such names is longer than 16 KiB, where some buffers of responses end. */
const longTail = '猫'.repeat(50)
/** Bytes of such a name, with what is before its tail. */
const longNameBytes = 200

/** One of those that are missing, of a status of which there are few. */
const another = (
  context: Context,
  { at, tail }: { readonly at: number; readonly tail: string },
): JsonObject =>
  makeBody(context, { tail, category: 2n ** BigInt(at % 63), status: scarcestStatus(context) })

/**
 * One list first shows how many exist. Names are long where one as long was accepted before. Every
 * other one has texts of the larger vocabulary, until one is refused.
 */
const fillUp = async (context: Context, wanted: number): Promise<void> => {
  const { knownPets } = context
  const isOfAll = wanted >= manyPets
  if (knownPets.seen.size < wanted) await context.call(listPets({ limit: 100 }))
  const isLong = ({ sent }: Creation) => Buffer.byteLength(`${sent.name}`) >= longNameBytes
  const end = isOfAll && knownPets.creations.some(isLong) ? ` ${longTail}` : ''
  let tails = isOfAll ? shuffled(furtherTails, context.seedOf('crowd')) : []
  const areEnough = () =>
    knownPets.seen.size >= wanted &&
    (!isOfAll || knownPets.count(scarcestStatus(context)) >= enoughOfEach)
  for (let at = 0; at < manyPets && !areEnough(); at += 1) {
    const tail = at % 2 === 0 ? undefined : tails[(at - 1) / 2]
    if (tail === undefined) {
      await made(context, another(context, { at, tail: `of a crowd, ${at}${end}` }))
    } else {
      const { response } = await context.call(createPet(another(context, { at, tail })))
      if (response.status !== 201 && response.status !== 429) tails = []
    }
  }
}

export const fill: Check = check({
  id: 'create-hundredth-201',
  requirement: 'create.success',
  needs: { ...creating, pets: manyPets },
  sends: `One list, and as many valid \`POST /pets\` as are missing to ${manyPets} known pets.`,
  fails: 'Any status other than 201.',
  inconclusive: controlFailed.create,
  run: (context) => fillUp(context, manyPets),
})

/** For a check that is selected alone. */
const fillTo = (pets: number): Check => ({ ...fill, run: (context) => fillUp(context, pets) })

const mayCreate = (each: AnyCheck): boolean =>
  sendsRequests(each) && (each.needs.allow?.includes('write') ?? false)

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
  const pets = Math.max(0, ...[...wanted].filter(sendsRequests).map(({ needs }) => needs.pets ?? 0))
  if (pets > 0 || [...wanted].some(mayCreate)) wanted.add(unknownCategory)
  const selected = all.filter((each) => wanted.has(each))
  return pets === 0 || wanted.has(fill) ? selected : [fillTo(pets), ...selected]
}
