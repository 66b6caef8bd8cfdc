// Which categories a target takes. Random ids of several magnitudes, which nobody configured,
// show whether it looks them up; what it accepts once may be used from then on.

import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { type CategorySize, strangeCategory } from '../arbitraries.ts'
import { createPet } from '../requests.ts'

interface Tried {
  readonly size: CategorySize | 'the id 1'
  readonly id: bigint
  readonly answer: Answered
}

const isAccepted = ({ answer }: Tried): boolean => statusOf(answer) === 201

/** With a status, so that a server that wrongly demands one is not taken for choosy. */
const attempt = async (
  { call, names }: Context,
  size: Tried['size'],
  id: bigint,
): Promise<Tried> => {
  const answer = await call(createPet({ name: names.fresh(), categoryId: id, status: 'available' }))
  return { size, id, answer }
}

/** Three ids; where the small one is accepted and a larger one is not, two more show why. */
const tryAll = async (context: Context): Promise<readonly Tried[]> => {
  const { seed, categories } = context
  const random = (size: CategorySize, nth = 0) =>
    attempt(context, size, strangeCategory(seed, size, nth))
  const middle = await random('below 2^31')
  const large = await random('beyond 2^32')
  const huge = await random('beyond 2^53')
  const tried = [middle, large, huge]
  if (isAccepted(middle) && !(isAccepted(large) && isAccepted(huge))) {
    tried.push(await random('below 10^8'))
    tried.push(await (isAccepted(large) ? random('beyond 2^53', 1) : random('below 10^6')))
  }
  if (tried.some(isAccepted) || categories.known.length > 0) return tried
  // A table of categories mostly begins at 1.
  return [...tried, await attempt(context, 'the id 1', 1n)]
}

/** What a run finds out once, and all that it creates later depends on. */
export const probeCategories = (context: Context): Promise<readonly Tried[]> =>
  context.once('categories', async () => {
    const tried = await tryAll(context)
    const accepted = tried.filter(isAccepted)
    const isChoosy = tried.some(({ answer }) => statusOf(answer) === 400)
    if (accepted.length === tried.length) context.categories.decide(true, [])
    else if (accepted.length > 0 || isChoosy) {
      context.categories.decide(
        false,
        accepted.map(({ id }) => id),
      )
    }
    return tried
  })

const magnitude = (a: Tried, b: Tried): number => Number(a.id > b.id) - Number(a.id < b.id)

/**
 * Three random ids or more were accepted, so nothing is looked up, and yet all larger ones were
 * refused: its integers are too short.
 * @throws Violation with what the server said
 */
export const expectWholeRange = async (context: Context): Promise<void> => {
  const configured = context.categories.configured
  const tried = (await probeCategories(context))
    .filter(({ id, size }) => size !== 'the id 1' && !configured.includes(id))
    .toSorted(magnitude)
  const accepted = tried.filter(isAccepted)
  const refused = tried.slice(accepted.length)
  const [first] = refused
  if (accepted.length < 3 || refused.length < 2 || !first || refused.some(isAccepted)) return
  const ids = accepted.map(({ id }) => id).join(', ')
  violate(
    `201 for every positive int64 category, as for ${ids}, which nobody configured`,
    `${told(first.answer)} to ${refused.map(({ id }) => id).join(' and to ')}`,
    ...accepted.slice(-1).map(({ answer }) => answer),
    ...refused.map(({ answer }) => answer).reverse(),
  )
}

/** One status where all are answered alike; else each, with the sizes that were not taken. */
export const toldBySize = (tried: readonly Tried[]): string => {
  const random = tried.filter(({ size }) => size !== 'the id 1')
  const known = tried.some((one) => one.size === 'the id 1' && isAccepted(one))
  const note = known ? '; 1 is a known one' : ''
  if (new Set(random.map(({ answer }) => statusOf(answer))).size === 1) {
    return `${random.map(({ answer }) => statusOf(answer))[0]}${note}`
  }
  const each = random.map((one) =>
    isAccepted(one) ? '201' : `${statusOf(one.answer)} (${one.size})`,
  )
  return `${each.join(', ')}${note}`
}
