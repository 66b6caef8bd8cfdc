// Lossless JSON: integers are bigints, so that no int64 is converted to a double.

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

// The libraries of TypeScript do not know these two parts of JSON yet.
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object }

/** Past this many digits a literal is far outside int64, and only costs time to convert. */
const maxIntegerDigits = 100

const keepIntegers: Reviver = (_key, value, { source }) => {
  if (typeof value !== 'number' || source === undefined) return value
  return source.length <= maxIntegerDigits && /^-?\d+$/.test(source) ? BigInt(source) : value
}

/** The value of a text, integers as bigint; undefined if it is not JSON, or too deep to be read. */
export const parseJson = (text: string): { value: unknown } | undefined => {
  try {
    return { value: parseWithSource(text, keepIntegers) }
  } catch (fault) {
    // The walk over what was parsed recurses.
    if (fault instanceof SyntaxError || fault instanceof RangeError) return undefined
    throw fault
  }
}

export const printJson = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(member.toString()) : member,
  )

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

export const isInt64 = (value: unknown): value is bigint =>
  typeof value === 'bigint' && value >= minInt64 && value <= maxInt64
