// The exchanges of a run so far, by what isolates: what passes, and what fails likewise.
import { type Exchange, isSuccess, statusCode } from '../../history/exchange.ts'
import { requestedId } from '../../history/known-pets.ts'
import { namedIn } from '../characters.ts'
import {
  alikeIn,
  has,
  isFault,
  isOfPlain,
  isTogether,
  keyOf,
  keysIn,
  kindOf,
  mayBeDue,
  passes,
  sizeOf,
  spanOf,
  textOf,
} from '../conditions.ts'
import { joinWords, read } from '../read.ts'
import type { Part } from '../read-body.ts'
import { isOfText, partOfSize, type Sized, sizedMembers, sizesOf } from '../sizes.ts'
import { SeenValues } from './seen-values.ts'
import { Steps } from './steps.ts'

/** The exchanges of a run so far, by what isolates. */
export class Seen {
  readonly trace: readonly Exchange[]
  readonly steps: Steps
  readonly values: SeenValues
  /** All that are read alike. */
  readonly alikeTo: (one: Exchange) => readonly Exchange[]
  /** By operation what passes; of requests that are read alike the one with the longest name. */
  readonly #passing: ReadonlyMap<string, readonly Exchange[]>
  readonly #failing: ReadonlyMap<string, readonly Exchange[]>
  readonly #failingTexts: ReadonlySet<string>
  readonly #all: readonly Exchange[]
  readonly #served: readonly Exchange[]
  readonly #largest = new Map<string, readonly Exchange[]>()
  #inFlight: ReadonlySet<Exchange> | undefined
  #equal: ReadonlyMap<string, readonly Exchange[]> | undefined
  #placesBefore: ReadonlyMap<number, number> | undefined
  readonly #spans = new Map<number | undefined, string | undefined>()

  constructor(trace: readonly Exchange[]) {
    this.trace = trace
    this.steps = new Steps(trace)
    this.values = new SeenValues(trace)
    this.alikeTo = alikeIn(trace)
    const passing = trace.filter(passes)
    const isKnown = (one: Exchange) =>
      statusCode(one) === 404 && this.values.isShown(requestedId(one), one)
    const failing = trace.filter((one) => !passes(one) && (!mayBeDue(one) || isKnown(one)))
    const groups = (all: ReadonlyMap<string, readonly Exchange[]>, members: readonly Sized[]) =>
      new Map([...all].map(([key, own]) => [key, distinct(own, members)]))
    const byName = Map.groupBy(passing, (one) => read(one).name)
    this.#passing = groups(byName, ['name'])
    this.#failing = groups(Map.groupBy(failing, kindOf), sizedMembers)
    this.#failingTexts = new Set(failing.map(textIn))
    this.#all = passing
    this.#served = passing.filter(isSuccess)
  }

  /** What passed of the same operation. */
  passing(one: Exchange): readonly Exchange[] {
    return this.#passing.get(read(one).name) ?? []
  }

  /** The plainest first of those that fail likewise and have no part that this one has not. */
  failingIn(one: Exchange): readonly Exchange[] {
    // A name that is no longer than what passes fails for another reason.
    const isShort = (other: Exchange) =>
      sizeOf('name', other) <= sizeOf('name', one) || this.smaller('name', other).length === 0
    // Of two limits the larger one may fail as the smaller does.
    const isLess = (other: Exchange) => (of: Sized) =>
      (of === 'limit' || isOfText(of)) &&
      sizeOf(of, other) > 0n &&
      sizeOf(of, other) <= sizeOf(of, one)
    const isOfOwn = (other: Exchange) => (each: Part) =>
      isOfPlain(each) ||
      has(one, each) ||
      sizesOf(other.apiRequest).some((of) => partOfSize(of) === each.part && isLess(other)(of))
    const isWithin = (other: Exchange) => isShort(other) && read(other).parts.every(isOfOwn(other))
    const own = (this.#failing.get(kindOf(one)) ?? []).filter(isWithin)
    return own.includes(one) ? own : [...own, one]
  }

  /** All requests that are the same, whatever fresh name they have. */
  equalTo(one: Exchange): readonly Exchange[] {
    this.#equal ??= Map.groupBy(this.trace, ({ apiRequest }) => textOf(apiRequest))
    return this.#equal.get(textOf(one.apiRequest)) ?? []
  }

  /** In the order of the responses the latest one that was sent earlier and is meant. */
  #before({ seq }: Exchange, isMeant = (_: Exchange): boolean => true): Exchange | undefined {
    this.#placesBefore ??= placesBefore(this.trace)
    let at = this.#placesBefore.get(seq) ?? this.trace.length - 1
    const isOther = (one: Exchange | undefined) => one && !(one.seq < seq && isMeant(one))
    while (isOther(this.trace[at])) at -= 1
    return this.trace[at]
  }

  /** Whether the same request, which passes, failed like another one at another time. */
  alsoFails({ apiRequest }: Exchange, one: Exchange): boolean {
    return this.#failingTexts.has(textIn({ ...one, apiRequest }))
  }

  /** What came right before each equal request that fails, and before none that passes. */
  stepBefore(one: Exchange): string | undefined {
    const equal = this.equalTo(one)
    const textBefore = (each: Exchange) => textOf((this.#before(each) ?? each).apiRequest)
    const isLike = ({ response }: Exchange) => response?.status === one.response?.status
    const texts = new Set(equal.filter(isLike).map(textBefore))
    const passing = equal.filter((each) => !isLike(each))
    const before = this.#before(one)
    const isAlone = texts.size === 1 && !texts.has(textOf(one.apiRequest))
    const isStep = isAlone && !passing.some((each) => texts.has(textBefore(each)))
    const isAny = this.#isOfOthers(equal) && (!isStep || (before && isSuccess(before)))
    if (isAny) return `another ${read(one).name}`
    return before && isStep ? describeStep(before) : undefined
  }

  /** Whether equal requests fail right after others of their operation only. */
  #isOfOthers(equal: readonly Exchange[]): boolean {
    const isOwn = (each: Exchange) =>
      each.key !== null && equal[0] !== undefined && read(each).name === read(equal[0]).name
    const isAgain = (one: Exchange) => equal.includes(this.#before(one, isOwn) ?? one)
    const [failing, passing] = [equal.filter((each) => !passes(each)), equal.filter(passes)]
    const isEnough = failing.length >= minOfOthers && passing.length >= minOfOthers
    return isEnough && passing.every(isAgain) && !failing.some(isAgain)
  }

  /** Whether another request was sent before its response was there, whatever sent it. */
  isInFlight(one: Exchange): boolean {
    this.#inFlight ??= overlapping(this.trace)
    return isTogether(one) || this.#inFlight.has(one)
  }

  /** That nothing but the time explains a status, in words. */
  span({ response }: Exchange): string | undefined {
    const status = response?.status
    if ((status ?? 0) < 500) return undefined
    if (!this.#spans.has(status)) this.#spans.set(status, spanOf(status, this.trace))
    return this.#spans.get(status)
  }

  /** Those with the largest member that passed; of ids, that got what is due as this one is. */
  largest(of: Sized, one: Exchange): readonly Exchange[] {
    if (of === 'petId') return largestOf(of, this.values.dueIds(one))
    const group = isOfText(of) ? likewiseBut(of, one) : ''
    const found = this.#largest.get(of + group) ?? largestOf(of, this.#passingIn(of, group))
    this.#largest.set(of + group, found)
    return found
  }

  /** Of texts those of the same operation that have the same faults besides. */
  #passingIn(of: Sized, group: string): readonly Exchange[] {
    return group === '' ? this.#served : this.#all.filter((one) => likewiseBut(of, one) === group)
  }

  /** Those, where the member of the request is larger. */
  smaller(of: Sized, one: Exchange): readonly Exchange[] {
    const largest = this.largest(of, one)
    return largest[0] && sizeOf(of, largest[0]) < sizeOf(of, one) ? largest : []
  }
}

const likewiseBut = (of: Sized, one: Exchange): string => {
  const { name, parts } = read(one)
  const others = parts.filter((each) => isFault(each) && !(of === 'key' && each.part === of))
  return [name, ...others.map(keyOf)].join('\n')
}

const largestOf = (of: Sized, all: readonly Exchange[]): readonly Exchange[] => {
  const largest = all.reduce((most, one) => (sizeOf(of, one) > most ? sizeOf(of, one) : most), 1n)
  return all.filter((one) => sizeOf(of, one) === largest)
}

const overlapping = (trace: readonly Exchange[]): ReadonlySet<Exchange> => {
  const found = new Set<Exchange>()
  let latest: Exchange | undefined
  for (const one of trace.toSorted((a, b) => a.sentMs - b.sentMs)) {
    if (latest && one.sentMs < latest.receivedMs) for (const each of [latest, one]) found.add(each)
    if (!latest || one.receivedMs > latest.receivedMs) latest = one
  }
  return found
}

const maxParts = 3
/** So often at least equal requests pass, and fail. */
const minOfOthers = 2

const describeStep = (one: Exchange): string => {
  const { name, parts } = read(one)
  const odd = parts.filter((each) => !isOfPlain(each)).slice(0, maxParts)
  return `${name}${odd.length > 0 ? ` ${joinWords(odd)}` : ''} (${statusCode(one)})`
}

/** By the number of an exchange the last place with a smaller one: responses overtake others. */
const placesBefore = (trace: readonly Exchange[]): ReadonlyMap<number, number> => {
  const places = new Map<number, number>()
  let last = -1
  for (const [{ seq }, at] of trace.map((one, at) => [one, at] as const).sort(bySeq)) {
    places.set(seq, last)
    last = Math.max(last, at)
  }
  return places
}

const bySeq = ([one]: readonly [Exchange, number], [other]: readonly [Exchange, number]) =>
  one.seq - other.seq

const textIn = (one: Exchange): string => `${one.response?.status} ${textOf(one.apiRequest)}`

const countParts = (one: Exchange): number =>
  read(one).parts.filter((each) => !isOfPlain(each)).length

/** How many odd characters its name has; most where it is all of the name. */
const countOdd = ({ apiRequest }: Exchange): number => {
  const { isOwn, characters } = namedIn(apiRequest)
  return isOwn ? characters.length : Number.MAX_SAFE_INTEGER
}

/** For each reading those with the smallest of each member, and that with the longest name. */
const distinct = (all: readonly Exchange[], members: readonly Sized[]): readonly Exchange[] => {
  const alike = Map.groupBy(all, (one) => [...keysIn(one.apiRequest)].sort().join())
  const chosen = [...alike.values()].flatMap((own) => {
    const aloneFirst = own.toSorted((a, b) => Number(isTogether(a)) - Number(isTogether(b)))
    const by = (of: Sized) => aloneFirst.toSorted((a, b) => Number(sizeOf(of, a) - sizeOf(of, b)))
    const smallest = members.flatMap((of) => by(of).slice(0, 1))
    const fewest = own.toSorted((a, b) => countOdd(a) - countOdd(b)).slice(0, 1)
    return [...new Set([...smallest, ...fewest, ...by('name').slice(-1)])]
  })
  return chosen.sort((a, b) => countParts(a) - countParts(b))
}

/** The exchanges of one run are grouped once for all that is asked of them at a time. */
export const seenIn = (() => {
  const known = new WeakMap<readonly Exchange[], { readonly length: number; readonly seen: Seen }>()
  return (trace: readonly Exchange[]): Seen => {
    const own = known.get(trace)
    if (own?.length === trace.length) return own.seen
    const seen = new Seen([...trace])
    known.set(trace, { length: trace.length, seen })
    return seen
  }
})()
