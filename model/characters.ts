// What is peculiar about a name, and which characters it has that plain names do not have.
import { type ApiRequest, memoized } from '../history/exchange.ts'
import { printJson } from '../history/json.ts'
import { quote } from '../history/quote.ts'
import { petIn } from './sent-pet.ts'

type NameKind = readonly [kind: string, pattern: RegExp]

const shapes: readonly NameKind[] = [
  ['an empty name', /^$/],
  ['a blank name', /^\s+$/],
  ['a name longer than 100 characters', /^.{101,}$/su],
  ['a space at an end of the name', /^\s+\S|\S\s+$/],
  ['a name that reads as another value', /^(?:null|true|false|[+-]?\d[\d.e+-]*|\d{4}-\d\d-\d\d)$/i],
  ['the name of a property of every object', /^(?:__proto__|constructor)$/],
  ['two spaces in the name', / {2}/],
]

/** Extreme ones first; a name may have several of them. */
const characters: readonly NameKind[] = [
  ['a control character in the name', /\p{Cc}/u],
  ['a lone surrogate in the name', /\p{Cs}/u],
  ['a separator of lines in the name', /[\p{Zl}\p{Zp}]/u],
  ['a private or unassigned character in the name', /[\p{Co}\p{Cn}]/u],
  ['an emoji in the name', /\p{Extended_Pictographic}|\p{Regional_Indicator}/u],
  ['a combining mark in the name', /\p{M}/u],
  ['direction marks or joiners in the name', /\p{Cf}/u],
  ['right-to-left text in the name', /[\u0590-\u08FF]/],
  ['a character beyond U+FFFF in the name', /[\u{10000}-\u{10FFFF}]/u],
  ['a character beyond Latin-1 in the name', /[^\0-\xff\p{Cs}]/u],
  ['a character beyond ASCII in the name', /[^\0-\x7f\p{Cs}]/u],
  ['a double quote in the name', /"/],
  ['a backslash in the name', /\\/],
  ['an apostrophe in the name', /'/],
  ['signs of markup, SQL or templates in the name', /[<>{}%$;#]/],
]

const kindsIn = (text: string, kinds: readonly NameKind[]): readonly string[] =>
  kinds.flatMap(([kind, pattern]) => (pattern.test(text) ? [kind] : []))

export const kindsOfName = (name: string): readonly string[] =>
  kindsIn(name, [...shapes, ...characters])

const kindsOfCharacter = (character: string): readonly string[] => kindsIn(character, characters)

export const isKindOfCharacters = (kind: string): boolean =>
  characters.some(([own]) => own === kind)

/** No letter or digit of ASCII: plain names have those alone. */
const odd = /[^\w-]/gu

/** The names of what a run creates; the numbers of a category are its own too. */
export const ownName = /^petvet-\w+-\d+$/
export const anyOwnName = /petvet-\w+-\d+/g

export const oddCharactersOf = (name: string): readonly string[] => name.match(odd) ?? []

interface Named {
  /** The odd characters, in an order of their own. */
  readonly characters: readonly string[]
  /** Whether it is a name that a run makes, and more. */
  readonly isOwn: boolean
  /** Names with the same text differ in nothing that may matter but their length. */
  readonly text: string
}

export const namedIn = memoized((request: ApiRequest): Named => {
  const name = `${petIn(request)?.name || ''}`
  const characters = oddCharactersOf(name).toSorted()
  const isOwn = name.search(anyOwnName) >= 0
  const isPlain = isOwn || kindsOfName(name).length === 0
  return { characters, isOwn, text: isPlain ? characters.join('') : name }
})

export const countOf = (character: string, apiRequest: ApiRequest): number =>
  namedIn(apiRequest).characters.filter((each) => each === character).length

/** How many of one character decide: so many and more, or each odd or even number. */
export interface Count {
  readonly of: string
  readonly least: number
  readonly isOfEach: boolean
}

export const hasCount = ({ of, least, isOfEach }: Count, apiRequest: ApiRequest): boolean => {
  const count = countOf(of, apiRequest)
  return count >= least && (!isOfEach || (count - least) % 2 === 0)
}

/** Whether the names of two creations are alike but for characters of these kinds. */
export const isNameKept = (one: ApiRequest, other: ApiRequest, kinds: readonly string[]) => {
  const [own, its] = [namedIn(one), namedIn(other)]
  if (kinds.length === 0) return own.text === its.text
  if (!kinds.every(isKindOfCharacters)) return true
  const isNamed = (each: string) => kindsOfCharacter(each).some((kind) => kinds.includes(kind))
  const others = own.characters.filter((each) => !isNamed(each))
  const isKept = (each: string) => countOf(each, one) <= countOf(each, other)
  return own.isOwn === its.isOwn && others.every(isKept)
}

const names: Readonly<Record<string, string>> = {
  '"': 'a double quote',
  '\\': 'a backslash',
  "'": 'an apostrophe',
  ' ': 'a space',
}

const maxShown = 60

const quoted = (part: string): string => quote(printJson(part), maxShown)

/** A sign that is seen is shown. */
const shownSign = /^[\p{L}\p{N}\p{P}\p{S}]$/u

const codeOf = (sign: string): string =>
  `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** A part of a text: in quotes, or by its code point where that shows nothing. */
const shownPart = (part: string): string =>
  [...part].length === 1 && !shownSign.test(part) ? (names[part] ?? codeOf(part)) : quoted(part)

/** What differs first in a text that came back: `"/" in place of "%2F"`, `U+200D left out`. */
export const wordsOfDifference = ([was, is]: readonly [was: string, is: string]): string => {
  if (was === '') return `${shownPart(is)} added`
  return is === '' ? `${shownPart(was)} left out` : `${shownPart(is)} in place of ${shownPart(was)}`
}

/** `with an apostrophe in the name`, `with two "<" in the name` */
export const wordsOfCount = ({ of, least, isOfEach }: Count): string => {
  const one = names[of] ?? (shownSign.test(of) ? `"${of}"` : codeOf(of))
  const many = names[of] ? `${one.replace(/^an? /, '')}s` : one
  if (isOfEach) return `with an ${least % 2 ? 'odd' : 'even'} number of ${many} in the name`
  return `with ${[one, `two ${many}`][least - 1] ?? `${least} ${many}`} in the name`
}
