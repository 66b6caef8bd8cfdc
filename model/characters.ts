// Which characters the name of a creation has that plain names do not have.
import { type ApiRequest, memoized } from '../history/exchange.ts'
import { parseObject } from '../history/json.ts'
import { isKindOfCharacters, kindsOfCharacter, kindsOfName } from './name-kinds.ts'

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

export const namedIn = memoized(({ body }: ApiRequest): Named => {
  const name = `${(typeof body === 'string' && parseObject(body)?.name) || ''}`
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

/** A sign that is seen is shown. */
const shownSign = /^[\p{L}\p{N}\p{P}\p{S}]$/u

/** `with an apostrophe in the name`, `with two "<" in the name` */
export const wordsOfCount = ({ of, least, isOfEach }: Count): string => {
  const code = `U+${(of.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  const one = names[of] ?? (shownSign.test(of) ? `"${of}"` : code)
  const many = names[of] ? `${one.replace(/^an? /, '')}s` : one
  if (isOfEach) return `with an ${least % 2 ? 'odd' : 'even'} number of ${many} in the name`
  return `with ${[one, `two ${many}`][least - 1] ?? `${least} ${many}`} in the name`
}
