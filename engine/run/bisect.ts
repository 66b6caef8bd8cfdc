// By which size of a part a request fails: the smallest that fails, and the next smaller, which
// passes.
import { type ApiRequest, isSuccess } from '../../history/exchange.ts'
import { sizeOf } from '../../model/conditions.ts'
import { edgesIn, nameOfSize, type Sized, sizeIn } from '../../model/sizes.ts'
import type { Context } from '../check/context.ts'
import { withMember } from './plainer.ts'
import type { Session } from './session.ts'

/** The largest that was served. */
export const largestServed = (member: Sized, { trace }: Pick<Session, 'trace'>): bigint =>
  trace
    .filter(isSuccess)
    .map((one) => sizeOf(member, one))
    .reduce((a, b) => (b > a ? b : a), 0n)

/** The sizes that may decide: from what passed, below all that fails. */
export const openEdges = (
  member: Sized,
  failing: readonly ApiRequest[],
  low: bigint,
): readonly bigint[] => {
  const sizes = failing.map((each) => sizeIn(member, each)).filter((size) => size > 0n)
  const [first = 0n, ...others] = sizes
  return edgesIn(
    member,
    low,
    others.reduce((a, b) => (b < a ? b : a), first),
  )
}

const withSize = (
  member: Sized,
  request: ApiRequest,
  { newPet }: Context,
  size: bigint,
  like?: bigint,
): ApiRequest => {
  if (member === 'categoryId') return withMember(request, member, size)
  if (member !== 'limit')
    return withMember(request, 'name', nameOfSize(member, size, `${newPet().name}-`, like))
  return { ...request, path: request.path.replace(/(?<=[?&]limit=)\d+/, `${size}`) }
}

/**
 * @param low the largest that passed
 * @param failing all that fail likewise
 * @returns whether a size decides: it is then known of a pair
 */
export const bisect = async (
  member: Sized,
  request: ApiRequest,
  { low: largest, failing }: { readonly low: bigint; readonly failing: readonly ApiRequest[] },
  context: Context,
  fails: (request: ApiRequest) => Promise<boolean>,
): Promise<boolean> => {
  const edges = openEdges(member, failing, largest)
  const failsAt = (size: bigint, like?: bigint) =>
    fails(withSize(member, request, context, size, like))
  const above = edges.map((each) => each + 1n)
  let high = edges.length - 1
  if (high < 0 || !(await failsAt(above[high] ?? 0n))) return false
  for (let low = 0; low < high; ) {
    const middle = Math.floor((low + high) / 2)
    if (await failsAt(above[middle] ?? 0n)) high = middle
    else low = middle + 1
  }
  const edge = edges[high] ?? 0n
  // Of bytes the pair has as many long characters.
  if (member === 'bytes') return !(await failsAt(edge, edge)) && failsAt(edge + 1n, edge)
  const isSent = above[high - 1] === edge || (edge === largest && member !== 'limit')
  return isSent || (edge > 0n && !(await failsAt(edge)))
}
