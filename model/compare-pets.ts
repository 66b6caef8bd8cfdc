// Compares pets and lists with what is known of them: the first difference, as data.
import { memoized } from '../history/exchange.ts'
import { isInt64, type Json, type JsonObject, printJson } from '../history/json.ts'
import type { Creation } from '../history/known-pets.ts'
import { count } from '../history/quote.ts'
import { text } from '../history/text.ts'
import { describeChange, firstDifference } from '../history/value-kinds.ts'
import type { Wrong } from '../history/wrong.ts'
import { wordsOfDifference } from './characters.ts'
import { describeMember } from './clause.ts'
import { read } from './read.ts'
import { isOrdinaryName } from './read-body.ts'

/** `1 pet`, `2 pets`. */
export const howMany = (number: number): string => count(number, 'pet', 'pets')

/** What is wrong with a list of `found` pets where `bound` are the most or fewest it may have. */
export const wrongCount = (found: number, bound: number): Wrong => {
  const by = Math.abs(found - bound) === 1 ? 'one' : 'several'
  return { aspect: 'count', kind: found > bound ? 'too many' : 'too few', by }
}

/** Ignores trimmed spaces, which other checks judge, and how a lone surrogate comes back. */
const isSameName = (before: Json, after: Json | undefined): boolean =>
  typeof before === 'string' &&
  typeof after === 'string' &&
  (!before.isWellFormed() || before.trim() === after)

/** Objects and arrays are what a server may have accepted. */
const isSame = (before: Json, after: Json | undefined): boolean =>
  before === after || (after !== undefined && printJson(before) === printJson(after))

/** In shorter texts what differs is seen. */
const maxPlain = 24

/** What is wrong with a member that came back; of a long text where it differs first. */
export const wrongMember = (name: string, was: Json | undefined, is: Json | undefined): Wrong => {
  const wrong = { aspect: 'member', name, kind: describeChange(was, is) } as const
  const areTexts = typeof was === 'string' && typeof is === 'string'
  if (!areTexts || Math.max(was.length, is.length) <= maxPlain) return wrong
  const difference = firstDifference(was, is)
  return difference ? { ...wrong, brief: text(wordsOfDifference(difference)) } : wrong
}

/** How a pet differs from what is known of it: `status "sold"`, and `no status`. */
interface Difference {
  readonly expected: string
  readonly actual: string
  readonly wrong: Wrong
}

/**
 * The first difference; undefined if there is none. A status that was not sent may be in one
 * response and missing in another.
 */
export const findDifference = (before: JsonObject, after: JsonObject): Difference | undefined => {
  for (const member of ['id', 'categoryId', 'name', 'status']) {
    const [was, is] = [before[member], after[member]]
    if (was === undefined || isSame(was, is) || (member === 'name' && isSameName(was, is))) continue
    return {
      expected: describeMember(before, member),
      actual: describeMember(after, member),
      wrong: wrongMember(member, was, is),
    }
  }
  return undefined
}

/** What a creation sent that must come back as it is. */
const sentToKeep = ({ name, categoryId }: JsonObject): JsonObject => ({
  ...(isOrdinaryName(name) && { name }),
  ...(isInt64(categoryId) && categoryId > 0n && { categoryId }),
})

/** The pet as it was sent; what was not sent as in its 201. */
export const asSent = (creation: Creation): JsonObject => ({
  ...asCreated(creation),
  ...sentToKeep(creation.sent),
})

/**
 * The pet as in its 201; what that lacks, as it was sent. Leaves out the status if none was sent,
 * and the name if it was not valid UTF-8: how these come back is open.
 */
export const asCreated = memoized(({ sent, pet, exchange }: Creation): JsonObject => {
  // Of another media type it is open what the body says.
  const isJson = read(exchange).parts.every(
    ({ part, is }) => part !== 'content-type' || is === 'valid',
  )
  const { status = sent.status, name, ...rest } = { ...(isJson && sentToKeep(sent)), ...pet }
  const isSent = typeof sent.status === 'string'
  const isText = exchange.request.bodyBase64 === undefined
  return {
    ...rest,
    ...(name !== undefined && isText && { name }),
    ...(status !== undefined && isSent && { status }),
  }
})
