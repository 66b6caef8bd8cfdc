// An animal as it was known against the same animal in a later answer; and what is known at all.
import type { Context } from './kit/context.ts'
import { short } from './kit/expect.ts'
import type { Creation } from './kit/herd.ts'
import type { Json, JsonObject } from './kit/json.ts'
import { printJson } from './kit/json.ts'
import { Untested } from './kit/outcome.ts'

/** 1 to 100 characters, whole, nothing but what a person might type, no space at the ends. */
export const isOrdinaryName = (name: Json | undefined): name is string =>
  typeof name === 'string' &&
  name.length >= 1 &&
  name.length <= 100 &&
  name.isWellFormed() &&
  name.trim() === name &&
  !/\p{Cc}/u.test(name)

/** Empty, blank, very long, with control characters or half of a surrogate pair. */
export const isExtremeName = (name: Json | undefined): name is string =>
  typeof name === 'string' &&
  (name.trim() === '' || name.length > 100 || /\p{Cc}/u.test(name) || !name.isWellFormed())

const show = (value: Json | undefined): string =>
  value === undefined ? 'none' : short(printJson(value))

/** Where cut ends of a name, and the spelling of a lone surrogate, are left to the server. */
const isSameName = (before: Json | undefined, after: Json | undefined): boolean => {
  if (typeof before !== 'string' || typeof after !== 'string') return before === after
  if (!before.isWellFormed()) return true
  return before === after || before.trim() === after
}

/**
 * What differs, in a few words, if anything does. A status that was not sent on creation may
 * show in one answer and lack in another.
 */
export const differenceOf = (before: JsonObject, after: JsonObject): string | undefined => {
  for (const member of ['id', 'categoryId'] as const) {
    if (before[member] === undefined || before[member] === after[member]) continue
    return `${member} ${show(after[member])} in place of ${show(before[member])}`
  }
  if (before.name !== undefined && !isSameName(before.name, after.name)) {
    return `name ${show(after.name)} in place of ${show(before.name)}`
  }
  if (before.status === undefined || before.status === after.status) return undefined
  return `status ${show(after.status)} in place of ${show(before.status)}`
}

/** The animal as its 201 showed it; without a status where none was sent. */
export const asCreated = ({ sent, pet }: Creation): JsonObject => {
  const { status, ...rest } = pet
  const isSent = typeof sent.status === 'string'
  return isSent && status !== undefined ? { ...rest, status } : rest
}

/** What is known of an animal: as this run created it, or as it first saw it. */
export const knownOf = ({ herd }: Context, id: bigint): JsonObject | undefined => {
  const creation = herd.creationOf(id)
  return creation ? asCreated(creation) : herd.seen.get(id)
}

/** How many animals are known to match; a check that needs some cannot be held without. */
export const knownMatching = ({ herd }: Context, status: string | undefined): number => {
  const known = herd.count(status)
  if (known > 0) return known
  const which = status === undefined ? '' : ` with the status ${status}`
  throw new Untested('blocked', `no animal${which} is known; allow write, or add some`)
}

/** An id of an animal that exists. */
export const someId = ({ herd }: Context): bigint => {
  const id = herd.someId()
  if (id === undefined) throw new Untested('blocked', 'no animal is known; allow write, or add one')
  return id
}
