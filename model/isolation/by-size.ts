// Of what a request is too large, or a list too long: it fails, and the next smaller passes.
import { isUnread } from '../../history/body.ts'
import { type Exchange, isAnswered, isSuccess, keptIn, memoized } from '../../history/exchange.ts'
import { petsIn } from '../../history/known-pets.ts'
import type { Wrong } from '../../history/wrong.ts'
import { anyOwnName } from '../characters.ts'
import {
  type Decisive,
  type Found,
  has,
  isFault,
  isOfPlain,
  isolation,
  keyOf,
  passes,
} from '../conditions.ts'
import { read } from '../read.ts'
import { type Part, partNamed, partOf } from '../read-body.ts'
import { dueIds } from './by-value.ts'
import { edgesIn, type Measure, measureNamed, measuresOf } from './measures.ts'
import type { Seen } from './seen.ts'

const sizeOf = ({ sizeIn }: Measure, { apiRequest }: Exchange): bigint => sizeIn(apiRequest)

const above = (measure: Measure, bound: bigint): Decisive => ({
  ...partOf(partNamed(measure.part), 'valid', 'size', measure.words(bound)),
  holds: (one) => sizeOf(measure, one) > bound,
})

const largestOf = (measure: Measure, all: readonly Exchange[]): readonly Exchange[] => {
  const sizes = all.map((one) => sizeOf(measure, one))
  const largest = sizes.reduce((most, size) => (size > most ? size : most), 1n)
  return all.filter((_, at) => sizes[at] === largest)
}

/** Requests are compared that are of one operation and have the same faults besides the size. */
const faultsBut = ({ of }: Measure, one: Exchange): string => {
  const { name, parts } = read(one)
  const others = parts.filter((each) => isFault(each) && !(of === 'key' && each.part === of))
  return [of, name, ...others.map(keyOf)].join('\n')
}

const largestIn = memoized((_: Seen) => new Map<string, readonly Exchange[]>())

/** Those with the largest size that passed; of ids, that got what is due as this one is. */
export const largestPassed = (measure: Measure, one: Exchange, seen: Seen): readonly Exchange[] => {
  if (measure.of === 'petId') return largestOf(measure, dueIds(one, seen))
  const group = faultsBut(measure, one)
  return keptIn(largestIn(seen), group, () => {
    const isLike = (other: Exchange) => passes(other) && faultsBut(measure, other) === group
    return largestOf(measure, seen.trace.filter(isLike))
  })
}

/** The largest that passed, where this one is larger. */
const smallerThan = (measure: Measure, one: Exchange, seen: Seen): readonly Exchange[] => {
  const largest = largestPassed(measure, one, seen)
  return largest[0] && sizeOf(measure, largest[0]) < sizeOf(measure, one) ? largest : []
}

const ofName = measureNamed('name')

/** Whether the texts are alike but for more white space, or more of one character. */
const isTextKept = ({ of, textIn }: Measure, one: Exchange, other: Exchange): boolean => {
  const [own = '', its = ''] = [one, other].map(({ apiRequest }) => textIn?.(apiRequest))
  const bare = (text: string) => text.replace(anyOwnName, '').trim()
  return of === 'body' ? bare(own) === bare(its) : own === its + its.slice(-1)
}

/** The size up to which it passes: of ids, which are not chosen, the only usual one between. */
const boundIn = (measure: Measure, one: Exchange, other: Exchange): bigint | undefined => {
  if (measure.textIn && !isTextKept(measure, one, other)) return undefined
  // What has one byte more has one more character of one byte, and may have many longer ones.
  const isLonger = sizeOf(ofName, one) === sizeOf(ofName, other) + 1n
  if (['bytes', 'units'].includes(measure.of) && !isLonger) return undefined
  const [size, next] = [sizeOf(measure, one), sizeOf(measure, other)]
  if (measure.of !== 'petId') return size === next + 1n ? next : undefined
  const [edge, ...others] = edgesIn(measure, next, size)
  return others.length === 0 ? edge : undefined
}

/** Whether a part, next to the size, is of no matter, or as it is in the other request. */
const isKept = ({ part, textIn }: Measure, each: Part, other: Exchange): boolean => {
  const isOwn = each.part === part
  if (isOfPlain(each) || (isOwn && textIn)) return true
  return (isOwn || textIn !== undefined) && has(other, each)
}

/** The size that decides. */
export const bySize = (one: Exchange, seen: Seen): Found => {
  for (const measure of isSuccess(one) ? [] : measuresOf(one.apiRequest)) {
    const smaller = smallerThan(measure, one, seen)
    for (const other of smaller) {
      const bound = boundIn(measure, one, other)
      const isAlike = read(one).parts.every((each) => isKept(measure, each, other))
      if (bound !== undefined && isAlike) return isolation([above(measure, bound)], one, [other])
    }
    // A name that is longer than all that passed may be the reason as well.
    if (smaller.length > 0 && ['name', 'bytes', 'units'].includes(measure.of)) return 'open'
  }
  return undefined
}

/** Whether a list has more pets than its limit, or fewer although so many are known. */
export const isMiscount = ({ aspect, says }: Wrong): boolean =>
  aspect === 'count' && says === 'limit'

export const ofLimit = measureNamed('limit')

const limitOf = (one: Exchange): number => Number(sizeOf(ofLimit, one))

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
  const isNext = largest !== undefined && smallest === largest + 1
  return isNext && failing.length >= minWrong ? [above(ofLimit, BigInt(largest))] : []
}
