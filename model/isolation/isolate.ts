// What of a request decides: a request that fails and one that passes, which differ in what is
// named and in nothing else.
import { type Exchange, isSuccess, statusCode } from '../../history/exchange.ts'
import { requestedId } from '../../history/known-pets.ts'
import { isNameKept } from '../characters.ts'
import {
  type Decisive,
  has,
  isAlike,
  isFault,
  isOfPlain,
  keyOf,
  keysIn,
  mayBeDue,
  passes,
} from '../conditions.ts'
import { isKindOfCharacters } from '../name-kinds.ts'
import { read } from '../read.ts'
import { type Part, partOf } from '../read-body.ts'
import { byCharacters, bySize } from './by-size.ts'
import { bySignOrName, ofValue } from './by-value.ts'
import { type Isolated, isolation } from './isolated.ts'
import type { Seen } from './seen.ts'

/** Of requests that differ in one part only, which keys of the first are not in the second. */
const differingIn = (one: Exchange, other: Exchange): readonly Part[] => {
  const [own, its] = [keysIn(one.apiRequest), keysIn(other.apiRequest)]
  const others = read(one).parts.filter((each) => !its.has(keyOf(each)))
  // A connection of its own is no more than the usual one, where something else differs.
  const odd = others.filter(({ part }) => part !== 'connection')
  const parts = odd.length > 0 ? odd : others
  const names = new Set(parts.map(({ part }) => part))
  // Another body altogether has no members.
  const isOfMember = (each: Part) =>
    names.has('body') && (each.part === 'status' || isOfPlain(each))
  const isInPlace = (each: Part) => own.has(keyOf(each)) || names.has(each.part) || isOfMember(each)
  return names.size === 1 && read(other).parts.every(isInPlace) ? parts : []
}

/** Those, where the characters of their names differ in nothing else. */
const differing = (one: Exchange, other: Exchange): readonly Part[] => {
  const parts = differingIn(one, other)
  const kinds = parts.flatMap(({ part, kind }) => (part === 'name' ? [kind] : []))
  return isNameKept(one.apiRequest, other.apiRequest, kinds) ? parts : []
}

/** Parts of which all of these have one and the others none; some of those have all else alike. */
export const partsOfPairs = (
  failing: readonly Exchange[],
  others: readonly Exchange[],
): readonly Part[] => {
  const textOf = ({ apiRequest }: Exchange) => [...keysIn(apiRequest)].join()
  const unlike = [...new Map(failing.map((one) => [textOf(one), one])).values()]
  const pairs = unlike.flatMap((one) => others.map((other) => differingIn(one, other)))
  const parts = pairs.flatMap(([part, ...more]) => (part && more.length === 0 ? [part] : []))
  const apart = parts.filter((each) => !others.some((one) => has(one, each)))
  return failing.every((one) => apart.some((each) => has(one, each))) ? apart : []
}

const ofOneKey = ({ key }: Exchange): Decisive =>
  Object.assign(partOf('key', 'valid', 'one of several', `with key ${key}`), { ofKey: `${key}` })

/** So often at least each of two keys gets its own status for equal requests. */
const minOfKey = 2

/** What passes with another key, where all such requests of the one fail, and of others pass. */
const otherKeyIn = (one: Exchange, seen: Seen): Exchange | undefined => {
  const all = requestedId(one) === undefined ? seen.equalTo(one) : seen.alikeTo(one)
  const equal = all.filter(({ response }) => response?.status !== 429)
  const own = equal.filter(({ key }) => key === one.key)
  const others = equal.filter(({ key }) => key !== one.key && key !== null)
  const isOwn = one.key !== null && own.every((each) => statusCode(each) === statusCode(one))
  const isEnough = own.length >= minOfKey && others.length >= minOfKey
  const isDue = (other: Exchange) => passes(other) || mayBeDue(other)
  return isOwn && isEnough && others.every(isDue) ? others.find(passes) : undefined
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
  const isolated = byCharacters(one, seen)
  if (isolated) return isolated
  // What passes at another time has no value that decides.
  const values = seen.equalTo(one).some(passes) ? [] : ofValue(one, alike, seen)
  if (values.length > 0) {
    return values.length === 1 ? isolation(values, one, alike.slice(0, 1)) : undefined
  }
  const other = otherKeyIn(one, seen)
  if (other) return isolation([ofOneKey(one)], one, [other])
  const chance = shareOfEqual(one, seen)
  if (chance !== undefined) {
    const step = seen.stepBefore(one)
    return { ...isolation([], one, alike.slice(0, 1)), chance, ...(step && { step }) }
  }
  const served = seen.equalTo(one).filter(passes)
  const since = served.every(({ seq }) => seq < one.seq) ? served.at(-1) : undefined
  const isNear = since && !isFar(since, one)
  const isState = isNear && requestedId(one) === undefined && read(one).parts.every(isOfPlain)
  return isState ? { ...isolation([], one, []), since } : undefined
}

const isPlain = (one: Exchange): boolean => read(one).parts.every(isOfPlain)

/** A plain request fails always, or for its category or its id, where others pass. */
const ofPlain = (one: Exchange, passing: readonly Exchange[], seen: Seen): Isolated =>
  (passing.length > 0 ? ofAlike(one, passing, seen) : undefined) ?? isolation([], one, [])

/** Whether the same unknown id got its 404 at another time, so that nothing in the id decides. */
const wasUnknown = (one: Exchange, seen: Seen): boolean =>
  statusCode(one) >= 500 && seen.equalTo(one).some((other) => statusCode(other) === 404)

/** The 404 of the same unknown id, where this is an error of the server: it passes. */
const refusedAlike = (one: Exchange, seen: Seen): readonly Exchange[] => {
  const id = requestedId(one)
  const isOwn = (other: Exchange) => requestedId(other) === id && statusCode(other) === 404
  return id !== undefined && statusCode(one) >= 500 ? seen.values.dueIds(one).filter(isOwn) : []
}

const schemeOf = ({ apiRequest: { authorization } }: Exchange): string | undefined =>
  typeof authorization === 'object' ? /^(\S+) /.exec(authorization?.[0] ?? '')?.[1] : undefined

/** Nothing that is sent with another scheme gets its 401, whatever its key is. */
const ofScheme = (one: Exchange, trace: readonly Exchange[]): readonly Part[] => {
  const scheme = schemeOf(one)
  const own = trace.filter((other) => schemeOf(other) === scheme)
  const unlike = new Set(own.map(({ apiRequest }) => apiRequest.says))
  if (!scheme || /^bearer$/i.test(scheme) || unlike.size < 2 || own.some(passes)) return []
  return [partOf('key', 'valid', 'another scheme', `with ${scheme} in place of Bearer`)]
}

const ofSays = (one: Exchange, plain: Exchange | undefined, seen: Seen): Isolated | undefined => {
  const parts = [...ofScheme(one, seen.trace), ...read(one).parts].slice(0, 1)
  return bySize(one, seen)?.isolated ?? (plain && isolation(parts, one, [plain]))
}

const isolateBy = (one: Exchange, seen: Seen): Isolated | undefined => {
  const ofValues = bySignOrName(one, seen)
  if (ofValues) return ofValues.isolated
  if (wasUnknown(one, seen)) return isolation([], one, [])
  const { parts } = read(one)
  const refused = refusedAlike(one, seen)
  const passing = refused.length > 0 ? refused : seen.passing(one)
  // The same refusal is no evidence, whatever was due; nor is one for another fault.
  const isWrongly = isSuccess(one) && parts.some(isFault)
  const isOther = (each: Exchange) => {
    const faults = faultsIn(each)
    const isOwn = statusCode(each) !== statusCode(one) || (isWrongly && faults.length === 0)
    const isSteady = isAlike(one, each) || !seen.alsoFails(each, one)
    return isOwn && isSteady && faults.every((fault) => has(one, fault))
  }
  const all = passing.filter(isOther)
  // Where the request says what is sent for a key, that is all of it.
  if (one.apiRequest.says !== undefined) return ofSays(one, all.find(isPlain), seen)
  const differences = all.map((other) => ({ other, own: differing(one, other) }))
  const found = parts.map((each) => {
    const others = differences.filter(({ own }) => own.includes(each))
    const alone = others.find(({ own }) => own.length === 1)
    // Of several that are the same part each is left out alone, if that was sent.
    const isOther = differences.some(({ own }) => own.length === 1 && own[0]?.part === each.part)
    return { each, other: (alone ?? (isOther ? undefined : others[0]))?.other }
  })
  // What lies beyond U+FFFF lies beyond ASCII as well, which may have passed.
  const isWider = ({ kind }: Part) => kind.startsWith('a character beyond')
  const isSpared = (part: Part) => isWider(part) && all.some((other) => has(other, part))
  const own = found.filter(({ other }) => other !== undefined)
  const narrow = own.filter(({ each }) => !isSpared(each))
  const named = narrow.length > 0 ? narrow : own
  const sized = bySize(one, seen)
  if (sized) return sized.isolated
  const names = named.map(({ each }) => each.part)
  // What another refusal is due for belongs to it.
  const isRefusal = statusCode(one) >= 400 && statusCode(one) < 500
  const isShared = (each: Part) => isFault(each) && !names.includes(each.part)
  const isDueFor = (each: Part) => isRefusal && isShared(each)
  const isLeft = (each: Part) => statusCode(one) >= 400 && isShared(each)
  const isUsual = (each: Part) => isOfPlain(each) || each.part === 'connection'
  const isOpen = (each: Part) => !(names.includes(each.part) || isUsual(each) || isLeft(each))
  const alike = all.filter((other) => isAlike(one, other))
  if (alike.length > 0) return ofAlike(one, alike, seen)
  if (isPlain(one) && named.length === 0) return ofPlain(one, all.filter(isPlain), seen)
  if (parts.some(isOpen) || named.length === 0) return undefined
  // Names with such characters pass: which ones decide, or how many.
  const isWithAll = (other: Exchange) => named.every(({ each }) => has(other, each))
  if (named.some(({ each }) => isKindOfCharacters(each.kind)) && all.some(isWithAll)) {
    return byCharacters(one, seen)
  }
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

const known = new WeakMap<Seen, Map<Exchange, Isolated | undefined>>()

/** What decides by a pair of this request, if there is one for each of its parts. */
const isolatedIn = (seen: Seen, one: Exchange): Isolated | undefined => {
  const own = known.get(seen) ?? new Map<Exchange, Isolated | undefined>()
  known.set(seen, own)
  if (!own.has(one)) own.set(one, isolateBy(one, seen))
  return own.get(one)
}

/** What decides, by the plainest request that fails likewise; undefined: nothing isolates it. */
export const isolate = (exchange: Exchange, seen: Seen): Isolated | undefined => {
  const span = seen.span(exchange)
  if (span !== undefined) return { ...isolation([], exchange, []), chance: span }
  const step = seen.steps.before(exchange)
  if (step !== undefined) return { ...isolation([], exchange, []), step }
  const isOf = (one: Exchange) => (each: Decisive) => has(exchange, each) || one === exchange
  const all = seen.failingIn(exchange).flatMap((one) => {
    const found = isolatedIn(seen, one)
    return found?.parts.every(isOf(one)) ? [found] : []
  })
  // A plain request that fails by chance, or right after another one, does not fail always.
  const isOfChance = all.some(({ chance }) => chance !== undefined)
  const [plainest] = all.filter(
    ({ chance, parts }) => chance === undefined && (parts.length > 0 || !isOfChance),
  )
  // That a member is too large says more than its value.
  const isOfPlainest = ({ parts: [own, ...others] }: Isolated) =>
    own?.size !== undefined && others.length === 0 && own.part === plainest?.parts[0]?.part
  return (plainest && (all.find(isOfPlainest) ?? plainest)) ?? all[0]
}
