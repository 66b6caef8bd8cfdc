// How a message that quotes the target is written: shortened only once keys are hidden, and without
// commands to a CI runner.

/** Hides keys: in a text, and in one that is cut, where a key may be cut too. */
interface Redactor {
  readonly redact: (text: string) => string
  readonly redactCut: (text: string) => string
}

/** `1 request`, `2 requests`, `0 requests`. */
export const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`

const units = [
  [31_557_600_000, 'years'],
  [86_400_000, 'days'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** A length of time in one unit: `61 s`, `1.5 h`, `7.5 days`. */
export const duration = (ms: number): string => {
  // 61 s is more precise than 1 min: a unit is used from two on.
  const [size, unit] = units.find(([each]) => ms >= 2 * each) ?? units[4]
  const value = ms / size
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} ${unit}`
}

/**
 * Commands that runners of GitHub and Azure obey anywhere in a line of a job's output: `##[...]`
 * and `##vso[...]`. A target could mask the log with them, or set outputs of the job.
 */
const commands = /##(?=\w*\[)/g

/** Replaces the second `#` of a command, so that no runner obeys it. */
const spelt = { text: '\\u{23}', json: '\\u0023', html: '&#35;' } as const

/** @param form JSON and HTML say the same afterwards */
export const withoutCommands = (text: string, form: keyof typeof spelt = 'text'): string =>
  text.replace(commands, `#${spelt[form]}`)

/** Longer texts are shortened here; `exchanges.ndjson` has all of them. */
const maxCarried = 16 * 1024

/** At most so many characters of a text, and no half of a surrogate pair at its end. */
export const startOf = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '')

// `lineOf` escapes both, so that no text ends its own quotation.
const begin = '\u0002'
const end = '\u0003'

/** How much is shown of a text, the length of the whole, and its beginning. */
const quotations = new RegExp(`${begin}(\\d+) (-?\\d+) ([^${begin}${end}]*)${end}`, 'g')

/** What ends a line, or shows as nothing; a lone surrogate cannot be written. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029]/gu

/** In one line; what it has of escapes stays as it is, since most texts are JSON. */
const lineOf = (text: string): string =>
  text.replace(unprintable, (sign) => {
    const escaped = JSON.stringify(sign).slice(1, -1)
    return escaped === sign ? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped
  })

/**
 * A text of the target, marked for `write`, which must see the message before anyone else: it hides
 * keys first and shortens afterwards, as half a key would not be recognised.
 * @param maxShown characters; a longer text is cut there
 * @param isCounted whether its length is written where it is cut
 */
export const quote = (text: string, maxShown: number, isCounted = true): string => {
  const line = lineOf(startOf(text, maxCarried))
  // It needs neither shortening nor escaping.
  if (text.length <= maxShown && line === text) return text
  return `${begin}${maxShown} ${isCounted ? '' : '-'}${text.length} ${line}${end}`
}

/** A message as it is written: without keys or CI commands, and with quoted texts shortened. */
export const write = (message: string, { redact, redactCut }: Redactor): string => {
  const shown = message.replace(quotations, (_, most: string, length: string, line: string) => {
    const characters = Number(length)
    const isCut = Math.abs(characters) > maxCarried
    const hidden = isCut ? redactCut(line) : redact(line)
    if (!isCut && hidden.length <= Number(most)) return hidden
    const counted = characters > 0 ? ` (${length} characters)` : ''
    return `${startOf(hidden, Number(most))}…${counted}`
  })
  return withoutCommands(redact(shown))
}

/** A part of an address without its escapes; undefined if these are not valid. */
export const percentDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const maxListed = 3

export const unique = <T>(all: readonly T[]): readonly T[] => [...new Set(all)]

/** `a, b or c`; after three of them `or others`: how many more there are is not known. */
export const listed = (
  all: readonly string[],
  last = 'or',
  most = maxListed,
  hasOthers = false,
): string => {
  const distinct = unique(all)
  const isCut = hasOthers || distinct.length > most
  const shown = [...distinct.slice(0, most), ...(isCut ? ['others'] : [])]
  const [end = ''] = shown.slice(-1)
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} ${last} ${end}` : end
}

const own = 'out| the id| a body that is| the scheme| name| categoryId| status'
const shared = new RegExp(`^(?:without an Authorization header and )?with(?:${own})? `)

/** `with name 5, true or null`: what all begin with is said once. */
export const listedOnce = (all: readonly string[], most: number, hasOthers = false): string => {
  const starts = unique(all.map((each) => shared.exec(each)?.[0] ?? ''))
  const [start = ''] = starts
  const common = starts.length === 1 ? start : 'with '
  // What comes after `and` may begin in another way.
  const isCommon = all.every((each) => each.startsWith(common) && !each.includes(' and with '))
  const shown = isCommon ? all.map((each, at) => each.slice(at && common.length)) : all
  return listed(shown, 'or', most, hasOthers)
}

/**
 * Control characters, marks that change the direction of text, invisible characters, halves of
 * surrogate pairs, and what XML 1.0 cannot hold.
 */
export const unsafe = new RegExp(
  [
    '[\\p{Cc}\\p{Surrogate}]',
    '[\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f]',
    '[\\ufeff\\ufff9-\\uffff\\u{e0000}-\\u{e007f}]',
    // Spaces that look like another one.
    '[\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]',
  ].join('|'),
  'gu',
)
