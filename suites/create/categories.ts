// POST /pets: category ids, which are int64 and must be returned unchanged. Random unconfigured ids
// of several magnitudes show whether the target accepts any category or only existing ones.
// Accepted ids are used by later checks.

import type { Context } from '../../engine/check/context.ts'
import { type Check, check, observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, isSuccess, statusCode } from '../../engine/check/exchange.ts'
import { describeResponse, expectMember, violateAs } from '../../engine/check/expect.ts'
import type { Creation } from '../../engine/check/known-pets.ts'
import { Untested } from '../../engine/check/outcome.ts'
import { property } from '../../engine/check/property.ts'
import { type CategorySize, positiveInt64, unlikelyCategory } from '../pets/arbitraries.ts'
import { carrying, expectClaim, sendProbing } from '../pets/carried.ts'
import { claims, riskyCategories, withoutCategory } from '../pets/claims.ts'
import { acceptedStatus, noPet } from '../pets/compare-pets.ts'
import {
  createPet,
  creating,
  expectKept,
  expectKeptBy,
  hindsight,
  readMade,
} from '../pets/requests.ts'

interface Tried {
  readonly size: CategorySize | 'the id 1'
  readonly id: bigint
  readonly response: AnsweredExchange
}

const isAccepted = ({ response }: Tried): boolean => isSuccess(response)

/**
 * A creation with a category. It carries claims too; if it is refused it is sent without them, with
 * a status, so that a server that wrongly requires one does not seem selective.
 */
const attempt = async (
  context: Context,
  size: Tried['size'],
  id: bigint,
  place?: number,
): Promise<Tried> => {
  const carried = place === undefined ? undefined : await sendProbing(context, place, id)
  if (carried && isSuccess(carried.response)) return { size, id, response: carried.response }
  const pet = { name: context.names.fresh(), categoryId: id, status: 'available' }
  const response = await context.call(createPet(pet))
  return { size, id, response }
}

/** Tries three ids; if only the smallest is accepted, two more to find out why. */
const tryAll = async (context: Context): Promise<readonly Tried[]> => {
  const { seed, categories } = context
  const random = (size: CategorySize, nth = 0, place?: number) =>
    attempt(context, size, unlikelyCategory(seed, size, nth), place)
  const [first, second, third] = withoutCategory
  const middle = await random('below 2^31', 0, first)
  const large = await random('beyond 2^32', 0, second)
  const huge = await random('beyond 2^53', 0, third)
  const tried = [middle, large, huge]
  if (isAccepted(middle) && !(isAccepted(large) && isAccepted(huge))) {
    tried.push(await random('below 10^8'))
    tried.push(await (isAccepted(large) ? random('beyond 2^53', 1) : random('below 10^6')))
  }
  if (tried.some(isAccepted) || categories.known.length > 0) return tried
  // The ids of existing categories usually begin at 1.
  return [...tried, await attempt(context, 'the id 1', 1n)]
}

const probeCategories = (context: Context): Promise<readonly Tried[]> =>
  context.once('categories', async () => {
    const tried = await tryAll(context)
    const accepted = tried.filter(isAccepted)
    const isSelective = tried.some(({ response }) => statusCode(response) === 400)
    if (accepted.length === tried.length) context.categories.decide(true, [])
    else if (accepted.length > 0 || isSelective) {
      const ids = accepted.map(({ id }) => id)
      context.categories.decide(false, ids)
    }
    return tried
  })

const magnitude = (a: Tried, b: Tried): number => Number(a.id > b.id) - Number(a.id < b.id)

/**
 * Fails a server that accepts three or more random ids, so does not look them up, but refuses all
 * larger ones: its integers are too short.
 * @throws Violation with the message of the server
 */
const expectWholeRange = async (context: Context): Promise<void> => {
  const configured = context.categories.configured
  const tried = (await probeCategories(context))
    .filter(({ id, size }) => size !== 'the id 1' && !configured.includes(id))
    .toSorted(magnitude)
  const accepted = tried.filter(isAccepted)
  const refused = tried.slice(accepted.length)
  const [first] = refused
  if (accepted.length < 3 || refused.length < 2 || !first || refused.some(isAccepted)) return
  const ids = accepted.map(({ id }) => id).join(', ')
  violateAs(
    { aspect: 'status' },
    `201 for every positive int64 category, as for ${ids}, which are not configured either`,
    `${describeResponse(first.response)} for ${refused.map(({ id }) => id).join(' and for ')}`,
    ...accepted.slice(-1).map(({ response }) => response),
    ...refused.map(({ response }) => response).reverse(),
  )
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

/** The wanted category if every category is accepted, else a known one beyond 2^31. */
const longCategory = ({ categories }: Context, wanted: bigint): bigint => {
  if (categories.free) return wanted
  const long = categories.known.filter((id) => id >= 2n ** 31n)
  const found = long[Number(wanted % BigInt(Math.max(1, long.length)))]
  if (found !== undefined) return found
  const message =
    'unknown categories are refused; configure existing ones beyond 2^31 and 2^53 (--category ID)'
  throw new Untested('category', message)
}

const exactOfEach = property({
  id: 'create-category-exact',
  requirement: 'new-pet.category.exact',
  needs: {
    ...carrying(claims.categories),
    runs: riskyCategories.length,
    examples: riskyCategories,
    shrinks: 12,
  },
  sends:
    'The `POST /pets` that carry the categories 2^53+1, 2^63-1, 2^31, 2^32+1, 1, 2^53+3 and 2^53 ' +
    'and other peculiarities. A category that fails is sent again on its own, and shrunk.',
  fails:
    'Any status other than 201, or a `categoryId` that comes back with other digits. Also: ' +
    'three random unconfigured ids are accepted and all larger ones refused, so the server ' +
    'does not look categories up, and its integers are too short.',
  inconclusive: 'unknown categories are refused and none beyond 2^31 is configured (category)',
  arbitrary: positiveInt64,
  named: 'categoryId',
  run: async (context, wanted) => {
    const claim = claims.categories.find((each) => each.categoryId === wanted)
    if (claim && context.categories.free) {
      return expectClaim(context, claim, async ({ sent, response }) =>
        expectKeptBy(context, await readMade(context, response), sent, 'categoryId'),
      )
    }
    const categoryId = longCategory(context, wanted)
    const sent = context.newPet({ categoryId, status: acceptedStatus(context) })
    await expectKept(context, sent, 'categoryId')
  },
})

const exact: Check = {
  ...exactOfEach,
  run: async (context) => {
    await expectWholeRange(context)
    await exactOfEach.run(context)
  },
}

/** Whether the category was sent as a plain integer: how `1.0` and `1e2` come back is open. */
const isPlain = ({ exchange }: Creation): boolean =>
  /"categoryId"\s*:\s*-?\d+\s*[,}]/.test(exchange.request.body ?? '')

/** Categories of zero and below may be refused; accepted ones must be returned unchanged. */
const neverChanged = check({
  id: 'create-category-never-changed',
  requirement: 'new-pet.category.exact',
  needs: hindsight,
  sends:
    'No requests: it looks at all creations of the run whose category was sent as a plain integer.',
  fails: 'The `categoryId` of a 201 is not the one that was sent.',
  inconclusive: 'this run created no pet',
  run: async (context) => {
    const plain = context.knownPets.creations.filter(
      (creation) => isPlain(creation) && 'categoryId' in creation.pet,
    )
    if (plain.length === 0) throw noPet(context, 'was created by this run')
    for (const { sent, pet, exchange } of plain) {
      expectMember(pet, 'categoryId', sent.categoryId ?? null, exchange)
    }
  },
})

const probing = withoutCategory.slice(0, 3).map((place) => `creation ${place}`)

/** Runs first: finds out which categories other checks may use. */
export const unknownCategory = observe({
  id: 'create-category-unknown',
  requirement: 'gap.category',
  needs: { ...creating(3), ifRefused: 5, stage: 'probes', sharesEach: probing },
  sends:
    'Three `POST /pets` with random unconfigured categories: below 2^31, beyond 2^32 and ' +
    'beyond 2^53, which carry names and statuses of other checks; what is refused is sent ' +
    'again without those. Two more if only the larger ones are refused, and the id 1 if all ' +
    'are. It runs first, since it shows which categories other checks may use.',
  records:
    'The status, or each one if they differ. After a 400, only configured and accepted ' +
    'categories are used.',
  run: async (context) => describeBySize(await probeCategories(context)),
})

export const createCategories = [exact, neverChanged]
