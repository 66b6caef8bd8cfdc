// The parts of the head of a request: what each field asks, as data, and how long it all is.
import type { ApiRequest, Header } from '../history/exchange.ts'
import { quote } from '../history/quote.ts'
import { type Part, partNamed, partOf } from './read-body.ts'

/** Of a value; the request that is shown has all of it. */
const maxShown = 60

export const beyondAscii = 'field beyond ASCII'
export const ofFront = 'field of a front'

/** Parts of these kinds are equal only if their words are: one field may matter, another not. */
export const headerKinds: readonly string[] = [
  ...['field', beyondAscii, ofFront, 'media type', 'parameters'],
]

const any = /^/
const http = /^"?http"?\s*(?:,|$)/i

type Asking = readonly [kind: string, names: string, values: RegExp]

/**
 * Fields that ask for more than the operation itself, and those that servers refuse or redirect on
 * purpose: by name, which values make the response open (ruling 1). Any other field, and any other
 * value, asks for nothing.
 */
const asking: readonly Asking[] = [
  ['field', 'expect upgrade range te content-encoding transfer-encoding', any],
  ['field', 'if if-match if-none-match if-modified-since if-unmodified-since if-range', any],
  ['field', 'accept-charset accept-encoding accept-datetime prefer', any],
  ['field', 'idempotency-key early-data accept-signature signature signature-input', any],
  ['field', 'content-digest repr-digest digest content-md5', any],
  ['field', 'want-content-digest want-repr-digest want-digest', any],
  ['field', 'depth destination overwrite lock-token timeout', any], // WebDAV
  ['field', 'cache-control', /\bonly-if-cached\b/i],
  [ofFront, 'origin x-forwarded-host x-original-host x-forwarded-server', any],
  [ofFront, 'sec-fetch-site', /^(?!same-origin$|none$)/i],
  [ofFront, 'x-forwarded-proto x-forwarded-protocol x-forwarded-scheme x-scheme', http],
  [ofFront, 'forwarded', /\bhost=|\bproto="?http(?!s)/i],
  [ofFront, 'x-forwarded-ssl front-end-https', /^off$/i],
]

const askedBy = new Map(
  asking.flatMap(([kind, names, values]) =>
    names.split(' ').map((name) => [name, { kind, values }] as const),
  ),
)

/** One of the accepted types, with a weight above zero, is that of the interface. */
const acceptsJson =
  /(?:^|,)\s*(?:application\/(?:json|\*)|\*\/\*)\s*(?=[;,]|$)(?![^,]*;\s*q=0(?:\.0*)?\s*(?:,|$))/i

const ofField = (name: string, value: string): readonly [is: Part['is'], kind: string] => {
  const asked = askedBy.get(name)
  if (asked?.values.test(value)) return ['open', asked.kind]
  if (name === 'accept' && !acceptsJson.test(value)) return ['open', 'field']
  // Bytes beyond visible ASCII are a should.
  return ['valid', /[^\t -~]/.test(value) ? beyondAscii : 'field']
}

const jsonType = /^application\/json(?:\s*;\s*charset=("?)utf-8\1)?$/i

/** Their letter case is free (RFC 9110, 5.1). */
const letterCases = { lower: 'in lower case', upper: 'in capitals' } as const

const ofNames = ({ names }: ApiRequest): readonly Part[] =>
  names === undefined
    ? []
    : [partOf('head', 'valid', names, `with the names of fields ${letterCases[names]}`)]

export const ofHeaders = (request: ApiRequest): readonly Part[] => {
  const { method, headers } = request
  const types = headers.filter(([name]) => /^content-type$/i.test(name))
  const found = headers.flatMap(([given, value]: Header): readonly Part[] => {
    const name = given.toLowerCase()
    const words =
      value === '' ? `with an empty ${given}` : `with ${given}: ${quote(value, maxShown)}`
    const of = (is: Part['is'], kind: string) => [partOf(partNamed(name), is, kind, words)]
    // The type of a body that there is none of is a field like any other.
    if (method === 'GET' || name !== 'content-type') return of(...ofField(name, value))
    if (method === 'POST' && types.length === 1 && value === 'application/json') return []
    const kind = value.includes(';') ? 'parameters' : 'media type'
    return of(types.length === 1 && jsonType.test(value) ? 'valid' : 'open', kind)
  })
  const isUntyped = method === 'POST' && types.length === 0
  const none = partOf('content-type', 'open', 'none', 'without Content-Type')
  return [...ofNames(request), ...found, ...(isUntyped ? [none] : [])]
}

/** Some servers and firewalls take no more by default. */
const maxHeadBytes = 4_096
const maxTarget = 2_000
/** What each request has besides: `Host`, the key, and what a configuration adds. */
const usualHeadBytes = 256

const headBytes = ({ method, path, authorization, headers }: ApiRequest): number => {
  const keys = Array.isArray(authorization) ? authorization : []
  const lines = [method, path, ...keys, ...headers.map((field) => field.join(': '))]
  return lines.reduce((sum, { length }) => sum + length + 2, usualHeadBytes)
}

/** What is longer than that. */
export const ofLength = (request: ApiRequest): readonly Part[] => {
  const { length } = request.path
  const long = (part: 'target' | 'head', words: string) => [partOf(part, 'open', 'long', words)]
  if (length > maxTarget) return long('target', `with a target of ${length} characters`)
  return headBytes(request) > maxHeadBytes ? long('head', 'with a long head') : []
}
