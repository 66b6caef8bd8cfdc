// Whether a wrong response repeats an earlier one, as that of a cache does: for another query, for
// too long, or for who has no key.
import { bodyText } from '../../history/body.ts'
import {
  type Exchange,
  isAnswered,
  isSuccess,
  memoized,
  statusCode,
} from '../../history/exchange.ts'
import { petsIn } from '../../history/known-pets.ts'
import { duration } from '../../history/quote.ts'
import { isLike, passes } from '../conditions.ts'
import { joinWords, read } from '../read.ts'
import { inFlightIn, type Seen } from './seen.ts'

/** Of fewer one may be so by chance. */
const minRepeated = 2
/** Of those that fail so many repeat an earlier response. */
const minShare = 0.8
const targetOf = ({ apiRequest: { method, path } }: Exchange): string => `${method} ${path}`

/** What was served, by its body. */
const servedIn = memoized(({ trace }: Seen) =>
  Map.groupBy(
    trace.filter((one) => isAnswered(one) && isSuccess(one) && one.key !== null),
    bodyText,
  ),
)

const earlierOf = (one: Exchange, seen: Seen): readonly Exchange[] =>
  (servedIn(seen).get(bodyText(one)) ?? []).filter(({ receivedMs }) => receivedMs <= one.sentMs)

/** An earlier right response to another request has the body, and none to an equal request. */
const ofOther = (
  one: Exchange,
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): Exchange | undefined => {
  const earlier = earlierOf(one, seen).filter((each) => !failing.has(each))
  if (!isAnswered(one) || petsIn(one).length === 0) return undefined
  if (earlier.some((each) => targetOf(each) === targetOf(one))) return undefined
  return earlier.findLast((each) => read(each).name === read(one).name)
}

/** An equal request had the body when that was right, and gets what is right again later. */
const ofSame = (
  one: Exchange,
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): Exchange | undefined => {
  const isOwn = (each: Exchange) => targetOf(each) === targetOf(one) && !failing.has(each)
  const isRightLater = seen.trace.some(
    (each) => each.seq > one.seq && isOwn(each) && isSuccess(each),
  )
  return isRightLater ? earlierOf(one, seen).findLast(isOwn) : undefined
}

const describeQuery = (one: Exchange): string => {
  const { name, parts } = read(one)
  const asked = parts.filter(({ part }) => part === 'limit' || part === 'status')
  return asked.length > 0 ? `${name} ${joinWords(asked)}` : `${name} without a query`
}

export const repeats = ', whose body it repeats'

/** What lists repeat that are wrong: of whom, in words. */
export const repeated = (
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): string | undefined => {
  const [first] = exchanges
  if (!first || !isSuccess(first) || read(first).operation !== 'list') return undefined
  // What is in flight with others may get the response of one of them.
  const alone = exchanges.filter((one) => !inFlightIn(seen).has(one))
  const isEnough = (found: readonly unknown[]) =>
    found.length >= minRepeated && found.length >= minShare * alone.length
  const others = alone.flatMap((one) => ofOther(one, failing, seen) ?? [])
  if (isEnough(others)) {
    const own = ofOther(first, failing, seen) ?? others[0]
    return own && `after ${describeQuery(own)}${repeats}`
  }
  const equal = alone.filter((one) => ofSame(one, failing, seen))
  return isEnough(equal) ? `after an equal request${repeats}` : undefined
}

/** Sooner than that is at once. */
const closeMs = 2_000

/** So many of each separate what a cache serves to whom it should not. */
const minOfEach = 3

const targetMs = ({ sentMs, movedMs }: Exchange): number => sentMs + movedMs

/** How long before each request the same got what is due, of who has a key or of who has none. */
const agesIn = memoized(({ trace }: Seen) => {
  const latest = new Map<string, number>()
  return trace
    .toSorted((a, b) => a.seq - b.seq)
    .map((one) => {
      const { name } = read(one)
      const target = (hasKey: boolean) => `${hasKey} ${name} ${one.apiRequest.path}`
      const hasKey = one.key !== null
      const ageMs = targetMs(one) - (latest.get(target(!hasKey)) ?? Number.NEGATIVE_INFINITY)
      if (passes(one)) latest.set(target(hasKey), targetMs(one))
      return { one, name, hasKey, ageMs }
    })
})

/** What gets the response of the other kind where that was sent before, and only there. */
export const servedFor = (exchange: Exchange, seen: Seen): string | undefined => {
  const hasKey = exchange.key !== null
  if (hasKey ? statusCode(exchange) !== 401 : !isSuccess(exchange)) return undefined
  const { name } = read(exchange)
  const own = agesIn(seen).filter((each) => each.name === name && each.hasKey === hasKey)
  const agesOf = (isMeant: (one: Exchange) => boolean) =>
    own.filter(({ one }) => isMeant(one)).map(({ ageMs }) => ageMs)
  const [wrong, right] = [agesOf(isLike(exchange)), agesOf(passes)]
  const [most, least] = [Math.max(...wrong), Math.min(...right)]
  if (wrong.length < minOfEach || right.length < minOfEach || most >= least) return undefined
  const request = `the same request with${hasKey ? 'out' : ''} a valid key`
  if (!Number.isFinite(least)) return `after ${request}`
  return most < closeMs ? `right after ${request}` : `at most ${duration(most)} after ${request}`
}
