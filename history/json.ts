// Lossless JSON: every integer is a bigint, so that an int64 survives digit for digit.

interface JsonMeasure {
  readonly depth: number
  /** How many values there may be: members, elements, and what holds them. */
  readonly values: number
  /** How many digits of the text are in rows that a double cannot hold. */
  readonly longDigits: number
  /** Whether a number has more digits than a double holds, a fraction or an exponent. */
  readonly hasOddNumber: boolean
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d
/** Right after a digit these begin a fraction or an exponent. */
const isOdd = (code: number): boolean => code === 0x2e || code === 0x65 || code === 0x45

/** A double holds every integer of so many digits. */
const maxDigits = 15

/** Where the string that begins here ends; one that is never closed ends with the text. */
const endOfString = (text: string, from: number): number => {
  let at = from + 1
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) break
    if (code === backslash) at += 1
  }
  return at
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** What a text of JSON costs to parse, found in one pass before it is parsed. */
export const measureJson = (text: string): JsonMeasure => {
  let values = 1
  let deepest = 0
  let depth = 0
  let digits = 0
  let longDigits = 0
  let hasOddNumber = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    hasOddNumber ||= digits > maxDigits || (digits > 0 && isOdd(code))
    digits = isDigit(code) ? digits + 1 : 0
    if (digits > maxDigits) longDigits += 1
    if (code === quote) at = endOfString(text, at)
    else if (isOpening(code)) {
      depth += 1
      values += 1
      deepest = Math.max(deepest, depth)
    } else if (isClosing(code)) depth -= 1
    else if (code === comma) values += 1
  }
  hasOddNumber ||= digits > maxDigits
  return { depth: deepest, values, longDigits, hasOddNumber }
}

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

/** Replaces each number by the integer; all of them are integers. */
const makeExact = (value: Json): Json => {
  if (typeof value === 'number') return BigInt(value)
  if (Array.isArray(value)) {
    // By index: entries() would allocate a pair for each of a million values.
    for (let at = 0; at < value.length; at += 1) value[at] = makeExact(value[at] as Json)
  } else if (isObject(value)) {
    for (const member of Object.keys(value)) value[member] = makeExact(value[member] as Json)
  }
  return value
}

/** Parses strict JSON (RFC 8259). @throws SyntaxError if the text is not JSON */
export const parseJson = (text: string, measure: JsonMeasure = measureJson(text)): Json => {
  // A reviver is called for every value, and takes thirty times as long as the parser.
  if (measure.hasOddNumber) return JSON.parse(text, revive) as Json
  return makeExact(JSON.parse(text) as Json)
}

const quotation = /,? ?(?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s

/** Why a text is not JSON, without the piece of it that the parser quotes: it may cut a key. */
export const jsonFault = ({ message }: SyntaxError): string =>
  message.replace(quotation, '') || 'not valid JSON'

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }

/** Prints a value; integers of any size keep their digits. */
export const printJson = (value: Json): string =>
  JSON.stringify(value, (_member, part: Json) =>
    typeof part === 'bigint' ? rawJSON(part.toString()) : part,
  )

/** A text of JSON without white space and needless escapes; its members and numbers as written. */
export const compactJson = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) =>
    part.startsWith('"') ? JSON.stringify(JSON.parse(part)) : '',
  )

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
