// What of a request may decide by its size: how it is measured, what it is called, and how the
// request is sent with another size.
import {
  type ApiRequest,
  type Header,
  memoized,
  recognizeOperation,
} from '../../history/exchange.ts'
import { isInt64, type JsonObject, printJson } from '../../history/json.ts'
import { petIn, withMember } from '../sent-pet.ts'

/** What a request can have too much of. */
export interface Measure {
  readonly of: string
  /** The part of a request that it is the size of. */
  readonly part: string
  /** 0: the request has none. */
  readonly sizeIn: (request: ApiRequest) => bigint
  /** `with a name of more than 50 characters` */
  readonly words: (above: bigint) => string
  /** The request with another size. @param like a size: its name has as many long characters */
  readonly resize: (request: ApiRequest, size: bigint, newPet: NewPet, like: bigint) => ApiRequest
  /** The text, where any may be sent in its place. */
  readonly textIn?: (request: ApiRequest) => string
  /** Of integers only the usual bounds are tried. */
  readonly isInteger?: true
}

/** Makes a plain pet, with a name of its own. */
type NewPet = () => JsonObject

type Words = Measure['words']

const moreThan =
  (what: string, unit: string): Words =>
  (above) =>
    `with ${what} of more than ${above} ${unit}`

/** How short a name is, is counted down from here. */
const shortest = 101

const lengthOf = (name: string): number => [...name].length
const shortnessOf = (name: string): number =>
  name === '' ? 0 : Math.max(0, shortest - lengthOf(name))
const wordsOfShort: Words = (above) =>
  `with a name of fewer than ${BigInt(shortest) - above} characters`
const bytesOf = (name: string): number => Buffer.byteLength(name)
const digitsOf = (name: string): number => name.replace(/[^0-9]/g, '').length
const wordsOfDigits: Words = (above) => `with more than ${above} digits in the name`

/** Each of the characters is three bytes, so that not many are needed. */
const widened = (plain: string, size: number, like: number): string => {
  const wide = plain + '字'.repeat(Math.max(0, like - bytesOf(plain)) / 3)
  return wide + 'a'.repeat(Math.max(0, size - bytesOf(wide)))
}

/** How a name is measured, what that is called, and how a plain one gets so large. */
type OfName = readonly [
  measure: (name: string) => number,
  words: Words,
  make: (plain: string, size: number, like: number) => string,
]

const unitsOf = (name: string): number => name.length

/** Each of the emoji is two units. */
const withEmoji = (plain: string, size: number, like: number): string => {
  const wide = plain + '🐈'.repeat(Math.max(0, like - unitsOf(plain)) / 2)
  return wide + 'a'.repeat(Math.max(0, size - unitsOf(wide)))
}

const ofNames: Readonly<Record<string, OfName>> = {
  name: [lengthOf, moreThan('a name', 'characters'), (plain, size) => plain.padEnd(size, 'a')],
  bytes: [bytesOf, moreThan('a name', 'bytes in UTF-8'), widened],
  units: [unitsOf, moreThan('a name', 'UTF-16 units'), withEmoji],
  digits: [
    digitsOf,
    wordsOfDigits,
    (plain, size) => plain.padEnd(plain.length + size - digitsOf(plain), '0'),
  ],
  short: [shortnessOf, wordsOfShort, (plain, size) => plain.slice(0, shortest - size)],
}

const measureOfName = ([of, [measure, words, make]]: readonly [string, OfName]): Measure => ({
  ...{ of, part: 'name', words },
  sizeIn: (request) => {
    const name = petIn(request)?.name
    return typeof name === 'string' ? BigInt(measure(name)) : 0n
  },
  resize: (request, size, newPet, like) =>
    withMember(request, 'name', make(`${newPet().name}-`, Number(size), Number(like))),
})

/** `with a petId above 2147483647`; what lies above all numbers of so many digits has more. */
const above =
  (of: string): Words =>
  (size) =>
    /^9+$/.test(`${size}`)
      ? moreThan(`a ${of}`, 'digits')(BigInt(`${size}`.length))
      : `with a ${of} above ${size}`

const textOfBody = ({ body }: ApiRequest): string => (typeof body === 'string' ? body : '')

/** White space is put before it, since a server may cut what is at its end unseen. */
const withBody: Measure['resize'] = (request, size, newPet) => {
  const isPadded = request.padding !== undefined
  const body = isPadded ? `${request.body}` : printJson(newPet())
  const left = Math.max(0, Number(size) - bytesOf(body))
  return isPadded ? { ...request, padding: left } : { ...request, body: ' '.repeat(left) + body }
}

const keyIn = ({ authorization }: ApiRequest): string => {
  const [value = '', ...others] = Array.isArray(authorization) ? authorization : []
  return (others.length === 0 && /^Bearer (\S+)$/.exec(value)?.[1]) || ''
}

/** The value of a field that has one line only. */
const fieldIn =
  (name: string) =>
  ({ headers }: ApiRequest): string => {
    const own = headers.filter(([each]) => each === name)
    return own.length === 1 ? (own[0]?.[1] ?? '') : ''
  }

/** The limit of a list, where it is within its bounds. */
const limitIn = (apiRequest: ApiRequest): bigint => {
  const limits = [...apiRequest.path.matchAll(/[?&]limit=([1-9]\d?|100)(?=&|$)/g)]
  const isOne = limits.length === 1 && recognizeOperation({ apiRequest }) === 'list'
  return isOne ? BigInt(limits[0]?.[1] ?? 0) : 0n
}

export const measures: readonly Measure[] = [
  {
    ...{ of: 'body', part: 'body', textIn: textOfBody, words: moreThan('a body', 'bytes') },
    sizeIn: (request) => BigInt(bytesOf(textOfBody(request)) + (request.padding ?? 0)),
    resize: withBody,
  },
  {
    ...{ of: 'key', part: 'key', textIn: keyIn, words: moreThan('a key', 'characters') },
    sizeIn: (request) => BigInt(bytesOf(keyIn(request))),
    resize: (request, size) => ({
      ...request,
      authorization: [`Bearer ${'x'.repeat(Number(size))}`],
      says: `with a key of ${size} characters`,
    }),
  },
  ...Object.entries(ofNames).map(measureOfName),
  {
    ...{ of: 'categoryId', part: 'categoryId', words: above('categoryId'), isInteger: true },
    sizeIn: (request) => {
      const { categoryId } = petIn(request) ?? {}
      return isInt64(categoryId) && categoryId > 0n ? categoryId : 0n
    },
    resize: (request, size) => withMember(request, 'categoryId', size),
  },
  {
    ...{ of: 'limit', part: 'limit', sizeIn: limitIn },
    words: (size) => (size === 99n ? 'with limit=100' : `with a limit above ${size}`),
    resize: ({ path, ...request }, size) => {
      return { ...request, path: path.replace(/(?<=[?&]limit=)\d+/, `${size}`) }
    },
  },
  {
    ...{ of: 'petId', part: 'petId', words: above('petId'), isInteger: true },
    // Without its sign.
    sizeIn: ({ method, path }) =>
      method === 'GET' ? BigInt(/^\/pets\/-?(\d{1,99})$/.exec(path)?.[1] ?? 0) : 0n,
    resize: (request, size) => ({ ...request, path: `/pets/${size}` }),
  },
]

const measureOfField = (name: string): Measure => ({
  ...{ of: `field ${name}`, part: name.toLowerCase(), textIn: fieldIn(name) },
  sizeIn: (request) => BigInt(bytesOf(fieldIn(name)(request))),
  words: moreThan(`${/^(?:[aeio]|x-)/i.test(name) ? 'an' : 'a'} ${name}`, 'characters'),
  resize: (request, size) => {
    const text = 'x'.repeat(Number(size))
    const headers = request.headers.map(
      ([each, value]): Header => [each, each === name ? text : value],
    )
    return { ...request, headers }
  },
})

/** All that a request may be too large by. */
export const measuresOf = memoized(({ headers }: ApiRequest): readonly Measure[] => [
  ...measures,
  ...[...new Set(headers.map(([name]) => name))].map(measureOfField),
])

export const measureNamed = (of: string): Measure =>
  measures.find((each) => each.of === of) ?? measureOfField(of.replace('field ', ''))

/** The largest numbers of so many digits, and of the usual types. */
const largest = [
  ...Array.from({ length: 18 }, (_, at) => 10n ** BigInt(at + 1) - 1n),
  ...[31n, 32n, 53n].map((bits) => 2n ** bits - 1n),
  2n ** 53n,
].sort((a, b) => (a < b ? -1 : 1))

/** Between sizes that are farther apart only usual bounds are tried: powers, and round numbers. */
const maxApart = 1_024n
const usual = Array.from({ length: 20 }, (_, at) => BigInt(at)).flatMap((at) => [
  ...[2n ** at - 1n, 2n ** at],
  ...(at > 1n && at < 6n ? [1n, 2n, 3n, 4n, 5n, 6n, 8n].map((each) => each * 10n ** at) : []),
])
const usualSizes = [...new Set(usual)].sort((a, b) => (a < b ? -1 : 1))

/** @returns the sizes from `low` that may be the largest one to pass, where `high` does not */
export const edgesIn = ({ isInteger }: Measure, low: bigint, high: bigint): readonly bigint[] =>
  isInteger || high - low > maxApart
    ? (isInteger ? largest : usualSizes).filter((each) => low <= each && each < high)
    : Array.from({ length: Math.max(0, Number(high - low)) }, (_, at) => low + BigInt(at))
