// GET /pets/{petId} as rows: ids that no pet has, and texts that are no id. They are made of an id
// that exists where that is possible, so that a server that misreads it returns a pet.

import fc from 'fast-check'
import type { Context } from '../../engine/check/context.ts'
import { withKnowingKey } from '../../engine/check/control-request.ts'
import type { AnyCheck, Make, Value } from '../../engine/check/declare.ts'
import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import { isInt64, maxInt64, minInt64 } from '../../history/json.ts'
import { Untested } from '../../history/outcome.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { idSuffixes } from '../pets/arbitraries.ts'
import { someId } from '../pets/compare-pets.ts'
import { getPet, getUnknown } from '../pets/requests.ts'
import { openRow, row } from '../pets/rows.ts'

const needs = { stage: 'reads', getPet: true } as const

const maxSafe = 2n ** 53n

/** Ids that equal a known one when converted to a double, or to 32 bits. */
const aliasesOf = (id: bigint): bigint[] => {
  if (id > maxSafe || id < -maxSafe) {
    return [id + 1n, id - 1n].filter((other) => Number(other) === Number(id))
  }
  return [id < 0n ? id - 2n ** 32n : id + 2n ** 32n]
}

const alias: Make = (context) => {
  const { seen } = context.knownPets
  const pairs = [...seen.keys()]
    .reverse()
    .flatMap((known) => aliasesOf(known).map((id) => ({ known, id })))
    .filter(({ id }) => isInt64(id))
  // If ids are adjacent a pet may have that id, and may be returned.
  const { known, id } = pairs.find((pair) => !seen.has(pair.id)) ?? pairs[0] ?? {}
  if (known === undefined || id === undefined) {
    throw new Untested('ambiguous', 'no known id equals another one as a double')
  }
  return withKnowingKey(context, known, getPet(id))
}

/** With a key that is shown the pet whose id the text is made of. */
const like =
  (text: (id: bigint) => string): Make =>
  (context: Context) => {
    const id = someId(context)
    return withKnowingKey(context, id, getPet(text(id)))
  }

const constant = (words: string, text: string): Value => [words, () => getPet(text)]

const any4xx = 'Anything other than a 4xx response.'
const only404 = 'Anything other than 404, or 200 with the pet of exactly that id.'

/** An id that is drawn, made of a known one. */
const near =
  (offsets: fc.Arbitrary<bigint>): Make =>
  (context, pick) =>
    like((id) => String(id + pick(offsets)))(context, pick)

const drawn =
  (texts: fc.Arbitrary<string>, before = (_id: bigint): string => ''): Make =>
  (context, pick) =>
    like((id) => `${before(id)}${pick(texts)}`)(context, pick)

const word = fc.stringMatching(/^[a-z]{3,9}$/)
const by = (...numbers: bigint[]) => fc.constantFrom(...numbers)
const upTo = (max: bigint, min = 1n) => fc.bigInt({ min, max })

type Entry = readonly [
  id: string,
  requirement: BindingRequirementId,
  fails: string,
  ...values: readonly Value[],
]

const entries: readonly Entry[] = [
  [
    'unknown-404',
    'get.unknown',
    only404,
    ['of an id that no pet has: a known id negated, or a large one by the seed', getUnknown],
  ],
  [
    'id-other-404-or-own',
    'get.unknown',
    only404,
    // What is created next, also where each pet takes several ids.
    ['of a known id and a little more', near(by(1n, 2n, 3n))],
    ['of a known id and up to 2,000 more', near(upTo(2_000n, 4n))],
    ['of a known id and up to 2,000 less', near(upTo(2_000n).map((less) => -less))],
    [
      'of a known id with a digit more',
      near(fc.integer({ min: 3, max: 17 }).map((n) => 10n ** BigInt(n))),
    ],
    ['of a known id plus a power of two', near(by(2n ** 31n, 2n ** 32n, 2n ** 53n))],
    ['of the lower bits of a known id', like((id) => String(id % 2n ** 31n))],
    ['of a known id negated', like((id) => String(-id))],
    ['of the id -1', () => getPet('-1')],
    ['of any id beyond 2^53', (_, pick) => getPet(pick(upTo(maxInt64, 2n ** 53n)))],
    ['of any id below 2^31', (_, pick) => getPet(pick(upTo(2n ** 31n)))],
  ],
  ['id-zero-404-or-own', 'get.unknown', only404, constant('of the id 0', '0')],
  ['id-most-404-or-own', 'get.unknown', only404, constant('of the id 2^63-1', `${maxInt64}`)],
  ['id-least-404-or-own', 'get.unknown', only404, constant('of the id -2^63', `${minInt64}`)],
  [
    'id-beyond-int64-refused',
    'get.id-parameter',
    any4xx,
    [
      'of a known id plus 2^64, which becomes the known id in 64 bits',
      like((id) => `${(id < 0n ? -id : id) + 2n ** 64n}`),
    ],
  ],
  [
    'id-word-refused',
    'get.id-parameter',
    any4xx,
    ...['abc', 'undefined', 'null', 'NaN'].map((word) => constant(`of the id ${word}`, word)),
  ],
  [
    'id-fraction-refused',
    'get.id-parameter',
    any4xx,
    ['of a known id with .5 after it', like((id) => `${id}.5`)],
  ],
  ['id-blank-refused', 'get.id-parameter', any4xx, constant('of a space (%20)', '%20')],
  // Texts that make decoders, parsers or lookups fail.
  [
    'id-other-refused',
    'get.id-parameter',
    any4xx,
    constant('of a UUID', '7d444840-9dc0-11d1-b245-5ffdce74fad2'),
    constant('of 400 digits', '9'.repeat(400)),
    constant('of a broken percent-escape', '%zz'),
    constant('of a NUL', '%00'),
    constant('of what is not UTF-8', '%ff'),
    constant('of a quote and a backslash', '%22%5C%E2%80%A8'),
    ['of a word', drawn(word)],
    [
      'of a word of programs',
      drawn(fc.constantFrom('null', 'undefined', 'NaN', 'true', '-', 'a,b')),
    ],
    ['of a known id with a word after it', drawn(word, String)],
    ['beyond 2^63', drawn(upTo(9n).map((more) => `${maxInt64 + more}`))],
    ['below -2^63', drawn(upTo(9n).map((less) => `${minInt64 - less}`))],
    ['of 20 to 400 digits', drawn(fc.stringMatching(/^[1-9][0-9]{19,399}$/))],
  ],
  [
    'id-prefix-refused',
    'get.id-prefix',
    `${any4xx} It is a should: reading only the digits is a warning.`,
    ...idSuffixes.map(
      (suffix): Value => [`of a known id with ${suffix} after it`, like((id) => `${id}${suffix}`)],
    ),
  ],
]

/** Drawn ones are left to walks. */
const mostOf = (values: readonly Value[]): number => Math.min(6, values.length)

const spellings: readonly Value[] = [
  ['with two zeros in front', like((id) => (id < 0n ? `-00${-id}` : `00${id}`))],
  ['with a plus in front', like((id) => `%2B${id}`)],
  ['with .0 after it', like((id) => `${id}.0`)],
]

export const getUnknownIds: readonly AnyCheck[] = [
  ...entries.map(([id, requirement, fails, ...values]) =>
    row('get', fails, {
      id: `get-${id}`,
      requirement,
      needs,
      values,
      most: mostOf(values),
    }),
  ),
  row('get', only404, {
    ...{ id: 'get-id-not-truncated', requirement: 'get.unknown' },
    // Of three ids in a row beyond 2^53 one equals its neighbour as a double.
    needs: { ...needs, pets: 3 },
    values: [['of an id that equals a known one as a double, or in 32 bits', alias]],
  }),
  openRow('get', {
    ...{ id: 'get-id-spelling', requirement: 'get.id-spelling', needs },
    records: 'The status of each.',
    record: (response: AnsweredExchange) => `${statusCode(response)}`,
    values: spellings,
  }),
]
