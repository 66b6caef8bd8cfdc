// Of what a request is too large, or its name has too many: it fails, and the next smaller passes.
import { type Exchange, isSuccess, statusCode } from '../../history/exchange.ts'
import { anyOwnName, type Count, countOf, namedIn, wordsOfCount } from '../characters.ts'
import { type Decisive, has, isFault, isOfPlain, passes, sizeOf } from '../conditions.ts'
import { read } from '../read.ts'
import { type Part, partNamed, partOf } from '../read-body.ts'
import {
  edgesIn,
  isOfText,
  partOfSize,
  type Sized,
  sizedText,
  sizesOf,
  wordsOfSize,
} from '../sizes.ts'
import { type Isolated, isolation } from './isolated.ts'
import type { Seen } from './seen.ts'

/** Whether the texts are alike but for more white space, or more of one character. */
const isTextKept = (of: Sized, one: Exchange, other: Exchange): boolean => {
  const [own = '', its = ''] = [one, other].map(({ apiRequest }) => sizedText(of, apiRequest))
  const bare = (text: string) => text.replace(anyOwnName, '').trim()
  return of === 'body' ? bare(own) === bare(its) : own === its + its.slice(-1)
}

/** The size up to which it passes: of ids, which are not chosen, the only usual one between. */
const boundIn = (of: Sized, one: Exchange, other: Exchange): bigint | undefined => {
  const [size, next] = [sizeOf(of, one), sizeOf(of, other)]
  if (of !== 'petId') {
    // What has one byte more has one more character of one byte, and may have many longer ones.
    const sizes = of === 'bytes' ? [of, 'name' as const] : [of]
    if (isOfText(of) && !isTextKept(of, one, other)) return undefined
    return sizes.every((each) => sizeOf(each, one) === sizeOf(each, other) + 1n) ? next : undefined
  }
  const [edge, ...others] = edgesIn(of, next, size)
  return others.length === 0 ? edge : undefined
}

/** The size of a member decides where the next smaller one passes. */
const ofSize = (of: Sized, one: Exchange, smaller: readonly Exchange[]): Isolated | undefined => {
  const isOwn = (each: Part) => each.part === partOfSize(of)
  // What another refusal is due for belongs to it.
  const isPlainBut = (other: Exchange) => (each: Part) =>
    isOfPlain(each) ||
    (isOwn(each) && (isOfText(of) || has(other, each))) ||
    (isOfText(of) && (isFault(each) || each.part === 'connection') && has(other, each))
  const next = smaller.find(
    (other) => boundIn(of, one, other) !== undefined && read(one).parts.every(isPlainBut(other)),
  )
  const above = next && boundIn(of, one, next)
  if (!next || above === undefined) return undefined
  const part = partOf(partNamed(partOfSize(of)), 'valid', 'size', wordsOfSize(of, above))
  return isolation([{ ...part, size: { of, above } }], one, [next])
}

/** What the size of a member says; undefined: nothing of what decides. */
export const bySize = (one: Exchange, seen: Seen): { readonly isolated?: Isolated } | undefined => {
  for (const of of isSuccess(one) ? [] : sizesOf(one.apiRequest)) {
    const smaller = seen.smaller(of, one)
    const isolated = ofSize(of, one, smaller)
    if (isolated) return { isolated }
    // A name that is longer than all that passed may be the reason as well.
    if (smaller.length > 0 && (of === 'name' || of === 'bytes')) return {}
  }
  return undefined
}

/** How many of a character decide, by the names that have no other one; undefined: not that. */
const countIn = (of: string, one: Exchange, { values }: Seen): Count | undefined => {
  const least = countOf(of, one.apiRequest)
  const isEach = (count: number) => (count - least) % 2 === 0
  const passing = values.countsOf(of, passes).filter((count) => count > least)
  if (passing.length === 0) return { of, least, isOfEach: false }
  const failing = values.countsOf(of, (other) => statusCode(other) === statusCode(one))
  return failing.every(isEach) && !passing.some(isEach) ? { of, least, isOfEach: true } : undefined
}

/** The odd characters of a name decide, where it passes with one of each less. */
export const byCharacters = (one: Exchange, seen: Seen): Isolated | undefined => {
  const { characters, isOwn } = namedIn(one.apiRequest)
  if (!isOwn || !read(one).parts.every((each) => isOfPlain(each) || each.part === 'name')) return
  const kinds = [...new Set(characters)]
  const found = kinds.flatMap((of): readonly (readonly [Decisive, Exchange])[] => {
    const left = characters.toSpliced(characters.indexOf(of), 1)
    const other = seen.values.namedWith(left)
    const count = countIn(of, one, seen)
    if (!other || !count) return []
    return [[{ ...partOf('name', 'valid', 'characters', wordsOfCount(count)), count }, other]]
  })
  if (found.length === 0 || found.length < kinds.length) return undefined
  return isolation(
    found.map(([part]) => part),
    one,
    found.map(([, other]) => other),
  )
}
