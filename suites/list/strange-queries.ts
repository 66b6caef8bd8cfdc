// GET /pets with queries that the interface leaves open: each is asked once, and recorded.

import { check, observe } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { isSoundList } from '../../engine/control.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { petsIn } from '../../engine/herd.ts'
import { Untested, Violation } from '../../engine/outcome.ts'
import type { OpenRequirementId } from '../../spec/requirements.ts'
import { noAnimal, toldStatus } from '../animals.ts'
import { isRefusal } from '../answers.ts'
import { listPetsWith } from '../requests.ts'
import { naming } from '../sampled.ts'
import { listedOnce, longest, sharedAs } from './listed.ts'

const needs = { stage: 'reads', keyed: 1, anonymous: 0 } as const
const amongMany = { ...needs, made: 'crowd' } as const

/** A status, and for a list how many animals it holds: so a cut limit shows. */
const outcomeOf = (answer: Answered): string =>
  statusOf(answer) === 200 ? `200 with ${petsIn(answer).length}` : `${statusOf(answer)}`

/** For a filter: which statuses the animals of a list have. */
const statusesOf = (answer: Answered): string => {
  if (statusOf(answer) !== 200) return `${statusOf(answer)}`
  const found = new Set(petsIn(answer).map((pet) => toldStatus(pet, 'none')))
  return found.size === 0 ? '200 empty' : `200 with ${[...found].sort().join(', ')}`
}

const ask = async (context: Context, query: string): Promise<Answered> => {
  await context.control('list')
  return context.call(listPetsWith(query))
}

type Row = readonly [id: string, requirement: OpenRequirementId, query: string]

const limits: readonly Row[] = [
  ['list-limit-zero', 'list.limit.out-of-range', 'limit=0'],
  ['list-limit-negative', 'list.limit.out-of-range', 'limit=-1'],
  ['list-limit-101', 'list.limit.out-of-range', 'limit=101'],
  ['list-limit-beyond-int32', 'list.limit.out-of-range', `limit=${2n ** 31n}`],
  ['list-limit-beyond-int64', 'list.limit.out-of-range', `limit=${2n ** 63n}`],
  ['list-limit-very-long', 'list.limit.out-of-range', `limit=${'9'.repeat(400)}`],
  ['list-limit-fraction', 'list.limit.no-integer', 'limit=1.5'],
  ['list-limit-exponent', 'list.limit.no-integer', 'limit=1e1'],
  ['list-limit-blank', 'list.limit.no-integer', 'limit='],
  ['list-limit-text', 'list.limit.no-integer', 'limit=ten'],
  // The first may be the one that is validated, and the last the one that counts.
  ['list-limit-twice', 'list.limit.repeated', 'limit=1&limit=200'],
]

const filters: readonly Row[] = [
  ['list-status-other-word', 'list.status.unknown', 'limit=100&status=asleep'],
  ['list-status-upper-case', 'list.status.unknown', 'limit=100&status=AVAILABLE'],
  ['list-status-blank', 'list.status.unknown', 'limit=100&status='],
  ['list-status-two-in-one', 'list.status.unknown', 'limit=100&status=available,sold'],
  ['list-status-twice', 'list.status.repeated', 'limit=100&status=available&status=sold'],
]

const others: readonly Row[] = [
  ['list-parameter-unknown', 'list.extra-parameter', 'limit=2&colour=red'],
  ['list-parameter-paging', 'list.paging', 'limit=2&offset=1&page=2&cursor=x'],
]

const rowsOf = (rows: readonly Row[], tell: (answer: Answered) => string) =>
  rows.map(([id, requirement, query]) =>
    observe(id, requirement, amongMany, async (context) => tell(await ask(context, query))),
  )

const orderOf = (ids: readonly bigint[]): string => {
  const rises = ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? id))
  const falls = ids.every((id, at) => at === 0 || id < (ids[at - 1] ?? id))
  if (rises) return 'by id, rising'
  return falls ? 'by id, falling' : 'not by id'
}

/** An open question cannot be failed: other checks find what is wrong with the list. */
const unlessViolated = (error: unknown): never => {
  if (!(error instanceof Violation)) throw error
  throw new Untested('blocked', 'a valid list was not answered 200', error.evidence)
}

const ofLongest = { ...amongMany, shares: sharedAs(longest) }

const order = observe('list-order', 'list.order', ofLongest, async (context) => {
  await context.control('list')
  const answer = await listedOnce(context, longest).then(({ answer }) => answer, unlessViolated)
  const ids = petsIn(answer).flatMap(({ id }) => (typeof id === 'bigint' ? [id] : []))
  if (ids.length >= 3) return orderOf(ids)
  if (context.herd.seen.size < 3) throw noAnimal(context, 'beside two others is known')
  throw new Untested('blocked', 'an order shows from three animals on', [answer])
})

/** Queries that upset what decodes them or puts them into an object; one where scarce. */
const otherQueries: readonly (readonly [name: string, query: string])[] = [
  ['a status that is no UTF-8', 'status=%ff'],
  ['a status that is no percent-escape', 'status=%zz'],
  ['a status in brackets', 'status%5B%5D=sold'],
  ['a limit with a member', 'limit%5Ba%5D=1'],
]

const answered = check(
  'list-query-other-answered',
  'service.no-server-error',
  { ...needs, ample: otherQueries.length },
  async (context) => {
    const control = await context.control('list')
    for (const [name, query] of context.sample(otherQueries, 1)) {
      const answer = await context.call(listPetsWith(query))
      naming(name, () => {
        const { status } = answer.response
        if (status >= 500) violate('a 4xx answer or a list', told(answer), control, answer)
        if (isRefusal(answer) || isSoundList(answer)) return
        const message = `${name} was answered ${status}; a 4xx or a list decides`
        throw new Untested('ambiguous', message, [answer])
      })
    }
  },
)

export const strangeQueries = [
  ...rowsOf(limits, outcomeOf),
  ...rowsOf(filters, statusesOf),
  ...rowsOf(others, outcomeOf),
  order,
  answered,
]
