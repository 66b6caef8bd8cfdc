// GET /pets with queries that the interface leaves open: each is sent once, and its response is
// recorded.

import { isValidList } from '../../engine/check/control-request.ts'
import { check, observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, statusCode } from '../../engine/check/exchange.ts'
import { violateStatus } from '../../engine/check/expect.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { petsIn } from '../../engine/check/known-pets.ts'
import { isRefusal } from '../../engine/check/operations.ts'
import { Untested, Violation } from '../../engine/check/outcome.ts'
import type { OpenRequirementId } from '../../spec/requirements.ts'
import { describeStatus, noPet } from '../pets/compare-pets.ts'
import { listedOnce, longest, sharedAs } from '../pets/lists.ts'
import { afterControl, listPetsWith, naming, recordEach, whenScarce } from '../pets/requests.ts'

const needs = { stage: 'reads', keyed: 1, anonymous: 0 } as const
const amongMany = { ...needs, made: 'crowd' } as const

/** The status; of a list also its length, which shows whether a limit was clamped. */
const outcomeOf = (response: AnsweredExchange): string =>
  statusCode(response) === 200 ? `200 with ${petsIn(response).length}` : `${statusCode(response)}`

/** For a filter: the statuses of the pets in the list. */
const statusesOf = (response: AnsweredExchange): string => {
  if (statusCode(response) !== 200) return `${statusCode(response)}`
  const found = new Set(petsIn(response).map((pet) => describeStatus(pet, 'none')))
  return found.size === 0 ? '200 empty' : `200 with ${[...found].sort().join(', ')}`
}

type Row = readonly [id: string, requirement: OpenRequirementId, ...queries: string[]]

/** Of several queries one is sent when requests are scarce. */
const limits: readonly Row[] = [
  ['list-limit-zero', 'list.limit.out-of-range', 'limit=0'],
  ['list-limit-negative', 'list.limit.out-of-range', 'limit=-1'],
  ['list-limit-101', 'list.limit.out-of-range', 'limit=101'],
  [
    'list-limit-large',
    'list.limit.out-of-range',
    `limit=${2n ** 31n}`,
    `limit=${2n ** 63n}`,
    `limit=${'9'.repeat(400)}`,
  ],
  ['list-limit-decimal', 'list.limit.no-integer', 'limit=1.5', 'limit=1e1'],
  ['list-limit-blank', 'list.limit.no-integer', 'limit='],
  ['list-limit-text', 'list.limit.no-integer', 'limit=ten'],
  // A server may validate the first and use the last.
  ['list-limit-twice', 'list.limit.repeated', 'limit=1&limit=200'],
]

const filters: readonly Row[] = [
  [
    'list-status-unknown',
    'list.status.unknown',
    'limit=100&status=asleep',
    'limit=100&status=AVAILABLE',
    'limit=100&status=',
    'limit=100&status=available,sold',
  ],
  ['list-status-twice', 'list.status.repeated', 'limit=100&status=available&status=sold'],
]

const others: readonly Row[] = [
  ['list-parameter-unknown', 'list.extra-parameter', 'limit=2&colour=red'],
  ['list-parameter-paging', 'list.paging', 'limit=2&offset=1&page=2&cursor=x'],
]

/** A long run of one digit is cut. */
const shown = (query: string): string =>
  query.replace(/9{20,}/, (digits) => `999... (${digits.length} digits)`)

/** @param pets how many it takes to see what became of the query */
const observed = (
  rows: readonly Row[],
  records: string,
  outcome: (response: AnsweredExchange) => string,
  pets?: number,
) =>
  rows.map(([id, requirement, ...queries]) =>
    observe({
      id,
      requirement,
      needs: {
        ...amongMany,
        ...(queries.length > 1 && { ample: queries.length }),
        ...(pets !== undefined && { pets }),
      },
      sends:
        `One ${queries.map((query) => `\`GET /pets?${shown(query)}\``).join(', one ')}, after a ` +
        'valid `GET /pets` that returned 200' +
        (queries.length > 1 ? `; one of them${whenScarce}.` : '.'),
      records,
      ...afterControl('list', ({ call, sample }) =>
        recordEach(sample(queries, 1), async (query) => [
          shown(query),
          outcome(await call(listPetsWith(query))),
        ]),
      ),
    }),
  )

const orderOf = (ids: readonly bigint[]): string => {
  const rises = ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? id))
  const falls = ids.every((id, at) => at === 0 || id < (ids[at - 1] ?? id))
  if (rises) return 'by id, ascending'
  return falls ? 'by id, descending' : 'not by id'
}

/** An observation cannot fail; other checks judge the list. */
const unlessViolated = (error: unknown): never => {
  if (!(error instanceof Violation)) throw error
  throw new Untested('blocked', 'a valid GET /pets did not return 200', error.evidence)
}

const ofLongest = { ...amongMany, shares: sharedAs(longest) }

const order = observe({
  id: 'list-order',
  requirement: 'list.order',
  needs: ofLongest,
  sends: 'One `GET /pets?limit=100`.',
  records: 'Whether the ids ascend, descend, or neither.',
  inconclusive: 'fewer than three pets are listed',
  run: async (context) => {
    await context.control('list')
    const response = await listedOnce(context, longest).then(
      ({ response }) => response,
      unlessViolated,
    )
    const ids = petsIn(response).flatMap(({ id }) => (typeof id === 'bigint' ? [id] : []))
    if (ids.length >= 3) return orderOf(ids)
    if (context.knownPets.seen.size < 3) throw noPet(context, 'in addition to two others is known')
    throw new Untested('blocked', 'the order of fewer than three pets says nothing', [response])
  },
})

/** Queries that make decoders and parsers fail; only one is sent when requests are scarce. */
const otherQueries: readonly (readonly [name: string, query: string])[] = [
  ['a status that is not UTF-8', 'status=%ff'],
  ['a status with a broken percent-escape', 'status=%zz'],
  ['a status in brackets', 'status%5B%5D=sold'],
  ['a limit with a member', 'limit%5Ba%5D=1'],
  ['a status with a quote and a backslash', 'status=%22%5C%E2%80%A8'],
]

const answered = check({
  id: 'list-query-other-answered',
  requirement: 'service.no-server-error',
  needs: { ...needs, ample: otherQueries.length },
  sends:
    'Five queries that make decoders fail: invalid UTF-8, a broken percent-escape, ' +
    `\`status[]=sold\`, \`limit[a]=1\`, quotes and backslashes; one of them${whenScarce}.`,
  fails: 'A 5xx response. A 4xx is as good as a list.',
  inconclusive: 'the response is neither a 4xx nor a list (ambiguous)',
  run: async (context) => {
    const control = await context.control('list')
    await expectEach(context.sample(otherQueries, 1), async ([name, query]) => {
      const response = await context.call(listPetsWith(query))
      naming(name, () => {
        const { status } = response.response
        if (status >= 500) violateStatus('a 4xx response or a list', control, response)
        if (isRefusal(response) || isValidList(response)) return
        const message = `${name} gets ${status}, neither a 4xx nor a list`
        throw new Untested('ambiguous', message, [response])
      })
    })
  },
})

const recordsCount = 'The status; of a 200, the number of pets.'

export const openQueries = [
  ...observed(limits, recordsCount, outcomeOf),
  // A pet of each status; one more than the limit of 2.
  ...observed(filters, 'The status; of a 200, the statuses of its pets.', statusesOf, 3),
  ...observed(others, recordsCount, outcomeOf, 3),
  order,
  answered,
]
