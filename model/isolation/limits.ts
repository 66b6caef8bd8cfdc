// Above which limit lists have a wrong number of pets: a list that is wrong, and one of the next
// smaller limit that has as many pets as its limit.
import { isUnread } from '../../history/body.ts'
import { type Exchange, isAnswered, isSuccess } from '../../history/exchange.ts'
import { petsIn } from '../../history/known-pets.ts'
import type { Wrong } from '../../history/wrong.ts'
import { type Decisive, sizeOf } from '../conditions.ts'
import { read } from '../read.ts'
import { partOf } from '../read-body.ts'
import { wordsOfSize } from '../sizes.ts'

/** Whether a list has more pets than its limit, or fewer although so many are known. */
export const isMiscount = ({ aspect, says }: Wrong): boolean =>
  aspect === 'count' && says === 'limit'

const limitOf = (one: Exchange): number => Number(sizeOf('limit', one))

/** The lists with as many pets as their limit; where it matters an earlier one had more. */
const metIn = (trace: readonly Exchange[], isOfMore: boolean): readonly Exchange[] => {
  const shown = new Map<string, number>()
  return trace.filter((one) => {
    const isList = isAnswered(one) && isSuccess(one) && !isUnread(one) && limitOf(one) > 0
    if (!isList) return false
    const kind = `${one.key} ${read(one).parts.find(({ part }) => part === 'status')?.words}`
    const { length } = petsIn(one)
    const most = shown.get(kind) ?? 0
    shown.set(kind, Math.max(most, length))
    return length === limitOf(one) && (most > length || !isOfMore)
  })
}

/**
 * @param failing all lists with one kind of wrong number
 * @returns the largest limit that is met, and the smallest that is not, if that is larger
 */
export const limitsApart = (failing: readonly Exchange[], trace: readonly Exchange[]) => {
  const wrong = new Set(failing)
  const isOfMore = failing.every((one) => isAnswered(one) && petsIn(one).length > limitOf(one))
  const met = metIn(trace, isOfMore).filter((one) => !wrong.has(one))
  const [largest, smallest] = [Math.max(0, ...met.map(limitOf)), Math.min(...failing.map(limitOf))]
  return largest > 0 && largest < smallest ? { largest, smallest } : undefined
}

/** Fewer may be chance. */
const minWrong = 2

/** The limit above which all these are wrong, where the next smaller one is met. */
export const limitIn = (
  failing: readonly Exchange[],
  trace: readonly Exchange[],
): readonly Decisive[] => {
  const { largest, smallest } = limitsApart(failing, trace) ?? {}
  if (largest === undefined || smallest !== largest + 1 || failing.length < minWrong) return []
  const above = BigInt(largest)
  const part = partOf('limit', 'valid', 'size', wordsOfSize('limit', above))
  return [{ ...part, size: { of: 'limit', above } }]
}
