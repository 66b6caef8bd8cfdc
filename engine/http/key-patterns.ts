// How a key is found in what a target sends back: escaped in any mixture, or within other codes.

/** The variable of the first key that was given as text. */
export const firstVariable = 'PETVET_KEY'
export const inventedVariable = new RegExp(`${firstVariable}\\w*`, 'g')

/** Signs that HTML has names for; each in any of them. */
const named: Readonly<Record<string, readonly string[]>> = {
  '\t': ['Tab'],
  ' ': ['nbsp'],
  '!': ['excl'],
  '"': ['quot'],
  '#': ['num'],
  $: ['dollar'],
  '%': ['percnt'],
  '&': ['amp'],
  "'": ['apos'],
  '(': ['lpar'],
  ')': ['rpar'],
  '*': ['ast', 'midast'],
  '+': ['plus'],
  ',': ['comma'],
  '.': ['period'],
  '/': ['sol'],
  ':': ['colon'],
  ';': ['semi'],
  '<': ['lt'],
  '=': ['equals'],
  '>': ['gt'],
  '?': ['quest'],
  '@': ['commat'],
  '[': ['lsqb', 'lbrack'],
  '\\': ['bsol'],
  ']': ['rsqb', 'rbrack'],
  '^': ['Hat'],
  _: ['lowbar', 'UnderBar'],
  '`': ['grave', 'DiacriticalGrave'],
  '{': ['lcub', 'lbrace'],
  '|': ['vert', 'verbar', 'VerticalLine'],
  '}': ['rcub', 'rbrace'],
}

/** Hexadecimal digits in either letter case. */
const inEitherCase = (hex: string): string =>
  hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

/** Each byte in hexadecimal. */
const hexBytes = (text: string): string[] =>
  [...Buffer.from(text)].map((byte) => inEitherCase(byte.toString(16).padStart(2, '0')))

/** A message that quotes JSON escapes what escapes: up to four times. */
const backslashes = '\\\\{1,16}'

/** As JSON and code escape a character: each half of a surrogate pair by itself, or both in one. */
const backslashed = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const hex = (digits: number) => inEitherCase(code.toString(16).padStart(digits, '0'))
  const units = character.split('').map((unit) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `u${inEitherCase(digits)}`
  })
  const escapes = [
    units.join(backslashes),
    `u\\{0{0,4}${hex(1)}\\}`,
    ...(code < 256 ? [`x${hex(2)}`] : []),
    ...(character === '\t' ? ['t'] : []),
    ...(/\w/.test(character) ? [] : [RegExp.escape(character)]),
  ]
  return `${backslashes}(?:${escapes.join('|')})`
}

/** Of one character as addresses and HTML spell it; each repetition has an end. */
const encoded = (character: string): string[] => {
  const code = character.codePointAt(0) ?? 0
  const names = named[character] ?? []
  // An address within an address escapes the sign of an escape.
  const percent = hexBytes(character).map((byte) => `%(?:25){0,3}${byte}`)
  return [
    percent.join(''),
    `&#(?:[xX]0{0,6}${inEitherCase(code.toString(16))}|0{0,6}${code});?`,
    ...(names.length > 0 ? [`&(?:${names.join('|')});?`] : []),
    // A form has a plus sign for a space.
    ...(character === ' ' ? ['\\+'] : []),
  ]
}

/** A run of backslashes at once: which of them escapes which could be tried in too many ways. */
const backslashRun = (run: string): string => {
  const { length } = run
  const others = [...encoded('\\'), `${backslashes}(?:u005[cC]|x5[cC])`]
  return `(?:(?<!\\\\)\\\\{${length},}|(?:${others.join('|')}){${length}})`
}

const spellingsOf = (character: string): string =>
  character.startsWith('\\')
    ? backslashRun(character)
    : `(?:${[RegExp.escape(character), ...encoded(character), backslashed(character)].join('|')})`

/** Without one of these a text escapes nothing. */
const escapeSigns = /[%&+\\\0]/

const letterOf = new Map(
  Object.entries(named).flatMap(([letter, names]) =>
    names.map((name) => [name.toLowerCase(), letter] as const),
  ),
)
// The longest first: `vert` begins `verticalline`.
const names = [...letterOf.keys()].sort((a, b) => b.length - a.length).join('|')

/**
 * A code by which JSON, an address or HTML spells a letter; what escapes a letter is left out. Only
 * the last of several backslashes is a part of it: the others are removed with all that are left.
 */
const escapes = new RegExp(
  [
    '%(?:25)*(?<percent>[\\da-f]{2})',
    '\\\\(?:u00|x)(?<json>[\\da-f]{2})',
    '\\\\u\\{0{0,4}(?<braces>[\\da-f]{2})\\}',
    '&#x0{0,6}(?<hex>[\\da-f]{2});?',
    '&#0{0,6}(?<decimal>\\d{1,3});?',
    `&(?<name>${names});?`,
  ].join('|'),
  'gi',
)

/** What a text keeps, escaped or not: no sign of an escape, nothing wide, no space. */
const bare = (text: string): string => text.replace(/[\\\0+\s]/g, '')

type Spelt = Readonly<Record<string, string | undefined>>

const letterIn = ({ percent, json, braces, hex, decimal, name }: Spelt): string => {
  if (name !== undefined) return letterOf.get(name.toLowerCase()) ?? ''
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  return String.fromCharCode(Number.parseInt(percent ?? json ?? braces ?? hex ?? '', 16))
}

/** A text with its letters unescaped. */
const unescaped = (text: string): string =>
  bare(text.replace(escapes, (...parts) => letterIn(parts.at(-1) as Spelt)))

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

/**
 * The end of a key, as an unescaped text has it: its beginning may look like a part of the escape
 * of another letter. Empty, so that all texts are searched, for a key that unescapes to another
 * text, and for letters beyond ASCII, whose bytes are escaped one by one.
 */
export const keyEnd = (key: string): string =>
  /[%&\\]|[^\t\x20-\x7e]/.test(key) ? '' : bare(key.slice(Math.floor(key.length / 2)))

/**
 * Whether a key may be escaped in a text: its pattern takes a hundred times longer.
 * @param holdsEnd whether a text holds the end of a key
 */
export const mayEscape = (text: string, holdsEnd: (text: string) => boolean): boolean =>
  escapeSigns.test(text) && isInPiece(text, (piece) => holdsEnd(unescaped(piece)))

/** The zero bytes of UTF-16 and UTF-32, as they are; those of UTF-16 as JSON escapes them. */
const zeros = '\\0{0,3}(?:\\\\{1,4}u0000)?'

/**
 * A pattern of a key as it is, with any of its letters escaped, or wide as UTF-16 and UTF-32 have
 * them.
 */
export const escapedPattern = (key: string): string =>
  (key.match(/\\+|[^\\]/gu) ?? []).map(spellingsOf).join(zeros)

/** No spelling of a UTF-16 unit is longer, in characters: `&DiacriticalGrave;`, and zero bytes. */
const longestLetter = 40

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

/** In an address base64 has other signs for two of its letters; JSON and HTML may escape both. */
const inBase64: Readonly<Record<string, string>> = {
  '+': `(?:-|${spellingsOf('+')})`,
  '/': `(?:_|${spellingsOf('/')})`,
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
  const core = rowOf(hexBytes(innerOf(key)), betweenHex, '00')
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
  const hex = hexBytes(innerOf(key)).slice(0, shapeBytes)
  const decimal = bytesOf(key).slice(0, shapeBytes).map(String)
  return `${rowOf(hex, betweenHex, '00')}|${rowOf(decimal, betweenNumbers, '0')}`
}
