// What tells plain valid requests that were refused from those that were served, found by comparing
// their values: a length, a range, a word.

import { isUnread } from './body.ts'
import {
  type AnsweredExchange,
  type Exchange,
  isAnswered,
  isSuccess,
  statusCode,
} from './exchange.ts'
import { type JsonObject, printJson } from './json.ts'
import { petsIn, sentObject } from './known-pets.ts'
import type { Wrong } from './outcome.ts'
import { findEssentials, findPeculiarities, operationIn } from './peculiarities.ts'
import { count, quote } from './quote.ts'
import type { Finding } from './run-file.ts'

/** What tells requests apart: a value of them, in which way, and in words. */
type Contrast = NonNullable<Finding['contrast']>

/** The values of a request that may matter, by name. */
type Values = ReadonlyMap<string, string | bigint>

const whole = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined

/** A number with a fraction, or a repeated member, is another request than its values say. */
const isPlain = (exchange: Exchange): boolean => {
  const sent = sentObject(exchange)
  const { body } = exchange.request
  return body === null || (sent !== undefined && printJson(sent) === body)
}

const valuesOf = (exchange: Exchange): Values => {
  const { path } = exchange.apiRequest
  const { name, categoryId }: JsonObject = sentObject(exchange) ?? {}
  const id = whole(/^\/pets\/([^/?#]+)$/.exec(path)?.[1])
  const limit = whole(/[?&]limit=([^&]*)/.exec(path)?.[1])
  const all = { name, categoryId, id, limit }
  return new Map(
    Object.entries(all).flatMap(([key, each]) =>
      typeof each === 'string' || typeof each === 'bigint' ? [[key, each] as const] : [],
    ),
  )
}

/** Fewer say nothing: any value is the largest or the least of a few. */
const minServed = 8

type Range = readonly [bound: 'at least' | 'at most', text: string]

/** `at least 51` where all of the first are beyond all of the others. */
const rangeOf = (
  refused: readonly bigint[],
  served: readonly bigint[],
  unit = '',
): Range | undefined => {
  const least = (all: readonly bigint[]) => all.reduce((a, b) => (b < a ? b : a))
  const most = (all: readonly bigint[]) => all.reduce((a, b) => (b > a ? b : a))
  const print = (bound: bigint) =>
    unit === '' ? String(bound) : count(Number(bound), unit, `${unit}s`)
  if (least(refused) > most(served)) return ['at least', `at least ${print(least(refused))}`]
  return most(refused) < least(served) ? ['at most', `at most ${print(most(refused))}`] : undefined
}

/** The lengths of a name by which stores and languages limit it. */
const measures: readonly (readonly [unit: string, measure: (name: string) => number])[] = [
  ['character', (name) => [...name].length],
  ['UTF-16 code unit', (name) => name.length],
  ['byte', (name) => Buffer.byteLength(name)],
]

/** Its words in small letters, and each of its other characters. */
const tokensOf = (name: string): ReadonlySet<string> =>
  new Set(name.toLowerCase().match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu) ?? [])

const maxTokens = 3
const maxShown = 40

/** A character that cannot be seen by its code point. */
const shownToken = (token: string): string =>
  /^[\p{C}\p{M}]/u.test(token)
    ? `U+${token.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
    : quote(JSON.stringify(token), maxShown)

const tokensIn = (refused: readonly string[], served: readonly string[]): Contrast | undefined => {
  const [first = new Set<string>(), ...others] = refused.map(tokensOf)
  const known = new Set(served.flatMap((name) => [...tokensOf(name)]))
  const own = [...first].filter((each) => others.every((one) => one.has(each)) && !known.has(each))
  if (own.length === 0 || own.length > maxTokens) return undefined
  const shown = own.map(shownToken).join(' and ')
  return { about: 'name', kind: 'text', words: `with ${shown} in the name` }
}

/** Of one value that was refused each time: that value. */
const onlyValue = (
  about: string,
  refused: readonly (string | bigint)[],
  served: readonly unknown[],
): Contrast | undefined => {
  const [value = ''] = refused
  if (refused.length < 2 || about === 'id' || served.includes(value)) return undefined
  return { about, kind: 'value', words: `with ${about} ${quote(printJson(value), maxShown)}` }
}

const nameContrast = (
  refused: readonly string[],
  served: readonly string[],
): Contrast | undefined => {
  for (const [unit, measure] of measures) {
    const [bad = [], good = []] = [refused, served].map((all) =>
      all.map((name) => BigInt(measure(name))),
    )
    const range = rangeOf(bad, good, unit)
    if (range)
      return { about: 'name', kind: `${unit}s ${range[0]}`, words: `with a name of ${range[1]}` }
  }
  return tokensIn(refused, served)
}

const contrastOf = (
  about: string,
  refused: readonly (string | bigint)[],
  served: readonly (string | bigint)[],
): Contrast | undefined => {
  if (new Set(refused).size === 1) return onlyValue(about, refused, served)
  const texts = (all: readonly unknown[]) => all.filter((each) => typeof each === 'string')
  const numbers = (all: readonly unknown[]) => all.filter((each) => typeof each === 'bigint')
  if (about === 'name') return nameContrast(texts(refused), texts(served))
  const range = rangeOf(numbers(refused), numbers(served))
  const article = about === 'id' ? 'an' : 'a'
  return range && { about, kind: range[0], words: `with ${article} ${about} of ${range[1]}` }
}

/** What is peculiar about all of the first, and of none of the others. */
const peculiarityOf = (
  about: string,
  wrong: readonly Exchange[],
  right: readonly Exchange[],
): Contrast | undefined => {
  const kindsOf = (one: Exchange) =>
    findPeculiarities(one).flatMap((each) => (each.about === about ? each.kind : []))
  const [first = [], ...others] = wrong.map(kindsOf)
  const known = new Set(right.flatMap(kindsOf))
  const kind = first.find((each) => others.every((one) => one.includes(each)) && !known.has(each))
  if (kind === undefined) return undefined
  return { about, kind, words: `with ${about === 'name' ? kind : `a ${about} ${kind}`}` }
}

/** The two parts of a request that all of the first have, and none of the others together. */
const pairOf = (
  refused: readonly Exchange[],
  served: readonly Exchange[],
): Contrast | undefined => {
  const partsOf = (one: Exchange) => new Set(findPeculiarities(one).map(({ about }) => about))
  const [first = new Set<string>(), ...others] = refused.map(partsOf)
  const common = [...first].filter((each) => others.every((one) => one.has(each)))
  const known = served.map(partsOf)
  const pairs = common.flatMap((one, at) =>
    common.slice(at + 1).map((other) => [one, other] as const),
  )
  const own = pairs.filter((pair) => !known.some((one) => pair.every((each) => one.has(each))))
  const [[about, other] = []] = own
  if (about === undefined || own.length > 1 || refused.length < 2) return undefined
  return { about, kind: `and ${other}`, words: `with ${about} and ${other}` }
}

/** Whether a creation returned a member as it was sent. */
const isEchoed = (one: AnsweredExchange, about: string): boolean =>
  petsIn(one)[0]?.[about] === valuesOf(one).get(about)

/**
 * @param about a member that a creation changed
 * @returns what tells all creations that changed it from those that did not
 */
const contrastOfMember = (about: string, creations: readonly Exchange[]): Contrast | undefined => {
  const sent = creations
    .filter(isAnswered)
    .filter((one) => isSuccess(one) && isPlain(one) && !isUnread(one) && valuesOf(one).has(about))
  const [right = [], wrong = []] = [true, false].map((is) =>
    sent.filter((one) => isEchoed(one, about) === is),
  )
  if (right.length < minServed || wrong.length === 0) return undefined
  const [bad, good] = [wrong, right].map((all) =>
    all.flatMap((one) => valuesOf(one).get(about) ?? []),
  )
  return peculiarityOf(about, wrong, right) ?? contrastOf(about, bad ?? [], good ?? [])
}

/** A refused key, or a spent quota, has nothing to do with what was requested. */
const refusalsOfKeys = [401, 429]

const contrastOfStatus = (
  exchange: Exchange,
  own: readonly Exchange[],
  trace: readonly Exchange[],
): Contrast | undefined => {
  if (isSuccess(exchange) || refusalsOfKeys.includes(statusCode(exchange))) return undefined
  const served = own.filter(isSuccess)
  const refused = own
    .filter((one) => statusCode(one) === statusCode(exchange))
    .filter((one) => isPlain(one) && findEssentials(one, trace).length === 0)
  const [first] = refused
  if (served.length < minServed || !first) return undefined
  const found = [...valuesOf(first).keys()].flatMap((key) => {
    const [bad = [], good = []] = [refused, served].map((all) =>
      all.flatMap((one) => valuesOf(one).get(key) ?? []),
    )
    const isEach = bad.length === refused.length && good.length >= minServed
    return (isEach && contrastOf(key, bad, good)) || []
  })
  return found.length === 0 ? pairOf(refused, served) : found.length === 1 ? found[0] : undefined
}

/**
 * @param exchange a plain valid request that got a wrong status or no response, or a creation that
 *   changed a member
 * @returns as `with a name of at most 2 characters`, where this alone tells all requests that got
 *   the same from all of the operation that were served
 */
export const findContrast = (
  exchange: Exchange,
  { aspect, name = '' }: Wrong,
  trace: readonly Exchange[],
): Contrast | undefined => {
  const operation = operationIn(exchange)
  const own = trace.filter((one) => one.key !== null && operationIn(one) === operation)
  if (aspect === 'status' || aspect === 'silence') return contrastOfStatus(exchange, own, trace)
  const isOfCreation = aspect === 'member' && operation === 'POST /pets'
  const isSent = name === 'name' || name === 'categoryId'
  return isOfCreation && isSent ? contrastOfMember(name, own) : undefined
}
