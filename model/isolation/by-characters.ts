// Which odd characters of a name decide, and how many of one: with one less it passes.
import { type Exchange, memoized, statusCode } from '../../history/exchange.ts'
import { type Count, countOf, hasCount, namedIn, wordsOfCount } from '../characters.ts'
import { type Decisive, type Isolated, isOfPlain, isolation, passes } from '../conditions.ts'
import { read } from '../read.ts'
import { partOf } from '../read-body.ts'
import type { Seen } from './seen.ts'

const charactersOf = ({ apiRequest }: Exchange): readonly string[] => namedIn(apiRequest).characters

const isNamed = (one: Exchange): boolean =>
  namedIn(one.apiRequest).isOwn &&
  read(one).operation === 'create' &&
  read(one).parts.every((each) => isOfPlain(each) || each.part === 'name')

/** Creations in which nothing is odd but their names, by the odd characters of these. */
const namesIn = memoized(({ trace }: Seen) =>
  Map.groupBy(trace.filter(isNamed), (one) => charactersOf(one).join('')),
)

/** How many of a character decide, by the names that have no other one; undefined: not that. */
const countIn = (of: string, one: Exchange, seen: Seen): Count | undefined => {
  const least = countOf(of, one.apiRequest)
  const isEach = (count: number) => (count - least) % 2 === 0
  const alone = [...namesIn(seen).values()]
    .flat()
    .filter((other) => charactersOf(other).every((each) => each === of))
  const countsOf = (all: readonly Exchange[]) => all.map((other) => charactersOf(other).length)
  const passing = countsOf(alone.filter(passes)).filter((count) => count > least)
  if (passing.length === 0) return { of, least, isOfEach: false }
  const failing = countsOf(alone.filter((other) => statusCode(other) === statusCode(one)))
  return failing.every(isEach) && !passing.some(isEach) ? { of, least, isOfEach: true } : undefined
}

/** The odd characters of a name decide, where it passes with one of each less. */
export const byCharacters = (one: Exchange, seen: Seen): Isolated | undefined => {
  if (!isNamed(one)) return undefined
  const characters = charactersOf(one)
  const kinds = [...new Set(characters)]
  const found = kinds.flatMap((of): readonly (readonly [Decisive, Exchange])[] => {
    const left = characters.toSpliced(characters.indexOf(of), 1).join('')
    const other = namesIn(seen).get(left)?.find(passes)
    const count = countIn(of, one, seen)
    if (!other || !count) return []
    const holds = ({ apiRequest }: Exchange) => hasCount(count, apiRequest)
    return [[{ ...partOf('name', 'valid', 'characters', wordsOfCount(count)), holds }, other]]
  })
  if (found.length === 0 || found.length < kinds.length) return undefined
  return isolation(
    found.map(([part]) => part),
    one,
    found.map(([, other]) => other),
  )
}
