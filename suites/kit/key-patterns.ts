// How a key is found in what a target sends back: escaped in any mixture, or within other codes.

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
export const escapeSigns = /[%&\\\0]/

/**
 * A pattern of a key as it stands, with any of its letters escaped, or wide as UTF-16 and UTF-32
 * have them. @param key of ASCII
 */
export const escapedPattern = (key: string): string => [...key].map(spellingsOf).join('\\0{0,3}')

/** No spelling of a secret is longer, in characters: `&#x00000041;` is the longest of a letter. */
export const longestSpelling = (secret: string): number => 12 * secret.length + 8

/** A shorter text is met by chance. */
const leastCharacters = 6

/** What base64 makes of a text after 0, 1 or 2 other bytes, save what they have a part in. */
const base64Cores = (text: string): string[] =>
  [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    const from = Math.ceil((before * 8) / 6)
    return bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6))
  })

/**
 * Patterns of a key within longer base64 (as `user:KEY` has it), and in hexadecimal. They look for
 * its inner part, so that a key with another first or last letter is found as well, and take what
 * stands beside it.
 */
export const encodedPatterns = (key: string): string[] => {
  const inner = key.length > leastCharacters + 2 ? key.slice(1, -1) : key
  const cores = base64Cores(inner).filter((core) => core.length >= leastCharacters)
  const inBase64 = cores.map((core) => {
    const spelt = [...core].map((letter) => forAddresses[letter] ?? letter).join('')
    return `[\\w+/-]{0,3}${spelt}[\\w+/-]{0,3}={0,2}`
  })
  return [...inBase64, `[\\da-fA-F]{0,2}${hexOf(Buffer.from(inner))}[\\da-fA-F]{0,2}`]
}

/** In an address, base64 has other signs for two of its letters. */
const forAddresses: Readonly<Record<string, string>> = { '+': '[+-]', '/': '[/_]' }
