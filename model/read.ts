// What a request is: its operation, its key, and what distinguishes it from a plain valid one.
import {
  type AnsweredExchange,
  type ApiRequest,
  type Exchange,
  hasMalformedKey,
  isAtOwnPath,
  memoized,
  type Operation,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import { isInt64, type JsonObject } from '../history/json.ts'
import { printQuery } from '../history/known-pets.ts'
import { percentDecoded } from '../history/quote.ts'
import { short } from './clause.ts'
import { isStatus, magnitudeOf, type Part, partOf, readNewPet } from './read-body.ts'
import { ofHeaders, ofLength } from './read-head.ts'

interface Reading {
  readonly operation: Operation | undefined
  /** `GET /pets/{petId}`; of a request for none of the three operations, as it was sent. */
  readonly name: string
  /** Whether it was sent to a path of the interface, with any method. */
  readonly at: 'own path' | 'elsewhere'
  /** Carried: a valid key that is not sent as the interface has it. */
  readonly key: 'valid' | 'none' | 'invalid' | 'malformed' | 'carried'
  /** What is peculiar: of its key, path, body and headers, in this order. */
  readonly parts: readonly Part[]
  /** Of a list: what its query requests, where that is valid. */
  readonly query: ListQuery | undefined
  /** Of a creation: what must be returned as it was sent, where it is valid and unambiguous. */
  readonly pet: JsonObject | undefined
}

type Sent = Pick<Exchange, 'apiRequest'>

type ListQuery = NonNullable<ReturnType<typeof printQuery>>

const names = { list: 'GET /pets', create: 'POST /pets', get: 'GET /pets/{petId}' } as const

const keyOf = (sent: Sent): Reading['key'] => {
  const { authorization, carries } = sent.apiRequest
  if (authorization === 'valid') return 'valid'
  if (carries !== undefined) return 'carried'
  if (authorization === null) return 'none'
  return hasMalformedKey(sent) ? 'malformed' : 'invalid'
}

/** An invalid key may be made of a valid one, so none is shown. */
const ofInvalid = (values: readonly string[]): Part => {
  const of = (kind: string, words: string) => partOf('key', 'invalid', kind, words)
  const [value = ''] = values
  if (values.length === 1 && value.trim() === '') {
    return of('empty', 'with an empty Authorization header')
  }
  const isAlone = values.length === 1 && /^\s*bearer\s*$/i.test(value)
  const alone = `with Authorization: ${value.trim()} and no key`
  return isAlone ? of('scheme alone', alone) : of('invalid', anyKey)
}

export const noKey = 'without an Authorization header'
/** What was sent is not shown. */
export const anyKey = 'with an invalid key'

const ofKey = ({ authorization, scheme, says }: ApiRequest): readonly Part[] => {
  if (says !== undefined) {
    const kind = authorization === null ? `none, ${says}` : says
    return [partOf('key', 'invalid', says === noKey ? 'none' : kind, says)]
  }
  if (authorization === null) return [partOf('key', 'invalid', 'none', noKey)]
  if (authorization !== 'valid') return [ofInvalid(authorization)]
  // Its letter case is free, which is a should.
  return scheme === 'Bearer' ? [] : [partOf('key', 'valid', 'scheme', `with the scheme ${scheme}`)]
}

const ofLimit = (value: string, words: string): Part => {
  if (/^[1-9]\d{0,2}$/.test(value) && Number(value) <= 100) {
    const isEdge = value === '1' || value === '100'
    return partOf('limit', 'valid', isEdge ? value : 'within its range', words)
  }
  const number = /^[+ %\d.e]+$/i.test(value) ? Number(value) : 0
  return number >= 1 && number <= 100
    ? partOf('limit', 'open', 'another spelling', words)
    : partOf('limit', 'invalid', 'invalid limit', words)
}

const ofParameter = ([name = '', value = '']: readonly string[]): Part => {
  const words = value === '' ? `with an empty ${short(name)}` : `with ${short(`${name}=${value}`)}`
  if (name === 'limit') return ofLimit(value, words)
  if (name !== 'status') return partOf('query', 'open', 'other parameter', words)
  return isStatus(value)
    ? partOf('status', 'valid', value, words)
    : partOf('status', 'invalid', 'invalid status', words)
}

/** A query with so many parameters is not read one by one: some of them repeat, or are unknown. */
const maxParameters = 20

const ofQuery = (path: string, operation: Operation | undefined): readonly Part[] => {
  const at = path.indexOf('?')
  if (at < 0) return []
  const query = path.slice(at + 1)
  const all = (kind: string) => [partOf('query', 'open', kind, `with ${short(query)}`)]
  // The other operations have no parameters.
  if (operation !== 'list') return all('other parameter')
  const pairs = query.split('&', maxParameters + 1).map((pair) => pair.split('=', 2))
  const isRepeated = new Set(pairs.map(([name]) => name)).size < pairs.length
  return isRepeated || pairs.length > maxParameters
    ? all('repeated parameter')
    : pairs.map(ofParameter)
}

const maxDigits = 60

/** An id and more text, which is no other spelling of a number: reading the id is a should. */
const hasSuffix = (text: string): boolean =>
  /^-?\d+(?:\.[a-z]|[^\d.e\s_x])/i.test(text) && !/^-?0[bo]/i.test(text)

/** How a text is meant that is no integer as the interface writes it. */
const textIs = (text: string | undefined): Part['is'] => {
  if (text === undefined) return 'invalid'
  // Digits of any script are some other spelling.
  if (/^\s*[+-]?\p{Nd}+(?:\.0*)?(?:e\+?\d+)?\s*$/iu.test(text)) return 'open'
  if (hasSuffix(text)) return 'lenient'
  return /^\s*[+-]?\d+\.\d*[1-9]\d*$/.test(text) || !/^\s*[+-]?\d/.test(text) ? 'invalid' : 'open'
}

const ofId = (path: string): readonly Part[] => {
  const [id = ''] = path.slice('/pets/'.length).split('?')
  const of = (is: Part['is'], kind: string) => [
    partOf('petId', is, kind, `with the id ${/^[\w%.-]*$/.test(id) ? id : `"${short(id)}"`}`),
  ]
  if (!/^(?:0|-?[1-9]\d*)$/.test(id)) return of(textIs(percentDecoded(id)), 'no integer')
  if (id.length >= maxDigits || !isInt64(BigInt(id))) return of('invalid', 'outside int64')
  const size = magnitudeOf(BigInt(id))
  return size === undefined ? [] : of('valid', size)
}

const ofTransport = ({ framing, padding, fresh }: ApiRequest): readonly Part[] => {
  // A server may demand a length (411).
  const is = framing === 'chunked' ? 'open' : 'valid'
  return [
    ...(framing ? [partOf('body', is, framing, `with a body that is sent ${framing}`)] : []),
    ...(fresh ? [partOf('connection', 'valid', 'fresh', 'on a connection of its own')] : []),
    ...(padding
      ? [partOf('body', 'open', 'padded', `with ${padding} spaces before its body`)]
      : []),
  ]
}

/** Reads a request before it is sent. */
const readRequest = memoized((apiRequest: ApiRequest): Reading => {
  const { path, method, body } = apiRequest
  const sent = { apiRequest }
  const operation = recognizeOperation(sent)
  const query = ofQuery(path, operation)
  const own = operation === 'create' ? readNewPet(body) : { parts: [], pet: undefined }
  const headers = ofHeaders(apiRequest)
  const isJson = headers.every(({ part, is }) => part !== 'content-type' || is === 'valid')
  const isListed =
    operation === 'list' && query.every(({ is, part }) => is === 'valid' || part === 'query')
  return {
    operation,
    name: operation === undefined ? `${method} ${short(path)}` : names[operation],
    at: isAtOwnPath(sent) ? 'own path' : 'elsewhere',
    key: keyOf(sent),
    parts: [
      ...ofKey(apiRequest),
      ...query,
      ...(operation === 'get' ? ofId(path) : []),
      ...own.parts,
      ...headers,
      ...ofTransport(apiRequest),
      ...ofLength(apiRequest),
    ],
    query: isListed ? printQuery(sent) : undefined,
    // A parameter may ask for another form of the response (ruling 10); of another media type it is
    // open what the body says.
    pet: query.length === 0 && isJson ? own.pet : undefined,
  }
})

/** What a request is. The status that it must get is `dueOf`. */
export const read = ({ apiRequest }: Sent): Reading => readRequest(apiRequest)

/** `with limit=1 and status=sold`, `with a limit and a status`, `with name 5`. */
export const joinWords = (parts: readonly Pick<Part, 'words'>[]): string =>
  parts
    .map(({ words }) => words)
    .join(' and ')
    .replace(/(?<=\b(?:limit|status)(?:=\S*)? and )with (?=(?:a )?(?:limit|status)\b)/g, '')

/** A request in words: its operation, what it asks for, and what is wrong or open about it. */
export const describeRequest = (sent: Sent): string => {
  const { name, parts, query } = read(sent)
  const shown = query === undefined ? parts.filter(({ is }) => is !== 'valid') : parts
  return shown.length === 0 ? name : `${name} ${joinWords(shown)}`
}

/** Whether a parameter may ask for other members of pets, or for a list in an envelope. */
export const asksForAnotherForm = (sent: Sent): boolean =>
  read(sent).parts.some(({ part, is }) => part === 'query' && is === 'open')

/** What the query of a list requests, where it is valid and was answered 200. */
export const servedQuery = (exchange: AnsweredExchange): ListQuery | undefined =>
  statusCode(exchange) === 200 ? read(exchange).query : undefined
