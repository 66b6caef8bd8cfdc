// Which value decides, of an id or a member, or which characters of a name: requests that are read
// alike pass with other values.
import { type Exchange, memoized, statusCode } from '../../history/exchange.ts'
import { requestedId, sentObject } from '../../history/known-pets.ts'
import {
  anyOwnName,
  type Count,
  countOf,
  hasCount,
  namedIn,
  ownName,
  wordsOfCount,
} from '../characters.ts'
import {
  type Decisive,
  type Found,
  has,
  type Isolated,
  isFar,
  isFault,
  isLike,
  isOfPlain,
  isolation,
  isPlain,
  isValid,
  mayBeDue,
  minNoChance,
  passes,
} from '../conditions.ts'
import { read } from '../read.ts'
import { type Part, partNamed, partOf, shownValue } from '../read-body.ts'
import type { Seen } from './seen.ts'

const isNegative = (one: Exchange): boolean => (requestedId(one) ?? 0n) < 0n

/** Plain requests for ids that got what is due. */
const idsIn = memoized((seen: Seen) => {
  const all = seen.trace.filter(
    (one) => one.key !== null && requestedId(one) !== undefined && isPlain(one),
  )
  const isUnknown = (one: Exchange) =>
    statusCode(one) === 404 && !seen.isShown(requestedId(one), one)
  return { all, known: all.filter(passes), unknown: all.filter(isUnknown) }
})

/** Pets that were found, where this one is known; else unknown ids of its sign with their 404. */
export const dueIds = (one: Exchange, seen: Seen): readonly Exchange[] => {
  const { known, unknown } = idsIn(seen)
  if (seen.isShown(requestedId(one), one)) return known
  return unknown.filter((other) => isNegative(other) === isNegative(one))
}

/** All negative ids get a wrong status, and one that is positive gets what is due. */
export const bySign = (one: Exchange, seen: Seen): Found => {
  if (!isNegative(one) || dueIds(one, seen).length > 0) return undefined
  const { all, known, unknown } = idsIn(seen)
  const negative = all.filter(isNegative)
  const isAlike = negative.every(isLike(one))
  const other = [...known, ...unknown].find((each) => !isNegative(each))
  const isEach = isAlike && new Set(negative.map(requestedId)).size > 1
  const part = partOf('petId', 'valid', 'negative', 'with a negative petId')
  return isEach && other ? isolation([part], one, [other]) : undefined
}

const ofId = (
  id: bigint,
  one: Exchange,
  alike: readonly Exchange[],
  seen: Seen,
): readonly Decisive[] => {
  const isShown = (other: Exchange) => seen.isShown(requestedId(other), one)
  if (isShown(one) || alike.some((other) => requestedId(other) === id)) return []
  // Other unknown ids get what is due: something else decides.
  const isDue = (other: Exchange) => mayBeDue(other) && !isShown(other)
  if (!mayBeDue(one) && seen.alikeTo(one).some(isDue)) return []
  const holds = (other: Exchange) => requestedId(other) === id
  return alike.some(isShown)
    ? [{ ...partOf('petId', 'valid', 'unknown id', 'with an unknown id'), holds }]
    : [{ ...partOf('petId', 'valid', 'value', `with the id ${id}`), holds }]
}

/** The values that all have that fail so, and none of these that pass. */
export const ofValue = (
  one: Exchange,
  alike: readonly Exchange[],
  seen: Seen,
): readonly Decisive[] => {
  const id = requestedId(one)
  if (id !== undefined) return ofId(id, one, alike, seen)
  const failing = seen.alikeTo(one).filter(isLike(one))
  return ['name', 'categoryId', 'id'].flatMap((member) => {
    const value = sentObject(one)?.[member]
    if (value === undefined || ownName.test(`${value}`)) return []
    const holds = (other: Exchange) => sentObject(other)?.[member] === value
    if (alike.some(holds) || !failing.every(holds)) return []
    const shown = typeof value === 'string' ? value.replace(anyOwnName, '…') : value
    const isPets = member === 'id' && typeof value === 'bigint' && seen.isShown(value, one)
    const words = `with ${member} ${shownValue(shown)}${isPets ? ', as an earlier pet has' : ''}`
    return [{ ...partOf(partNamed(member), 'valid', 'value', words), holds }]
  })
}

export const anyValue = 'any value'

/** The parameters of a list that have one of a few values each. */
const isOfList = ({ part, is, kind }: Part): boolean =>
  is === 'valid' && kind !== 'size' && (part === 'limit' || part === 'status')

export const withAnyValue = ({ part }: Part): Part =>
  partOf(part, 'valid', anyValue, `with a ${part}`)

/** Whether it is a value that was sent. */
export const isSentValue = (each: Part): boolean => isOfList(each) && each.kind !== 'omitted'

/** So many that have no such part pass. */
const minWithout = 12

/** Valid requests of each operation, with a key. */
export const validIn = memoized(({ trace }: Seen) =>
  Map.groupBy(
    trace.filter((one) => one.key !== null && isValid(one)),
    (one) => read(one).name,
  ),
)

/** What all have that fail by chance, of whatever value, where many without it pass. */
export const ofChance = (one: Exchange, seen: Seen): readonly Part[] => {
  const { name, parts } = read(one)
  const own = validIn(seen).get(name) ?? []
  const failing = own.filter(isLike(one))
  const decides = ({ part }: Part) => {
    const hasIt = (other: Exchange) =>
      read(other).parts.some((each) => each.part === part && isSentValue(each))
    const others = own.filter((other) => !hasIt(other))
    return failing.every(hasIt) && others.filter(passes).length >= minWithout
  }
  if (failing.length < minNoChance) return []
  return parts.filter((each) => isSentValue(each) && decides(each)).map(withAnyValue)
}

/** Of parameters of a list whatever value they have, where several fail and none passes then. */
export const ofAnyValue = (
  parts: readonly Decisive[],
  one: Exchange,
  { trace }: Seen,
): readonly Decisive[] => {
  if (read(one).operation !== 'list' || !parts.some(isOfList)) return parts
  const valueIn = (other: Exchange, { part }: Part) =>
    read(other).parts.find((each) => each.part === part && isOfList(each))?.words
  const alike = trace.filter(
    (other) =>
      read(other).name === read(one).name &&
      !read(other).parts.some(isFault) &&
      parts.every((each) => (isOfList(each) ? valueIn(other, each) : has(other, each))),
  )
  if (alike.some((other) => passes(other) && !isFar(one, other))) return parts
  const failing = alike.filter(isLike(one))
  return parts.map((each) => {
    const values = new Set(failing.map((other) => valueIn(other, each)))
    return isOfList(each) && values.size > 1 ? withAnyValue(each) : each
  })
}

const nameOf = (one: Exchange): unknown => sentObject(one)?.name

/** Creations that nothing is wrong with, and the one that gave a pet the name of each before. */
const creationsIn = memoized(({ trace }: Seen) => {
  const creations = trace.filter((one) => {
    const { operation, parts } = read(one)
    return operation === 'create' && typeof nameOf(one) === 'string' && !parts.some(isFault)
  })
  const served = creations.filter((one) => statusCode(one) === 201)
  const byName = Map.groupBy(
    served.toSorted((a, b) => a.seq - b.seq),
    nameOf,
  )
  const isCreation = new Set(creations)
  const firstOf = (one: Exchange) => {
    const [first] = (isCreation.has(one) && byName.get(nameOf(one))) || []
    return first && first.seq < one.seq ? first : undefined
  }
  return { creations, firstOf }
})

/** An earlier pet has the name, as of all creations that get a status, and of none that pass. */
export const byRepeatedName = (one: Exchange, seen: Seen): Found => {
  const { creations, firstOf } = creationsIn(seen)
  const first = firstOf(one)
  if (!first || passes(one)) return undefined
  // It may be refused for that.
  if (statusCode(one) === 409) return 'open'
  const own = creations.filter(isLike(one))
  const isSame = (each: Exchange) => firstOf(each)?.request.body === each.request.body
  const isRepeated = (each: Exchange) => firstOf(each) !== undefined
  const isOfAll = own.some(isSame) && own.every(isRepeated)
  if (!isOfAll || creations.filter(passes).some(isRepeated)) return undefined
  const part = partOf('name', 'valid', 'repeated', 'with the name of an earlier pet')
  return isolation([part], one, [first])
}

const charactersOf = ({ apiRequest }: Exchange): readonly string[] => namedIn(apiRequest).characters

const isNamed = (one: Exchange): boolean =>
  namedIn(one.apiRequest).isOwn &&
  read(one).operation === 'create' &&
  read(one).parts.every((each) => isOfPlain(each) || each.part === 'name')

/** Creations in which nothing is odd but their names, by the odd characters of these. */
const namesIn = memoized(({ trace }: Seen) =>
  Map.groupBy(trace.filter(isNamed), (one) => charactersOf(one).join('')),
)

const allNames = memoized((seen: Seen) => [...namesIn(seen).values()].flat())
const keptNames = memoized((seen: Seen) => allNames(seen).filter(passes))

/** How many of a character decide, by the names that have no other one; undefined: not that. */
const countIn = (of: string, one: Exchange, seen: Seen): Count | undefined => {
  const least = countOf(of, one.apiRequest)
  const isEach = (count: number) => (count - least) % 2 === 0
  const alone = allNames(seen).filter((other) => charactersOf(other).every((each) => each === of))
  const countsOf = (all: readonly Exchange[]) => all.map((other) => charactersOf(other).length)
  const passing = countsOf(alone.filter(passes)).filter((count) => count > least)
  if (passing.length === 0) return { of, least, isOfEach: false }
  const failing = countsOf(alone.filter(isLike(one)))
  return failing.every(isEach) && !passing.some(isEach) ? { of, least, isOfEach: true } : undefined
}

/** What a name has besides the name that a run gave it; a code point is one. */
const furtherIn = (one: Exchange): readonly string[] => [
  ...`${nameOf(one)}`.replace(anyOwnName, ''),
]

/** A text in a name decides, where names with all of it but its first, or last, character pass. */
const byText = (one: Exchange, seen: Seen): Isolated | undefined => {
  const further = furtherIn(one)
  const text = further.join('')
  const passing = keptNames(seen)
  const includes = (part: string) => (other: Exchange) => `${nameOf(other)}`.includes(part)
  const isWhole = further.length > 1 && includes(text)(one)
  if (!isWhole || passing.some(includes(text))) return undefined
  const others = [further.slice(1), further.slice(0, -1)].flatMap(
    (part) => passing.find(includes(part.join(''))) ?? [],
  )
  const words = `with ${shownValue(text)} in the name`
  const part = { ...partOf('name', 'valid', 'text', words), holds: includes(text) }
  return others.length === 2 ? isolation([part], one, others) : undefined
}

/** The odd characters of a name decide, where it passes with one of each less; or a text. */
export const byCharacters = (one: Exchange, seen: Seen): Isolated | undefined => {
  if (!isNamed(one)) return undefined
  const characters = charactersOf(one)
  const kinds = [...new Set(characters)]
  // Where a name with as many of each passes, it is not them.
  const isOther = ({ apiRequest }: Exchange) =>
    kinds.every((of) => countOf(of, one.apiRequest) === countOf(of, apiRequest))
  if (keptNames(seen).some(isOther)) return byText(one, seen)
  const found = kinds.flatMap((of): readonly (readonly [Decisive, Exchange])[] => {
    const left = characters.toSpliced(characters.indexOf(of), 1).join('')
    const other = namesIn(seen).get(left)?.find(passes)
    const count = countIn(of, one, seen)
    if (!other || !count) return []
    const holds = ({ apiRequest }: Exchange) => hasCount(count, apiRequest)
    return [[{ ...partOf('name', 'valid', 'characters', wordsOfCount(count)), holds }, other]]
  })
  if (found.length === 0 || found.length < kinds.length) return byText(one, seen)
  return isolation(
    found.map(([part]) => part),
    one,
    found.map(([, other]) => other),
  )
}
