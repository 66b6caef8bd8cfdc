// Of the responses with one status: which of them violate a clause, where others with it do not, in
// words about their requests.

import { bodyObject, isUnread } from '../../history/body.ts'
import { type Exchange, headerValues } from '../../history/exchange.ts'
import type { Violation, Wrong } from '../../history/outcome.ts'
import { unique } from '../../history/quote.ts'
import { isShape, noJson } from '../../history/value-kinds.ts'
import { read } from '../../model/read.ts'
import type { Part } from '../../model/read-body.ts'

/** What is valid may differ by chance where there are fewer on either side. */
const minSeparated = 5

/** Of several values of one kind. */
const wordsOfKind = ({ part, kind }: Part): string | undefined => {
  if (part === 'petId') return `with an id ${kind === 'no integer' ? 'that is no integer' : kind}`
  if (part === 'body' && kind === 'no JSON') return 'with a body that is not JSON'
  if (part === 'body' && kind === 'text after') return 'with text after its JSON'
  if (part === 'key') return 'with an invalid key'
  if (kind.startsWith('invalid ')) return `with an ${kind}`
  return isShape(kind) ? `with a ${part} that is ${kind}` : undefined
}

/** Of several values what they are; empty where that has no words. */
const wordsOf = (parts: readonly Part[]): string => {
  const [words = '', ...others] = unique(parts.map((part) => part.words))
  const [first] = parts
  return others.length === 0 ? words : ((first && wordsOfKind(first)) ?? '')
}

const keysOf: readonly ((part: Part) => string)[] = [
  ({ part, kind }) => `${part} ${kind}`,
  ({ part, words }) => `${part} ${words}`,
]

/** What all of the failing requests have, and none of the others, in words. */
const sharedBy = (failing: readonly Exchange[], others: readonly Exchange[]): string => {
  const areMany = Math.min(failing.length, others.length) >= minSeparated
  const parts = failing[0] ? read(failing[0]).parts : []
  const found = keysOf.flatMap((keyOf) =>
    parts.map((part) => {
      const alike = (one: Exchange) => read(one).parts.filter((own) => keyOf(own) === keyOf(part))
      const isApart =
        failing.every((one) => alike(one).length > 0) &&
        !others.some((one) => alike(one).length > 0)
      return isApart && (areMany || part.is !== 'valid') ? wordsOf(failing.flatMap(alike)) : ''
    }),
  )
  return found.find((words) => words !== '') ?? ''
}

export const otherMethods = 'methods that the interface does not have'
const otherAddresses = 'addresses that the interface does not name'

/** What the interface has. */
export const ownOperations: readonly string[] = ['GET /pets', 'POST /pets', 'GET /pets/{petId}']

/** Of a request in words its operation; what the interface does not have is one place. */
export const placeIn = (name: string): string => {
  if (ownOperations.includes(name)) return name
  return /^\S+ \/pets(?:\/[^/?]+)?(?:\?.*)?$/.test(name) ? otherMethods : otherAddresses
}

const placeOf = (one: Exchange): string => placeIn(read(one).name)

/**
 * @param others those with the same status that do not violate the clause
 * @returns `of GET /pets/{petId} with an id that is no integer`; empty where
 *   nothing that was sent separates them
 */
const findContrast = (failing: readonly Exchange[], others: readonly Exchange[]): string => {
  const held = new Set(others.map(placeOf))
  const places = Map.groupBy(failing, placeOf)
  const shared = failing.filter((one) => held.has(placeOf(one)))
  const words = sharedBy(shared, others)
  if (words === '' && shared.length > 0) return ''
  // Where a place shows it always, nothing of its requests matters.
  const apart = [...places.keys()].filter((each) => !held.has(each))
  const own = [...places.keys()].filter((each) => held.has(each))
  const some = own.length > 0 ? [`${own.join(' or ')} ${words}`] : []
  return `of ${[...apart, ...some].join(' or of ')}`
}

/** Whether a response has what another one lacks, whatever judged it. */
const hasPart = (exchange: Exchange, { aspect, name = '', kind }: Wrong): boolean => {
  const all = name.split(', ')
  if (kind === 'missing' && aspect === 'header') {
    return all.some((each) => headerValues(exchange, each).length > 0)
  }
  if (isUnread(exchange)) return false
  const body = bodyObject(exchange)
  return body !== undefined && (kind === noJson || all.some((each) => each in body))
}

/**
 * Of a wrong part of a response: which of those with its status have it, and of how many.
 * @param failing all that the check found wrong
 */
export const amongAlike = (
  { wrong, evidence }: Violation,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  trace: readonly Exchange[],
) => {
  const isOfPart = wrong.aspect === 'header' || (wrong.aspect === 'body' && !wrong.ofPet)
  const isLacked = wrong.kind === 'missing' || wrong.kind === noJson
  if (!isOfPart || !isLacked) return {}
  const status = evidence.at(-1)?.response?.status
  const same = trace.filter(({ response }) => response?.status === status)
  const others = same.filter((one) => !failing.has(one) && hasPart(one, wrong))
  // Those that another clause judges may lack it too: which share these are is then not known.
  const isKnown = exchanges.length + others.length === same.length
  const alike = isKnown ? { alike: same.length } : {}
  if (others.length === 0) return { ...alike, isOfAll: true } as const
  const where = findContrast(exchanges, others)
  return where === '' ? alike : { ...alike, where }
}
