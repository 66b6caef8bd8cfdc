// POST /pets: what becomes of refused creations, and of extreme names that were taken.

import { check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { shownValue, violate } from '../../engine/expect.ts'
import type { Herd } from '../../engine/herd.ts'
import type { JsonObject } from '../../engine/json.ts'
import { Untested, Violation } from '../../engine/outcome.ts'
import { isExtremeName } from '../animals.ts'
import { type Listed, listedFor } from '../list/listed.ts'
import { hindsight } from './made.ts'

type Refusal = Herd['refusals'][number]

/**
 * Whether an animal that no 201 announced is one that was refused. Names of this run are its
 * own; where the name itself was at fault, the run's own category and a strange name tell.
 */
const isOf = ({ sent }: Refusal, pet: JsonObject, { names, categories }: Context): boolean => {
  if (typeof sent.name === 'string') {
    return sent.name.startsWith(names.mark) && pet.name === sent.name
  }
  if (!categories.free || sent.categoryId !== categories.any) return false
  const isMarked = typeof pet.name === 'string' && pet.name.startsWith(names.mark)
  return pet.categoryId === sent.categoryId && !isMarked
}

const isCreated = ({ creations }: Herd, pet: JsonObject): boolean =>
  creations.some(({ id, sent }) => id === pet.id || sent.name === pet.name)

/** An uncut list tells of refused animals only once it tells of created ones. */
const currentList = async (context: Context, newest: bigint) => {
  const { answer, pets } = await listedFor(context, { limit: 100 }, [newest])
  const isCurrent = pets.length >= 100 || pets.some(({ id }) => id === newest)
  if (!isCurrent) violate('the newest animal in the list', 'it is not there', answer)
  return { answer, pets }
}

const settledList = async (context: Context, newest: bigint) => {
  try {
    return await context.settled(() => currentList(context, newest))
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    const message = `no list to look for it in: expected ${error.expected}; got ${error.actual}`
    throw new Untested('blocked', message, error.evidence)
  }
}

/** The newest animal; where each key has animals of its own, the newest of each. */
const newestOfEach = ({ creations, lists }: Herd): readonly bigint[] => {
  const newest = new Map(creations.map(({ id, exchange }) => [exchange.key, id]))
  return lists.isApart() ? [...newest.values()] : creations.slice(-1).map(({ id }) => id)
}

const expectNoTrace = ({ answer, pets }: Listed, context: Context) => {
  const { herd } = context
  for (const pet of pets) {
    if (isCreated(herd, pet)) continue
    const refusal = herd.refusals.find((one) => isOf(one, pet, context))
    if (!refusal) continue
    violate('no trace of a refused creation', `animal ${pet.id} is it`, refusal.exchange, answer)
  }
  if (pets.length >= 100) {
    const message = 'the list is cut and may hide one; use a target with fewer than 100 animals'
    throw new Untested('ambiguous', message, [answer])
  }
}

const noTrace = check(
  'create-refused-no-trace',
  'create.refused-no-trace',
  { stage: 'refusals', keyed: 1, anonymous: 0, allow: ['write'], made: 'refusals' },
  async (context) => {
    await context.control('create')
    const { herd } = context
    if (herd.refusals.length === 0) throw new Untested('blocked', 'no creation was refused yet')
    for (const id of newestOfEach(herd)) expectNoTrace(await settledList(context, id), context)
  },
)

const extremeKept = check(
  'create-name-extreme-kept',
  'new-pet.name.extreme-kept',
  hindsight,
  async ({ herd, control }) => {
    await control('create')
    const isAsked = herd.refusals.some(({ sent }) => isExtremeName(sent.name))
    const taken = herd.creations.filter(({ sent }) => isExtremeName(sent.name))
    if (taken.length === 0 && !isAsked) {
      throw new Untested('ambiguous', 'no extreme name was sent; run the checks of create')
    }
    for (const { sent, pet, exchange } of taken) {
      // Half of a surrogate pair has no spelling in UTF-8: what comes back for it is open.
      if (!String(sent.name).isWellFormed() || sent.name === pet.name) continue
      violate('the name unchanged', `another one: ${shownValue(pet.name)}`, exchange)
    }
  },
)

export const createAftermath = [noTrace, extremeKept]
