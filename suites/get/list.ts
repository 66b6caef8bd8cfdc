// GET /pets as rows: valid queries, and those that the interface leaves open. Clauses judge what a
// list contains.

import type { Context } from '../../engine/check/context.ts'
import {
  type AnyCheck,
  type Check,
  type Make,
  type Observation,
  observe,
  type Pick,
  type Value,
} from '../../engine/check/declare.ts'
import { type Peculiar, withFields } from '../../engine/check/parts.ts'
import { listPets, listPetsWith } from '../../engine/check/requests.ts'
import { openRow, type Packed, packedRow, row } from '../../engine/check/row.ts'
import { type AnsweredExchange, isSuccess, recognizeOperation } from '../../history/exchange.ts'
import { petsIn } from '../../history/known-pets.ts'
import { statuses } from '../../model/read-body.ts'
import type { BindingRequirementId, OpenRequirementId } from '../../spec/requirements.ts'
import { limit } from '../pets/arbitraries.ts'
import addresses from '../vocabulary/addresses.json' with { type: 'json' }

/** More than any list may hold. */
export const manyPets = 101

const reads = { stage: 'reads', pets: manyPets } as const

/** A long run of one character is cut. */
const shown = (text: string): string =>
  text.replace(/([9x])\1{20,}/, ({ length }, sign) => `${sign.repeat(3)}... (${length} in all)`)

const query = (text: string): Value => [`with ${shown(text)}`, () => listPetsWith(text)]

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

/** How many pets show what a row is about: a few a limit or a filter, more the default or 100. */
const served = (
  id: string,
  values: readonly Packed[],
  pets = 9,
  own: { readonly more?: readonly Packed[]; readonly requirement?: BindingRequirementId } = {},
): Check =>
  packedRow('list', {
    ...{ id: `list-${id}-200`, values, ...own },
    needs: { ...reads, pets },
  })

const limited = (limit: number) => [`with limit=${limit}`, { limit }] as const
const unlimited = (status: string) =>
  [`with status=${status}`, { limit: undefined, status }] as const
const any100 = (_context: Context, pick: Pick) => pick(limit)

const valid = [
  served('limit-bounds', [limited(1), limited(100)], manyPets),
  served('limit', [limited(2), ['with any limit', { limit: any100 }], limited(21)], 9, {
    more: [19, 20, 99].map(limited),
  }),
  ...statuses.map((status) =>
    served(`status-${status}`, [[`with limit=100&status=${status}`, { limit: 100, status }]], 9, {
      requirement: 'list.success',
    }),
  ),
  served('no-query', [['without a query', { limit: undefined, status: undefined }]], manyPets),
  served('no-limit', statuses.map(unlimited), manyPets),
  served('limit-status', [
    ['with a limit of as many as are sold', asManyAs('sold')],
    ['with a limit below those that are pending', cutting('pending', 19)],
    ['with a limit below those that are available', cutting('available', 21)],
  ]),
  served(
    'accept-several',
    accepted.map((type) => [`with Accept: ${type}`, withFields(['Accept', type])]),
    9,
    { requirement: 'list.success' },
  ),
]

const orderOf = (response: AnsweredExchange): string => {
  const ids = petsIn(response).flatMap(({ id }) => (typeof id === 'bigint' ? [id] : []))
  if (ids.length < 3) return 'not seen: fewer than three pets'
  const isEach = (test: (id: bigint, before: bigint) => boolean) =>
    ids.every((id, at) => at === 0 || test(id, ids[at - 1] ?? id))
  if (isEach((id, before) => id > before)) return 'by id, ascending'
  return isEach((id, before) => id < before) ? 'by id, descending' : 'not by id'
}

const opened = (
  id: string,
  requirement: OpenRequirementId,
  queries: readonly string[],
  more: readonly string[] = [],
): Observation =>
  openRow('list', {
    ...{ id: `list-${id}`, requirement, needs: reads },
    ...{ values: queries.map(query), more: more.map(query) },
    record: requirement.startsWith('list.status') ? 'statuses of pets' : 'number of pets',
  })

const ofUnknown = (status: string): string => `limit=100&status=${status}`
const ofLimit = (limit: string): string => `limit=${limit}`

const { 'The grammar of pairs': pairs, 'Long ones': lengths, ...named } = addresses.queries

const shared = 4

/** Parameters that share a query, which is open whatever each of them asks. */
const parameters = [
  ...pairs,
  ...lengths.map((length) => `a=${'x'.repeat(length)}`),
  ...Object.values(named).flatMap((words) =>
    words
      .split(' ')
      .flatMap((_, at, group) =>
        at % shared === 0 ? [group.slice(at, at + shared).join('&')] : [],
      ),
  ),
]

/** Each given twice, which may make lists of them, and parameters that many servers know. */
const together =
  'limit=2&limit=200&status=sold&status=pending&a[$gt]=1&b[]=2&page=2&sort=-name&fields=id&q=%00'

const open = [
  opened(
    ...(['limit-out-of-range', 'list.limit.out-of-range'] as const),
    ['limit=0', 'limit=-1', 'limit=101'],
    [`limit=${'9'.repeat(400)}`],
  ),
  opened(
    ...(['limit-no-integer', 'list.limit.no-integer'] as const),
    ['limit=1.5', 'limit=', 'limit=ten'],
    addresses.limits.split(' ').map(ofLimit),
  ),
  // A server may validate the first and use the last.
  opened('limit-twice', 'list.limit.repeated', ['limit=1&limit=200']),
  opened(
    ...(['parameter-unknown', 'list.extra-parameter'] as const),
    ['limit=2&colour=red'],
    ['limit=2&fields=id', ...parameters],
  ),
  opened('parameter-paging', 'list.paging', ['limit=2&offset=1&page=2&cursor=x']),
  opened(
    ...(['status-unknown', 'list.status.unknown'] as const),
    [ofUnknown('asleep')],
    ['AVAILABLE', '', 'available,sold', ...addresses.statuses.split(' ')].map(ofUnknown),
  ),
  opened('status-twice', 'list.status.repeated', ['limit=100&status=available&status=sold']),
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

export const list: readonly AnyCheck[] = [
  row('list', {
    ...{ id: 'list-valid-200', needs: { stage: 'probes' } },
    isPlain: true,
    values: [['of a status that no pet is known to have', ofNone]],
  }),
  ...valid,
  row('list', {
    ...{ id: 'list-query-other-answered', requirement: 'service.no-server-error' },
    needs: { ...reads, pets: 9 },
    // Queries that make decoders and parsers fail, and what stores and templates may act on.
    values: ['status=%ff', together, `limit=${-(2n ** 63n) - 1n}`].map(query),
    more: ['status=%zz', 'status%5B%5D=sold', 'limit%5Ba%5D=1', 'status=%22%5C%E2%80%A8'].map(
      query,
    ),
  }),
  ...open,
  order,
]
