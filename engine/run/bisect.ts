// By which size of a part a request fails: the smallest that fails, and the next smaller, which
// passes.
import type { ApiRequest, Exchange } from '../../history/exchange.ts'
import { oddCharactersOf } from '../../model/characters.ts'
import { sizeOf } from '../../model/conditions.ts'
import type { Isolated } from '../../model/isolated.ts'
import { seenIn } from '../../model/seen.ts'
import { edgesIn, nameOfSize, type Sized, sizeIn } from '../../model/sizes.ts'
import type { Context } from '../check/context.ts'
import { petIn, withMember } from './plainer.ts'
import type { Session } from './session.ts'

/** The largest that passed, in place of that of this one. */
export const largestPassed = (
  member: Sized,
  one: Exchange,
  { trace }: Pick<Session, 'trace'>,
): bigint => {
  const [largest] = seenIn(trace).largest(member, one)
  return largest ? sizeOf(member, largest) : 0n
}

/** The sizes that may decide: from what passed, below all that fails. */
const openEdges = (
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

/** A valid value decides, of which the size may be why, or the characters of a name. */
export const openPartOf = ({ parts }: Isolated): 'categoryId' | 'petId' | 'name' | undefined => {
  const [{ part, is, kind, size } = {}, ...others] = parts
  if (is !== 'valid' || size !== undefined || others.length > 0) return undefined
  if (part === 'petId') return 'petId'
  if (kind === 'value') return part === 'name' ? 'name' : undefined
  return part === 'categoryId' ? 'categoryId' : undefined
}

/** Whether there is a size to try, or a character to leave out. */
export const isOpenAt = (one: Exchange, isolated: Isolated, session: Session): boolean => {
  const open = openPartOf(isolated)
  if (open === undefined) return false
  if (open === 'name') return oddCharactersOf(`${petIn(one.apiRequest)?.name}`).length > 0
  return openEdges(open, [one.apiRequest], largestPassed(open, one, session)).length > 0
}

const withSize = (
  member: Sized,
  request: ApiRequest,
  { newPet }: Context,
  size: bigint,
  like?: bigint,
): ApiRequest => {
  if (member === 'categoryId') return withMember(request, member, size)
  if (member === 'petId') return { ...request, path: `/pets/${size}` }
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
