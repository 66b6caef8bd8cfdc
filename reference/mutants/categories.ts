// Faults of categories: numbers that pass through the wrong type, or come from one.
import type { Mutant } from '../mutant.ts'
import { coercing, refusing, storingCategory } from './over-animals.ts'

const throughDouble = (id: unknown) => BigInt(Number(id))

/** Once a category is refused, only those that are known to exist are asked about. */
const known = [1n, 2n ** 31n + 7n, 2n ** 53n + 1n, 2n ** 63n - 1n]

const exact: readonly Mutant[] = [
  {
    id: 'category-through-double',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-exact',
    fault: 'The body is parsed into doubles.',
    // The greatest double below 2^63, where rounding would leave int64.
    ...storingCategory((id) => BigInt.asIntN(64, throughDouble(id))),
  },
  {
    id: 'category-32-bits',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-exact',
    fault: 'The column is a 32-bit integer, and the number is cut to it.',
    ...storingCategory((id) => BigInt.asIntN(32, id)),
  },
  {
    id: 'category-32-bits-only',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-exact',
    fault: 'What does not fit into 32 bits is refused.',
    categories: known,
    ...refusing(400, ({ categoryId: id }) => BigInt.asIntN(32, id) === id, 'Too large.'),
  },
  {
    id: 'category-safe-integers-only',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-exact',
    fault: 'Beyond 2^53 a number is refused as unsafe.',
    categories: known,
    ...refusing(400, ({ categoryId: id }) => id < 2n ** 53n, 'categoryId is no safe integer.'),
  },
  {
    id: 'category-beyond-int32-refused',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-exact',
    fault: 'The column holds 32 bits, and what does not fit is refused; no category is configured.',
    ...refusing(400, ({ categoryId: id }) => BigInt.asIntN(32, id) === id, 'Too large.'),
  },
  {
    id: 'category-beyond-int53-refused',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-exact',
    fault: 'A validator of safe integers refuses the rest; no category is configured.',
    ...refusing(400, ({ categoryId: id }) => id < 2n ** 53n, 'categoryId is no safe integer.'),
  },
  {
    id: 'category-greatest-refused',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-exact',
    fault: 'The greatest int64 is taken for out of range.',
    ...refusing(400, ({ categoryId: id }) => id < 2n ** 63n - 1n, 'categoryId is out of range.'),
  },
  {
    id: 'category-sign-lost',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-never-changed',
    fault: 'The sign of a number is lost.',
    ...storingCategory((id) => (id < 0n && id > -(2n ** 63n) ? -id : id)),
  },
  {
    id: 'category-unsigned',
    breaks: 'new-pet.category.exact',
    caughtBy: 'create-category-never-changed',
    fault: 'A negative number is printed as an unsigned one.',
    ...storingCategory((id) => BigInt.asUintN(63, id)),
  },
]

const fraction = (value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? BigInt(Math.trunc(value)) : value

const wrap = (value: unknown) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) : value)

const greatest = 2n ** 63n - 1n

const clampUp = (value: unknown) =>
  (typeof value === 'bigint' && value > greatest) || (typeof value === 'number' && value > 1e19)
    ? greatest
    : value

const onlyFor = (isMeant: (value: unknown) => boolean, value: bigint) => (sent: unknown) =>
  isMeant(sent) ? value : sent

const isText = (value: unknown): value is string => typeof value === 'string'
const isTrue = (value: unknown) => value === true
const isNull = (value: unknown) => value === null
const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ofCategory: readonly Mutant[] = (
  [
    ['category-string-taken', 'create-category-string-400', onlyFor(isText, 1n)],
    ['category-boolean-taken', 'create-category-boolean-400', onlyFor(isTrue, 1n)],
    ['category-null-taken', 'create-category-null-400', onlyFor(isNull, 0n)],
    ['category-object-taken', 'create-category-object-400', onlyFor(isObject, 1n)],
    ['category-fraction-cut', 'create-category-fraction-400', fraction],
  ] satisfies readonly (readonly [string, string, (value: unknown) => unknown])[]
).map(([id, caughtBy, change]) => ({
  id,
  breaks: 'new-pet.category.type',
  caughtBy,
  fault: 'A category of another type is turned into an integer.',
  ...coercing('categoryId', change),
}))

const ofRange: readonly Mutant[] = (
  [
    ['category-wraps-above', 'create-category-above-int64-400', wrap],
    ['category-clamped-above', 'create-category-forty-digits-400', clampUp],
  ] satisfies readonly (readonly [string, string, (value: unknown) => unknown])[]
).map(([id, caughtBy, change]) => ({
  id,
  breaks: 'new-pet.category.range',
  caughtBy,
  fault: 'A number outside int64 is bent into it.',
  ...coercing('categoryId', change),
}))

const required: readonly Mutant[] = [
  {
    id: 'category-optional',
    breaks: 'new-pet.category.required',
    caughtBy: 'create-category-missing-400',
    fault: 'A missing category is 0, as an unset number is.',
    ...coercing('categoryId', (categoryId) => categoryId ?? 0n),
  },
]

export const categoryMutants: readonly Mutant[] = [...exact, ...ofCategory, ...ofRange, ...required]
