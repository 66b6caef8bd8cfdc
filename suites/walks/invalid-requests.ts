// Generators of invalid requests: each has exactly one fault. A cell is one kind of fault, and
// draws its values by the seed; a walk draws from each cell before it draws from one again.

import fc from 'fast-check'
import type { Context } from '../../engine/check/context.ts'
import {
  type Json,
  type JsonObject,
  maxInt64,
  minInt64,
  printJson,
} from '../../engine/check/json.ts'
import { idSuffixes } from '../pets/arbitraries.ts'
import { statuses } from '../pets/compare-pets.ts'

/**
 * Methods that no path of the interface has: of RFC 9110, of the IANA registry of HTTP methods
 * (https://www.iana.org/assignments/http-methods), and one of caches. CONNECT is left out: its
 * target is an authority, which no path is.
 */
const otherMethods = [
  'TRACE',
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH', 'REPORT'],
  ...['LINK', 'UNLINK', 'BIND', 'ACL', 'CHECKOUT', 'MERGE', 'QUERY', 'PURGE'],
] as const

/** Puts one fault into a valid pet. */
export type BodyFault = (pet: JsonObject) => string | Uint8Array | null

type Member = 'name' | 'categoryId' | 'status'

const digits = (min: number, max: number): fc.Arbitrary<bigint> =>
  fc
    .integer({ min, max })
    .chain((length) => fc.bigInt({ min: 10n ** BigInt(length), max: 10n ** BigInt(length + 1) }))

const word = fc.stringMatching(/^[a-z]{3,9}$/)

/** Every type of JSON that is none of the member's own. */
const types: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  null: fc.constant(null),
  true: fc.constant(true),
  false: fc.constant(false),
  integer: fc.bigInt({ min: 0n, max: 3n }),
  negative: fc.bigInt({ min: -9n, max: -1n }),
  fraction: fc.integer({ min: -9, max: 9 }).map((whole) => whole + 0.5),
  string: word,
  array: fc.constant([]),
  object: fc.constant({}),
}

const ofTypes = (...names: string[]): readonly fc.Arbitrary<Json>[] =>
  names.flatMap((name) => types[name] ?? [])

/** What a form, an enum or a lenient converter makes of a value; none of it is the value itself. */
const wrapped = (valid: fc.Arbitrary<Json>): readonly fc.Arbitrary<Json>[] => [
  valid.map((value) => [value]),
  valid.map((value) => ({ value })),
  valid.map((value) => ({ id: value })),
]

const anyStatus = fc.constantFrom(...statuses)
const valid = { name: word, categoryId: fc.bigInt({ min: 1n, max: 9n }), status: anyStatus }

/** Near misses of an enum: another letter case, spaces, a part, more than one. */
const nearStatus: readonly fc.Arbitrary<Json>[] = [
  anyStatus.map((status) => status.toUpperCase()),
  anyStatus.map((status) => `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`),
  anyStatus.map((status) => ` ${status}`),
  anyStatus.map((status) => `${status} `),
  anyStatus.map((status) => `${status}\n`),
  anyStatus.map((status) => status.slice(0, -1)),
  anyStatus.map((status) => `${status}s`),
  anyStatus.map((status) => `${status},sold`),
  fc.constant(''),
  fc.constantFrom('null', '0', '1', 'constructor', 'toString', '__proto__'),
  ...Array<fc.Arbitrary<Json>>(2).fill(
    word.filter((text) => !statuses.some((status) => status === text)),
  ),
]

const wrongCategories: readonly fc.Arbitrary<Json>[] = [
  ...ofTypes('null', 'true', 'false', 'fraction', 'string', 'array', 'object'),
  ...wrapped(valid.categoryId),
  valid.categoryId.map(String),
  fc.constant(''),
  fc.bigInt({ min: 0n, max: 9n }).map((by) => maxInt64 + 1n + by),
  fc.bigInt({ min: 0n, max: 9n }).map((by) => minInt64 - 1n - by),
  // As 64 bits these are small numbers.
  fc.bigInt({ min: 1n, max: 9n }).map((small) => 2n ** 64n + small),
  digits(20, 40),
]

const wrongValues: Readonly<Record<Member, readonly fc.Arbitrary<Json>[]>> = {
  name: [
    ...ofTypes('null', 'true', 'false', 'integer', 'negative', 'fraction', 'array', 'object'),
    ...wrapped(valid.name),
  ],
  categoryId: wrongCategories,
  // A null is open.
  status: [
    ...ofTypes('true', 'false', 'integer', 'negative', 'fraction', 'array', 'object'),
    ...wrapped(valid.status),
    ...nearStatus,
  ],
}

const members = ['name', 'categoryId', 'status'] as const

const wrongMembers: readonly fc.Arbitrary<BodyFault>[] = members.flatMap((member) =>
  wrongValues[member].map((values) =>
    values.map(
      (value): BodyFault =>
        (pet) =>
          printJson({ ...pet, [member]: value }),
    ),
  ),
)

const lacking = (pet: JsonObject, member: string): JsonObject =>
  Object.fromEntries(Object.entries(pet).filter(([name]) => name !== member))

/** A member that is missing, or is there under another name. */
const missing: readonly fc.Arbitrary<BodyFault>[] = (['name', 'categoryId'] as const).flatMap(
  (member) => {
    const renamed = (rename: (name: string) => string): fc.Arbitrary<BodyFault> =>
      fc.constant((pet) =>
        printJson({ ...lacking(pet, member), [rename(member)]: pet[member] ?? null }),
      )
    return [
      fc.constant((pet: JsonObject) => printJson(lacking(pet, member))),
      renamed((name) => name.toUpperCase()),
      renamed((name) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`),
      renamed((name) => `${name} `),
    ]
  },
)

/** Bodies that are no object, or no JSON. */
const shapes: readonly fc.Arbitrary<BodyFault>[] = [
  fc.constant(() => null),
  fc.constantFrom(
    ...['', ' ', '\n\t'].map(
      (text): BodyFault =>
        () =>
          text,
    ),
  ),
  fc.constant(() => '{}'),
  fc.constant(() => '[]'),
  ...['null', 'true', 'false'].map((text) => fc.constant(() => text)),
  fc.bigInt({ min: 0n, max: 99n }).map(
    (number): BodyFault =>
      () =>
        String(number),
  ),
  fc.constant(({ name }) => printJson(name ?? null)),
  fc.constant((pet) => printJson([pet])),
  fc.constant(({ name, categoryId, status }) =>
    printJson([name ?? '', categoryId ?? 1n, status ?? 'sold']),
  ),
  fc.constant((pet) => printJson({ pet })),
  fc.constant(({ name }) => String(name)),
  fc.constant(({ name }) => `name=${name}&categoryId=1`),
  fc.constant(({ name }) => `<pet><name>${name}</name><categoryId>1</categoryId></pet>`),
  fc.constant(({ name }) => `name: ${name}\ncategoryId: 1\n`),
  fc.constant((pet) => printJson(printJson(pet))),
  // Cut somewhere, and of its last brace.
  fc.double({ min: 0.2, max: 0.9, noNaN: true }).map(
    (share): BodyFault =>
      (pet) =>
        printJson(pet).slice(0, share * printJson(pet).length),
  ),
  fc.constant((pet) => printJson(pet).slice(0, -1)),
]

export const bodyFaults: readonly fc.Arbitrary<BodyFault>[] = [
  ...wrongMembers,
  ...missing,
  ...shapes,
]

/** Names at the edges of what is ordinary, and extreme ones: what is accepted is unchanged. */
export const edgeNames: readonly fc.Arbitrary<string>[] = [
  fc.constantFrom('a', 'Z', '7', '-', 'é', '猫'),
  fc.constant('🐈'.repeat(100)),
  fc.constantFrom('null', 'true', 'undefined', 'NaN', '0', '1e3', '2026-11-20', '__proto__'),
  fc.constantFrom(`'; --`, '<b>', '{{7*7}}', '%s%n', '$' + '{1+1}', '../..', '=1+1', '&amp;'),
  fc.constantFrom('', ' ', '\t'),
  fc.integer({ min: 101, max: 300 }).map((length) => 'ab'.repeat(length)),
  fc.constant('Rex\u0000Max'),
  fc.constantFrom('\u0007', '\n', '\u007f').map((sign) => `Rex${sign}Max`),
]

/** Texts in place of a limit: out of bounds, of another type, empty. */
export const limitTexts: readonly fc.Arbitrary<string>[] = [
  ...['0', '101', '-1'].map((text) => fc.constant(text)),
  fc.integer({ min: 102, max: 110 }).map(String),
  fc.integer({ min: 111, max: 100_000 }).map(String),
  fc.integer({ min: -100, max: -1 }).map(String),
  fc.constant(''),
  word,
  fc.integer({ min: 1, max: 99 }).map((whole) => `${whole}.5`),
  fc.integer({ min: 1, max: 99 }).map((whole) => `${whole}abc`),
  fc.bigInt({ min: maxInt64, max: maxInt64 + 9n }).map(String),
  fc.bigInt({ min: 2n ** 31n, max: 2n ** 32n + 9n }).map(String),
  fc.bigInt({ min: minInt64 - 9n, max: minInt64 }).map(String),
  digits(20, 60).map(String),
  fc.constantFrom('NaN', 'null', 'true', 'Infinity', 'undefined'),
  fc.constantFrom('%00', '%ff', '%zz', '%22%5C'),
  ...['5&limit=1000', '1000&limit=5', '1,2'].map((text) => fc.constant(text)),
]

/** The same in place of a status; nothing of it is one of the three. */
export const statusTexts: readonly fc.Arbitrary<string>[] = [
  ...nearStatus.map((values) => values.map((value) => encodeURIComponent(String(value)))),
  fc.constantFrom('%00', '%ff', '%zz', '%22%5C%E2%80%A8', "'%20OR%201=1--"),
  fc.constantFrom('sold&status=pending', 'sold,pending'),
]

/** Texts in place of an id, made of an id that exists. */
export const idTexts: readonly fc.Arbitrary<(id: bigint) => string>[] = [
  word.map((text) => () => text),
  fc.constant((id) => `${id}.5`),
  word.map((text) => (id: bigint) => `${id}${text}`),
  fc.constantFrom(...idSuffixes).map((text) => (id: bigint) => `${id}${text}`),
  fc.constantFrom('%20', '%00', '%zz', '%ff', '%22').map((text) => () => text),
  fc.bigInt({ min: 1n, max: 3n }).map((times) => (id: bigint) => `${id + times * 2n ** 64n}`),
  fc.bigInt({ min: 1n, max: 9n }).map((by) => () => `${maxInt64 + by}`),
  fc.bigInt({ min: 1n, max: 9n }).map((by) => () => `${minInt64 - by}`),
  digits(20, 400).map((number) => () => String(number)),
  fc.uuid().map((uuid) => () => uuid.replace(/^\d+/, 'a')),
  fc.constantFrom('null', 'undefined', 'NaN', 'true', '-', 'a,b').map((text) => () => text),
]

/** Ids that no pet is likely to have, near one that exists or as a part of its digits. */
export const otherIds: readonly fc.Arbitrary<(id: bigint) => bigint>[] = [
  // What is created next, also where each pet takes several ids.
  ...[1n, 2n, 3n].map((by) => fc.constant((id: bigint) => id + by)),
  fc.bigInt({ min: 4n, max: 2_000n }).map((by) => (id: bigint) => id + by),
  fc.bigInt({ min: 1n, max: 2_000n }).map((by) => (id: bigint) => id - by),
  fc.integer({ min: 3, max: 17 }).map((digits) => (id: bigint) => id + 10n ** BigInt(digits)),
  fc.constant((id) => -id),
  fc.constantFrom(2n ** 31n, 2n ** 32n, 2n ** 53n).map((by) => (id: bigint) => id + by),
  fc.constantFrom(2n ** 32n, 2n ** 31n).map((by) => (id: bigint) => id % by),
  ...[0n, -1n, maxInt64, minInt64].map((id) => fc.constant(() => id)),
  fc.bigInt({ min: 2n ** 53n, max: maxInt64 }).map((id) => () => id),
  fc.bigInt({ min: 1n, max: 2n ** 31n }).map((id) => () => id),
]

const listMethods = ['PUT', 'PATCH', 'DELETE'] as const
const paths = fc.constantFrom(
  () => '/pets',
  (id: bigint) => `/pets/${id}`,
)
const petMethods = ['POST', ...listMethods] as const

interface OtherAddress {
  readonly method: string
  readonly path: (id: bigint) => string
}

/** Methods that a path does not have, groups without endpoints, and HEAD and OPTIONS. */
export const otherAddresses: readonly fc.Arbitrary<OtherAddress>[] = [
  ...listMethods.map((method) => fc.constant({ method, path: () => '/pets' })),
  ...petMethods.map((method) => fc.constant({ method, path: (id: bigint) => `/pets/${id}` })),
  // Of a pet that does not exist.
  ...petMethods.map((method) => fc.constant({ method, path: (id: bigint) => `/pets/${-id}` })),
  ...Array<fc.Arbitrary<OtherAddress>>(3).fill(
    fc.record({ method: fc.constantFrom(...otherMethods), path: paths }),
  ),
  ...['/store', '/animals', '/domains', '/projects'].map((path) =>
    fc.constant({ method: 'GET', path: () => path }),
  ),
  ...['HEAD', 'OPTIONS'].flatMap((method) => [
    fc.constant({ method, path: () => '/pets' }),
    fc.constant({ method, path: (id: bigint) => `/pets/${id}` }),
  ]),
]

const fronts = ['/', '//', '/./', '/x/../', '/%2e/', '/x/%2e%2e/', '/;a=1/'] as const
const segments = ['pets', 'PETS', 'Pets', '%70ets', 'pets;a=1', 'pets.json'] as const
const ends = ['', '/', '//', '/?limit=1'] as const
/** Spellings of the list, which may be served, but not without a key. */
export const spellings: readonly fc.Arbitrary<string>[] = [
  fronts.slice(1).map((front) => `${front}pets`),
  segments.slice(1).map((segment) => `/${segment}`),
  ends.slice(1).map((end) => `/pets${end}`),
]
  .map((paths) => fc.constantFrom(...paths))
  .concat(
    fc
      .tuple(fc.constantFrom(...fronts), fc.constantFrom(...segments), fc.constantFrom(...ends))
      .map((parts) => parts.join(''))
      .filter((path) => path !== '/pets'),
  )

/** Categories of a body whose name is its fault: a pet that is stored all the same shows it. */
export const markedCategory = ({ categories, seed }: Context, nth: number): bigint =>
  categories.free ? 2n ** 58n + BigInt(seed >>> 0) * 2n ** 20n + BigInt(nth) : categories.any
