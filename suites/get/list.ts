// GET /pets as rows: valid queries, and those that the interface leaves open. Clauses judge what a
// list contains.

import fc from 'fast-check'
import type { Context, Parts } from '../../engine/check/context.ts'
import {
  type AnyCheck,
  type Make,
  observe,
  type Pick,
  type Value,
} from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../../history/exchange.ts'
import { minInt64 } from '../../history/json.ts'
import { petsIn } from '../../history/known-pets.ts'
import { statuses } from '../../model/read-body.ts'
import type { BindingRequirementId, OpenRequirementId } from '../../spec/requirements.ts'
import { describeStatus } from '../pets/compare-pets.ts'
import { type Peculiar, withFields } from '../pets/parts.ts'
import { listPets, listPetsWith } from '../pets/requests.ts'
import { openRow, packedRow, row } from '../pets/rows.ts'

/** More than any list may hold. */
export const manyPets = 101

const reads = { stage: 'reads', pets: manyPets } as const
const only200 = 'Any status other than 200.'

const query = (text: string): Value => [`with ${text}`, () => listPetsWith(text)]

/** JSON is one of several accepted types, named or not, as in the Accept header of a browser. */
const accepted = [
  'text/html, application/json;q=0.9',
  'application/xml, */*;q=0.1',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
]

/** An odd number below that of the pets with a status: the limit cuts, and follows the filter. */
const cutting = (status: string, most: number): Peculiar => ({
  status,
  limit: ({ knownPets }: Context) => {
    const below = Math.max(1, Math.min(most, knownPets.count(status) - 1))
    return below - 1 + (below % 2)
  },
})

/** A server that fetches one more than the limit may lose the last one. */
const asManyAs = (status: string): Peculiar => ({
  status,
  limit: ({ knownPets }: Context) => Math.max(1, Math.min(100, knownPets.count(status))),
})

/** An empty list must work as well. */
const ofNone: Make = ({ knownPets }) =>
  listPets({
    limit: 50,
    status: statuses.find((each) => knownPets.count(each) === 0) ?? 'pending',
  })

const whole = (min: number, max: number) => fc.integer({ min, max })
/** A limit within its bounds, with more text. */
const inBounds = (end: string) => whole(1, 99).map((limit) => `${limit}${end}`)

type Entry = readonly [
  id: string,
  requirement: BindingRequirementId,
  ...values: readonly (readonly [words: string, parts: Parts])[],
]

const limited = (limit: number) => [`with limit=${limit}`, { limit }] as const
const unlimited = (status: string) =>
  [`with status=${status}`, { limit: undefined, status }] as const
const any100 = (_context: Context, pick: Pick) => pick(whole(1, 100))

const valid: readonly Entry[] = [
  ['list-limit-bounds-200', 'bounds.limit', limited(1), limited(100)],
  [
    'list-limit-200',
    'list.success',
    limited(2),
    ['with any limit', { limit: any100 }],
    ...[19, 20, 21, 99].map(limited),
  ],
  ...statuses.map((status): Entry => {
    const words = `with limit=100&status=${status}`
    return [`list-status-${status}-200`, 'list.success', [words, { limit: 100, status }]]
  }),
  [
    'list-no-query-200',
    'list.success',
    ['without a query', { limit: undefined, status: undefined }],
  ],
  ['list-no-limit-200', 'list.success', ...statuses.map(unlimited)],
  [
    'list-limit-status-200',
    'list.success',
    ['with a limit of as many as are sold', asManyAs('sold')],
    ['with a limit below those that are pending', cutting('pending', 19)],
    ['with a limit below those that are available', cutting('available', 21)],
  ],
  [
    'list-accept-several-200',
    'list.success',
    ...accepted.map((type) => [`with Accept: ${type}`, withFields(['Accept', type])] as const),
  ],
]

/** The status; of a list also its length, which shows whether a limit was clamped. */
const countOf = (response: AnsweredExchange): string =>
  statusCode(response) === 200 ? `200 with ${petsIn(response).length}` : `${statusCode(response)}`

/** For a filter: the statuses of the pets in the list. */
const statusesOf = (response: AnsweredExchange): string => {
  if (statusCode(response) !== 200) return `${statusCode(response)}`
  const found = new Set(petsIn(response).map((pet) => describeStatus(pet, 'none')))
  return found.size === 0 ? '200 empty' : `200 with ${[...found].sort().join(', ')}`
}

const orderOf = (response: AnsweredExchange): string => {
  const ids = petsIn(response).flatMap(({ id }) => (typeof id === 'bigint' ? [id] : []))
  if (ids.length < 3) return 'not seen: fewer than three pets'
  const isEach = (test: (id: bigint, before: bigint) => boolean) =>
    ids.every((id, at) => at === 0 || test(id, ids[at - 1] ?? id))
  if (isEach((id, before) => id > before)) return 'by id, ascending'
  return isEach((id, before) => id < before) ? 'by id, descending' : 'not by id'
}

type OpenEntry = readonly [
  id: string,
  requirement: OpenRequirementId,
  ...queries: (string | Value)[],
]

/** A query that is drawn. */
const drawn = (words: string, texts: fc.Arbitrary<string>): Value => [
  words,
  (_, pick) => listPetsWith(pick(texts)),
]

const limitOf = (words: string, ...values: fc.Arbitrary<unknown>[]): Value =>
  drawn(
    `with a limit ${words}`,
    fc.oneof(...values).map((value) => `limit=${value}`),
  )

const statusWith = (words: string, edit: (status: string) => string): Value =>
  drawn(
    `with a status ${words}`,
    fc.constantFrom(...statuses).map((status) => `status=${encodeURIComponent(edit(status))}`),
  )

const word = fc.stringMatching(/^[a-z]{3,9}$/)
const words = ['NaN', 'null', 'true', 'Infinity', 'undefined', '%00', '%ff', '%zz', '%22%5C', '1,2']
const statusWords = fc
  .constantFrom('null', '0', '1', 'constructor', '__proto__', "'%20OR%201=1--", '%00')
  .map((text) => `status=${text}`)
const titled = (status: string) => `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`

const openEntries: readonly OpenEntry[] = [
  ['list-limit-zero', 'list.limit.out-of-range', 'limit=0'],
  [
    'list-limit-negative',
    'list.limit.out-of-range',
    'limit=-1',
    limitOf('below -1', whole(-100, -2)),
    limitOf('below -2^63', fc.bigInt({ min: minInt64 - 9n, max: minInt64 })),
  ],
  ['list-limit-101', 'list.limit.out-of-range', 'limit=101'],
  [
    'list-limit-large',
    'list.limit.out-of-range',
    ...[`${2n ** 31n}`, `${2n ** 63n}`, '9'.repeat(400)].map((limit) => `limit=${limit}`),
    limitOf('above 100', whole(102, 110), whole(111, 100_000)),
    limitOf('of 20 to 60 digits', fc.stringMatching(/^[1-9][0-9]{19,59}$/)),
  ],
  [
    'list-limit-decimal',
    'list.limit.no-integer',
    ...['limit=1.5', 'limit=1e1'],
    limitOf('and a half', inBounds('.5')),
  ],
  ['list-limit-blank', 'list.limit.no-integer', 'limit='],
  [
    'list-limit-text',
    'list.limit.no-integer',
    'limit=ten',
    limitOf('in words', word, fc.constantFrom(...words)),
    limitOf('with text after it', inBounds('abc')),
  ],
  // A server may validate the first and use the last.
  ['list-limit-twice', 'list.limit.repeated', 'limit=1&limit=200', query('limit=200&limit=1')],
  ['list-parameter-unknown', 'list.extra-parameter', 'limit=2&colour=red'],
  ['list-parameter-paging', 'list.paging', 'limit=2&offset=1&page=2&cursor=x'],
  [
    'list-status-unknown',
    'list.status.unknown',
    ...['asleep', 'AVAILABLE', '', 'available,sold'].map((each) => `limit=100&status=${each}`),
    statusWith('in title case', titled),
    statusWith('with a space before it', (status) => ` ${status}`),
    statusWith('with a line feed after it', (status) => `${status}\n`),
    statusWith('cut short', (status) => status.slice(0, -1)),
    drawn('with a status that is a word of programs', statusWords),
  ],
  ['list-status-twice', 'list.status.repeated', 'limit=100&status=available&status=sold'],
]

const order = observe({
  id: 'list-order',
  requirement: 'list.order',
  sentBy: ['list-status-sold-200'],
  needs: { stage: 'reads', pets: 9 },
  sends: 'No requests: it looks at the longest list so far.',
  records: 'Whether the ids ascend, descend, or neither.',
  run: async ({ history }) => {
    const [longest] = history.exchanges
      .filter((one) => recognizeOperation(one) === 'list' && isSuccess(one))
      .toSorted((a, b) => petsIn(b).length - petsIn(a).length)
    return longest ? orderOf(longest) : 'not seen: no list was served'
  },
})

/** A long run of one digit is cut. */
const shown = (text: string): string =>
  text.replace(/9{20,}/, (digits) => `999... (${digits.length} digits)`)

/** How many pets show what a row is about: a few a limit or a filter, more the default or 100. */
const withPets = (id: string) => {
  const isLong = ['list-limit-bounds-200', 'list-no-query-200', 'list-no-limit-200'].includes(id)
  return { ...reads, pets: isLong ? manyPets : 9 }
}

export const list: readonly AnyCheck[] = [
  row('list', only200, {
    ...{ id: 'list-sound-200', requirement: 'list.success', needs: { stage: 'probes' } },
    isPlain: true,
    values: [['of a status that no pet is known to have', ofNone]],
  }),
  ...valid.map(([id, requirement, ...values]) =>
    packedRow('list', only200, {
      ...{ id, requirement, values, needs: withPets(id) },
      few: Math.min(3, values.length),
    }),
  ),
  row('list', 'A 5xx response, or neither a 4xx nor a list.', {
    ...{ id: 'list-query-other-answered', requirement: 'service.no-server-error' },
    needs: { ...reads, pets: 9 },
    // Queries that make decoders and parsers fail.
    values: [
      ...['status=%ff', 'status=%zz', 'status%5B%5D=sold', 'limit%5Ba%5D=1'],
      'status=%22%5C%E2%80%A8',
    ].map(query),
  }),
  ...openEntries.map(([id, requirement, ...queries]) =>
    openRow('list', {
      ...{ id, requirement, needs: reads },
      records: 'The status; of a 200, the number of pets, or for a filter their statuses.',
      record: requirement.startsWith('list.status') ? statusesOf : countOf,
      most: queries.filter((each) => typeof each === 'string').length,
      values: queries.map((each) =>
        typeof each === 'string' ? [`with ${shown(each)}`, () => listPetsWith(each)] : each,
      ),
    }),
  ),
  order,
]
