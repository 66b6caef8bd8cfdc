// Faults of POST /pets, each of one part: a table of values for each member, and one of bodies.

import fc from 'fast-check'
import type { Pick } from '../../engine/check/declare.ts'
import { type Json, type JsonObject, maxInt64, minInt64, printJson } from '../../history/json.ts'
import { statuses } from '../../model/read-body.ts'

/** Puts one fault into a valid pet, or into its JSON text. */
export type Fault = (pet: JsonObject, pick: Pick) => string | Uint8Array | null

/** The id of a row of its own begins with `create-`; without one it is a value of a larger row. */
export type Entry = readonly [words: string, fault: Fault, id?: string | undefined]

/** What breaks the JSON of an Error that repeats it without escapes. */
const awkward = 'as"leep\\ \u0001\u2028'

type Valued = readonly [words: string, values: Json | fc.Arbitrary<Json>, id?: string]

const drawn = (values: Json | fc.Arbitrary<Json>, pick: Pick): Json =>
  values instanceof fc.Arbitrary ? pick(values) : values

const word = fc.stringMatching(/^[a-z]{3,9}$/)
const small = fc.bigInt({ min: 1n, max: 9n })
const anyStatus = fc.constantFrom(...statuses)

const ofMember = (
  member: 'name' | 'categoryId' | 'status',
  ...all: readonly Valued[]
): readonly Entry[] =>
  all.map(([words, values, id]) => [
    `with the ${member} ${words}`,
    (pet, pick) => printJson({ ...pet, [member]: drawn(values, pick) }),
    id,
  ])

export const members: readonly Entry[] = [
  ...ofMember(
    'name',
    ['1', 1n, 'name-number-400'],
    ['null', null, 'name-null-400'],
    ['["Rex"]', ['Rex'], 'name-array-400'],
    ['true', true],
    ['false', false],
    ['{"first": "Rex"}', { first: 'Rex' }],
    ['[]', []],
  ),
  ...ofMember(
    'categoryId',
    ['"1"', '1', 'category-string-400'],
    ['true', true, 'category-boolean-400'],
    ['null', null, 'category-null-400'],
    ['{"id": 1}', { id: 1n }, 'category-object-400'],
    ['1.5', 1.5, 'category-fraction-400'],
    ['[1]', [1n]],
    ['""', ''],
    ['in words', word],
    ['false', false],
    ['[]', []],
  ),
  ...ofMember('categoryId', [
    'beyond 2^63',
    small.map((by) => maxInt64 + 1n + by),
    'category-beyond-int64-400',
  ]),
  ...ofMember(
    'status',
    ['with a quote, a backslash and a line separator', awkward, 'status-other-word-400'],
    ['AVAILABLE', 'AVAILABLE', 'status-upper-case-400'],
    ['""', '', 'status-blank-400'],
    ['" sold", with a space in front', ' sold', 'status-with-space-400'],
    ['with a space at its end', anyStatus.map((status) => `${status} `)],
    // A pattern that ends with `$` takes it in some languages.
    ['"sold\\n", with a line feed at its end', 'sold\n', 'status-line-feed-400'],
    ['in title case', anyStatus.map((text) => text.replace(/^./, (first) => first.toUpperCase()))],
    ['cut short', fc.constantFrom('avail', ...statuses.map((each) => each.slice(0, -1)))],
    ['in the plural', anyStatus.map((status) => `${status}s`)],
    ['available,sold', 'available,sold'],
    ['constructor', 'constructor'],
    ['1', 1n, 'status-number-400'],
    ['true', true],
    ['false', false],
    ['["sold"]', ['sold']],
  ),
]

const lacking = (pet: JsonObject, member: string): JsonObject =>
  Object.fromEntries(Object.entries(pet).filter(([name]) => name !== member))

export const without =
  (member: string): Fault =>
  (pet) =>
    printJson(lacking(pet, member))

/** A member under another name is another member, so the required one is missing. */
export const renamed = (member: 'name' | 'categoryId', other: string): Entry => [
  `with ${other} in place of ${member}`,
  (pet) => printJson({ ...lacking(pet, member), [other]: pet[member] ?? null }),
]

/** A category that is written as something else than a number. */
const written = (text: string): Entry => [
  `with the categoryId written as ${text}`,
  (pet) => printJson(pet).replace(/("categoryId":)-?\d+/, `$1${text}`),
]

const edited =
  (edit: (text: string, pick: Pick) => string): Fault =>
  (pet, pick) =>
    edit(printJson(pet), pick)

const inArray = edited((text) => `[${text}]`)
const cutByOne = edited((text) => text.slice(0, -1))

const anyOf = (...texts: string[]) => fc.constantFrom(...texts)

export const bodies: readonly Entry[] = [
  ['without name', without('name'), 'name-missing-400'],
  ['without categoryId', without('categoryId'), 'category-missing-400'],
  ['with the body {}', () => '{}', 'empty-object-400'],
  ['with a valid pet in an array', inArray, 'body-array-400'],
  ['with the body "Rex"', () => '"Rex"', 'body-text-400'],
  ['with the body null', () => 'null', 'body-null-400'],
  ['without a body', () => null, 'body-missing-400'],
  ['cut before its last brace', cutByOne, 'body-truncated-400'],
  ['with the body Rex the dog', () => 'Rex the dog', 'body-words-400'],
  written('NaN'),
  written('1e400'),
  renamed('name', 'Name'),
  renamed('categoryId', 'CategoryId'),
  ['with a body of white space', (_, pick) => pick(anyOf('   ', ' ', '\n\t'))],
  ['with an empty body', () => ''],
  ['with the body []', () => '[]'],
  ['with a number for a body', (_, pick) => pick(fc.nat(99).map(String))],
  // Some servers take them for members, in their order.
  [
    'with an array of its values',
    ({ name, categoryId }) => printJson([name ?? '', categoryId ?? 1n, 'sold']),
  ],
  ['with its pet in another member', (pet) => printJson({ pet })],
  ['with its JSON in a string', (pet) => printJson(printJson(pet))],
  ['with a form', ({ name }) => `name=${name}&categoryId=1`],
  [
    'with a quote and a backslash in its name, and no categoryId',
    ({ name }) => printJson({ name: `${name} ${awkward}` }),
  ],
  ...ofMember(
    'categoryId',
    ['below -2^63', small.map((by) => minInt64 - by)],
    // As 64 bits these are small numbers.
    ['beyond 2^64', small.map((by) => 2n ** 64n + by)],
  ),
]

/** A byte that never occurs in UTF-8, inside the name. */
const withoutUtf8: Fault = (pet) => {
  const bytes = Buffer.from(printJson(pet))
  bytes[bytes.indexOf('"name":"') + 10] = 0xff
  return bytes
}

const after = anyOf('{}', ';', ',', ' null', '\n1', '}', ' // end')
const commaAtEnd = edited((text) => `${text.slice(0, -1)},}`)
const unquoted = edited((text) => text.replace('"name"', 'name'))

/** Texts that JSON5, YAML, or a parser that stops early or replaces bytes, takes for JSON. */
export const lenient: readonly Entry[] = [
  ['with a comma after its last member', commaAtEnd, 'body-trailing-comma-refused'],
  ['with a comment', edited((text) => text.replace('{', '{/* a pet */')), 'body-comment-refused'],
  ['with a word after it', edited((text) => `${text} Rex`), 'body-text-after-refused'],
  ['with name not in quotes', unquoted, 'body-unquoted-member-refused'],
  ['with the byte 0xff in its name', withoutUtf8, 'body-invalid-utf8-refused'],
  ['with a zero before its number', edited((text) => text.replace(/("categoryId":)/, '$10'))],
  ['in single quotes', edited((text) => text.replaceAll('"', "'"))],
  ['with more after it', edited((text, pick) => text + pick(after))],
  [
    'with a control character in its name',
    edited((text, pick) => text.replace(/("name":"[^"]{3})/, `$1${pick(anyOf('\n', '\t'))}`)),
  ],
]
