// What pets have in common that GET by id does not show, and none that it shows: how they were
// created, and what happened to them before.
import {
  type Exchange,
  isAnswered,
  isSuccess,
  memoized,
  statusCode,
} from '../../history/exchange.ts'
import { idIn, petsIn, requestedId, sentObject } from '../../history/known-pets.ts'
import { count, duration } from '../../history/quote.ts'
import { kindsOfName, namedIn } from '../characters.ts'
import { has, type Isolated, isOfPlain, isolation, isTogether, minNoChance } from '../conditions.ts'
import { read } from '../read.ts'
import { type Part, partOf } from '../read-body.ts'
import { measureNamed } from './measures.ts'
import type { Seen } from './seen.ts'

/** A GET of a pet that this run created, and what happened to the pet before. */
interface Fetch {
  readonly one: Exchange
  readonly creation: Exchange
  /** How often its id was requested before it existed, and how often since. */
  readonly missed: number
  readonly fetched: number
  /** How many pets were created after it. */
  readonly since: number
  readonly ageMs: number
}

const targetMs = ({ receivedMs, movedMs }: Exchange): number => receivedMs + movedMs

/** A HEAD fetches a pet as well. */
const fetchedId = ({ apiRequest: { method, path } }: Exchange): bigint | undefined =>
  method === 'GET' || method === 'HEAD' ? idIn(path) : undefined

/** All GETs of the pets of a run, in the order of sending. */
const fetchesIn = memoized(({ trace }: Seen): readonly Fetch[] => {
  const created = new Map<unknown, { readonly creation: Exchange; readonly nth: number }>()
  const requested = new Map<unknown, number>()
  const missed = new Map<unknown, number>()
  return trace
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap((one): readonly Fetch[] => {
      if (read(one).operation === 'create' && isAnswered(one) && isSuccess(one)) {
        const id = petsIn(one)[0]?.id
        created.set(id, { creation: one, nth: created.size })
        missed.set(id, requested.get(id) ?? 0)
        return []
      }
      const id = fetchedId(one)
      if (id === undefined || one.key === null) return []
      const times = requested.get(id) ?? 0
      requested.set(id, times + 1)
      const { creation, nth } = created.get(id) ?? {}
      // Which of several in flight came first is chance.
      const isCase = requestedId(one) === id && !isTogether(one)
      if (!isCase || !creation || nth === undefined) return []
      const before = missed.get(id) ?? 0
      const since = created.size - nth - 1
      const ageMs = targetMs(one) - targetMs(creation)
      return [{ one, creation, missed: before, fetched: times - before, since, ageMs }]
    })
})

interface Trait {
  readonly kind: string
  /** A number that is larger, or smaller, where the pet is not shown. */
  readonly of: (fetch: Fetch) => bigint
  /** Of the least where it is larger, or of the most where it is smaller. */
  readonly above?: (least: bigint) => string
  readonly below?: (most: bigint) => string
  /** Where it is the same number of all, and of no pet that is shown. */
  readonly equal?: (number: bigint) => string
}

const integerIn = (creation: Exchange): bigint => {
  const id = sentObject(creation)?.categoryId
  return typeof id === 'bigint' ? id : 0n
}

const sizeOf =
  (of: string) =>
  ({ creation }: Fetch): bigint =>
    measureNamed(of).sizeIn(creation.apiRequest)

const requested = {
  above: (least: bigint) => `requested ${least === 1n ? 'before' : `${least} times before`}`,
  below: (most: bigint) =>
    most === 0n ? 'not requested before' : `requested at most ${most} times`,
  equal: (times: bigint) => `requested exactly ${count(Number(times), 'time', 'times')} before`,
}

/** Where the first of a row separates them, the others may do so too, and say no more. */
const traits: readonly (readonly Trait[])[] = [
  [
    {
      ...{ kind: 'long name', of: sizeOf('name') },
      above: (least) => `created with a name of at least ${least} characters`,
    },
    {
      ...{ kind: 'bytes', of: sizeOf('bytes') },
      above: (least) => `created with a name of at least ${least} bytes`,
    },
  ],
  [
    {
      ...{ kind: 'category', of: ({ creation }) => integerIn(creation) },
      above: (least) => `created with a categoryId of at least ${least}`,
      below: (most) => `created with a categoryId of at most ${most}`,
    },
  ],
  [
    {
      ...{ kind: 'id', of: ({ one }) => requestedId(one) ?? 0n },
      above: (least) => `with an id of at least ${least}`,
    },
  ],
  [
    {
      ...{ kind: 'missed', of: ({ missed }) => BigInt(Math.min(1, missed)) },
      above: () => 'whose id was requested before it existed',
    },
  ],
  [
    { ...requested, kind: 'fetched', of: ({ fetched }) => BigInt(fetched) },
    { ...requested, kind: 'requested', of: ({ fetched, missed }) => BigInt(fetched + missed) },
  ],
  [
    {
      ...{ kind: 'other key', of: ({ one, creation }) => BigInt(one.key !== creation.key) },
      above: () => 'created with another key',
    },
  ],
  [
    {
      ...{ kind: 'age', of: ({ ageMs }) => BigInt(Math.round(ageMs)) },
      above: (least) => `created at least ${duration(Number(least))} before`,
      below: (most) =>
        most < 100n ? 'created just before' : `created at most ${duration(Number(most))} before`,
    },
  ],
  [
    {
      ...{ kind: 'pushed out', of: ({ since }) => BigInt(since) },
      above: (least) => `created before at least ${least} others`,
    },
  ],
]

const apartBy = (
  { kind, of, above, below, equal }: Trait,
  failing: readonly Fetch[],
  passing: readonly Fetch[],
): Part | undefined => {
  const rangeOf = (all: readonly Fetch[]) => {
    const numbers = all.map(of)
    const least = numbers.reduce((one, other) => (other < one ? other : one))
    return { least, most: numbers.reduce((one, other) => (other > one ? other : one)) }
  }
  const [own, others] = [rangeOf(failing), rangeOf(passing)]
  const isOfOne = own.least === own.most && !passing.some((each) => of(each) === own.least)
  const words =
    (own.least > others.most && above?.(own.least)) ||
    (own.most < others.least && below?.(own.most)) ||
    (isOfOne && equal?.(own.least))
  return words ? partOf('petId', 'valid', kind, `of a pet ${words}`) : undefined
}

const charactersOf = ({ creation }: Fetch): readonly string[] =>
  namedIn(creation.apiRequest).characters

/**
 * What is in all of the failing creations and in none of the passing; undefined where a character
 * that all of them have besides may decide as well.
 */
const createdParts = (
  failing: readonly Fetch[],
  passing: readonly Fetch[],
): readonly Part[] | undefined => {
  const [first] = failing
  if (!first) return undefined
  const characters = charactersOf(first).filter(
    (each) =>
      failing.every((one) => charactersOf(one).includes(each)) &&
      !passing.some((one) => charactersOf(one).includes(each)),
  )
  const isSure = ({ part, kind }: Part) =>
    part !== 'name' || characters.every((each) => kindsOfName(each).includes(kind))
  const isOwn = (each: Part) =>
    (!isOfPlain(each) || each.kind === 'omitted') &&
    failing.every(({ creation }) => has(creation, each)) &&
    !passing.some(({ creation }) => has(creation, each))
  const parts = read(first.creation).parts.filter(isOwn)
  return parts.every(isSure) ? parts : undefined
}

const apartIn = memoized((_: Seen) => new Map<number, Isolated | undefined>())

/** The one thing that separates these, as far as there are enough of them. */
const separate = (failing: readonly Fetch[], passing: readonly Fetch[]): Isolated | undefined => {
  const [first] = failing
  if (failing.length < minNoChance || passing.length < minNoChance) return undefined
  const created = createdParts(failing, passing)
  if (!first || !created) return undefined
  const [part, ...more] = [
    ...created.map((each) => ({ ...each, words: `of a pet created ${each.words}` })),
    ...traits.flatMap(
      (row) => row.flatMap((trait) => apartBy(trait, failing, passing) ?? [])[0] ?? [],
    ),
  ]
  return part && more.length === 0 ? isolation([part], first.one) : undefined
}

const findApart = (status: number, seen: Seen): Isolated | undefined => {
  const isShown = ({ one }: Fetch) => statusCode(one) === 200
  const fetches = fetchesIn(seen)
  // Once the operation is removed nothing is shown.
  const all = fetches.slice(0, fetches.findLastIndex(isShown) + 1)
  const failing = all.filter(({ one }) => statusCode(one) === status)
  const passing = all.filter(isShown)
  // What was not shown may be shown later, as a cached 404 ends.
  const firstOf = new Map(failing.toReversed().map(({ one }) => [requestedId(one), one.seq]))
  const isHealed = ({ one }: Fetch) => one.seq > (firstOf.get(requestedId(one)) ?? one.seq)
  const others = passing.filter((each) => !isHealed(each))
  return separate(failing, passing) ?? separate(failing, others)
}

/** What decides which pets GET by id does not show, where one thing alone separates them. */
export const petsApart = (exchange: Exchange, seen: Seen): Isolated | undefined => {
  const status = statusCode(exchange)
  if (requestedId(exchange) === undefined || status === 200) return undefined
  const isOwn = isTogether(exchange) || fetchesIn(seen).some(({ one }) => one === exchange)
  if (!isOwn) return undefined
  const known = apartIn(seen)
  if (!known.has(status)) known.set(status, findApart(status, seen))
  return known.get(status)
}
