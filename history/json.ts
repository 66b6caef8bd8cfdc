// Lossless JSON: every integer is a bigint, so that an int64 survives digit for digit.

export type Json = null | boolean | string | number | bigint | Json[] | JsonObject
export interface JsonObject {
  [member: string]: Json
}

/**
 * Numbers with more digits or a larger exponent stay doubles: no integer of the interface is that
 * long, and conversion takes quadratic time.
 */
const maxExponent = 400

/** The exact integer that a JSON number literal denotes (`12`, `1.0`, `1e2`), if it is one. */
const integerOf = (literal: string): bigint | undefined => {
  // Sign, point, exponent and its sign take the rest.
  if (literal.length > 2 * maxExponent) return undefined
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  if (whole.length + fraction.length > maxExponent) return undefined
  const shift = Number(exponent) - fraction.length
  if (Math.abs(shift) > maxExponent) return undefined
  const digits = BigInt(whole + fraction)
  const scale = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && digits % scale !== 0n) return undefined
  const size = shift < 0 ? digits / scale : digits * scale
  return sign === '-' ? -size : size
}

/** TypeScript's library lacks the text of a literal, which V8 passes to revivers. */
const revive = (_member: string, value: Json, context?: { readonly source?: string }): Json =>
  typeof value === 'number' && context?.source !== undefined
    ? (integerOf(context.source) ?? value)
    : value

/** How deep arrays and objects are read: far deeper than any message of a store. */
const maxDepth = 500

/** A value takes a hundred times the memory of its text; 100 pets have some hundreds. */
const maxValues = 50_000

/** JSON that is not read; the message follows `a body`. */
export class TooLarge extends Error {}

/** A number with more digits than a double holds, a fraction or an exponent; or text like it. */
const oddNumber = /(?:^|[[,:\s])-?(?:\d{16}|\d{1,15}[.eE])/

const replaceParts = (value: Json[] | JsonObject, replace: (part: Json) => Json): void => {
  if (Array.isArray(value)) {
    // By index: entries() would allocate a pair for each value.
    for (let at = 0; at < value.length; at += 1) value[at] = replace(value[at] as Json)
  } else {
    for (const member of Object.keys(value)) value[member] = replace(value[member] as Json)
  }
}

const isNested = (value: unknown): value is Json[] | JsonObject =>
  typeof value === 'object' && value !== null

/** How deep a text that is JSON is nested: by its brackets, since it may be very deep. */
const depthOf = (text: string): number => {
  let [depth, most] = [0, 0]
  for (const bracket of text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|[^[\]{}"]+/g, '')) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    most = Math.max(most, depth)
  }
  return most
}

/**
 * Parses strict JSON (RFC 8259); V8 does so without recursion, whatever the depth.
 * @throws SyntaxError if the text is not JSON; TooLarge where it is nested too deep, or too long
 */
export const parseJson = (text: string): Json => {
  let left = maxValues
  const makeExact = (value: Json, depth: number): Json => {
    left -= 1
    if (left < 0) throw new TooLarge(`of more than ${maxValues} values`)
    if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
    if (!isNested(value)) return value
    if (depth === maxDepth) throw new TooLarge(`nested ${depthOf(text)} deep`)
    replaceParts(value, (part) => makeExact(part, depth + 1))
    return value
  }
  const exact = makeExact(JSON.parse(text) as Json, 0)
  // A reviver is called for every value, and takes thirty times as long as the parser.
  return oddNumber.test(text) ? (JSON.parse(text, revive) as Json) : exact
}

const quotation = /,? ?(?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s

/** Why a text is not JSON, without the piece of it that the parser quotes: it may cut a key. */
export const jsonFault = ({ message }: SyntaxError): string =>
  message.replace(quotation, '') || 'not valid JSON'

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }

/** Prints a value; integers of any size keep their digits. */
export const printJson = (value: Json): string =>
  JSON.stringify(value, (_member, part: Json) => {
    if (typeof part === 'bigint') return rawJSON(part.toString())
    // A number beyond every double, for which JSON.stringify would print null.
    if (part === Infinity || part === -Infinity) return rawJSON(`${part < 0 ? '-' : ''}1e999`)
    return part
  })

/** A text, white space, or a number with a fraction. */
const tokens = /"(?:[^"\\]|\\.)*"|\s+|-?\d+\.\d*[1-9]\d*(?![\d.eE])/g

/**
 * A text of JSON without white space and needless escapes; its members and integers as written. A
 * fraction is what a double has of it.
 */
export const compactJson = (text: string): string =>
  text.replace(tokens, (part) => {
    if (part.startsWith('"')) return JSON.stringify(JSON.parse(part))
    return part.trim() === '' ? '' : `${Number(part)}`
  })

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object that a text of JSON is, if it is one. */
export const parseObject = (text: string): JsonObject | undefined => {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const minInt64 = -(2n ** 63n)
export const maxInt64 = 2n ** 63n - 1n

export const isInt64 = (value: Json | undefined): value is bigint =>
  typeof value === 'bigint' && value >= minInt64 && value <= maxInt64
