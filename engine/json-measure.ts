// What a text of JSON would cost to read, found out before it is read.

export interface JsonMeasure {
  /** How deep arrays and objects lie in each other. */
  readonly depth: number
  /** At least as many values as it holds. */
  readonly values: number
  /** Whether a number has more digits than a double holds, or is spelt in more than digits. */
  readonly hasOddNumber: boolean
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openings = new Set([0x5b, 0x7b])
const closings = new Set([0x5d, 0x7d])
/** What makes a fraction, or an exponent, right after a digit. */
const oddities = new Set([0x2e, 0x65, 0x45])

/** As many digits any integer may have that a double holds. */
const digitsMost = 15

/** Where the string ends that begins here; one that is never closed ends with the text. */
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

/** Looks at each character once, whatever the text is. */
export const measureJson = (text: string): JsonMeasure => {
  let deepest = 0
  let depth = 0
  let values = 1
  let digits = 0
  let hasOddNumber = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    hasOddNumber ||= digits > digitsMost || (digits > 0 && oddities.has(code))
    digits = isDigit(code) ? digits + 1 : 0
    if (code === quote) at = endOfString(text, at)
    else if (code === comma) values += 1
    else if (openings.has(code)) {
      depth += 1
      values += 1
      deepest = Math.max(deepest, depth)
    } else if (closings.has(code)) depth -= 1
  }
  hasOddNumber ||= digits > digitsMost
  return { depth: deepest, values, hasOddNumber }
}
