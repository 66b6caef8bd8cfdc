// By which size of a part a request fails: the smallest that fails, and the next smaller, which
// passes.
import type { ApiRequest, Exchange } from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'
import { oddCharactersOf } from '../../model/characters.ts'
import type { Isolated } from '../../model/conditions.ts'
import { largestPassed } from '../../model/isolation/by-size.ts'
import { edgesIn, type Measure, measureNamed, measuresOf } from '../../model/isolation/measures.ts'
import type { Seen } from '../../model/isolation/seen.ts'
import { petIn } from '../../model/sent-pet.ts'

/** The largest size that passed, in place of that of this one. */
export const boundOf = (measure: Measure, one: Exchange, seen: Seen): bigint => {
  const [largest] = largestPassed(measure, one, seen)
  return largest ? measure.sizeIn(largest.apiRequest) : 0n
}

/** The sizes that may decide: from what passed, below all that fails. */
const openEdges = (
  measure: Measure,
  failing: readonly ApiRequest[],
  low: bigint,
): readonly bigint[] => {
  // Where no such text passed, another reason is likely.
  if (measure.textIn && low === 0n) return []
  const sizes = failing.map(measure.sizeIn).filter((size) => size > 0n)
  const [first = 0n, ...others] = sizes
  const high = others.reduce((a, b) => (b < a ? b : a), first)
  return edgesIn(measure, low, high)
}

/** What is large at will: limits and bodies are tried anyway. */
const isChosen = ({ of }: Measure): boolean => of !== 'limit' && of !== 'body'

/** A value decides, of which the size may be why, or the characters of a name. */
export const openPartOf = (
  { apiRequest }: Pick<Exchange, 'apiRequest'>,
  { parts }: Isolated,
): Measure | 'characters' | undefined => {
  const [{ part, is, kind } = {}, ...others] = parts
  if (kind === 'size' || others.length > 0) return undefined
  if (is !== 'valid') return part === 'key' ? measureNamed('key') : undefined
  if (part === 'name') return kind === 'value' ? 'characters' : measureNamed('short')
  if (kind === 'value') return undefined
  return measuresOf(apiRequest).find((own) => isChosen(own) && own.part === part)
}

/** Whether there is a size to try, or a character to leave out. */
export const isOpenAt = (one: Exchange, isolated: Isolated, seen: Seen): boolean => {
  const open = openPartOf(one, isolated)
  const isOpen = (measure: Measure) =>
    openEdges(measure, [one.apiRequest], boundOf(measure, one, seen)).length > 0
  const isSized = isolated.parts.some(({ kind }) => kind === 'size')
  if (!isSized && isOpen(measureNamed('body'))) return true
  if (open !== 'characters') return open !== undefined && isOpen(open)
  const odd = oddCharactersOf(`${petIn(one.apiRequest)?.name}`)
  return odd.length > 0 || isOpen(measureNamed('short'))
}

/** The least from 0 at which it fails, where it fails at this one. */
export const leastWhere = async (
  known: number,
  fails: (at: number) => Promise<boolean>,
): Promise<number> => {
  let high = known
  for (let low = 0; low < high; ) {
    const middle = Math.floor((low + high) / 2)
    if (await fails(middle)) high = middle
    else low = middle + 1
  }
  return high
}

/** The place of the first above which it fails; -1: not even above the last one. */
const leastOf = async (edges: readonly bigint[], fails: (edge: bigint) => Promise<boolean>) => {
  const failsAt = (at: number) => fails(edges[at] ?? 0n)
  const last = edges.length - 1
  return last < 0 || !(await failsAt(last)) ? -1 : leastWhere(last, failsAt)
}

/**
 * @param low the largest that passed
 * @param failing all that fail likewise
 * @returns whether a size decides: it is then known of a pair
 */
export const bisect = async (
  measure: Measure,
  request: ApiRequest,
  { low, failing }: { readonly low: bigint; readonly failing: readonly ApiRequest[] },
  newPet: () => JsonObject,
  fails: (request: ApiRequest) => Promise<boolean>,
): Promise<boolean> => {
  const edges = openEdges(measure, failing, low)
  const failsAt = (size: bigint, like = size) => fails(measure.resize(request, size, newPet, like))
  const at = await leastOf(edges, (edge) => failsAt(edge + 1n))
  const edge = edges[at]
  if (edge === undefined) return false
  // The pair has as many long characters; what failed once may have failed by chance.
  if (['bytes', 'units'].includes(measure.of) || measure.textIn) {
    return (await failsAt(edge + 1n, edge)) && !(await failsAt(edge, edge))
  }
  const isSent = (edges[at - 1] ?? -1n) + 1n === edge || (edge === low && measure.of !== 'limit')
  return isSent || (edge > 0n && !(await failsAt(edge)))
}
