// Whether a request fails by how many went before it: each third one, or each tenth of its
// operation.
import { type Exchange, isSuccess, keptIn, memoized, statusCode } from '../../history/exchange.ts'
import { type Isolated, isFault, isLike, isValid, kindOf, passes } from '../conditions.ts'
import { read } from '../read.ts'
import type { Part } from '../read-body.ts'
import { inFlightIn, inOrder, type Seen } from './seen.ts'

/** Fewer that fail are chance; replicas and limits are rarely more than this. */
const minFailing = 3
const maxEach = 50

/** Neither refused for its key nor for its quota: what counts requests counts it. */
const isCounted = (one: Exchange): boolean =>
  one.key !== null && ![401, 403, 429].includes(statusCode(one))

const answeredIn = memoized((seen: Seen) =>
  inOrder(seen).filter(({ response }) => response !== null),
)

/** So often the turn would have met one that passes, if it were chance. */
const minExpected = 3

/** Which turn all of the failing places have, and none of the passing: each third, `3`. */
export const turnAmong = (
  failing: readonly number[],
  passing: readonly number[],
): number | undefined => {
  const [first = 0] = failing
  if (failing.length < minFailing) return undefined
  const most = Math.min(maxEach, Math.floor(passing.length / minExpected))
  for (let each = 2; each <= most; each += 1) {
    const isOwn = (at: number) => at % each === first % each
    if (failing.every(isOwn) && !passing.some(isOwn)) return each
  }
  return undefined
}

const turnIn = (
  counted: readonly Exchange[],
  isMeant: (one: Exchange) => boolean,
  isFailing: (one: Exchange) => boolean,
): number | undefined => {
  const places = counted.flatMap((one, at) => (isMeant(one) ? [[one, at] as const] : []))
  const placesOf = (test: (one: Exchange) => boolean) =>
    places.flatMap(([one, at]) => (test(one) ? [at] : []))
  return turnAmong(placesOf(isFailing), placesOf(passes))
}

/** `3rd` */
export const ordinal = (number: number): string => {
  const rule = new Intl.PluralRules('en-GB', { type: 'ordinal' }).select(number)
  return `${number}${{ one: 'st', two: 'nd', few: 'rd' }[rule as string] ?? 'th'}`
}

const eachTurn = 'each '

const findTurn = (exchange: Exchange, seen: Seen): string | undefined => {
  const { name } = read(exchange)
  const isMeant = (one: Exchange) => read(one).name === name && !read(one).parts.some(isFault)
  const isFailing = (one: Exchange) => statusCode(one) === statusCode(exchange) && !passes(one)
  const all = answeredIn(seen)
  const counted = all.filter(isCounted)
  const ofName = (one: Exchange) => read(one).name === name
  const isOwn = (one: Exchange) => isMeant(one) && (passes(one) || isFailing(one))
  // What counts may come before the key is looked at.
  const ways = [
    ...[counted.filter(isOwn), counted.filter(ofName), all.filter(ofName)].map(
      (some) => [some, 'time'] as const,
    ),
    ...[counted, all].map((some) => [some, 'request'] as const),
  ]
  for (const [some, what] of ways) {
    const each = turnIn(some, isMeant, isFailing)
    if (each !== undefined) return `${eachTurn}${ordinal(each)} ${what}`
  }
  return undefined
}

const turnsIn = memoized((_: Seen) => new Map<string, string | undefined>())

/** `each 10th time` of its operation, `each 10th request`: what alone separates. */
export const turnOf = (exchange: Exchange, seen: Seen): string | undefined => {
  if (exchange.key === null || read(exchange).parts.some(isFault)) return undefined
  const known = turnsIn(seen)
  const kind = kindOf(exchange)
  if (!known.has(kind)) known.set(kind, findTurn(exchange, seen))
  return known.get(kind)
}

/** So many of each, and of both together, are no chance; more where no part is named. */
const minOfEach = 3
const minOfBoth = { ofPart: 8, ofAny: 12 }

export const rightAfterServed = 'right after one that was served'

/** Whether what decides is how many went before, or that the one before was served. */
export const isInTurn = ({ chance, after }: Pick<Isolated, 'chance' | 'after'>): boolean =>
  chance?.startsWith(eachTurn) || after === rightAfterServed

const findServed = (exchange: Exchange, parts: readonly Part[], seen: Seen): boolean => {
  const { name } = read(exchange)
  const isOwn = (one: Exchange) =>
    read(one).name === name &&
    parts.every(({ part }) =>
      read(one).parts.some((each) => each.part === part && each.kind !== 'omitted'),
    )
  const own = answeredIn(seen).filter((one) => isCounted(one) && isOwn(one))
  const isAlone = (one: Exchange) => !inFlightIn(seen).has(one) && isValid(one)
  const steps = own.flatMap((one, at) => {
    const before = own[at - 1]
    return before && isAlone(one) && isAlone(before) ? [{ one, isServed: isSuccess(before) }] : []
  })
  const failing = steps.filter(({ one }) => isLike(exchange)(one))
  const passing = steps.filter(({ one }) => passes(one))
  const isApart =
    failing.every(({ isServed }) => isServed) && !passing.some(({ isServed }) => isServed)
  const least = parts.length > 0 ? minOfBoth.ofPart : minOfBoth.ofAny
  const isEnough = Math.min(failing.length, passing.length) >= minOfEach
  return isApart && isEnough && failing.length + passing.length >= least
}

const servedIn = memoized((_: Seen) => new Map<string, boolean>())

/**
 * Whether each that fails is right after one of its operation that was served and has some value of
 * the same parts, and none that passes is. What is in flight, or not valid, may come to that in any
 * order, or not at all.
 */
export const afterServed = (exchange: Exchange, parts: readonly Part[], seen: Seen): boolean => {
  const kind = [kindOf(exchange), ...parts.map(({ part }) => part)].join('\n')
  return keptIn(servedIn(seen), kind, () => findServed(exchange, parts, seen))
}
