// What pets may have in common that a response lacks, or shows wrongly: how they were created, and
// what happened to them before.
import type { Exchange } from '../../history/exchange.ts'
import { sentObject } from '../../history/known-pets.ts'
import { count, duration } from '../../history/quote.ts'
import { kindsOfName, namedIn } from '../characters.ts'
import { askedOf, has, isOfPlain, isTogether, minNoChance } from '../conditions.ts'
import { read } from '../read.ts'
import { type Part, partOf } from '../read-body.ts'
import { measureNamed } from './measures.ts'
import { ordinal, turnAmong } from './turns.ts'

/** A pet of this run in a response that has to show it, and what happened to it before. */
export interface Case {
  readonly one: Exchange
  readonly id: bigint
  readonly creation: Exchange
  /** What was requested right before it was created. */
  readonly before: Exchange | undefined
  /** How often its id was requested before it existed, and how often since. */
  readonly missed: number
  readonly fetched: number
  /** How many pets were created before it, and after it. */
  readonly nth: number
  readonly since: number
  readonly ageMs: number
}

interface Trait {
  readonly kind: string
  /** A number that is larger, or smaller, where the pet is not shown. */
  readonly of: (one: Case) => bigint
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

type Creation = Pick<Case, 'creation'>

const sizeOf =
  (of: string) =>
  ({ creation }: Creation): bigint =>
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
      ...{ kind: 'id', of: ({ id }) => id },
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
      ...{ kind: 'together', of: ({ creation }) => BigInt(isTogether(creation)) },
      above: () => 'created while other requests were in flight',
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
  failing: readonly Case[],
  passing: readonly Case[],
): Part | undefined => {
  const rangeOf = (all: readonly Case[]) => {
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
  return words ? partOf('pet', 'valid', kind, words) : undefined
}

const charactersOf = ({ creation }: Creation): readonly string[] =>
  namedIn(creation.apiRequest).characters

/**
 * What is in all of the failing creations and in none of the passing; undefined where a character
 * that all of them have besides may decide as well.
 */
const createdParts = (
  failing: readonly Creation[],
  passing: readonly Creation[],
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

/** What was requested right before a pet was created; of a list also what it asks for. */
const stepsBefore = ({ before, creation }: Case): readonly string[] => {
  if (!before || isTogether(creation)) return []
  const { name, operation } = read(before)
  return [
    name,
    ...(operation === 'list' ? askedOf(before) : []).map(({ part }) => `${name} with a ${part}`),
  ]
}

/** The step that came right before all of the failing creations, and none of the passing. */
const stepApart = (failing: readonly Case[], passing: readonly Case[]): readonly Part[] => {
  const [first] = failing
  const step = (first ? stepsBefore(first) : []).find(
    (each) =>
      failing.every((one) => stepsBefore(one).includes(each)) &&
      !passing.some((one) => stepsBefore(one).includes(each)),
  )
  return step ? [partOf('pet', 'valid', 'right after', `created right after ${step}`)] : []
}

/** Each so manieth creation is that of a failing one, and none of a passing one. */
const turnApart = (failing: readonly Case[], passing: readonly Case[]): readonly Part[] => {
  const placesOf = (all: readonly Case[]) => [...new Set(all.map(({ nth }) => nth))]
  const each = turnAmong(placesOf(failing), placesOf(passing))
  return each ? [partOf('pet', 'valid', 'turn', `created each ${ordinal(each)} time`)] : []
}

/** What fewer pets have in common they may have by chance. */
const minPets = 3

/** The one kind of name that all of these have, and none of the others. */
export const nameApart = (
  failing: readonly Creation[],
  passing: readonly Creation[],
): Part | undefined => {
  if (failing.length < minPets || passing.length < minNoChance) return undefined
  const parts = createdParts(failing, passing) ?? []
  const [own, ...more] = parts.filter(({ part }) => part === 'name')
  return more.length === 0 ? own : undefined
}

const ofPet: Part['part'] = 'pet'

const isEnough = (cases: readonly Case[]): boolean =>
  cases.length >= minNoChance && new Set(cases.map(({ id }) => id)).size >= minPets

/** All that separates them, each alone; undefined where that is not sure. */
const separating = (
  failing: readonly Case[],
  passing: readonly Case[],
): readonly Part[] | undefined => {
  const created = createdParts(failing, passing)
  if (!created) return undefined
  const own = [
    ...created.map((each) => ({ ...each, part: ofPet, words: `created ${each.words}` })),
    ...traits.flatMap(
      (row) => row.flatMap((trait) => apartBy(trait, failing, passing) ?? [])[0] ?? [],
    ),
  ]
  // What else happened may be of the same request, or fit by chance.
  return own.length > 0
    ? own
    : [...stepApart(failing, passing), ...turnApart(failing, passing)].slice(0, 1)
}

/** A part of all failing creations, with what separates them from passing ones that have it. */
const withCreated = (failing: readonly Case[], passing: readonly Case[]): readonly Part[] => {
  const [first] = failing
  const common = first ? read(first.creation).parts.filter((each) => !isOfPlain(each)) : []
  const pairs = common.flatMap((part) => {
    const alike = passing.filter(({ creation }) => has(creation, part))
    if (!failing.every(({ creation }) => has(creation, part)) || !isEnough(alike)) return []
    const [own, ...more] = separating(failing, alike) ?? []
    const words = `created ${part.words} and ${own?.words}`
    return own && more.length === 0 ? [{ ...own, words }] : []
  })
  return pairs.length === 1 ? pairs : []
}

/** The one thing that separates these, as far as there are enough of them. */
export const apartIn = (failing: readonly Case[], passing: readonly Case[]): Part | undefined => {
  if (!isEnough(failing) || !isEnough(passing)) return undefined
  const all = separating(failing, passing)
  const [part, ...more] = all?.length === 0 ? withCreated(failing, passing) : (all ?? [])
  return more.length === 0 ? part : undefined
}
