// What of a request decides: a request that fails and one that passes, which differ in what is
// named and in nothing else.
import { isUnread } from '../history/body.ts'
import { type Exchange, isAnswered, isSuccess, statusCode } from '../history/exchange.ts'
import { petsIn, requestedId, sentObject } from '../history/known-pets.ts'
import {
  type Decisive,
  has,
  isAlike,
  isFault,
  isOfPlain,
  keyOf,
  keysIn,
  nameLength,
  ownName,
  passes,
  spanOf,
  textOf,
  wordsOfValue,
} from './conditions.ts'
import { read } from './read.ts'
import { type Part, partOf } from './read-body.ts'

/** A condition with its evidence. */
export interface Isolated {
  /** None: the plain request fails too. */
  readonly parts: readonly Decisive[]
  /** The plainest request that fails, and for each part one that passes without it. */
  readonly failing: Exchange
  readonly passing: readonly Exchange[]
  /** Why no part decides: equal requests pass and fail, or all fail for some time. */
  readonly chance?: string
}

const isolation = (parts: readonly Decisive[], failing: Exchange, passing: readonly Exchange[]) => {
  return { parts, failing, passing }
}

/** The exchanges of a run so far, by what isolates. */
export class Seen {
  readonly trace: readonly Exchange[]
  /** By operation what passes; of requests that are read alike the one with the longest name. */
  readonly #passing: ReadonlyMap<string, readonly Exchange[]>
  readonly #failing: ReadonlyMap<string, readonly Exchange[]>
  readonly #known = new Map<Exchange, Isolated | undefined>()
  readonly #spans = new Map<number | undefined, string | undefined>()

  constructor(trace: readonly Exchange[]) {
    this.trace = trace
    const passing = trace.filter(passes)
    const failing = trace.filter((one) => !passes(one) && !mayBeUnknown(one))
    const groups = (all: readonly Exchange[], keyOf: (one: Exchange) => string) =>
      new Map([...Map.groupBy(all, keyOf)].map(([key, own]) => [key, distinct(own)]))
    this.#passing = groups(passing, (one) => read(one).name)
    this.#failing = groups(failing, kindOf)
  }

  /** What passed of the same operation. */
  passing(one: Exchange): readonly Exchange[] {
    return this.#passing.get(read(one).name) ?? []
  }

  /** The plainest first of those that fail likewise and have no part that this one has not. */
  failingIn(one: Exchange): readonly Exchange[] {
    // The name of a plain request is no longer than what passes, whatever is shorter.
    const isWithin = (other: Exchange) =>
      (ownName.test(`${sentObject(other)?.name}`) || nameLength(other) <= nameLength(one)) &&
      read(other).parts.every((each) => isOfPlain(each) || has(one, each))
    const own = (this.#failing.get(kindOf(one)) ?? []).filter(isWithin)
    return own.includes(one) ? own : [...own, one]
  }

  /** All requests that are the same, whatever fresh name they have. */
  equalTo(one: Exchange): readonly Exchange[] {
    return this.trace.filter((other) => textOf(other.apiRequest) === textOf(one.apiRequest))
  }

  /** All that are read alike. */
  alikeTo(one: Exchange): readonly Exchange[] {
    return this.trace.filter((other) => read(other).name === read(one).name && isAlike(one, other))
  }

  /** That nothing but the time explains a status, in words. */
  span({ response }: Exchange): string | undefined {
    const status = response?.status
    if ((status ?? 0) < 500) return undefined
    if (!this.#spans.has(status)) this.#spans.set(status, spanOf(status, this.trace))
    return this.#spans.get(status)
  }

  /** What decides by a pair of this request, if there is one for each of its parts. */
  isolated(one: Exchange): Isolated | undefined {
    if (!this.#known.has(one)) this.#known.set(one, isolateBy(one, this))
    return this.#known.get(one)
  }
}

/** A 404 to a valid request says that there is no such pet, which may be so. */
const mayBeUnknown = (one: Exchange): boolean =>
  statusCode(one) === 404 && one.key !== null && requestedId(one) !== undefined

const kindOf = (one: Exchange): string => `${read(one).name} ${one.response?.status}`

const countParts = (one: Exchange): number =>
  read(one).parts.filter((each) => !isOfPlain(each)).length

/** One for each reading, that with the shortest name and that with the longest. */
const distinct = (all: readonly Exchange[]): readonly Exchange[] => {
  const alike = Map.groupBy(all, (one) => [...keysIn(one.apiRequest)].sort().join())
  const both = [...alike.values()].flatMap((own) => {
    const sorted = own.toSorted((a, b) => nameLength(a) - nameLength(b))
    return new Set([...sorted.slice(0, 1), ...sorted.slice(-1)]).values().toArray()
  })
  return both.sort((a, b) => countParts(a) - countParts(b))
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

/** The longest name that passed, where that of the request is longer. */
const shorterThan = (one: Exchange, passing: readonly Exchange[]): Exchange | undefined => {
  const served = passing.filter(isSuccess).toSorted((a, b) => nameLength(b) - nameLength(a))
  return served[0] && nameLength(served[0]) < nameLength(one) ? served[0] : undefined
}

/** Of requests that differ in one part only, which keys of the first are not in the second. */
const differing = (one: Exchange, other: Exchange): readonly Part[] => {
  const [own, its] = [keysIn(one.apiRequest), keysIn(other.apiRequest)]
  const parts = read(one).parts.filter((each) => !its.has(keyOf(each)))
  const names = new Set(parts.map(({ part }) => part))
  // Another body altogether has no members.
  const isOfMember = (each: Part) =>
    names.has('body') && (each.part === 'status' || isOfPlain(each))
  const isInPlace = (each: Part) => own.has(keyOf(each)) || names.has(each.part) || isOfMember(each)
  return names.size === 1 && read(other).parts.every(isInPlace) ? parts : []
}

/** Requests that are read alike pass: an id may matter that no pet has, or a value. */
const ofValue = (one: Exchange, alike: readonly Exchange[], seen: Seen): readonly Part[] => {
  const { trace } = seen
  const id = requestedId(one)
  const shows = (other: Exchange, value: unknown) =>
    other.seq <= one.seq &&
    other !== one &&
    isAnswered(other) &&
    isSuccess(other) &&
    !isUnread(other) &&
    petsIn(other).some((pet) => pet.id === value)
  const isShown = (value: unknown) => trace.some((other) => shows(other, value))
  if (id !== undefined) {
    const ids = alike.map(requestedId)
    if (isShown(id) || ids.includes(id)) return []
    const isOther = ids.some(isShown)
    const words = isOther ? 'with an unknown id' : wordsOfValue(one, { part: 'petId' })
    return [partOf('petId', 'valid', isOther ? 'unknown id' : 'value', words)]
  }
  const members = sentObject(one) ?? {}
  const failing = seen
    .alikeTo(one)
    .filter(({ response }) => response?.status === one.response?.status)
  return ['name', 'categoryId', 'id'].flatMap((member) => {
    const value = members[member]
    if (value === undefined || ownName.test(`${value}`)) return []
    const has = (other: Exchange) => sentObject(other)?.[member] === value
    if (alike.some(has) || !failing.every(has)) return []
    const words = wordsOfValue(one, { part: member as Part['part'] })
    const shown = member === 'id' && isShown(value) ? `${words}, as an earlier pet has` : words
    return [partOf(member as Part['part'], 'valid', 'value', shown)]
  })
}

/** The length of a name decides where one that is a character shorter passes. */
const ofLength = (one: Exchange, shorter: Exchange): Isolated | undefined => {
  const longerThan = nameLength(shorter)
  const isPlain = read(one).parts.every((each) => isOfPlain(each) || has(shorter, each))
  if (nameLength(one) !== longerThan + 1 || !isPlain) return undefined
  const words = `with a name of more than ${longerThan} characters`
  return isolation([{ ...partOf('name', 'valid', 'length', words), longerThan }], one, [shorter])
}

const ofOneKey = ({ key }: Exchange): Decisive => {
  return { ...partOf('key', 'valid', 'one of several', `with key ${key}`), ofKey: `${key}` }
}

/** So often at least each of two keys gets its own status for equal requests. */
const minOfKey = 2

/** What passes with another key, where all equal requests of the one fail, and of others pass. */
const otherKeyIn = (one: Exchange, seen: Seen): Exchange | undefined => {
  const equal = seen.equalTo(one).filter(({ response }) => response?.status !== 429)
  const own = equal.filter(({ key }) => key === one.key)
  const others = equal.filter(({ key }) => key !== one.key && key !== null)
  const isOwn = one.key !== null && own.every((each) => statusCode(each) === statusCode(one))
  const isEnough = own.length >= minOfKey && others.length >= minOfKey
  return isOwn && isEnough && others.every(passes) ? others[0] : undefined
}

/** After a move of the clock this far another day may have begun. */
export const longMs = 3_600_000

/** Whether the clock was moved far between two requests. */
export const isFar = (one: Exchange, other: Exchange): boolean =>
  Math.abs(one.movedMs - other.movedMs) >= longMs

/** `3 of 10 times`, where equal requests fail and pass in turn. */
const shareOfEqual = (one: Exchange, seen: Seen): string | undefined => {
  const equal = seen.equalTo(one).filter((other) => !isFar(one, other))
  const failing = equal.filter(({ response }) => response?.status === one.response?.status)
  const [first] = failing
  const isInTurn =
    first && failing.length > 1 && equal.some((each) => each.seq > first.seq && passes(each))
  return isInTurn ? `${failing.length} of ${equal.length} times` : undefined
}

/** Requests that are read alike pass: a value, the key or chance may be why. */
const ofAlike = (one: Exchange, alike: readonly Exchange[], seen: Seen): Isolated | undefined => {
  const values = ofValue(one, alike, seen)
  if (values.length > 0) {
    return values.length === 1 ? isolation(values, one, alike.slice(0, 1)) : undefined
  }
  const other = otherKeyIn(one, seen)
  if (other) return isolation([ofOneKey(one)], one, [other])
  const chance = shareOfEqual(one, seen)
  return chance === undefined ? undefined : { ...isolation([], one, alike.slice(0, 1)), chance }
}

const isolateBy = (one: Exchange, seen: Seen): Isolated | undefined => {
  const { parts } = read(one)
  const passing = seen.passing(one)
  // The same refusal is no evidence, whatever was due; nor is one for another fault.
  const isWrongly = isSuccess(one) && parts.some(isFault)
  const isOther = (each: Exchange) => {
    const faults = faultsIn(each)
    const isOwn = statusCode(each) !== statusCode(one) || (isWrongly && faults.length === 0)
    return isOwn && faults.every((fault) => has(one, fault))
  }
  const all = passing.filter(isOther)
  // Where the request says what is sent for a key, that is all of it.
  if (one.apiRequest.says !== undefined) {
    const plain = all.find((other) => read(other).parts.every(isOfPlain))
    return plain && isolation(parts.slice(0, 1), one, [plain])
  }
  const differences = all.map((other) => ({ other, own: differing(one, other) }))
  const found = parts.map((each) => {
    const others = differences.filter(({ own }) => own.includes(each))
    const alone = others.find(({ own }) => own.length === 1)
    // Of several that are the same part each is left out alone, if that was sent.
    const isOther = differences.some(({ own }) => own.length === 1 && own[0]?.part === each.part)
    return { each, other: (alone ?? (isOther ? undefined : others[0]))?.other }
  })
  const named = found.filter(({ other }) => other !== undefined)
  // A name that is longer than all that passed may be the reason as well.
  const shorter = shorterThan(one, all)
  if (shorter) return ofLength(one, shorter)
  const names = named.map(({ each }) => each.part)
  // What another refusal is due for belongs to it.
  const isRefusal = statusCode(one) >= 400 && statusCode(one) < 500
  const isDueFor = (each: Part) => isRefusal && isFault(each) && !names.includes(each.part)
  const isOpen = (each: Part) => !(names.includes(each.part) || isOfPlain(each) || isDueFor(each))
  const alike = all.filter((other) => isAlike(one, other))
  if (alike.length > 0) return ofAlike(one, alike, seen)
  if (parts.every(isOfPlain) && named.length === 0) return isolation([], one, [])
  if (parts.some(isOpen) || named.length === 0) return undefined
  return isolation(
    [...parts.filter(isDueFor), ...named.map(({ each }) => each)],
    one,
    named.flatMap(({ other }) => other ?? []),
  )
}

export const faultsIn = (one: Exchange): readonly Part[] => read(one).parts.filter(isFault)

/** The faults that a status is about, unless another request with them gets what is due. */
export const faultsOf = (one: Exchange, seen: Seen): readonly Part[] => {
  if ((one.response?.status ?? 500) >= 500) return []
  const faults = faultsIn(one)
  const isRefusedRight = (other: Exchange) =>
    faults.every((each) => has(other, each)) && statusCode(other) !== statusCode(one)
  return !isSuccess(one) && seen.passing(one).some(isRefusedRight) ? [] : faults
}

/** What decides, by the plainest request that fails likewise; undefined: nothing isolates it. */
export const isolate = (exchange: Exchange, seen: Seen): Isolated | undefined => {
  const span = seen.span(exchange)
  if (span !== undefined) return { ...isolation([], exchange, []), chance: span }
  let byChance: Isolated | undefined
  for (const one of seen.failingIn(exchange)) {
    const found = seen.isolated(one)
    if (found?.chance !== undefined) byChance ??= found
    else if (found?.parts.every((each) => has(exchange, each) || one === exchange)) return found
  }
  return byChance
}
