// Lossless JSON: every integer is a bigint, so that an int64 survives digit for digit.

export type Json = null | boolean | string | number | bigint | Json[] | JsonObject
export interface JsonObject {
  [member: string]: Json
}

/** Exponents beyond this are left as doubles: no integer of the interface is that long. */
const exponentMost = 400

/** The exact integer that a JSON number literal denotes (`12`, `1.0`, `1e2`), if it is one. */
const integerOf = (literal: string): bigint | undefined => {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const shift = Number(exponent) - fraction.length
  if (Math.abs(shift) > exponentMost) return undefined
  const digits = BigInt(whole + fraction)
  const scale = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && digits % scale !== 0n) return undefined
  const size = shift < 0 ? digits / scale : digits * scale
  return sign === '-' ? -size : size
}

/** The text of a literal, which the language hands to revivers and its type library omits. */
interface LiteralContext {
  readonly source?: string
}

const revive = (_member: string, value: Json, context?: LiteralContext): Json =>
  typeof value === 'number' && context?.source !== undefined
    ? (integerOf(context.source) ?? value)
    : value

/**
 * Parses strict JSON (RFC 8259).
 * @throws SyntaxError where the text is none.
 */
export const parseJson = (text: string): Json => JSON.parse(text, revive) as Json

interface RawJson {
  rawJSON(text: string): unknown
}

/** Prints a value; integers of any size keep their digits. */
export const printJson = (value: Json): string =>
  JSON.stringify(value, (_member, part: Json) =>
    typeof part === 'bigint' ? (JSON as unknown as RawJson).rawJSON(part.toString()) : part,
  )

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const int64Least = -(2n ** 63n)
export const int64Most = 2n ** 63n - 1n

export const isInt64 = (value: Json | undefined): value is bigint =>
  typeof value === 'bigint' && value >= int64Least && value <= int64Most
