// What the responses that show a fault have in common, and few of the valid ones have, in words.
import { isUnread } from './body.ts'
import { type Exchange, isAnswered, sentWith } from './exchange.ts'
import { petsIn, printQuery } from './known-pets.ts'
import { findPeculiarities, operationIn } from './peculiarities.ts'

/** What a request or its response may have: `with a limit of 51 or more`. */
interface Trait {
  readonly words: string
  readonly has: (exchange: Exchange) => boolean
}

/** A number of a list, with the words around it. */
interface Measure {
  readonly words: (number: string) => string
  readonly of: (exchange: Exchange) => number | undefined
  /** A fault makes responses shorter: only that they are long may be its condition. */
  readonly leastOfLong?: number
}

const isList = (exchange: Exchange): boolean => operationIn(exchange) === 'GET /pets'

const measures: readonly Measure[] = [
  {
    words: (number) => `with a limit of ${number}`,
    of: (one) => (isAnswered(one) && isList(one) ? printQuery(one)?.limit : undefined),
  },
  {
    words: (number) => `with ${number} pets in the response`,
    of: (one) =>
      isAnswered(one) && isList(one) && !isUnread(one) ? petsIn(one).length : undefined,
    leastOfLong: 2,
  },
  {
    words: (number) => `with ${number} bytes in the response`,
    of: ({ response }) => (response?.cut ? undefined : response?.bytes.length),
    leastOfLong: 1_000,
  },
]

const measured = (bad: readonly Exchange[], { words, of, leastOfLong }: Measure): Trait[] => {
  const values = bad.map(of).filter((value) => value !== undefined)
  if (values.length < bad.length) return []
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const from = (one: Exchange): boolean => (of(one) ?? -1) >= least
  const upTo = (one: Exchange): boolean => (of(one) ?? Number.MAX_VALUE) <= most
  if (least === most && leastOfLong === undefined)
    return [{ words: words(String(least)), has: (one) => from(one) && upTo(one) }]
  const over = { words: words(`${least} or more`), has: from }
  if (leastOfLong !== undefined) return least >= leastOfLong ? [over] : []
  return [over, { words: words(`${most} or less`), has: upTo }]
}

/** Others are fields of the request, or their words have a value of one request alone. */
const isOfValue = (about: string): boolean => /^(?:status|name|writing|connection)$/.test(about)
const isOfSize = (kind: string): boolean => kind.startsWith('beyond')

const peculiar = ([first]: readonly Exchange[]): Trait[] =>
  (first ? findPeculiarities(first) : [])
    .filter(({ about, kind, isLegal }) => isLegal && (isOfValue(about) || isOfSize(kind)))
    .map(({ about, kind, words }) => ({
      words: isOfSize(kind) ? `with a ${about} ${kind}` : words,
      has: (one) =>
        findPeculiarities(one).some((each) => each.about === about && each.kind === kind),
    }))

const absent: readonly Trait[] = ['status', 'limit'].map((name) => ({
  words: `without ${name}`,
  has: (one) => isList(one) && !findPeculiarities(one).some(({ about }) => about === name),
}))

const planOf = ({ key }: Exchange): string | undefined => key?.replace(/-\d+$/, '')

/** One check may have it throughout: it is no matter of the request. */
const ofRun = (bad: readonly Exchange[]): Trait[] => {
  const [first] = bad
  const plan = first && planOf(first)
  if (plan === undefined || new Set(bad.map(({ check }) => check)).size < 2) return []
  return [{ words: `with a key of the plan ${plan}`, has: (one) => planOf(one) === plan }]
}

/** By chance no more often than this. */
const maxChance = 1e-6
const maxTraits = 2
/** Fewer that show it have much in common by chance; fewer others say nothing of what is usual. */
const minBad = 6
const minOthers = 8
/** The requests of one check are alike, and those that are sent together share their moment. */
const maxOfCheck = 4

const countMoments = (exchanges: readonly Exchange[]): number => {
  const moments = [...new Set(exchanges.map((one) => sentWith(one)[0] ?? one))]
  return [...Map.groupBy(moments, ({ check }) => check).values()]
    .map(({ length }) => Math.min(length, maxOfCheck))
    .reduce((sum, each) => sum + each, 0)
}

/** How likely all bad ones have it, if it were as frequent among them as among the others. */
const chanceOf = ({ has }: Trait, moments: number, good: readonly Exchange[]): number =>
  ((good.filter(has).length + 1) / (good.length + 2)) ** moments

/** @returns `with a limit of 51 or more and without status`; undefined if nothing stands out */
export const findCommon = (
  bad: readonly Exchange[],
  valid: readonly Exchange[],
): string | undefined => {
  // What most responses show has no condition.
  if (bad.length < minBad || bad.length > valid.length) return undefined
  const operations = new Set(bad.map(operationIn))
  const moments = countMoments(bad)
  let good = valid.filter((one) => operations.has(operationIn(one)))
  const traits = [
    ...peculiar(bad),
    ...absent,
    ...measures.flatMap((each) => measured(bad, each)),
    ...ofRun(bad),
  ].filter(({ has }) => bad.every(has))
  const found: string[] = []
  while (found.length < maxTraits && good.length >= minOthers) {
    const rated = traits.map((trait) => ({ trait, chance: chanceOf(trait, moments, good) }))
    const [best] = rated.sort((a, b) => a.chance - b.chance)
    if (!best || best.chance > maxChance) break
    found.push(best.trait.words)
    good = good.filter(best.trait.has)
  }
  return found.length > 0 ? found.join(' and ') : undefined
}
