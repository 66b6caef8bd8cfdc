// GET /pets/{petId} as rows: pets of this run, ids that no pet has, and texts that are no id. They
// are made of an id that exists where that is possible: a server that misreads it returns a pet.

import fc from 'fast-check'
import type { Context } from '../../engine/check/context.ts'
import {
  type AnyCheck,
  check,
  type Make,
  type Pick,
  type Value,
} from '../../engine/check/declare.ts'
import { createPet, getPet, noPet, someId, withKnowingKey } from '../../engine/check/requests.ts'
import { openRow, row } from '../../engine/check/row.ts'
import { sentWith, withKey } from '../../history/exchange.ts'
import { isInt64, maxInt64, minInt64, printJson } from '../../history/json.ts'
import type { Creation } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import { read } from '../../model/read.ts'
import type { Part } from '../../model/read-body.ts'
import { creating, getUnknown, readMade } from '../pets/requests.ts'
import addresses from '../vocabulary/addresses.json' with { type: 'json' }

const needs = { stage: 'reads', getPet: true } as const

/** An id that equals a known one when converted to a double, else to 32 bits. */
const alias: Make = (context) => {
  const { seen } = context.knownPets
  const pairs = [...seen.keys()]
    .reverse()
    .flatMap((known) => [1n, -1n, 2n ** 32n].map((by) => ({ known, id: known + by })))
    // If ids are adjacent a pet may have that id.
    .filter(({ id }) => isInt64(id) && !seen.has(id))
  const pair =
    pairs.find(({ known, id }) => Number(known) === Number(id)) ??
    pairs.find(({ known, id }) => id - known > 1n)
  if (!pair) throw new Untested('ambiguous', 'no known id equals another one as a double')
  return withKnowingKey(context, pair.known, getPet(pair.id))
}

/** Made of a known id, with a key that is shown its pet. */
const like =
  (text: (id: bigint, pick: Pick) => bigint | string): Make =>
  (context, pick) => {
    const id = someId(context)
    return withKnowingKey(context, id, getPet(String(text(id, pick))))
  }

const constant = (words: string, text: string): Value => [words, () => getPet(text)]

const by = (...numbers: bigint[]) => fc.constantFrom(...numbers)
const upTo = (max: bigint, min = 1n) => fc.bigInt({ min, max })

/** What parsers, routers, gateways and strings of C take off the end of an id. */
const idSuffixes = ['.json', ';v=1', ',2', '%00', ':1', '%2F1'] as const

const ending = (suffix: string): Value => [
  `of a known id with ${suffix} after it`,
  like((id) => `${id}${suffix}`),
]

const texts = [
  ...Object.values(addresses.ids).flatMap((group) => group.split(' ')),
  ...addresses.idLengths.map((length) => '9'.repeat(length)),
]

/** What a text is for an id: it says which statuses are legal, and so in which row the text is. */
const isRead = (text: string): Part['is'] => {
  const { parts } = read({ apiRequest: getPet(text.replace('ID', '7')) })
  const others = (['open', 'invalid', 'lenient'] as const).filter((is) =>
    parts.some((part) => part.is === is),
  )
  return others[0] ?? 'valid'
}

const maxShown = 60

const textsThatAre = (is: Part['is']): readonly Value[] =>
  texts
    .filter((text) => isRead(text) === is)
    .map((text) => {
      if (text.includes('ID')) {
        return [`of a known id in ${text}`, like((id) => text.replace('ID', `${id}`))]
      }
      const length = text.length > maxShown ? ` (${text.length} characters)` : ''
      return constant(`of the id ${text.slice(0, maxShown)}${length}`, text)
    })

const rowsOf = (
  ...rows: readonly (readonly [id: string, first: Value, ...more: readonly Value[]])[]
): readonly AnyCheck[] =>
  rows.map(([id, first, ...more]) => row('get', { id: `get-${id}`, needs, values: [first], more }))

export const getUnknownIds: readonly AnyCheck[] = [
  ...rowsOf(
    [
      'unknown-404',
      ['of an id that no pet has: a known id negated, or a large one by the seed', getUnknown],
    ],
    [
      'id-other-404-or-own',
      // What is created next, also where each pet takes several ids.
      ['of a known id and a little more', like((id, pick) => id + pick(by(1n, 2n, 3n)))],
      ['of a known id and up to 2,000 more', like((id, pick) => id + pick(upTo(2_000n, 4n)))],
      ['of a known id and up to 2,000 less', like((id, pick) => id - pick(upTo(2_000n)))],
      ['of a known id with a digit more', like((id, pick) => id + 10n ** pick(upTo(17n, 3n)))],
      [
        'of a known id plus a power of two',
        like((id, pick) => id + pick(by(2n ** 31n, 2n ** 32n, 2n ** 53n))),
      ],
      ['of the lower bits of a known id', like((id) => id % 2n ** 31n)],
    ],
    ['id-zero-404-or-own', constant('of the id 0', '0')],
    ['id-most-404-or-own', constant('of the id 2^63-1', `${maxInt64}`), ...textsThatAre('valid')],
    ['id-least-404-or-own', constant('of the id -2^63', `${minInt64}`)],
    [
      'id-beyond-int64-refused',
      [
        'of a known id plus 2^64, which becomes the known id in 64 bits',
        like((id) => `${(id < 0n ? -id : id) + 2n ** 64n}`),
      ],
    ],
    [
      'id-word-refused',
      constant('of the id undefined', 'undefined'),
      ...['abc', 'null', 'NaN'].map((word) => constant(`of the id ${word}`, word)),
    ],
    ['id-fraction-refused', ['of a known id with .5 after it', like((id) => `${id}.5`)]],
    ['id-blank-refused', constant('of a space (%20)', '%20')],
    // Texts that make decoders, parsers or lookups fail.
    [
      'id-other-refused',
      constant('of a broken percent-escape', '%zz'),
      constant('of 400 digits', '9'.repeat(400)),
      constant('of a UUID', '7d444840-9dc0-11d1-b245-5ffdce74fad2'),
      constant('of a NUL', '%00'),
      constant('of what is not UTF-8', '%ff'),
      constant('of a quote and a backslash', '%22%5C%E2%80%A8'),
      ...textsThatAre('invalid'),
    ],
    ['id-prefix-refused', ending('abc'), ...idSuffixes.map(ending), ...textsThatAre('lenient')],
  ),
  row('get', {
    id: 'get-id-not-truncated',
    // Of three ids in a row beyond 2^53 one equals its neighbour as a double.
    needs: { ...needs, pets: 3 },
    values: [['of an id that equals a known one as a double, or in 32 bits', alias]],
  }),
  openRow('get', {
    ...{ id: 'get-id-spelling', requirement: 'get.id-spelling', needs, record: 'status' },
    values: [['with two zeros in front', like((id) => (id < 0n ? `-00${-id}` : `00${id}`))]],
    more: [
      ['with a plus in front', like((id) => `%2B${id}`)],
      ['with .0 after it', like((id) => `${id}.0`)],
      ...textsThatAre('open'),
    ],
  }),
]

/** Of the next id first, if ids are consecutive: a server may cache that there is no such pet. */
const atOnce = check({
  id: 'get-new-animal-200',
  requirement: 'get.success',
  needs: { ...creating, getPet: true },
  sends:
    'A GET of the id after the highest of a new pet, a `POST /pets`, and immediately two GETs of ' +
    'the new id, all with the same key.',
  fails: 'Any status other than 200 for the new id.',
  after: 'create',
  run: async (context) => {
    const { key } = await context.control('create')
    const last = context.knownPets.creations.reduce((most, { id }) => (id > most ? id : most), 0n)
    if (last > 0n) await context.call(withKey(getPet(last + 1n), key))
    const created = await context.call(withKey(createPet(context.newPet()), key))
    const id = await readMade(context, created)
    for (let nth = 0; nth < 2; nth += 1) {
      await context.call(withKey(getPet(id), key))
    }
  },
})

/** How much there is to corrupt: digits of a category, letters beyond ASCII, and a status. */
const fragility = ({ sent }: Creation): number => Buffer.byteLength(printJson(sent))

const mostFragile = (context: Context, nth: number): bigint => {
  const { creations, isRepeated } = context.knownPets
  // Which of those in flight together got which id is chance.
  const own = creations.filter(
    ({ id, exchange }) => !isRepeated(id) && sentWith(exchange).length === 0,
  )
  const found = own.toSorted((a, b) => fragility(b) - fragility(a))[nth % Math.max(1, own.length)]
  if (!found) throw noPet(context, 'was created by this run')
  return found.id
}

const ofFragile = (nth: number): Value => [
  'of the pets that are most easily corrupted: many bits, letters beyond ASCII, a status',
  (context) => {
    const id = mostFragile(context, nth)
    return withKnowingKey(context, id, getPet(id))
  },
]

const fragile = row('get', {
  fails: 'Any status other than 200.',
  ...{ id: 'get-fragile-200', requirement: 'get.success', sentBy: ['create-valid-201'] },
  needs: { stage: 'reads', getPet: true },
  values: [ofFragile(0)],
  more: Array.from({ length: 7 }, (_, nth) => ofFragile(nth + 1)),
})

export const get: readonly AnyCheck[] = [atOnce, fragile, ...getUnknownIds]
