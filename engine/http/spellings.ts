// How a key may be spelt in what a target sends back: escaped in any mixture, in base64, as a list
// of its bytes. A text is read as each of these, with the place that every letter was read from.

/** The variable of the first key that was given as text. */
export const firstVariable = 'PETVET_KEY'
export const inventedVariable = new RegExp(`${firstVariable}\\w*`, 'g')

/** Where each character of a reading begins and ends in the text that was read. */
interface Places {
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** What a text says in one spelling, and the places of that; without them it is the text itself. */
export interface Reading {
  readonly text: string
  readonly places?: () => Places
}

type Write = (found: string, ...groups: readonly string[]) => string

/** A text with some parts of it written in another way. */
const rewritten = (text: string, part: RegExp, write: Write): Reading => ({
  text: text.replace(part, write),
  places: () => {
    const places: { from: number[]; to: number[] } = { from: [], to: [] }
    const add = (from: number, to: number) => {
      places.from.push(from)
      places.to.push(to)
    }
    let done = 0
    const keepUntil = (end: number) => {
      for (; done < end; done += 1) add(done, done + 1)
    }
    for (const match of text.matchAll(part)) {
      keepUntil(match.index)
      const [found, ...groups] = match
      done = match.index + found.length
      for (const _ of write(found, ...groups)) add(match.index, done)
    }
    keepUntil(text.length)
    return places
  },
})

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
const bytesOf: Write = (found, ...groups) => {
  const kind = groups.findIndex((group) => group !== undefined)
  const bytes = bytesOfKinds[kind]?.(groups[kind] ?? '') ?? (found.endsWith('t') ? '\t' : '')
  return bytes === '\\' || bytes === '\0' ? '' : bytes
}

/** A text without its escapes, a character for each byte of UTF-8: an address escapes bytes. */
export const unescaped = (text: string): Reading =>
  escapeSigns.test(text) ? rewritten(text, escapes, bytesOf) : { text }

/** A key as an unescaped text has it, also where a text has its own signs of escapes escaped. */
export const bareSpellings = (key: string): string[] =>
  [unescaped(key).text, inUtf8(key.replace(/[\\\0]/g, ''))].filter(
    (each) => each.length > key.length / 2,
  )

/** No spelling of a UTF-16 unit is longer, in characters: `&DiacriticalGrave;`, and zero bytes. */
const longestLetter = 40

export const longestSpelling = (secret: string): number => longestLetter * secret.length + 8

/** What is looked for, so that a key with another first or last letter is found as well. */
const innerOf = (key: string): string => (key.length > minCharacters + 2 ? key.slice(1, -1) : key)

/** A shorter text is met by chance. */
const minCharacters = 6

/** What base64 makes of a key after 0, 1 or 2 other bytes, save what they have a part in. */
export const base64Cores = (key: string): string[] =>
  [0, 1, 2]
    .map((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(innerOf(key))])
      const from = Math.ceil((before * 8) / 6)
      return bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6))
    })
    .filter((core) => core.length >= minCharacters)
    // In an address base64 has other signs for two of its letters.
    .flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')])

/** Bytes of a key that distinguish a list of them from other numbers. */
const shapeBytes = 4

/** How a list begins, in a text as it is: most texts have nothing like it. */
export const hexBegin = (core: string): string =>
  (core.match(/../g) ?? []).slice(0, shapeBytes).join('[^\\da-z]{0,4}(?:0?x)?')

export const numbersBegin = (core: string): string =>
  core
    .split(',')
    .slice(1, shapeBytes + 1)
    .join('[^\\da-z]{1,3}(?:\\d{1,4}\\\\*":[^\\da-z]?)?')

/** Bytes in hexadecimal, whatever is between them: `68 6b`, `68:6b`, `0x68, 0x6b`, `\x68\x6b`. */
export const inHex = (text: string): Reading =>
  rewritten(text, /(?<![\da-z])0?x|[^\da-z]+/gi, () => '')

/** As UTF-16, every other byte of which is zero, it has no last byte: the order may be either. */
export const hexCores = (key: string): string[] => {
  const inner = innerOf(key)
  if (inner.length < minCharacters) return []
  const wide = Buffer.from(inner, 'utf16le').toString('hex')
  return [Buffer.from(inner).toString('hex'), wide.slice(0, -2)]
}

/** Numbers in a row, with names in an object: `104, 107`, `"0":104,"1":107`. */
export const inNumbers = (text: string): Reading =>
  rewritten(text, /\d+\\*":|[^\da-z]+|(\d+)/gi, (_, number) => (number ? `,${Number(number)}` : ''))

export const numberCores = (key: string): string[] => {
  const inner = innerOf(key)
  if (inner.length < minCharacters) return []
  const wide = [...Buffer.from(inner, 'utf16le')].slice(0, -1)
  return [[...Buffer.from(inner)], wide].map((bytes) => `,${bytes.join(',')}`)
}
