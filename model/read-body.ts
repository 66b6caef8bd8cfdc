// The parts of a body of POST /pets: its members, and how its JSON is written.
import { isUtf8 } from 'node:buffer'
import type { ApiRequest } from '../history/exchange.ts'
import {
  compactJson,
  isInt64,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  printJson,
  TooLarge,
} from '../history/json.ts'
import { count, quote } from '../history/quote.ts'
import { describeShape } from '../history/value-kinds.ts'
import { kindsOfName } from './characters.ts'
import { short } from './clause.ts'

/** Lenient: only a lenient parser takes it. Open: the interface leaves it unsaid. */
type Is = 'valid' | 'invalid' | 'lenient' | 'open'

declare const named: unique symbol

/** A header in lower case, or a member that a pet does not have, is named as it was sent. */
type PartName =
  | ('name' | 'categoryId' | 'status' | 'body' | 'writing' | 'limit' | 'query' | 'petId')
  // What happened to it before.
  | 'pet'
  | ('key' | 'connection' | 'content-type' | 'target' | 'head')
  | (string & { readonly [named]: never })

export const partNamed = (name: string): PartName => name as PartName

/** What distinguishes a request from a plain valid one. */
export interface Part {
  readonly part: PartName
  readonly is: Is
  /** What is peculiar about it, without data. */
  readonly kind: string
  /** Follows the operation: `with categoryId true`. */
  readonly words: string
  /** Without what was sent: `with truncated JSON`. */
  readonly brief?: string
}

export const partOf = (part: PartName, is: Is, kind: string, words: string): Part => {
  return { part, is, kind, words }
}

/** Characters are code points: an emoji is one, although it takes two units of UTF-16. */
const isLong = (name: string): boolean => [...name].length > 100

/** Control characters, separators of lines, what is private or not assigned, lone surrogates. */
const extraordinary = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Zs}]/u

/** Empty, blank, very long, or with extraordinary characters. */
export const isExtremeName = (name: Json | undefined): boolean =>
  typeof name === 'string' && (name.trim() === '' || isLong(name) || extraordinary.test(name))

/** 1 to 100 ordinary characters, without spaces at the ends. */
export const isOrdinaryName = (name: Json | undefined): name is string =>
  typeof name === 'string' && !isExtremeName(name) && name.trim() === name

const ofName = (name: Json | undefined): Part[] => {
  if (name === undefined) return [partOf('name', 'invalid', 'missing', 'without name')]
  if (typeof name !== 'string') {
    return [partOf('name', 'invalid', describeShape(name), `with name ${shownValue(name)}`)]
  }
  const is = isOrdinaryName(name) ? 'valid' : 'open'
  return kindsOfName(name).map((kind) => partOf('name', is, kind, `with ${kind}`))
}

const maxShown = 60

export const shownValue = (value: Json): string => quote(printJson(value), maxShown)

/** What is peculiar about an int64. */
export const magnitudeOf = (value: bigint): string | undefined => {
  const size = value < 0n ? -value : value
  if (size >= 10n ** 18n) return 'of 19 digits'
  if (size > 2n ** 53n) return 'beyond 2^53'
  if (size >= 2n ** 31n) return 'beyond 2^31'
  return value <= 0n ? 'not positive' : undefined
}

/** What a lenient parser may take for an integer is a kind of its own. */
const shapeOfCategory = (category: Json): string => {
  if (typeof category === 'number') return 'a fraction'
  const isOfDigits = typeof category === 'string' && /^-?\d+$/.test(category)
  return isOfDigits ? 'a string of digits' : describeShape(category)
}

const ofCategory = (category: Json | undefined): Part[] => {
  const of = (is: Is, kind: string, words: string) => [partOf('categoryId', is, kind, words)]
  if (category === undefined) return of('invalid', 'missing', 'without categoryId')
  const isRounded = typeof category === 'number' && Number.isInteger(category)
  const shown = isRounded
    ? 'a categoryId beyond 2^53 that has a fraction'
    : `categoryId ${shownValue(category)}`
  const words = `with ${shown}`
  if (typeof category !== 'bigint') return of('invalid', shapeOfCategory(category), words)
  if (!isInt64(category)) return of('invalid', `${category < 0n ? 'below' : 'above'} int64`, words)
  const size = magnitudeOf(category)
  return size === undefined ? [] : of(category > 0n ? 'valid' : 'open', size, words)
}

export const statuses = ['available', 'pending', 'sold'] as const

export const isStatus = (value: unknown): boolean => statuses.some((each) => each === value)

/** The status is always a part: each value of it may matter, and that there is none. */
const ofStatus = (status: Json | undefined): Part => {
  if (status === undefined) return partOf('status', 'valid', 'omitted', 'without status')
  const words = `with status ${shownValue(status)}`
  if (status === null) return partOf('status', 'open', 'null', words)
  if (typeof status !== 'string') return partOf('status', 'invalid', describeShape(status), words)
  if (isStatus(status)) return partOf('status', 'valid', status, words)
  return partOf('status', 'invalid', describeOther(status), words)
}

/** How a text that is no status is near to one. */
const describeOther = (text: string): string => {
  if (text.trim() === '') return 'blank'
  if (isStatus(text.trim())) return 'with space around it'
  return isStatus(text.trim().toLowerCase()) ? 'in another letter case' : 'no such value'
}

const ownMembers = ['name', 'categoryId', 'status']

/** What a pet does not have; that such a member is null may matter. */
const extraKinds: readonly string[] = ['extra member', 'extra null']
export const isExtra = (kind: string): boolean => extraKinds.includes(kind)

const ofMembers = (pet: JsonObject): Part[] => [
  ...ofCategory(pet.categoryId),
  ofStatus(pet.status),
  ...ofName(pet.name),
  ...Object.keys(pet)
    .filter((member) => !ownMembers.includes(member))
    .flatMap((one) => {
      const all = [`with the extra member ${short(one)}`, `with ${short(one)} null`]
      const words = pet[one] === null ? all : all.slice(0, 1)
      return words.map((each, at) => partOf(partNamed(one), 'open', extraKinds[at] ?? '', each))
    }),
]

/** An escape beyond ASCII; a lone surrogate has no other form. */
const needless = /\\u(?!00[0-7])(?:(?!d[89a-f])|d[89ab]..\\ud[c-f])/i
/** By what their text has between its strings, or in them, beyond what JSON needs. */
const writings: readonly (readonly [string, string, 'signs' | 'strings' | 'names', RegExp])[] = [
  ['CRLF', 'with line ends of CR and LF in its JSON', 'signs', /\r/],
  ['LF', 'with line feeds in its JSON', 'signs', /^[^\r]*\n[^\r]*$/],
  ['tabs', 'with tabs in its JSON', 'signs', /^[^\r\n]*\t[^\r\n]*$/],
  ['spaces', 'with spaces around the signs of its JSON', 'signs', /^[^\r\n\t]* :[^\r\n\t]*$/],
  ['space', 'with a space after each sign of its JSON', 'signs', /^[^\r\n\t]*[^ ]: [^\r\n\t]*$/],
  ['solidus', 'with / written as \\/', 'strings', /(?<!\\)(?:\\\\)*\\\//],
  ['letters', 'with letters written as \\uXXXX', 'strings', /\\u00[67][0-9a-fA-F]/],
  ['names', 'with names of members written as \\uXXXX', 'names', /\\u/],
  ['escapes', 'with characters beyond ASCII written as \\uXXXX', 'strings', needless],
  ['capitals', 'with \\uXXXX in capital digits', 'strings', /\\u(?=[0-9A-F]*[A-F])[0-9A-F]{4}/],
]

/** Whether it is how a text is written, and so needs one that can be written so. */
export const isWrittenIn = ({ part, kind }: Part): boolean =>
  part === 'writing' && writings.some(([own, , at]) => own === kind && at === 'strings')

const jsonString = /"(?:[^"\\]|\\.)*"/g
const memberName = /"(?:[^"\\]|\\.)*"(?=\s*:)/g

const isInOtherOrder = (pet: JsonObject): boolean => {
  const order = Object.keys(pet).filter((member) => ownMembers.includes(member))
  return order.join() !== ownMembers.filter((member) => order.includes(member)).join()
}

/** Of two members with one name, or of `1e0`, it is open what is taken. */
const ambiguous = partOf(
  ...(['writing', 'open', 'ambiguous'] as const),
  'with JSON that parsers may read differently',
)

const ofWriting = (text: string, pet: JsonObject): Part[] => {
  const inAll = (pattern: RegExp) => text.match(pattern)?.join('') ?? ''
  const signs = text.replace(jsonString, '""')
  const where = { signs, strings: inAll(jsonString), names: inAll(memberName) }
  const found = writings.filter(([, , at, pattern]) => pattern.test(where[at]))
  const order = 'with the members of its JSON in another order'
  return [
    ...found.map(([kind, words]) => partOf('writing', 'valid', kind, words)),
    ...(isInOtherOrder(pet) ? [partOf('writing', 'valid', 'order', order)] : []),
    ...(printJson(pet) === compactJson(text) ? [] : [ambiguous]),
  ]
}

/** Servers have limits. */
const maxBodyBytes = 4_096

interface Body {
  readonly parts: readonly Part[]
  /** The members of a pet that were sent, where all are valid and unambiguous. */
  readonly pet: JsonObject | undefined
}

const keptOf = (sent: JsonObject, parts: readonly Part[]): JsonObject | undefined => {
  const isKept = ({ is, kind }: Part) => is === 'valid' || isExtra(kind)
  if (!parts.every(isKept)) return undefined
  const { name = null, categoryId = null, status } = sent
  return { name, categoryId, ...(status !== undefined && { status }) }
}

/** Of what is too deep to be printed only the types are read. */
const deepIs = (value: unknown): Is => {
  const { name, categoryId } = Object(value) as Record<string, unknown>
  return typeof name === 'string' && typeof categoryId === 'number' ? 'open' : 'invalid'
}

/** Some servers take the values of an array for members. */
const shapeOfBody = (value: Json): string => {
  const isOfValues = Array.isArray(value) && value.length > 0 && !value.some(isObject)
  return isOfValues ? 'an array of values' : describeShape(value)
}

const bodyThatIs = (shape: string): string => `a body that is ${shape}`

/** Of a longer text the end is shown. */
const maxShownEnd = 24

/** Whether an object of JSON is not closed, or a string in it. */
const isCutOff = (text: string): boolean => {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, '')
  return bare.includes('"') || bare.split('{').length > bare.split('}').length
}

/** A text that is not JSON; what a lenient parser may take of it is a should (ruling 1). */
const brokenIs = (text: string): 'invalid' | 'lenient' | 'open' => {
  const trimmed = text.trim()
  if (text.startsWith('\ufeff')) return 'open'
  if (trimmed.startsWith('{') && !isCutOff(trimmed)) return 'lenient'
  return trimmed.startsWith('/') ? 'lenient' : 'invalid'
}

/** The whole text, if it is short; else its end, and whether that comes too early. */
const describeFault = (text: string): string => {
  if (text.trim() === '') return text === '' ? 'it is empty' : 'it is blank'
  if (text.length <= maxShown) return short(text)
  return isCutOff(text)
    ? `cut after ${count(text.length, 'character', 'characters')}`
    : `…${short(text.slice(-maxShownEnd).replace(/^[\udc00-\udfff]/, ''))}`
}

const brokenKind = (text: string, is: Is): string => {
  if (is === 'lenient') return 'JSON that only lenient parsers take'
  return text.startsWith('{') && isCutOff(text) ? 'truncated JSON' : bodyThatIs('not JSON')
}

const ofText = (text: string): Body => {
  const of = (is: Is, kind: string, words: string): Body => {
    return { parts: [partOf('body', is, kind, words)], pet: undefined }
  }
  const ofShape = (shape: string) => of('invalid', shape, `with ${bodyThatIs(shape)}`)
  try {
    const value = parseJson(text)
    if (!isObject(value)) return ofShape(shapeOfBody(value))
    const parts = [...ofMembers(value), ...ofWriting(text, value)]
    return { parts, pet: keptOf(value, parts) }
  } catch (error) {
    if (error instanceof TooLarge) {
      return of(deepIs(JSON.parse(text)), 'deep', `with a body ${error.message}`)
    }
    const is = brokenIs(text)
    const brief = `with ${brokenKind(text, is)}`
    const fault = partOf('body', is, 'no JSON', `${brief} (${describeFault(text)})`)
    return { parts: [{ ...fault, brief }], pet: undefined }
  }
}

/** The body of a creation. */
export const readNewPet = (body: ApiRequest['body']): Body => {
  if (body === null) {
    return { parts: [partOf('body', 'invalid', 'missing', 'without a body')], pet: undefined }
  }
  const bytes = Buffer.from(body as string)
  const isText = isUtf8(bytes)
  const noText = partOf('body', 'lenient', 'no UTF-8', 'with a body that is not UTF-8')
  const { parts, pet } = isText ? ofText(bytes.toString()) : { parts: [noText], pet: undefined }
  // What is nested so deep is long for that.
  const isDeep = parts.some(({ kind }) => kind === 'deep')
  if (bytes.length <= maxBodyBytes || isDeep) return { parts, pet }
  const large = partOf('body', 'open', 'large', `with a body of ${bytes.length} bytes`)
  return { parts: [...parts, large], pet }
}
