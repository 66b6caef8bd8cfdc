// What is peculiar about a name: its shape, and the kinds of its characters.

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

export const kindsOfName = (name: string): readonly string[] => [
  ...kindsIn(name, shapes),
  ...kindsIn(name, characters),
]

export const kindsOfCharacter = (character: string): readonly string[] =>
  kindsIn(character, characters)

export const isKindOfCharacters = (kind: string): boolean =>
  characters.some(([own]) => own === kind)
