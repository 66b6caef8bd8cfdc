// Whether a wrong response repeats an earlier one, as that of a cache does: for another query, for
// too long, or for who has no key.
import { bodyText, isUnread } from '../../history/body.ts'
import {
  type Exchange,
  isAnswered,
  isSuccess,
  keptIn,
  memoized,
  statusCode,
} from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { petsIn, sentObject } from '../../history/known-pets.ts'
import { duration } from '../../history/quote.ts'
import { fromMs } from '../../history/rate-headers.ts'
import { askedOf, isLike, passes } from '../conditions.ts'
import { joinWords, read } from '../read.ts'
import { type Part, partOf } from '../read-body.ts'
import { inFlightIn, inOrder, type Seen } from './seen.ts'

/** So many creations got a pet of their own. */
const minPassing = 20

/** Of fewer one may be so by chance. */
const minRepeated = 2
/** Of those that fail so many repeat an earlier response. */
const minShare = 0.8
const targetOf = ({ apiRequest: { method, path } }: Exchange): string => `${method} ${path}`

/** The lists of a run that are right. */
const rightLists = (failing: ReadonlySet<Exchange>, { trace }: Seen) => {
  /** For each body the first list of each target that had it. */
  const byBody = new Map<string, Map<string, Exchange>>()
  const bodiesOf = new Map<string, Set<string>>()
  const lastSeq = new Map<string, number>()
  for (const one of trace) {
    const isRight = isAnswered(one) && isSuccess(one) && one.key !== null && !failing.has(one)
    if (!isRight || read(one).operation !== 'list' || isUnread(one)) continue
    const [target, body] = [targetOf(one), bodyText(one)]
    const firsts = keptIn(byBody, body, () => new Map<string, Exchange>())
    if (!firsts.has(target)) firsts.set(target, one)
    keptIn(bodiesOf, target, () => new Set<string>()).add(body)
    lastSeq.set(target, Math.max(one.seq, lastSeq.get(target) ?? 0))
  }
  return { byBody, bodiesOf, lastSeq }
}

type Right = ReturnType<typeof rightLists>

/** The lists that had the body before this one was sent, by their targets. */
const earlierThan = (one: Exchange, { byBody }: Right): ReadonlyMap<string, Exchange> => {
  const all = [...(byBody.get(bodyText(one)) ?? [])]
  return new Map(all.filter(([, { receivedMs }]) => receivedMs <= one.sentMs))
}

/** An earlier list for another query has the body, and none for an equal request, which differ. */
const ofOther = (one: Exchange, right: Right): Exchange | undefined => {
  const target = targetOf(one)
  // Without it the query may be what the server does not read.
  const hasOther = [...(right.bodiesOf.get(target) ?? [])].some((body) => body !== bodyText(one))
  if (!isAnswered(one) || petsIn(one).length === 0 || !hasOther) return undefined
  const earlier = earlierThan(one, right)
  return earlier.has(target) ? undefined : [...earlier.values()].at(-1)
}

/** An equal request had the body when that was right, and gets what is right again later. */
const ofSame = (one: Exchange, right: Right): boolean => {
  const target = targetOf(one)
  return (right.lastSeq.get(target) ?? 0) > one.seq && earlierThan(one, right).has(target)
}

const describeQuery = (one: Exchange): string => {
  const { name } = read(one)
  const asked = askedOf(one)
  return asked.length > 0 ? `${name} ${joinWords(asked)}` : `${name} without a query`
}

const repeats = ', whose body it repeats'

/** What lists repeat that are wrong: of whom, in words. */
export const repeated = (
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): string | undefined => {
  const [first] = exchanges
  if (!first || !isSuccess(first) || read(first).operation !== 'list') return undefined
  // What is in flight with others may get the response of one of them.
  const alone = exchanges.filter((one) => !inFlightIn(seen).has(one) && !isUnread(one))
  const isEnough = (found: readonly unknown[]) =>
    found.length >= minRepeated && found.length >= minShare * alone.length
  const right = rightLists(failing, seen)
  const others = alone.flatMap((one) => ofOther(one, right) ?? [])
  if (isEnough(others)) {
    const own = (isUnread(first) ? undefined : ofOther(first, right)) ?? others[0]
    return own && `after ${describeQuery(own)}${repeats}`
  }
  const equal = alone.filter((one) => ofSame(one, right))
  return isEnough(equal) ? `after an equal request${repeats}` : undefined
}

/** Creations of a run that were served, by their bodies, as a text or by what they say. */
const byBodyIn = memoized(({ trace }: Seen) => {
  const isOwn = (one: Exchange) => one.key !== null && read(one).operation === 'create'
  const creations = trace.filter((one) => isOwn(one) && isSuccess(one))
  const saidBy = (one: Exchange) => {
    const { name, categoryId, status } = sentObject(one) ?? {}
    return printJson([name ?? null, categoryId ?? null, status ?? null])
  }
  const bodyOf = ({ apiRequest: { body } }: Exchange) => `${body}`
  return [bodyOf, saidBy].map((of) => [...Map.groupBy(creations, of).values()])
})

/** For each creation the one with its key right before it. */
const previousIn = memoized((seen: Seen) => {
  const latest = new Map<string | null, Exchange>()
  const creations = inOrder(seen).filter((one) => read(one).operation === 'create')
  return new Map(
    creations.map((one) => {
      const before = latest.get(one.key)
      latest.set(one.key, one)
      return [one, before] as const
    }),
  )
})

/** Creations that got a pet of before have a body that was sent before, and no other one has. */
export const repeatedBody = (failing: ReadonlySet<Exchange>, seen: Seen): readonly Part[] => {
  const isWrong = (all: readonly Exchange[]) => all.some((one) => failing.has(one))
  const isMany = (all: readonly Exchange[]) => all.length > 1
  const isRow = (all: readonly Exchange[]) => {
    const isNext = (one: Exchange) => {
      const before = previousIn(seen).get(one)
      const isBeside = (other: Exchange) =>
        other !== one && other.sentMs < one.receivedMs && one.sentMs < other.receivedMs
      return (before !== undefined && all.includes(before)) || all.some(isBeside)
    }
    const wrong = all.filter((one) => failing.has(one))
    return isMany(all) && (wrong.length > 0 ? wrong.every(isNext) : all.some(isNext))
  }
  const ways = [
    ['with the body of an earlier request', isMany],
    ['with the body of the creation right before', isRow],
  ] as const
  for (const [words, isMeant] of ways) {
    const found = byBodyIn(seen).find((bodies) => {
      const right = bodies.filter((all) => !isWrong(all))
      const isApart = bodies.filter(isWrong).every(isMeant) && !right.some(isMeant)
      return isApart && right.length >= minPassing
    })
    if (found) return [partOf('body', 'valid', 'repeated', words)]
  }
  return []
}

/** Sooner than that is at once. */
const closeMs = 2_000

/** So many of each separate what a cache serves to whom it should not. */
const minOfEach = 3

/** How long before each request the same got what is due, of who has a key or of who has none. */
const agesIn = memoized((seen: Seen) => {
  const latest = new Map<string, number>()
  return inOrder(seen).map((one) => {
    const { name } = read(one)
    const target = (hasKey: boolean) => `${hasKey} ${name} ${one.apiRequest.path}`
    const hasKey = one.key !== null
    const ageMs = fromMs(one) - (latest.get(target(!hasKey)) ?? Number.NEGATIVE_INFINITY)
    if (passes(one)) latest.set(target(hasKey), fromMs(one))
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
