// By which size of a part a request fails: the smallest that fails, and the next smaller, which
// passes.
import type { ApiRequest, Exchange, Header } from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { oddCharactersOf } from '../../model/characters.ts'
import { sizeOf } from '../../model/conditions.ts'
import type { Isolated } from '../../model/isolation/isolated.ts'
import { seenIn } from '../../model/isolation/seen.ts'
import {
  edgesIn,
  isOfText,
  nameOfSize,
  partOfSize,
  type Sized,
  sizeIn,
  sizesOf,
} from '../../model/sizes.ts'
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
  // Where no such text passed, another reason is likely.
  if (isOfText(member) && low === 0n) return []
  const sizes = failing.map((each) => sizeIn(member, each)).filter((size) => size > 0n)
  const [first = 0n, ...others] = sizes
  return edgesIn(
    member,
    low,
    others.reduce((a, b) => (b < a ? b : a), first),
  )
}

/** What is large at will: limits have rows of their own. */
const isChosen = (of: Sized): boolean => of !== 'limit' && of !== 'body'

/** A value decides, of which the size may be why, or the characters of a name. */
export const openPartOf = (
  { apiRequest }: Pick<Exchange, 'apiRequest'>,
  { parts }: Isolated,
): Sized | undefined => {
  const [{ part, is, kind, size } = {}, ...others] = parts
  if (size !== undefined || others.length > 0) return undefined
  if (is !== 'valid') return part === 'key' ? 'key' : undefined
  if (part === 'name') return kind === 'value' ? 'name' : 'short'
  if (kind === 'value') return undefined
  return sizesOf(apiRequest).find((of) => isChosen(of) && partOfSize(of) === part)
}

/** Whether there is a size to try, or a character to leave out. */
export const isOpenAt = (one: Exchange, isolated: Isolated, session: Session): boolean => {
  const open = openPartOf(one, isolated)
  const isOpen = (of: Sized) =>
    openEdges(of, [one.apiRequest], largestPassed(of, one, session)).length > 0
  const isOdd = open === 'name' && oddCharactersOf(`${petIn(one.apiRequest)?.name}`).length > 0
  const isOfBody = isolated.parts.every(({ size }) => size === undefined) && isOpen('body')
  return isOdd || isOfBody || (open !== undefined && isOpen(open === 'name' ? 'short' : open))
}

/** After white space, since a server may cut the end of it unseen: of a plain pet, or as it was. */
const withBody = (request: ApiRequest, { newPet }: Context, size: bigint): ApiRequest => {
  const body = request.padding === undefined ? printJson(newPet()) : `${request.body}`
  const left = Math.max(0, Number(size) - Buffer.byteLength(body))
  return request.padding === undefined
    ? { ...request, body: ' '.repeat(left) + body }
    : { ...request, padding: left }
}

const withText = (of: Sized, request: ApiRequest, context: Context, size: bigint): ApiRequest => {
  if (of === 'body') return withBody(request, context, size)
  const text = 'x'.repeat(Number(size))
  if (of === 'key') {
    const says = `with a key of ${size} characters`
    return { ...request, authorization: [`Bearer ${text}`], says }
  }
  const headers = request.headers.map(
    ([name, value]): Header => [name, of === `field ${name}` ? text : value],
  )
  return { ...request, headers }
}

const withSize = (
  member: Sized,
  request: ApiRequest,
  context: Context,
  size: bigint,
  like?: bigint,
): ApiRequest => {
  if (isOfText(member)) return withText(member, request, context, size)
  if (member === 'categoryId') return withMember(request, member, size)
  if (member === 'petId') return { ...request, path: `/pets/${size}` }
  if (member !== 'limit')
    return withMember(request, 'name', nameOfSize(member, size, `${context.newPet().name}-`, like))
  return { ...request, path: request.path.replace(/(?<=[?&]limit=)\d+/, `${size}`) }
}

/** The place of the first above which it fails; -1: not even above the last one. */
const leastOf = async (edges: readonly bigint[], fails: (edge: bigint) => Promise<boolean>) => {
  const failsAt = (at: number) => fails(edges[at] ?? 0n)
  let high = edges.length - 1
  if (high < 0 || !(await failsAt(high))) return -1
  for (let low = 0; low < high; ) {
    const middle = Math.floor((low + high) / 2)
    if (await failsAt(middle)) high = middle
    else low = middle + 1
  }
  return high
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
  const at = await leastOf(edges, (edge) => failsAt(edge + 1n))
  const edge = edges[at]
  if (edge === undefined) return false
  // Of bytes the pair has as many long characters; what failed once may have failed by chance.
  if (member === 'bytes' || isOfText(member)) {
    return (await failsAt(edge + 1n, edge)) && !(await failsAt(edge, edge))
  }
  const isSent = (edges[at - 1] ?? -1n) + 1n === edge || (edge === largest && member !== 'limit')
  return isSent || (edge > 0n && !(await failsAt(edge)))
}
