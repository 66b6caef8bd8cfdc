// Two keys on one connection, in turn and at the same time: each response has the headers of its
// key.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check } from '../../engine/declare.ts'
import { type AnsweredExchange, statusOf } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import { rateHeaders, windowOf } from '../../engine/quota/rate-headers.ts'
import { listPets } from '../requests.ts'
import { operationOf } from '../responses.ts'
import { creation, judgeMisfit, list, misfitOf, type Specimen, unknown } from './specimens.ts'

const shortList = listPets({ limit: 1 })
/** Sent once with each key, so that as many pets as possible are known for it. */
const longList = listPets({ limit: 100 })
const served = list({ limit: 1 })
const created = creation()

const specimens: Readonly<Record<'list' | 'create' | 'get', Specimen>> = {
  list: served,
  create: created,
  get: unknown,
}

/** Lists of each key, first in a row and then at the same time. */
const turns = 2
/** All calls of a key: also a creation, one call before and one after. */
const calls = 2 * turns + 3
/** How many calls may show the same Remaining, if the count lags. */
const maxUnchanged = 3
/** By how much Remaining of the keys must differ, so that they cannot be confused. */
const minDifference = 2 * calls
const secondMs = 1_000
/** How many calls a design that refills gradually may give back meanwhile. */
const refill = 2

interface Pair {
  readonly own: LimitKey
  readonly other: LimitKey
}

/** Prefers a key of another plan, whose Limit differs anyway. */
const pairOf = ({ limits }: Context): Pair => {
  const [own, ...others] = allKeys(limits).toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)
  const other = others.find(({ plan }) => plan !== own?.plan) ?? others[0]
  if (own && other) return { own, other }
  throw new Untested('key', 'it needs another key, of any plan (--key PLAN=OTHER)')
}

const withKey = ({ label }: LimitKey) => ({ ...shortList, key: label })

const onNew = (key: LimitKey) => ({ ...withKey(key), fresh: true }) as const

const headersIn = (response: AnsweredExchange) => {
  const said = rateHeaders(response)
  if (said) return said
  throw new Untested('blocked', `no rate-limit headers in ${describeResponse(response)}`, [
    response,
  ])
}

/** Sends a list; if fewer calls than needed remain, another one after the reset. */
const sendFresh = async (
  context: Context,
  key: LimitKey,
  needed: number,
): Promise<AnsweredExchange> => {
  const call = () => context.call({ ...onNew(key), path: longList.path })
  const first = await call()
  const { remaining, resetInMs } = headersIn(first)
  if (remaining >= needed) return first
  await context.limits.pass(resetInMs + secondMs)
  return call()
}

/** The response to each key alone, before both are used. */
interface Begun extends Pair {
  readonly first: AnsweredExchange
  readonly second: AnsweredExchange
}

/** Sends with each key alone, and then with the lower one until Remaining of the keys differs. */
const begin = async (context: Context, pair: Pair): Promise<Begun> => {
  const [one, two] = [pair.own, pair.other]
  const responses = [
    { key: one, response: await sendFresh(context, one, calls + minDifference) },
    { key: two, response: await sendFresh(context, two, calls + minDifference) },
  ].toSorted((a, b) => headersIn(a.response).remaining - headersIn(b.response).remaining)
  const [less, more] = responses as [(typeof responses)[number], (typeof responses)[number]]
  let first = less.response
  for (let spent = 0; spent <= minDifference + 1; spent += 1) {
    const [mine, its] = [headersIn(first), headersIn(more.response)]
    if (mine.limit !== its.limit || its.remaining - mine.remaining >= minDifference) {
      return { own: less.key, other: more.key, first, second: more.response }
    }
    // A count that does not fall is another fault.
    if (spent >= maxUnchanged && mine.remaining >= headersIn(less.response).remaining) break
    first = await context.call(onNew(less.key))
  }
  const message = 'Remaining of the two keys does not differ'
  throw new Untested('ambiguous', message, [more.response, first])
}

/** Whether the headers of a response fit another key, and not its own. */
const isOfOther = (
  response: AnsweredExchange,
  key: LimitKey,
  alone: AnsweredExchange,
  other: { readonly key: LimitKey; readonly alone: AnsweredExchange },
): boolean => {
  const [said, own, its] = [response, alone, other.alone].map(headersIn)
  if (!said || !own || !its) return false
  if (windowOf(said.limit, key.quota) === undefined) {
    return windowOf(said.limit, other.key.quota) !== undefined
  }
  if (said.limit !== own.limit || said.limit !== its.limit) return false
  const fits = (line: typeof said) =>
    said.remaining <= line.remaining + refill && said.remaining >= line.remaining - calls - refill
  return fits(its) && !fits(own)
}

/** Whether Remaining fell only by the calls of this run, so that no other client used the key. */
const isUnused = (before: AnsweredExchange, after: AnsweredExchange): boolean => {
  const [from, to] = [headersIn(before), headersIn(after)]
  const fall = from.remaining - to.remaining
  return from.limit === to.limit && fall >= -refill && fall <= calls
}

const isForeign = ({ own, other, first, second }: Begun, response: AnsweredExchange): boolean =>
  response.key === own.label
    ? isOfOther(response, own, first, { key: other, alone: second })
    : isOfOther(response, other, second, { key: own, alone: first })

/** An error follows each list, since other code may write its headers. */
const sendBoth = async (context: Context, pair: Pair): Promise<readonly AnsweredExchange[]> => {
  const both = [pair.own, pair.other].map(withKey)
  const missing = both.map(({ key }) => ({ ...unknown.request(context), key }))
  const row: AnsweredExchange[] = []
  for (const request of [...both, ...missing]) row.push(await context.call(request))
  // A creation takes longer, so that headers of concurrent requests may get into its response.
  const creations = context.allow.includes('write')
    ? [pair.own, pair.other].map(({ label }) => ({ ...created.request(context), key: label }))
    : []
  const lists = Array.from({ length: turns }, () => both).flat()
  return [...row, ...(await context.together([...creations, ...lists]))]
}

const expectServed = async (
  context: Context,
  responses: readonly AnsweredExchange[],
): Promise<void> => {
  for (const response of responses) {
    if ([403, 429].includes(statusOf(response))) {
      const why = `key ${response.key} was refused: another client may have used it`
      throw new Suspicion(why, [response])
    }
    const specimen = specimens[operationOf(response) ?? 'get']
    const misfit = misfitOf(context, specimen, response)
    if (misfit) await judgeMisfit(context, specimen, response, misfit, 'while two keys were in use')
  }
}

/** @param mayRepeat whether to repeat it once if a window ends meanwhile */
const expectOwnKey = async (context: Context, pair: Pair, mayRepeat: boolean): Promise<void> => {
  const begun = await begin(context, pair)
  const responses = await sendBoth(context, begun)
  await expectServed(context, responses)
  // An error without the headers is another fault.
  const judged = responses.filter((response) => statusOf(response) !== 404 || rateHeaders(response))
  const foreign = judged.find((response) => isForeign(begun, response))
  if (!foreign) return
  const { own, other, first, second } = begun
  const isOwn = foreign.key === own.label
  const before = isOwn ? first : second
  const after = await context.call(onNew(isOwn ? own : other))
  const actual = `those of ${isOwn ? other.label : own.label}, while both were in use`
  const evidence = [before, after, foreign]
  if (mayRepeat && headersIn(after).reset > headersIn(before).reset) {
    return expectOwnKey(context, pair, false)
  }
  if (context.limits.shared || !isUnused(before, after)) {
    throw new Suspicion('another client may have used a key', evidence)
  }
  violate(`the rate-limit headers of key ${foreign.key}`, actual, ...evidence)
}

export const otherKeys = check({
  id: 'response-own-key',
  requirement: 'service.own-response',
  needs: { stage: 'limits', keyed: 2 * calls + minDifference, anonymous: 0, secondKey: 'any' },
  sends:
    'With two keys, of different plans if possible: lists of each in turn on one connection, ' +
    'and at the same time with a `POST /pets` of each. Before that each key sends alone, and ' +
    'one is used until its Limit or Remaining differs from that of the other.',
  fails: 'Rate-limit headers of the other key, although each key alone gets its own.',
  inconclusive:
    'Remaining of the two keys does not differ, or another client may have used a key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    await expectOwnKey(context, pairOf(context), true)
  },
})
