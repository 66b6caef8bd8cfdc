// Faults of categories and statuses: numbers of the wrong type, defaults, what is accepted.

import { isObject } from '../../json.ts'
import { caughtBy, each, family, type Mutant, type Variant } from '../../variant.ts'
import {
  coercing,
  onBody,
  refusing,
  rewriting,
  showing,
  storing,
} from '../../wrappers/pet-store.ts'

const storingCategory = (change: (categoryId: bigint) => bigint): Variant =>
  storing((pet) => ({ ...pet, categoryId: change(pet.categoryId) }))

/** Once a category was refused, checks use only those that are known to exist. */
const known = [1n, 2n ** 31n + 7n, 2n ** 53n + 1n, 2n ** 63n - 1n]

const fraction = (value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? BigInt(Math.trunc(value)) : value

const onlyFor = (isMeant: (value: unknown) => boolean, value: bigint) => (sent: unknown) =>
  isMeant(sent) ? value : sent

const isString = (value: unknown) => typeof value === 'string'
const isTrue = (value: unknown) => value === true
const isNull = (value: unknown) => value === null

const converted = 'A categoryId of another JSON type is converted to an integer.'

export const fieldMutants = [
  ...caughtBy('create-each-echoed', {
    'category-through-double': [
      'categoryId is parsed into a double and loses digits.',
      // The greatest double below 2^63, where rounding would leave int64.
      storingCategory((id) => BigInt.asIntN(64, BigInt(Number(id)))),
    ],
    'status-lost-as-first-member': [
      'A status that is the first member of the body is lost.',
      rewriting((text) => text.replace(/^\s*\{\s*"status"\s*:\s*"[a-z]+"\s*,/, '{')),
    ],
  }),
  ...caughtBy('create-category-201', {
    'category-32-bits-only': [
      'A categoryId that does not fit into 32 bits is refused.',
      refusing(({ categoryId: id }) => BigInt.asIntN(32, id) === id),
      { categories: known },
    ],
    'category-greatest-refused': [
      'The largest int64 is refused as a categoryId.',
      refusing(({ categoryId: id }) => id < 2n ** 63n - 1n),
    ],
  }),
  ...family((read: (category: unknown) => unknown) => coercing('categoryId', read)).each({
    'category-string-taken': ['create-category-string-400', converted, onlyFor(isString, 1n)],
    'category-boolean-taken': ['create-category-boolean-400', converted, onlyFor(isTrue, 1n)],
    'category-null-taken': ['create-category-null-400', converted, onlyFor(isNull, 0n)],
    'category-object-taken': ['create-category-object-400', converted, onlyFor(isObject, 1n)],
    'category-fraction-cut': ['create-category-fraction-400', converted, fraction],
    'category-wraps-above': [
      'create-category-beyond-int64-400',
      'A categoryId outside int64 is wrapped instead of refused.',
      (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) : value),
    ],
  }),
  ...each({
    'category-optional': [
      'create-category-missing-400',
      'A missing categoryId becomes 0.',
      coercing('categoryId', (categoryId) => categoryId ?? 0n),
    ],
    'status-missing-in-201': [
      'walk-valid-served',
      'The 201 leaves out the status.',
      onBody('createPet', (body) => body.replace(/,"status":"[a-z]+"/, '')),
    ],
    'status-required': [
      'create-status-omitted-201',
      'A creation without a status is refused.',
      coercing('status', (status) => status ?? null),
    ],
    'category-beyond-int53-refused': [
      'create-category-whole-range-201',
      'A categoryId above 2^53 is refused, and no category is configured.',
      refusing(({ categoryId: id }) => id < 2n ** 53n),
    ],
    'category-unsigned': [
      'create-category-never-changed',
      'A negative categoryId is printed as unsigned.',
      storingCategory((id) => BigInt.asUintN(63, id)),
    ],
    'status-never-shown': [
      'get-each-as-created',
      'The status is never shown.',
      showing(({ status, ...pet }) => pet),
    ],
  }),
  ...family((read: (status: unknown) => unknown) => coercing('status', read)).each({
    'status-unknown-taken': [
      'create-status-other-word-400',
      'An unknown status is replaced with the default.',
      (status) =>
        typeof status === 'string' && !/^$|available|pending|sold/i.test(status)
          ? 'available'
          : status,
    ],
    'status-upper-case-taken': [
      'create-status-upper-case-400',
      'The status of a creation is compared case-insensitively.',
      (status) => (typeof status === 'string' ? status.toLowerCase() : status),
    ],
    'status-blank-taken': [
      'create-status-blank-400',
      'A blank status is accepted.',
      (status) => (status === '' ? 'available' : status),
    ],
    'status-trimmed': [
      'create-status-with-space-400',
      'A status is trimmed before it is validated.',
      (status) => (typeof status === 'string' ? status.trim() : status),
    ],
  }),
  ...(['available', 'pending', 'sold'] as const).map(
    (status): Mutant => ({
      id: `status-${status}-replaced`,
      caughtBy: 'create-each-echoed',
      fault: `A pet created as ${status} gets another status.`,
      ...storing((pet) =>
        pet.status === status
          ? { ...pet, status: status === 'available' ? 'pending' : 'available' }
          : pet,
      ),
    }),
  ),
  ...caughtBy('pet-status-listed', {
    'status-upper-case-shown': [
      'The status is shown in upper case.',
      showing((pet) => ({ ...pet, status: String(pet.status).toUpperCase() })),
    ],
    'status-null-shown': [
      'The status pending is shown as null.',
      showing((pet) => (pet.status === 'pending' ? { ...pet, status: null } : pet)),
    ],
  }),
]
