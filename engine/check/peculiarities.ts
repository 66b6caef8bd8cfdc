// What is peculiar about a request: what distinguishes it from a plain valid one, in words.
import { isUtf8 } from 'node:buffer'
import { maxDepth } from './body.ts'
import { type Exchange, memoized, statusCode } from './exchange.ts'
import { short } from './expect.ts'
import {
  isInt64,
  isObject,
  type Json,
  type JsonObject,
  measureJson,
  parseJson,
  printJson,
} from './json.ts'
import { quote } from './quote.ts'
import { describeShape } from './value-kinds.ts'

interface Peculiarity {
  /** The part of the request: a member, a parameter, a header, `key`, `body`. */
  readonly about: string
  /** What is peculiar about it, without data. */
  readonly kind: string
  /** Follows the operation: `with categoryId true`. */
  readonly words: string
  /** Whether a valid request may have it. */
  readonly isLegal: boolean
}

const maxShown = 60

const shownValue = (value: Json): string => quote(printJson(value), maxShown)

const fault = (about: string, kind: string, words: string): Peculiarity => {
  return { about, kind, words, isLegal: false }
}
const legal = (about: string, kind: string, words: string): Peculiarity => {
  return { about, kind, words, isLegal: true }
}

const operations = [
  ['GET', /^\/pets(?:\?|$)/, 'GET /pets'],
  ['POST', /^\/pets(?:\?|$)/, 'POST /pets'],
  ['GET', /^\/pets\/[^/?#]+(?:\?|$)/, 'GET /pets/{petId}'],
] as const

/** `GET /pets/{petId}`; of a request that is none of the three operations, as it was sent. */
export const operationIn = ({ apiRequest: { method, path, from } }: Exchange): string => {
  const found = operations.find(([verb, pattern]) => verb === method && pattern.test(path))
  return found && from === 'base' ? found[2] : `${method} ${short(path)}`
}

const ofKey = ({ authorization, scheme }: Exchange['apiRequest']): Peculiarity[] => {
  if (authorization === null) return [fault('key', 'none', 'without a key')]
  if (authorization !== 'valid') return [fault('key', 'invalid', 'with an invalid key')]
  return scheme === 'Bearer' ? [] : [legal('key', 'scheme', `with the scheme ${scheme}`)]
}

const isWithin = (value: string, min: number, max: number): boolean =>
  /^[1-9]\d{0,2}$/.test(value) && Number(value) >= min && Number(value) <= max

const knownStatuses: readonly unknown[] = ['available', 'pending', 'sold']

const ofParameter = ([name, value]: readonly [string, string]): Peculiarity => {
  const words = `with ${short(`${name}=${value}`)}`
  const isValid = name === 'limit' ? isWithin(value, 1, 100) : knownStatuses.includes(value)
  if (name !== 'limit' && name !== 'status') return legal('query', 'other parameter', words)
  const edge = name === 'status' || value === '1' || value === '100' ? value : 'within its range'
  return isValid ? legal(name, edge, words) : fault(name, `invalid ${name}`, words)
}

const ofQuery = (path: string): Peculiarity[] => {
  const at = path.indexOf('?')
  if (at < 0) return []
  const pairs = path
    .slice(at + 1)
    .split('&', 20)
    .map((pair) => pair.split('=', 2))
    .map(([name = '', value = '']) => [name, value] as const)
  const isRepeated = new Set(pairs.map(([name]) => name)).size < pairs.length
  if (isRepeated) return [legal('query', 'repeated parameter', `with ${short(path.slice(at + 1))}`)]
  return pairs.map(ofParameter)
}

const double = 2n ** 53n
const word = 2n ** 31n

/** What is peculiar about an int64. */
const sizeOf = (value: bigint): string | undefined => {
  const size = value < 0n ? -value : value
  if (size > double) return 'beyond 2^53'
  if (size >= word) return 'beyond 2^31'
  return value <= 0n ? 'not positive' : undefined
}

const ofId = (path: string): Peculiarity[] => {
  const [, id] = /^\/pets\/([^/?#]+)/.exec(path) ?? []
  if (id === undefined) return []
  const words = `with the id ${short(id)}`
  if (!/^-?(?:0|[1-9]\d*)$/.test(id)) return [fault('petId', 'no integer', words)]
  if (!isInt64(BigInt(id.slice(0, 60)))) return [fault('petId', 'outside int64', words)]
  const size = sizeOf(BigInt(id))
  return size === undefined ? [] : [legal('petId', size, words)]
}

const fieldKind = 'field'
const typeKind = 'media type'

const ofHeaders = ({ method, headers, framing, padding, fresh }: Exchange['apiRequest']) => {
  const found = headers.flatMap(([name, value]): Peculiarity[] => {
    // The type of a body that there is none of is a field like any other.
    const isType = name.toLowerCase() === 'content-type' && method !== 'GET'
    if (isType && method === 'POST' && value === 'application/json') return []
    const kind = isType ? typeKind : fieldKind
    return [legal(name.toLowerCase(), kind, `with ${name}: ${short(value)}`)]
  })
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type')
  if (method === 'POST' && !hasType) {
    found.push(legal('content-type', 'none', 'without Content-Type'))
  }
  if (framing) found.push(legal('body', framing, `with a body that is sent ${framing}`))
  if (fresh) found.push(legal('connection', 'fresh', 'on a connection of its own'))
  if (padding) found.push(legal('body', 'large', `with ${padding} spaces before its body`))
  return found
}

/** Extreme ones first; a name may be several of them. */
const nameKinds: readonly (readonly [string, RegExp])[] = [
  ['an empty name', /^$/],
  ['a blank name', /^\s+$/],
  ['a name longer than 100 characters', /^.{101,}$/su],
  ['a control character in the name', /\p{Cc}/u],
  ['a lone surrogate in the name', /\p{Cs}/u],
  ['a space at an end of the name', /^\s+\S|\S\s+$/],
  ['an emoji in the name', /\p{Extended_Pictographic}|\p{Regional_Indicator}/u],
  ['a combining mark in the name', /\p{M}/u],
  ['direction marks or joiners in the name', /\p{Cf}/u],
  ['right-to-left text in the name', /[\u0590-\u08FF]/],
  ['a character beyond U+FFFF in the name', /[\u{10000}-\u{10FFFF}]/u],
  ['a character beyond Latin-1 in the name', /[^\0-\xff]/],
  ['a character beyond ASCII in the name', /[^\0-\x7f]/],
  ['a name that reads as another value', /^(?:null|true|false|[+-]?\d[\d.e+-]*|\d{4}-\d\d-\d\d)$/i],
  ['the name of a property of every object', /^(?:__proto__|constructor)$/],
  ['quotes or a backslash in the name', /["'\\]/],
  ['signs of markup, SQL or templates in the name', /[<>{}%$;#]/],
  ['two spaces in the name', / {2}/],
]

const ofName = (name: Json | undefined): Peculiarity[] => {
  if (name === undefined) return [fault('name', 'missing', 'without name')]
  if (typeof name !== 'string') return [fault('name', 'type', `with name ${shownValue(name)}`)]
  return nameKinds
    .filter(([, pattern]) => pattern.test(name))
    .map(([kind]) => legal('name', kind, `with ${kind}`))
}

const ofCategory = (category: Json | undefined): Peculiarity[] => {
  if (category === undefined) return [fault('categoryId', 'missing', 'without categoryId')]
  const words = `with categoryId ${shownValue(category)}`
  if (typeof category !== 'bigint') return [fault('categoryId', 'type', words)]
  if (!isInt64(category)) return [fault('categoryId', 'outside int64', words)]
  const size = sizeOf(category)
  return size === undefined ? [] : [legal('categoryId', size, words)]
}

const ofStatus = (status: Json | undefined): Peculiarity[] => {
  if (status === undefined) return [legal('status', 'omitted', 'without status')]
  const words = `with status ${shownValue(status)}`
  if (typeof status !== 'string') return [fault('status', 'type', words)]
  const isKnown = knownStatuses.includes(status)
  return [isKnown ? legal('status', status, words) : fault('status', 'no such value', words)]
}

const ownMembers = new Set(['name', 'categoryId', 'status'])

const ofMembers = (pet: JsonObject): Peculiarity[] => [
  ...ofCategory(pet.categoryId),
  ...ofStatus(pet.status),
  ...ofName(pet.name),
  ...Object.keys(pet)
    .filter((member) => !ownMembers.has(member))
    .map((member) => legal(member, 'extra member', `with the extra member ${short(member)}`)),
]

const maxShownBody = maxShown

type Writing = readonly [kind: string, words: string, where: 'signs' | 'strings', pattern: RegExp]

/** By what their text has between its strings, or in them, beyond what JSON needs. */
const writings: readonly Writing[] = [
  ['CRLF', 'with line ends of CR and LF in its JSON', 'signs', /\r/],
  ['LF', 'with line feeds in its JSON', 'signs', /^[^\r]*\n[^\r]*$/],
  ['tabs', 'with tabs in its JSON', 'signs', /^[^\r\n]*\t[^\r\n]*$/],
  ['spaces', 'with spaces around the signs of its JSON', 'signs', /^[^\r\n\t]* :[^\r\n\t]*$/],
  ['space', 'with a space after each sign of its JSON', 'signs', /^[^\r\n\t]*[^ ]: [^\r\n\t]*$/],
  ['solidus', 'with / written as \\/', 'strings', /(?<!\\)(?:\\\\)*\\\//],
  ['letters', 'with letters written as \\uXXXX', 'strings', /\\u00[67][0-9a-fA-F]/],
  ['escapes', 'with characters beyond ASCII written as \\uXXXX', 'strings', /\\u(?!00[0-7])/],
  ['capitals', 'with \\uXXXX in capital digits', 'strings', /\\u(?=[0-9A-F]*[A-F])[0-9A-F]{4}/],
]

const jsonString = /"(?:[^"\\]|\\.)*"/g

const isInOtherOrder = (pet: JsonObject): boolean => {
  const order = Object.keys(pet).filter((member) => ownMembers.has(member))
  return order.join() !== [...ownMembers].filter((member) => order.includes(member)).join()
}

const ofWriting = (text: string, pet: JsonObject): Peculiarity[] => {
  const strings = text.match(jsonString)?.join('') ?? ''
  const parts = { signs: text.replace(jsonString, '""'), strings }
  const found = writings.filter(([, , where, pattern]) => pattern.test(parts[where]))
  const order = legal('writing', 'order', 'with the members of its JSON in another order')
  return [
    ...found.map(([kind, words]) => legal('writing', kind, words)),
    ...(isInOtherOrder(pet) ? [order] : []),
  ]
}

const ofBody = ({ body }: Exchange['apiRequest']): Peculiarity[] => {
  if (body === null) return [fault('body', 'missing', 'without a body')]
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (!isUtf8(bytes)) return [fault('body', 'no UTF-8', 'with a body that is not UTF-8')]
  const text = Buffer.from(bytes).toString()
  const { depth } = measureJson(text)
  if (depth > maxDepth) return [fault('body', 'deep', `with a body nested ${depth} deep`)]
  try {
    const value = parseJson(text)
    if (isObject(value)) return [...ofMembers(value), ...ofWriting(text, value)]
    return [fault('body', 'no object', `with a body that is ${describeShape(value)}`)]
  } catch {
    const shown = text.length <= maxShownBody ? `: ${short(text)}` : ''
    return [fault('body', 'no JSON', `with a body that is not JSON${shown}`)]
  }
}

/** All that is peculiar about a request: its key, path, headers and body, in this order. */
export const findPeculiarities = memoized((exchange: Exchange): readonly Peculiarity[] => {
  const { apiRequest } = exchange
  const operation = operationIn(exchange)
  return [
    ...ofKey(apiRequest),
    ...ofQuery(apiRequest.path),
    ...(operation === 'GET /pets/{petId}' ? ofId(apiRequest.path) : []),
    ...(operation === 'POST /pets' ? ofBody(apiRequest) : []),
    ...ofHeaders(apiRequest),
  ]
})

const isServed = (exchange: Exchange): boolean =>
  statusCode(exchange) >= 200 && statusCode(exchange) <= 299

/**
 * What of a request may matter to its response: all that is invalid; and what is legal if requests
 * of the same operation were served without it, and none with it.
 */
export const findEssentials = (
  exchange: Exchange,
  trace: readonly Exchange[],
): readonly Peculiarity[] => {
  const operation = operationIn(exchange)
  const all = findPeculiarities(exchange)
  const own = all.filter(({ isLegal }) => isLegal)
  const served = trace.filter((one) => isServed(one) && operationIn(one) === operation)
  const has = (one: Exchange, { about, kind, words }: Peculiarity) => {
    // One field of a name may matter, and another not.
    const isOfWords = kind === fieldKind || kind === typeKind
    return findPeculiarities(one).some(
      (each) => each.about === about && each.kind === kind && (!isOfWords || each.words === words),
    )
  }
  const matters = (each: Peculiarity) =>
    !each.isLegal || (served.length > 0 && !served.some((one) => has(one, each)))
  return own.length === 0 ? all : all.filter(matters)
}
