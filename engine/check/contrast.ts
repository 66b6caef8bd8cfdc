// Of the responses with one status: which of them violate a clause, where others with it do not, in
// words about their requests.

import { bodyObject, isUnread } from '../../history/body.ts'
import { type Exchange, headerValues } from '../../history/exchange.ts'
import type { Violation, Wrong } from '../../history/outcome.ts'
import { listedOnce, unique } from '../../history/quote.ts'
import { isShape, noJson } from '../../history/value-kinds.ts'
import { read } from '../../model/read.ts'
import type { Part } from '../../model/read-body.ts'
import { minSeparated } from './conditions.ts'

const maxAlternatives = 4

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

/** What is wrong says more than what is open. */
const ranks: readonly Part['is'][] = ['invalid', 'lenient', 'open', 'valid']

interface Candidate {
  readonly words: string
  readonly rank: number
  readonly shownBy: ReadonlySet<Exchange>
}

/** What some of the failing requests have, and none of the others. */
const candidatesIn = (
  failing: readonly Exchange[],
  others: readonly Exchange[],
): readonly Candidate[] => {
  const areMany = Math.min(failing.length, others.length) >= minSeparated
  const candidatesBy = (keyOf: (part: Part) => string): Candidate[] => {
    const held = new Set(others.flatMap((one) => read(one).parts.map(keyOf)))
    const peculiar = failing
      .flatMap((one) => read(one).parts.map((part) => ({ one, part })))
      .filter(({ part }) => !held.has(keyOf(part)) && (part.is !== 'valid' || areMany))
    return [...Map.groupBy(peculiar, ({ part }) => keyOf(part)).values()].map((all) => ({
      words: wordsOf(all.map(({ part }) => part)),
      rank: Math.min(...all.map(({ part }) => ranks.indexOf(part.is))),
      shownBy: new Set(all.map(({ one }) => one)),
    }))
  }
  const ofKinds = candidatesBy(({ part, kind }) => `${part} ${kind}`)
  return [...ofKinds, ...candidatesBy(({ part, words }) => `${part} ${words}`)]
    .filter(({ words }) => words !== '')
    .toSorted((a, b) => b.shownBy.size - a.shownBy.size || a.rank - b.rank)
}

/** Few that together explain all; none if they do not. */
const covering = (failing: readonly Exchange[], all: readonly Candidate[]): string => {
  const left = new Set(failing)
  const found = all.filter(({ shownBy }) => {
    const isNew = !left.isDisjointFrom(shownBy)
    for (const one of shownBy) left.delete(one)
    return isNew
  })
  const isExplained = left.size === 0 && found.length <= maxAlternatives
  return isExplained ? listedOnce(unique(found.map(({ words }) => words)), maxAlternatives) : ''
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
  const words = covering(shared, candidatesIn(shared, others))
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
