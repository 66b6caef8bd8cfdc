// What of a creation may decide by its size: the length of its name, the magnitude of its category.
import { isInt64, type JsonObject } from '../history/json.ts'

export const sizedMembers = ['name', 'categoryId'] as const
export type Sized = (typeof sizedMembers)[number]

/** Of a name its characters; 0 where there is none. */
export const sizeIn = (member: Sized, pet: JsonObject | undefined): bigint => {
  const value = pet?.[member]
  if (member === 'name') return BigInt(typeof value === 'string' ? [...value].length : 0)
  return isInt64(value) && value > 0n ? value : 0n
}

/** The largest numbers of so many digits, and of the usual types. */
const largest = [
  ...Array.from({ length: 18 }, (_, at) => 10n ** BigInt(at + 1) - 1n),
  ...[31n, 32n, 53n].map((bits) => 2n ** bits - 1n),
  2n ** 53n,
].sort((a, b) => (a < b ? -1 : 1))

/** @returns the sizes from `low` that may be the largest one to pass, where `high` does not */
export const edgesIn = (member: Sized, low: bigint, high: bigint): readonly bigint[] =>
  member === 'name'
    ? Array.from({ length: Math.max(0, Number(high - low)) }, (_, at) => low + BigInt(at))
    : largest.filter((each) => low <= each && each < high)

/** `with a name of more than 50 characters`, `with a categoryId above 2147483647` */
export const wordsOfSize = (member: Sized, above: bigint): string => {
  if (member === 'name') return `with a name of more than ${above} characters`
  return /^9+$/.test(`${above}`)
    ? `with a categoryId of more than ${`${above}`.length} digits`
    : `with a categoryId above ${above}`
}
