// How a key is found in what a target sends back: escaped in any mixture, or within other codes.

/** The variable of the first key that was given as text. */
export const firstVariable = 'PETVET_KEY'
export const inventedVariable = new RegExp(`${firstVariable}\\w*`, 'g')

/** Letter by letter as JSON, HTML and addresses spell them; each repetition has an end. */
const named: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '/': 'sol',
  '+': 'plus',
  '=': 'equals',
}

/** Hexadecimal digits in either letter case. */
const hexOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const spellingsOf = (character: string): string => {
  const bytes = Buffer.from(character)
  const hex = hexOf(bytes)
  const name = named[character]
  const spelt = [
    RegExp.escape(character),
    // An address within an address escapes the sign of an escape.
    `%(?:25){0,3}${hex}`,
    // A message that quotes JSON escapes what escapes.
    `\\\\{1,4}(?:u00${hex}${/\w/.test(character) ? '' : `|${RegExp.escape(character)}`})`,
    `&#(?:[xX]0{0,6}${hex}|0{0,6}${bytes[0]});?`,
    ...(name === undefined ? [] : [`&${name};?`]),
  ]
  return `(?:${spelt.join('|')})`
}

/** Without one of these a text escapes nothing. */
const escapeSigns = /[%&\\\0]/

/** A code by which JSON, an address or HTML spells a letter; what escapes a letter is left out. */
const escapes = /%(?:25)*([\da-f]{2})|\\+u00([\da-f]{2})|&(amp|[lg]t|quot|apos|sol|plus|equals);?/gi

const letterOf = new Map(Object.entries(named).map(([letter, name]) => [name, letter]))

/** A text with its letters unescaped, and none wide. */
const unescaped = (text: string): string =>
  text
    .replace(escapes, (_, percent?: string, json?: string, name?: string) => {
      const hex = percent ?? json
      if (hex !== undefined) {
        return hex === '00' ? '' : String.fromCharCode(Number.parseInt(hex, 16))
      }
      return letterOf.get(name?.toLowerCase() ?? '') ?? ''
    })
    .replaceAll('\\', '')
    .replaceAll('\0', '')

/** A long text is unescaped piece by piece, as each escape takes memory meanwhile. */
const pieceLength = 65_536
/** More than the end of a key takes however it is escaped: pieces overlap by so much. */
const overlap = 16_384

const isInPiece = (text: string, test: (piece: string) => boolean): boolean => {
  for (let from = 0; from === 0 || from + overlap < text.length; from += pieceLength) {
    if (test(text.slice(from, from + pieceLength + overlap))) return true
  }
  return false
}

/** The end of a key: its beginning may look like a part of the escape of another letter. */
export const keyEnd = (key: string): string => key.slice(Math.floor(key.length / 2))

/**
 * Whether a key may be escaped in a text: its pattern takes a hundred times longer.
 * @param holdsEnd whether a text holds the end of a key that has no sign of an escape of its own
 */
export const mayEscape = (text: string, holdsEnd: (text: string) => boolean): boolean =>
  escapeSigns.test(text) &&
  (text.includes('&#') || isInPiece(text, (piece) => holdsEnd(unescaped(piece))))

/** The zero bytes of UTF-16 and UTF-32, as they are; those of UTF-16 as JSON escapes them. */
const zeros = '\\0{0,3}(?:\\\\{1,4}u0000)?'

/**
 * A pattern of a key as it is, with any of its letters escaped, or wide as UTF-16 and UTF-32 have
 * them. @param key of ASCII
 */
export const escapedPattern = (key: string): string => [...key].map(spellingsOf).join(zeros)

/** No spelling of a letter is longer, in characters: 12 as `&#x00000041;`, and a zero byte. */
const longestLetter = 24

export const longestSpelling = (secret: string): number => longestLetter * secret.length + 8

/** A shorter text is met by chance. */
const minCharacters = 6

/** What base64 makes of a text after 0, 1 or 2 other bytes, save what they have a part in. */
const base64Cores = (text: string): string[] =>
  [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    const from = Math.ceil((before * 8) / 6)
    return bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6))
  })

/** In an address base64 has other signs for two of its letters; JSON may escape a slash. */
const inBase64: Readonly<Record<string, string>> = {
  '+': '(?:[+-]|%2[bB])',
  '/': '(?:\\\\{0,4}/|_|%2[fF])',
}

/** Between the bytes of a list in hexadecimal: `68 6b`, `68:6b`, `0x68, 0x6b`, `\x68\x6b`. */
const betweenHex = '[^\\da-zA-Z]{0,4}(?:0?[xX])?'
/** Between the numbers of a list, with names in an object: `104, 107`, `"0":104,"1":107`. */
const betweenNumbers = '[^\\da-zA-Z]{1,3}(?:\\d{1,4}\\\\?":[^\\da-zA-Z]?)?'

/** Bytes in a row, or those of UTF-16, every other one of which is zero. */
const rowOf = (bytes: readonly string[], between: string, zero: string): string =>
  bytes.join(`${between}(?:${zero}${between})?`)

/** What is looked for, so that a key with another first or last letter is found as well. */
const innerOf = (key: string): string => (key.length > minCharacters + 2 ? key.slice(1, -1) : key)
const bytesOf = (key: string): number[] => [...Buffer.from(innerOf(key))]

/** Matches no text. */
const nothing = '(?!)'

/** Without this a text has no base64 of a key. */
export const base64Core = (key: string): string =>
  base64Cores(innerOf(key))
    .filter((core) => core.length >= minCharacters)
    .map((core) => [...core].map((letter) => inBase64[letter] ?? letter).join(''))
    .join('|') || nothing

/** A key within longer base64, as `user:KEY` has it; what is next to it is hidden as well. */
export const base64Pattern = (key: string): string =>
  `[\\w+/-]{0,3}(?:${base64Core(key)})[\\w+/-]{0,3}={0,2}`

const hexByte = '[\\da-fA-F]{2}'

const hexPattern = (key: string): string => {
  const row = bytesOf(key).map((byte) => hexOf(Buffer.of(byte)))
  const core = rowOf(row, betweenHex, '00')
  return `(?:${hexByte}${betweenHex})?${core}(?:${betweenHex}${hexByte})?`
}

const numbersPattern = (key: string): string => {
  const core = rowOf(bytesOf(key).map(String), betweenNumbers, '0')
  return `(?:\\d{1,3}${betweenNumbers})?(?<!\\d)${core}(?!\\d)(?:${betweenNumbers}\\d{1,3})?`
}

/** A key as a list of its bytes, in hexadecimal or decimal. */
export const listPattern = (key: string): string => `${hexPattern(key)}|${numbersPattern(key)}`

/** Bytes of a key that distinguish a list of them from other numbers. */
const shapeBytes = 4

/** Without this a text has no list of the bytes of a key. */
export const listShape = (key: string): string => {
  const first = bytesOf(key).slice(0, shapeBytes)
  const hex = first.map((byte) => hexOf(Buffer.of(byte)))
  return `${rowOf(hex, betweenHex, '00')}|${rowOf(first.map(String), betweenNumbers, '0')}`
}
