// POST /pets: category ids, which are int64 and must be returned unchanged. Random unconfigured ids
// of several magnitudes show whether the target accepts any category or only existing ones.
// Accepted ids are used by later checks.

import type { Context } from '../../engine/check/context.ts'
import { observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, isSuccess, statusCode } from '../../history/exchange.ts'
import { type CategorySize, unlikelyCategory } from '../pets/arbitraries.ts'
import { createPet, creating } from '../pets/requests.ts'

interface Tried {
  readonly size: CategorySize | 'the id 1'
  readonly id: bigint
  readonly response: AnsweredExchange
}

const isAccepted = ({ response }: Tried): boolean => isSuccess(response)

/** With a status, so that a server that wrongly requires one does not seem selective. */
const attempt = async (context: Context, size: Tried['size'], id: bigint): Promise<Tried> => {
  const pet = { name: context.names.fresh(), categoryId: id, status: 'available' }
  const response = await context.call(createPet(pet))
  return { size, id, response }
}

/** Tries a huge id; unless it is accepted smaller ones, and more to find out why. */
const tryAll = async (context: Context): Promise<readonly Tried[]> => {
  const { seed, categories } = context
  const random = (size: CategorySize, nth = 0) =>
    attempt(context, size, unlikelyCategory(seed, size, nth))
  const huge = await random('beyond 2^53')
  if (isAccepted(huge)) return [huge]
  const large = await random('beyond 2^32')
  const middle = await random('below 2^31')
  const tried = [middle, large, huge]
  if (isAccepted(middle)) {
    tried.push(await random('below 10^8'))
    tried.push(await (isAccepted(large) ? random('beyond 2^53', 1) : random('below 10^6')))
  }
  if (tried.some(isAccepted) || categories.known.length > 0) return tried
  // The ids of existing categories usually begin at 1.
  return [...tried, await attempt(context, 'the id 1', 1n)]
}

const probeCategories = async (context: Context): Promise<readonly Tried[]> => {
  const tried = await tryAll(context)
  const accepted = tried.filter(isAccepted)
  const isSelective = tried.some(({ response }) => statusCode(response) === 400)
  const ids = accepted.map(({ id }) => id)
  if (accepted.length === tried.length) context.categories.decide(true, [])
  else if (accepted.length > 0 || isSelective) context.categories.decide(false, ids)
  return tried
}

/** One status if all are the same; else each of them, with the sizes that were refused. */
const describeBySize = (tried: readonly Tried[]): string => {
  const random = tried.filter(({ size }) => size !== 'the id 1')
  const known = tried.some((one) => one.size === 'the id 1' && isAccepted(one))
  const note = known ? '; 1 exists' : ''
  const [status, ...others] = new Set(random.map(({ response }) => statusCode(response)))
  if (others.length === 0) return `${status}${note}`
  const each = random.map((one) =>
    isAccepted(one) ? '201' : `${statusCode(one.response)} (${one.size})`,
  )
  return `${each.join(', ')}${note}`
}

/** Runs first: finds out which categories other checks may use. */
export const unknownCategory = observe({
  id: 'create-category-unknown',
  requirement: 'gap.category',
  needs: { ...creating, stage: 'probes' },
  sends:
    '`POST /pets` with a random unconfigured category beyond 2^53. If it is refused, beyond 2^32 ' +
    'and below 2^31 as well, two more if the latter is accepted, and the id 1 if none is. It ' +
    'runs first, since it shows which categories other checks may use.',
  records:
    'The status, or each one if they differ. After a 400, only configured and accepted ' +
    'categories are used.',
  run: async (context) => describeBySize(await probeCategories(context)),
})
