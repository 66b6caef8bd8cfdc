// What of a request decides: a request that fails and one that passes, which differ in what is
// named and in nothing else.
import { type Exchange, isSuccess, memoized, statusCode } from '../../history/exchange.ts'
import { requestedId } from '../../history/known-pets.ts'
import { isKindOfCharacters, isNameKept } from '../characters.ts'
import {
  type Decisive,
  type Found,
  has,
  type Isolated,
  isAlike,
  isDue,
  isFar,
  isFault,
  isLike,
  isOfPlain,
  isolation,
  isPlain,
  keyOf,
  keysIn,
  passes,
  spanOf,
} from '../conditions.ts'
import { read } from '../read.ts'
import { isWrittenIn, type Part, partOf } from '../read-body.ts'
import { bySize } from './by-size.ts'
import {
  byCharacters,
  byRepeatedName,
  bySign,
  dueIds,
  isSentValue,
  ofChance,
  ofValue,
  withAnyValue,
} from './by-value.ts'
import { byEscape } from './by-writing.ts'
import { petsApart } from './pets.ts'
import type { Seen } from './seen.ts'
import { brokenSince, byConnection, changesSince, stepBefore, stepBeforeEqual } from './states.ts'
import { minuteOf } from './times.ts'
import { afterServed, rightAfterServed, turnOf } from './turns.ts'

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

const ofOneKey = ({ key }: Exchange): Decisive => ({
  ...partOf('key', 'valid', 'one of several', `with key ${key}`),
  holds: (one) => one.key === key,
})

/** So often at least each of two keys gets its own status for equal requests. */
const minOfKey = 2

/** What passes with another key, where all such requests of the one fail, and of others pass. */
const otherKeyIn = (one: Exchange, seen: Seen): Exchange | undefined => {
  const all = requestedId(one) === undefined ? seen.equalTo(one) : seen.alikeTo(one)
  const equal = all.filter(({ key, response }) => key !== null && response?.status !== 429)
  const [own = [], others = []] = [true, false].map((isOwn) =>
    equal.filter(({ key }) => (key === one.key) === isOwn),
  )
  const isEnough = own.length >= minOfKey && others.length >= minOfKey
  return isEnough && own.every(isLike(one)) && others.every(isDue) ? others.find(passes) : undefined
}

/** `3 of 10 times`, where equal requests fail and pass in turn. */
const shareOfEqual = (one: Exchange, seen: Seen): string | undefined => {
  const equal = seen.equalTo(one).filter((other) => !isFar(one, other))
  const [first, ...more] = equal.filter(isLike(one))
  const isInTurn =
    first && more.length > 0 && equal.some((each) => each.seq > first.seq && passes(each))
  return isInTurn ? `${more.length + 1} of ${equal.length} times` : undefined
}

/** A plain request was served, and none of its operation since: what was sent between. */
const byState = (one: Exchange, seen: Seen): Found => {
  const served = seen.equalTo(one).filter(passes)
  const last = served.at(-1)
  const isSince = last && served.every(({ seq }) => seq < one.seq) && !isFar(last, one)
  if (!isSince || requestedId(one) !== undefined || !isPlain(one)) return undefined
  const isOwn = (each: Exchange) => each.seq > last.seq && read(each).name === read(one).name
  const after = changesSince(last, seen.trace.filter(isOwn), seen)
  return { ...isolation([], one), ...(after && { after }) }
}

/** Requests that are read alike pass: a value, the key, chance or a state may be why. */
const ofAlike = (one: Exchange, alike: readonly Exchange[], seen: Seen): Found => {
  const isolated = byCharacters(one, seen)
  if (isolated) return isolated
  // What passes at another time has no value that decides.
  const values = seen.equalTo(one).some(passes) ? [] : ofValue(one, alike, seen)
  if (values.length > 1) return 'open'
  if (values.length > 0) return isolation(values, one, alike.slice(0, 1))
  const other = otherKeyIn(one, seen)
  if (other) return isolation([ofOneKey(one)], one, [other])
  const chance = shareOfEqual(one, seen)
  if (chance === undefined) return byState(one, seen)
  const always = minuteOf(one, seen) ?? byConnection(one, seen)
  if (always !== undefined) return { ...isolation([], one), after: always }
  const after = stepBeforeEqual(one, seen)
  return { ...isolation(ofChance(one, seen), one), chance, ...(after && { after }) }
}

/** Whether the same unknown id got its 404 at another time, so that nothing in the id decides. */
const wasUnknown = (one: Exchange, seen: Seen): boolean =>
  statusCode(one) >= 500 && seen.equalTo(one).some((other) => statusCode(other) === 404)

/** The 404 of the same unknown id, where this is an error of the server: it passes. */
const refusedAlike = (one: Exchange, seen: Seen): readonly Exchange[] => {
  const id = requestedId(one)
  const isOwn = (other: Exchange) => requestedId(other) === id && statusCode(other) === 404
  return id !== undefined && statusCode(one) >= 500 ? dueIds(one, seen).filter(isOwn) : []
}

const schemeOf = ({ apiRequest: { authorization } }: Exchange): string | undefined =>
  typeof authorization === 'object' ? /^(\S+) /.exec(authorization?.[0] ?? '')?.[1] : undefined

/** Nothing that is sent with another scheme gets its 401, whatever its key is. */
const ofScheme = (one: Exchange, { trace }: Seen): readonly Part[] => {
  const scheme = schemeOf(one)
  const own = trace.filter((other) => schemeOf(other) === scheme)
  const unlike = new Set(own.map(({ apiRequest }) => apiRequest.says))
  if (!scheme || /^bearer$/i.test(scheme) || unlike.size < 2 || own.some(passes)) return []
  return [partOf('key', 'valid', 'another scheme', `with ${scheme} in place of Bearer`)]
}

/** Where the request says what is sent for a key, that is all of it. */
const byKey = (one: Exchange, seen: Seen, passing: readonly Exchange[]): Found => {
  const sized = bySize(one, seen)
  if (sized && sized !== 'open') return sized
  const plain = passing.find(isPlain)
  const parts = [...ofScheme(one, seen), ...read(one).parts].slice(0, 1)
  return plain ? isolation(parts, one, [plain]) : 'open'
}

/** What passes otherwise: the same refusal is no evidence, nor is one for another fault. */
const passingFor = (one: Exchange, seen: Seen): readonly Exchange[] => {
  const isWrongly = isSuccess(one) && faultsIn(one).length > 0
  const refused = refusedAlike(one, seen)
  return (refused.length > 0 ? refused : seen.passing(one)).filter((each) => {
    const faults = faultsIn(each)
    const isOwn = statusCode(each) !== statusCode(one) || (isWrongly && faults.length === 0)
    const isSteady = isAlike(one, each) || !seen.alsoFails(each, one)
    return isOwn && isSteady && faults.every((fault) => has(one, fault))
  })
}

/** Each part without which another one passes, with that one. */
const pairsOf = (one: Exchange, passing: readonly Exchange[], seen: Seen) => {
  const isKept = (other: Exchange) => other.apiRequest.fresh === undefined && isLike(one)(other)
  // On a usual connection it fails likewise.
  const isUsual = ({ part }: Part) => part === 'connection' && seen.equalTo(one).some(isKept)
  const differences = passing.map((other) => ({ other, own: differing(one, other) }))
  const parts = read(one).parts.filter((each) => !isUsual(each))
  return parts.flatMap((each) => {
    const others = differences.filter(({ own }) => own.includes(each))
    const alone = others.find(({ own }) => own.length === 1)
    // Of several that are the same part each is left out alone, if that was sent.
    const isOther = differences.some(({ own }) => own.length === 1 && own[0]?.part === each.part)
    const other = (alone ?? (isOther ? undefined : others[0]))?.other
    return other ? [{ each, other }] : []
  })
}

/** A plain request fails always, or for its category or its id, where other plain ones pass. */
const ofPlain = (one: Exchange, seen: Seen, passing: readonly Exchange[]): Found => {
  const plain = passing.filter(isPlain)
  const found = plain.length > 0 ? ofAlike(one, plain, seen) : undefined
  return found && found !== 'open' ? found : isolation([], one)
}

/** The parts without which it passes, where it has nothing else that may matter. */
const byParts = (one: Exchange, seen: Seen, passing: readonly Exchange[]): Found => {
  const pairs = pairsOf(one, passing, seen)
  if (pairs.length === 0) return isPlain(one) ? ofPlain(one, seen, passing) : 'open'
  const named = pairs.map(({ each }) => each)
  const isNamed = ({ part }: Part) => named.some((each) => each.part === part)
  // What another refusal is due for belongs to it.
  const isBesides = (each: Part) => isFault(each) && !isNamed(each) && statusCode(one) >= 400
  const isUsual = (each: Part) => isOfPlain(each) || each.part === 'connection'
  const { parts } = read(one)
  // Without its characters a name cannot be written so.
  const isNeeded = ({ part }: Part) => part === 'name' && named.some(isWrittenIn)
  const isOther = (each: Part) =>
    !(isNamed(each) || isUsual(each) || isBesides(each) || isNeeded(each))
  if (parts.some(isOther)) return 'open'
  // Names with such characters pass: which ones decide, or how many.
  const isWithAll = (other: Exchange) => named.every((each) => has(other, each))
  if (named.some(({ kind }) => isKindOfCharacters(kind)) && passing.some(isWithAll)) {
    return byCharacters(one, seen)
  }
  const besides = statusCode(one) < 500 ? parts.filter(isBesides) : []
  return isolation(
    [...besides, ...named],
    one,
    pairs.map(({ other }) => other),
  )
}

const isolateBy = (one: Exchange, seen: Seen): Found => {
  const ofValues = bySign(one, seen) ?? byRepeatedName(one, seen) ?? byEscape(one, seen)
  if (ofValues) return ofValues
  if (wasUnknown(one, seen)) return isolation([], one)
  const passing = passingFor(one, seen)
  if (one.apiRequest.says !== undefined) return byKey(one, seen, passing)
  const sized = bySize(one, seen)
  if (sized) return sized
  const alike = passing.filter((other) => isAlike(one, other))
  return alike.length > 0 ? ofAlike(one, alike, seen) : byParts(one, seen, passing)
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

/** What decides by a pair of this request, if there is one for each of its parts. */
const isolatedIn = memoized((seen: Seen) =>
  memoized((one: Exchange): Isolated | undefined => {
    const found = isolateBy(one, seen)
    return found === 'open' ? undefined : found
  }),
)

/** What decides, by the plainest request that fails likewise; undefined: nothing isolates it. */
export const isolate = (exchange: Exchange, seen: Seen): Isolated | undefined => {
  const chance = spanOf(exchange, seen.trace)
  if (chance !== undefined) return { ...isolation([], exchange), chance }
  const after = stepBefore(exchange, seen)
  if (after !== undefined) return { ...isolation([], exchange), after }
  const all = seen.failingIn(exchange).flatMap((one) => {
    const found = isolatedIn(seen)(one)
    return found?.parts.every((each) => one === exchange || has(exchange, each)) ? [found] : []
  })
  // A plain request that fails by chance, or right after another one, does not fail always.
  const isOfChance = all.some(({ chance }) => chance !== undefined)
  const [plainest] = all.filter(
    ({ chance, parts }) => chance === undefined && (parts.length > 0 || !isOfChance),
  )
  // That a member is too large says more than its value.
  const isOfPlainest = ({ parts: [own, ...others] }: Isolated) =>
    own?.kind === 'size' && others.length === 0 && own.part === plainest?.parts[0]?.part
  return (plainest && (all.find(isOfPlainest) ?? plainest)) ?? all[0]
}

/** What decides, of the request, of its pet, or of what was sent before. */
export const isolateOrState = (exchange: Exchange, seen: Seen): Isolated | undefined => {
  const after = brokenSince(exchange, seen)
  if (after !== undefined) return { ...isolation([], exchange), after }
  const isolated = petsApart(exchange, seen) ?? isolate(exchange, seen)
  if (isolated?.chance === undefined) return isolated
  const { after: _, chance: __, ...rest } = isolated
  const turn = turnOf(exchange, seen)
  if (turn !== undefined) return { ...rest, chance: turn }
  // With few requests it is not known yet that any value of a member decides.
  const own = read(exchange).parts.filter(isSentValue)
  const ways = [isolated.parts, ...own.map((each) => [withAnyValue(each)])]
  const parts = ways.find((each) => afterServed(exchange, each, seen))
  return parts === undefined ? isolated : { ...rest, parts, after: rightAfterServed }
}
