// How a key may be spelt in what a target sends back: escaped in any mixture, in base64, as a list
// of its bytes.

/** The variable of the first key that was given as text. */
export const firstVariable = 'PETVET_KEY'
export const inventedVariable = new RegExp(`${firstVariable}\\w*`, 'g')

/** How a text is read, and what that reading contains of a secret that the text spells so. */
export interface Spelling {
  readonly read: (text: string) => string
  readonly coresOf: (secret: string) => readonly string[]
  /** What a text has that spells anything so; without it the text is not read. */
  readonly sign: RegExp
}

/** Names of HTML, each before its sign. */
const namesOfSigns =
  'excl! quot" num# dollar$ percnt% amp& apos\' lpar( rpar) ast* midast* plus+ comma, period. ' +
  'sol/ colon: semi; lt< equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ ' +
  'lowbar_ UnderBar_ grave` DiacriticalGrave` lcub{ lbrace{ vert| verbar| VerticalLine| rcub} ' +
  'rbrace} Tab\t'
const signs = new Map([
  ...namesOfSigns
    .split(' ')
    .map((each) => [each.slice(0, -1).toLowerCase(), each.slice(-1)] as const),
  ['nbsp', ' '],
])
// The longest first: `vert` begins `verticalline`.
const names = [...signs.keys()].sort((a, b) => b.length - a.length).join('|')

/** Without one of these a text escapes nothing. */
const escapeSigns = /[%&+\\\0]/

/** One letter or byte as JSON, code, an address or HTML escapes it, also within one another. */
const escapes = new RegExp(
  [
    '%(?:25)*([\\da-f]{2})',
    '\\\\+u(d[89ab][\\da-f]{2}\\\\+ud[c-f][\\da-f]{2})',
    '\\\\+(?:u([\\da-f]{4})|x([\\da-f]{2})|u\\{([\\da-f]{1,10})\\})',
    '&#x([\\da-f]{1,12});?',
    '&#(\\d{1,12});?',
    `&(${names});?`,
    '([^\\x00-\\x7f])',
    // The first of these escapes a tab.
    '\\\\+t|[\\\\\\0]+',
  ].join('|'),
  'giu',
)

const inUtf8 = (letters: string): string => Buffer.from(letters).toString('latin1')

const hexadecimal = (digits: string): number => Number.parseInt(digits, 16)

const letterOf = (code: number): string =>
  code <= 0x10ffff ? inUtf8(String.fromCodePoint(code)) : ''

const letterOfHex = (digits: string): string => letterOf(hexadecimal(digits))

/** The bytes, a character each, of each kind of escape. */
const bytesOfKinds: readonly ((text: string) => string)[] = [
  (byte) => String.fromCharCode(hexadecimal(byte)),
  (pair) => inUtf8(String.fromCharCode(...pair.split(/\\+u/i).map(hexadecimal))),
  ...[letterOfHex, letterOfHex, letterOfHex, letterOfHex],
  (decimal) => letterOf(Number(decimal)),
  (name) => signs.get(name.toLowerCase()) ?? '',
  inUtf8,
]

/** Not those of a backslash or a zero byte, which escape others, and come more than once. */
const bytesOf = (found: string, ...groups: readonly (string | undefined)[]): string => {
  const kind = groups.findIndex((group) => group !== undefined)
  const bytes = bytesOfKinds[kind]?.(groups[kind] ?? '') ?? (found.endsWith('t') ? '\t' : '')
  return bytes === '\\' || bytes === '\0' ? '' : bytes
}

/**
 * A text without its escapes, a character for each byte of UTF-8: an address escapes bytes. In a
 * form a plus sign is a space, so all of them are.
 */
const unescaped = (text: string): string => {
  if (!escapeSigns.test(text)) return text
  // Several look at the same text.
  if (text !== last.text) last = { text, plain: withoutEscapes(text).replaceAll('+', ' ') }
  return last.plain
}

/** One after another: `replace` keeps all that it finds until its end. */
const withoutEscapes = (text: string): string => {
  const parts: string[] = []
  let from = 0
  for (const found of text.matchAll(escapes)) {
    parts.push(text.slice(from, found.index), bytesOf(found[0], ...found.slice(1)))
    from = found.index + found[0].length
  }
  return parts.join('') + text.slice(from)
}

let last = { text: '', plain: '' }

/** A key as an unescaped text has it, also where a text has its own signs of escapes escaped. */
const bareSpellings = (key: string): string[] =>
  [unescaped(key), inUtf8(key.replace(/[\\\0]/g, '')).replaceAll('+', ' ')].filter(
    (each) => each.length > key.length / 2,
  )

/** As servers mostly write a text: in an address, in JSON, and in JSON as PHP writes it. */
export const usualSpellings = (text: string): string[] => {
  const inJson = JSON.stringify(text).slice(1, -1)
  const inAddress = encodeURIComponent(text.toWellFormed())
  return [text, inJson, inJson.replaceAll('/', '\\/'), inAddress]
}

/** No spelling of a UTF-16 unit is longer, in characters: `&DiacriticalGrave;`, and zero bytes. */
const longestLetter = 40

export const longestSpelling = (secret: string): number => longestLetter * secret.length + 8

/** A shorter text is met by chance. */
const minCharacters = 6

/** What is looked for, so that a key with another first or last letter is found as well. */
const innerOf = (key: string): string => (key.length > minCharacters + 2 ? key.slice(1, -1) : key)

/** What base64 makes of a key after 0, 1 or 2 other bytes, save what they have a part in. */
const base64Cores = (key: string): string[] =>
  [0, 1, 2]
    .map((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(innerOf(key))])
      const from = Math.ceil((before * 8) / 6)
      return bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6))
    })
    .filter((core) => core.length >= minCharacters)
    // In an address base64 has other signs for two of its letters.
    .flatMap((core) => [
      core,
      core.replaceAll('+', ' '),
      core.replaceAll('+', '-').replaceAll('/', '_'),
    ])

/** A key in a list of bytes; as UTF-16 without the last byte, since the order may be either. */
const bytesOfKey = (key: string): readonly Buffer[] => {
  const inner = innerOf(key)
  if (inner.length < minCharacters) return []
  return [Buffer.from(inner), Buffer.from(inner, 'utf16le').subarray(0, -1)]
}

/** Bytes in hexadecimal, whatever is between them: `68 6b`, `68:6b`, `0x68, 0x6b`, `\x68\x6b`. */
const inHex: Spelling = {
  read: (text) => text.replace(/(?<![\da-z])0?x|[^\da-z]+/gi, '').toLowerCase(),
  coresOf: (key) => bytesOfKey(key).map((bytes) => bytes.toString('hex')),
  sign: /(?:[\da-f]{2}[^\da-z]{0,4}(?:0?x)?){6}/i,
}

/** Numbers in a row, with names in an object: `104, 107`, `"0":104,"1":107`. */
const inNumbers: Spelling = {
  read: (text) =>
    text.replace(/\d+\\*":|[^\da-z]+|(\d+)/gi, (_, digits) => (digits ? `,${Number(digits)}` : '')),
  coresOf: (key) => bytesOfKey(key).map((bytes) => `,${[...bytes].join(',')}`),
  sign: /(?:\d{1,4}[^\da-z]{1,9}){5}/i,
}

const any = /^/

/** How a key may be spelt; each text with one of these is hidden. */
export const keySpellings: readonly Spelling[] = [
  { read: unescaped, coresOf: (key) => [...bareSpellings(key), ...base64Cores(key)], sign: any },
  inHex,
  inNumbers,
]

/** A shorter one may be a part of any name, as `date` is. */
export const minAnyCaseLength = 8

/** How what was derived from a key may be spelt, and a key in another letter case. */
export const furtherSpellings: readonly Spelling[] = [
  { read: unescaped, coresOf: bareSpellings, sign: escapeSigns },
  {
    read: (text) => unescaped(text).toLowerCase(),
    coresOf: (key) =>
      key.length < minAnyCaseLength ? [] : bareSpellings(key).map((each) => each.toLowerCase()),
    sign: escapeSigns,
  },
]

/** Whether a text spells in base64 what contains a key. */
export const isBase64Of = (key: string, text: string): boolean =>
  base64Cores(key).some((core) => text.includes(core))
