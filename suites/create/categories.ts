// POST /pets: category ids, which are int64 and must be returned unchanged. Random unconfigured ids
// of several magnitudes show whether the target accepts any category or only existing ones.
// Accepted ids are used by later checks.

import type { Context } from '../../engine/check/context.ts'
import { observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, isSuccess, statusCode } from '../../history/exchange.ts'
import { type CategorySize, unlikelyCategory } from '../pets/arbitraries.ts'
import { createPet, creating, recordEach } from '../pets/requests.ts'

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

const smaller = ['below 2^31', 'beyond 2^32', 'below 10^8'] as const

/** Tries a huge id; unless it is accepted smaller ones. */
const tryAll = async (context: Context): Promise<readonly Tried[]> => {
  const random = (size: CategorySize, nth = 0) =>
    attempt(context, size, unlikelyCategory(context.seed, size, nth))
  const tried = [await random('beyond 2^53')]
  if (tried.some(isAccepted)) return tried
  for (const size of smaller) tried.push(await random(size))
  // Whether all huge ones are refused, or how small those are that are taken.
  tried.push(await random(tried.slice(1).every(isAccepted) ? 'beyond 2^53' : 'below 10^6', 1))
  if (tried.some(isAccepted) || context.categories.known.length > 0) return tried
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

/** Runs first: finds out which categories other checks may use. */
export const unknownCategory = observe({
  id: 'create-category-unknown',
  requirement: 'gap.category',
  needs: { ...creating, stage: 'probes' },
  sends:
    '`POST /pets` with a random unconfigured category beyond 2^53. If it is refused, with four ' +
    'smaller ones as well, and with the id 1 if none is accepted. It runs first, since it shows ' +
    'which categories other checks may use.',
  records:
    'The status, or each one if they differ. After a 400, only configured and accepted ' +
    'categories are used.',
  run: async (context) =>
    recordEach(await probeCategories(context), async ({ size, response }) => [
      size,
      `${statusCode(response)}`,
    ]),
})
