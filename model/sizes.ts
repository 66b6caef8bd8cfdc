// What of a request may decide by its size: the length of its body, of a header field and of an
// invalid key, that of a name, in characters and in bytes, how short it is and how many digits it
// has, the magnitude of a category, of an id, and of a limit.
import { type ApiRequest, memoized, recognizeOperation } from '../history/exchange.ts'
import { isInt64, parseObject } from '../history/json.ts'

const ofName = ['name', 'bytes', 'digits', 'short'] as const
export const sizedMembers = ['body', 'key', ...ofName, 'categoryId', 'limit', 'petId'] as const
export type Sized = (typeof sizedMembers)[number] | `field ${string}`

/** All that a request may be too large by. */
export const sizesOf = memoized(({ headers }: ApiRequest): readonly Sized[] => [
  ...sizedMembers,
  ...new Set(headers.map(([name]) => `field ${name}` as const)),
])

/** What it is the size of. */
export const partOfSize = (of: Sized): string => {
  if (of.startsWith('field ')) return shown(of).toLowerCase()
  return ofName.some((each) => each === of) ? 'name' : of
}

const withArticle = (name: string): string => `${/^(?:[aeio]|x-)/i.test(name) ? 'an' : 'a'} ${name}`

const shown = (of: Sized): string => of.replace('field ', '')

/** The text, where any may be sent in its place. */
export const sizedText = (of: Sized, { authorization, headers, body }: ApiRequest): string => {
  if (of === 'body') return typeof body === 'string' ? body : ''
  if (of === 'key') {
    const [value = '', ...others] = Array.isArray(authorization) ? authorization : []
    return (others.length === 0 && /^Bearer (\S+)$/.exec(value)?.[1]) || ''
  }
  const own = headers.filter(([name]) => of === `field ${name}`)
  return own.length === 1 ? (own[0]?.[1] ?? '') : ''
}

export const isOfText = (of: Sized): boolean =>
  of === 'body' || of === 'key' || of.startsWith('field ')

/** A limit within its bounds; 0 where there is none, and at another operation. */
const limitIn = (apiRequest: ApiRequest): bigint => {
  if (recognizeOperation({ apiRequest }) !== 'list') return 0n
  const limits = [...apiRequest.path.matchAll(/[?&]limit=([1-9]\d?|100)(?=&|$)/g)]
  return limits.length === 1 ? BigInt(limits[0]?.[1] ?? 0) : 0n
}

/** An id without its sign, and without zeros in front; 0 where there is none. */
const idIn = ({ method, path }: ApiRequest): bigint =>
  method === 'GET' ? BigInt(/^\/pets\/-?(\d{1,99})$/.exec(path)?.[1] ?? 0) : 0n

const petIn = memoized(({ body }: ApiRequest) =>
  typeof body === 'string' ? parseObject(body) : undefined,
)

/** How short a name is, is counted down from here. */
const shortest = 101

const sizeOfName = (of: Sized, name: string): number => {
  const { length } = [...name]
  if (of === 'short') return length > 0 && length < shortest ? shortest - length : 0
  if (of === 'name') return length
  return of === 'bytes' ? Buffer.byteLength(name) : name.replace(/[^0-9]/g, '').length
}

/** Of a name its characters, its bytes, or how many are digits; 0 where there is none. */
export const sizeIn = (of: Sized, apiRequest: ApiRequest): bigint => {
  if (of === 'limit') return limitIn(apiRequest)
  if (of === 'petId') return idIn(apiRequest)
  if (isOfText(of)) {
    const padding = of === 'body' ? (apiRequest.padding ?? 0) : 0
    return BigInt(Buffer.byteLength(sizedText(of, apiRequest)) + padding)
  }
  const { name, categoryId } = petIn(apiRequest) ?? {}
  if (of === 'categoryId') return isInt64(categoryId) && categoryId > 0n ? categoryId : 0n
  return typeof name === 'string' ? BigInt(sizeOfName(of, name)) : 0n
}

/** @param like with the long characters of a name of this many bytes, and short ones besides */
export const nameOfSize = (of: Sized, size: bigint, plain: string, like = size): string => {
  if (of === 'name') return plain.padEnd(Number(size), 'a')
  if (of === 'short') return plain.slice(0, shortest - Number(size))
  const left = (all: bigint) => Math.max(0, Number(all) - sizeOfName(of, plain))
  if (of === 'digits') return plain + '0'.repeat(left(size))
  const wide = plain + 'é'.repeat(left(like) / 2)
  return wide.padEnd(wide.length + left(size) - 2 * (wide.length - plain.length), 'a')
}

/** Of these only the usual bounds are tried. */
const isInteger = (of: Sized): of is 'categoryId' | 'petId' => of === 'categoryId' || of === 'petId'

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
export const edgesIn = (member: Sized, low: bigint, high: bigint): readonly bigint[] =>
  isInteger(member) || high - low > maxApart
    ? (isInteger(member) ? largest : usualSizes).filter((each) => low <= each && each < high)
    : Array.from({ length: Math.max(0, Number(high - low)) }, (_, at) => low + BigInt(at))

/** `with a name of more than 50 characters`, `with a categoryId above 2147483647` */
export const wordsOfSize = (member: Sized, above: bigint): string => {
  if (member === 'limit') return above === 99n ? 'with limit=100' : `with a limit above ${above}`
  if (member === 'bytes') return `with a name of more than ${above} bytes in UTF-8`
  if (member === 'name') return `with a name of more than ${above} characters`
  if (member === 'digits') return `with more than ${above} digits in the name`
  if (member === 'short') return `with a name of fewer than ${BigInt(shortest) - above} characters`
  if (member === 'body') return `with a body of more than ${above} bytes`
  if (isOfText(member)) return `with ${withArticle(shown(member))} of more than ${above} characters`
  return /^9+$/.test(`${above}`)
    ? `with a ${member} of more than ${`${above}`.length} digits`
    : `with a ${member} above ${above}`
}

/** What is peculiar about an int64. */
export const magnitudeOf = (value: bigint): string | undefined => {
  const size = value < 0n ? -value : value
  if (size >= 10n ** 18n) return 'of 19 digits'
  if (size > 2n ** 53n) return 'beyond 2^53'
  if (size >= 2n ** 31n) return 'beyond 2^31'
  return value <= 0n ? 'not positive' : undefined
}
