// All calls of a key share one count, whatever the operation, connection, query or headers.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import { type AnsweredExchange, type ApiRequest, isSuccess } from '../../engine/check/exchange.ts'
import { describeResponse } from '../../engine/check/expect.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Untested } from '../../engine/check/outcome.ts'
import { createPet, getPet, listPets, listPetsWith } from '../pets/requests.ts'
import { type Counted, judgeCount, judgeWeights } from './count-judgements.ts'
import { cheapest, limitNeeds } from './experiments.ts'
import { conclude } from './quota.ts'
import { lists, listWithRoom, shortList } from './sending.ts'
import { takeStep } from './window-steady.ts'

/**
 * An array of requests is sent at the same time, each on a connection of its own. A function
 * creates a request from what earlier responses showed.
 */
type Row = readonly Entry[]

/** What is sent at once. */
type Entry = ApiRequest | readonly ApiRequest[] | (() => ApiRequest)

/** A row is repeated if a window ended in it, or calls came back. */
const maxRows = 3
/** After this pause Reset shows whether it is that of a window or of the newest call in a log. */
const pauseMs = 3_500

const sendRow = async (context: Context, key: LimitKey, row: Row): Promise<AnsweredExchange[]> => {
  const responses: AnsweredExchange[] = []
  const withKey = (request: ApiRequest) => ({ ...request, key: key.label })
  for (const entry of row) {
    if (typeof entry === 'function') responses.push(await context.call(withKey(entry())))
    else if ('method' in entry) responses.push(await context.call(withKey(entry)))
    else responses.push(...(await context.together(entry.map(withKey))))
  }
  return responses
}

/** Whether a valid request counts that was not served is open. */
const expectServed = (row: readonly AnsweredExchange[]): void => {
  const other = row.find((one) => !isSuccess(one))
  if (other) throw new Untested('blocked', `a valid request got ${describeResponse(other)}`)
}

export type Judge = typeof judgeCount

const operationNames = { create: 'creation', list: 'list', get: 'fetch' } as const

const operationIn = (exchange: AnsweredExchange): string =>
  operationNames[recognizeOperation(exchange) ?? 'list']

/** One count, which each call lowers by one. */
const evenly: Judge = (row, earlier) => {
  const found = judgeCount(row, earlier)
  return found.kind === 'holds' ? judgeWeights(row, operationIn) : found
}

/** Another client may have called during the row, but hardly in two rows. */
const withEarlier = (found: Counted, violations: number, shared: boolean): Counted => {
  const isViolation = found.kind === 'violation'
  const isOnce = isViolation ? violations === 0 || shared : found.kind === 'holds' && violations > 0
  return isOnce ? { kind: 'unclear', why: 'it was seen in one row only' } : found
}

/** @returns the responses to a row of calls, a list before it included */
export const sendCalls = async (context: Context, key: LimitKey, entries: Row) => {
  const first = await listWithRoom(context, key, entries.flat().length)
  const row = [first, ...(await sendRow(context, key, entries))]
  expectServed(row)
  return row
}

/** @throws Violation if the calls of two rows do not share one count */
export const expectOneCount = async (
  context: Context,
  rowOf: () => Row,
  judge: Judge = judgeCount,
) => {
  const { limits } = context
  const key = cheapest(limits)
  await context.control('list')
  await takeStep(context, key)
  let violations = 0
  for (let rows = 1; ; rows += 1) {
    const earlier = limits.responsesTo(key.label)
    const entries = rowOf()
    const row = await sendCalls(context, key, entries)
    const found = judge(row, earlier)
    const known = withEarlier(found, violations, limits.shared)
    const isOver = found.kind === 'holds' || known.kind === 'violation' || rows >= maxRows
    if (isOver) {
      return known.kind === 'holds' ? undefined : conclude({ ...known, evidence: row })
    }
    if (found.kind === 'violation') violations += 1
    await limits.pass(pauseMs)
  }
}

const inconclusive =
  'a window ended in each of three rows, or other clients use the key (shared: true)'

/** The fetched pet, or another one that this key sees: keys may see different pets. */
const idFor = ({ knownPets }: Context, { label }: LimitKey, fetched: string): string => {
  const isKnown = (id: bigint) => knownPets.fetches.isKnown(label, id)
  if (isKnown(BigInt(fetched))) return fetched
  return `${knownPets.creations.findLast(({ id }) => isKnown(id))?.id ?? fetched}`
}

const operations = check({
  id: 'count-across-operations',
  requirement: 'limits.one-count',
  needs: { ...limitNeeds, keyed: 7, ample: 8, allow: ['exhaust', 'write'], getPet: true },
  sends: 'With one key: a row of six calls, `POST /pets`, GET by id and lists in turn.',
  fails:
    'In two rows Remaining falls by less than the number of calls; or by more than one for ' +
    'each call of one operation and by one for all others.',
  inconclusive,
  run: async (context) => {
    await context.control('create')
    const { apiRequest } = await context.control('get')
    const fetched = apiRequest.path.replace('/pets/', '')
    const creation = () => createPet(context.newPet())
    const fetch = () => getPet(idFor(context, cheapest(context.limits), fetched))
    const rowOf = () => [creation(), fetch, creation(), shortList, creation(), fetch]
    await expectOneCount(context, rowOf, evenly)
  },
})

/** A check that sends one row of lists. */
const listCheck = (id: string, what: string, row: Row, judge?: Judge): Check =>
  check({
    id,
    requirement: 'limits.one-count',
    needs: { ...limitNeeds, keyed: row.flat().length + 1, ample: row.flat().length + 2 },
    sends: `With one key, in a row: ${what}.`,
    fails:
      'In two rows Remaining falls by less than the number of calls, minus what any design gives ' +
      'back meanwhile.',
    inconclusive,
    run: (context) => expectOneCount(context, () => row, judge),
  })

const queries: Row = [
  listPets({ limit: 100 }),
  listPets({ status: 'sold' }),
  listPets({ limit: 100 }),
  listPets({ limit: 3, status: 'pending' }),
  listPetsWith('status=available&limit=1'),
]

const lengthIn = ({ apiRequest }: AnsweredExchange): string =>
  apiRequest.path.includes('limit=100') ? 'list of 100' : 'shorter list'

/** One count, which a long list lowers by one as well. */
const whateverLength: Judge = (row, earlier) => {
  const found = judgeCount(row, earlier)
  const weights = found.kind === 'holds' ? judgeWeights(row, lengthIn) : found
  return weights.kind === 'violation' ? weights : found
}

/** Spellings of the scheme in the Authorization header. */
const schemes = ['bearer', 'BEARER', 'bEARER', 'bearer', 'Bearer']

/** Addresses reserved for documentation (RFC 5737). */
const forwardedFor = (last: number): ApiRequest => ({
  ...shortList,
  headers: [['X-Forwarded-For', `198.51.100.${last}`]],
})

export const counting: readonly Check[] = [
  operations,
  listCheck(
    'count-across-connections',
    'six lists at the same time, each on a connection of its own, and one more',
    [lists(6), shortList],
  ),
  listCheck('count-across-queries', 'five lists with different queries', queries, whateverLength),
  listCheck(
    'count-whatever-scheme-case',
    'five lists with the scheme in several letter cases',
    schemes.map((scheme) => ({ ...shortList, scheme })),
  ),
  listCheck(
    'count-whatever-forwarded-for',
    'five lists with another `X-Forwarded-For` each',
    [1, 2, 3, 4, 5].map(forwardedFor),
  ),
]
