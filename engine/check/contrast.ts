// What tells plain valid requests that were refused from those that were served, found by comparing
// their values: a length, a range, a word.

import { type Exchange, isSuccess, statusCode } from './exchange.ts'
import { isObject, type Json, parseJson, printJson } from './json.ts'
import { findEssentials, operationIn } from './peculiarities.ts'
import { count, quote } from './quote.ts'
import type { Finding } from './run-file.ts'

/** What tells requests apart: a value of them, in which way, and in words. */
type Contrast = NonNullable<Finding['contrast']>

/** The values of a request that may matter, by name. */
type Values = ReadonlyMap<string, string | bigint>

const whole = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined

const parsed = (text: string): Json | undefined => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const textOf = ({ apiRequest: { body } }: Exchange): string =>
  body === null ? '' : Buffer.from(body as string).toString()

/** A number with a fraction, or a repeated member, is another request than its values say. */
const isPlain = (exchange: Exchange): boolean => {
  const text = textOf(exchange)
  const value = parsed(text)
  return text === '' || (value !== undefined && printJson(value) === text)
}

const valuesOf = (exchange: Exchange): Values => {
  const value = parsed(textOf(exchange))
  const { path } = exchange.apiRequest
  const { name, categoryId } = isObject(value) ? value : ({} as { [member: string]: Json })
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
  one = '',
  many = '',
): Range | undefined => {
  const least = (all: readonly bigint[]) => all.reduce((a, b) => (b < a ? b : a))
  const most = (all: readonly bigint[]) => all.reduce((a, b) => (b > a ? b : a))
  const print = (bound: bigint) => (one === '' ? String(bound) : count(Number(bound), one, many))
  if (least(refused) > most(served)) return ['at least', `at least ${print(least(refused))}`]
  return most(refused) < least(served) ? ['at most', `at most ${print(most(refused))}`] : undefined
}

const lengthsOf = (names: readonly string[]): bigint[] =>
  names.map((name) => BigInt([...name].length))

const bytesOf = (names: readonly string[]): bigint[] =>
  names.map((name) => BigInt(Buffer.byteLength(name)))

/** Its words in small letters, and each of its other characters. */
const tokensOf = (name: string): ReadonlySet<string> =>
  new Set(name.toLowerCase().match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu) ?? [])

const maxTokens = 3
const maxShown = 40

const tokensIn = (refused: readonly string[], served: readonly string[]): Contrast | undefined => {
  const [first = new Set<string>(), ...others] = refused.map(tokensOf)
  const known = new Set(served.flatMap((name) => [...tokensOf(name)]))
  const own = [...first].filter((each) => others.every((one) => one.has(each)) && !known.has(each))
  if (own.length === 0 || own.length > maxTokens) return undefined
  const shown = own.map((each) => quote(JSON.stringify(each), maxShown)).join(' and ')
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

const nameContrast = (refused: readonly string[], served: readonly string[]) => {
  const lengths = rangeOf(lengthsOf(refused), lengthsOf(served), 'character', 'characters')
  const range = lengths ?? rangeOf(bytesOf(refused), bytesOf(served), 'byte', 'bytes')
  if (!range) return tokensIn(refused, served)
  const kind = `${lengths ? 'length' : 'bytes'} ${range[0]}`
  return { about: 'name', kind, words: `with a name of ${range[1]}` }
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

/**
 * @param exchange a plain valid request that got a wrong status, or no response
 * @returns as `with a name of at most 2 characters`, where this alone tells all requests that got
 *   the same from all of the operation that were served
 */
export const findContrast = (
  exchange: Exchange,
  trace: readonly Exchange[],
): Contrast | undefined => {
  // A refused key, or a spent quota, has nothing to do with what was requested.
  if (isSuccess(exchange) || [401, 429].includes(statusCode(exchange))) return undefined
  const operation = operationIn(exchange)
  const own = trace.filter((one) => one.key !== null && operationIn(one) === operation)
  const served = own.filter(isSuccess).map(valuesOf)
  const refused = own
    .filter((one) => statusCode(one) === statusCode(exchange))
    .filter((one) => isPlain(one) && findEssentials(one, trace).length === 0)
    .map(valuesOf)
  if (served.length < minServed || refused.length === 0) return undefined
  const found = [...(refused[0]?.keys() ?? [])].flatMap((key) => {
    const [bad, good] = [refused, served].map((all) => all.flatMap((one) => one.get(key) ?? []))
    const isEach = bad?.length === refused.length && (good?.length ?? 0) >= minServed
    return (isEach && contrastOf(key, bad ?? [], good ?? [])) || []
  })
  return found.length === 1 ? found[0] : undefined
}
