// Two keys on one connection, in turn and at the same time: each response has the headers of its
// key.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { check } from '../../engine/check/declare.ts'
import { type AnsweredExchange, statusCode } from '../../engine/check/exchange.ts'
import { describeResponse, violateAs } from '../../engine/check/expect.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Suspicion, Untested } from '../../engine/check/outcome.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { matchWindow, rateHeaders } from '../../engine/quota/rate-headers.ts'
import { listPets } from '../pets/requests.ts'
import {
  creation,
  findMisfit,
  judgeMisfit,
  list,
  unknown,
  unlikeAlone,
} from '../response-matching/specimens.ts'
import { unlessBanOfOthers } from './other-clients.ts'
import { shortList } from './sending.ts'

/** Sent once with each key, so that as many pets as possible are known for it. */
const longList = listPets({ limit: 100 })
const created = creation()
const specimens = { list: list({ limit: 1 }), create: created, get: unknown }

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

/** Prefers a second key of another plan, whose Limit differs anyway. */
const twoKeys = ({ limits }: Context): readonly LimitKey[] => {
  const [one, ...others] = allKeys(limits).toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)
  const other = others.find(({ plan }) => plan !== one?.plan) ?? others[0]
  if (one && other) return [one, other]
  throw new Untested('key', 'it needs another key, of any plan (--key PLAN=OTHER)')
}

const withKey = ({ label }: LimitKey) => ({ ...shortList, key: label })

const onNew = (key: LimitKey) => ({ ...withKey(key), fresh: true }) as const

const headersIn = (response: AnsweredExchange) => {
  const said = rateHeaders(response)
  if (said) return said
  const message = `no rate-limit headers in ${describeResponse(response)}`
  throw new Untested('blocked', message, [response])
}

/** A key, and the response to it alone, before both are used. */
interface Line {
  readonly key: LimitKey
  readonly alone: AnsweredExchange
}

/** Sends a list; if fewer calls than needed remain, another one after the reset. */
const sendFresh = async (context: Context, key: LimitKey, needed: number): Promise<Line> => {
  const call = () => context.call({ ...onNew(key), path: longList.path })
  const first = await call()
  const { remaining, resetInMs } = headersIn(first)
  if (remaining >= needed) return { key, alone: first }
  await context.limits.pass(resetInMs + secondMs)
  return { key, alone: await call() }
}

/** Sends with each key alone, and then with the lower one until Remaining of the keys differs. */
const begin = async (context: Context, keys: readonly LimitKey[]): Promise<[Line, Line]> => {
  const begun: Line[] = []
  for (const key of keys) begun.push(await sendFresh(context, key, calls + minDifference))
  const [less, more] = begun.toSorted(
    (a, b) => headersIn(a.alone).remaining - headersIn(b.alone).remaining,
  ) as [Line, Line]
  let { alone } = less
  for (let spent = 0; spent <= minDifference + 1; spent += 1) {
    const [mine, its] = [headersIn(alone), headersIn(more.alone)]
    if (mine.limit !== its.limit || its.remaining - mine.remaining >= minDifference) {
      return [{ key: less.key, alone }, more]
    }
    // A count that does not fall is another fault.
    if (spent >= maxUnchanged && mine.remaining >= headersIn(less.alone).remaining) break
    alone = await context.call(onNew(less.key))
  }
  const message = 'Remaining of the two keys does not differ'
  throw new Untested('ambiguous', message, [more.alone, alone])
}

/** Whether the headers of a response fit the other key, and not its own. */
const isForeign = (response: AnsweredExchange, own: Line, other: Line): boolean => {
  const said = headersIn(response)
  const [mine, its] = [headersIn(own.alone), headersIn(other.alone)]
  if (said.window === undefined) {
    return matchWindow(said.limit, other.key.quota) !== undefined
  }
  if (said.limit !== mine.limit || said.limit !== its.limit) return false
  const fits = (line: typeof said) =>
    said.remaining <= line.remaining + refill && said.remaining >= line.remaining - calls - refill
  return fits(its) && !fits(mine)
}

/** Whether Remaining fell only by the calls of this run, so that no other client used the key. */
const isUnused = (before: AnsweredExchange, after: AnsweredExchange): boolean => {
  const [from, to] = [headersIn(before), headersIn(after)]
  const fall = from.remaining - to.remaining
  return from.limit === to.limit && fall >= -refill && fall <= calls
}

/** An error follows each list, since other code may write its headers. */
const sendBoth = async (context: Context, keys: readonly LimitKey[]) => {
  const both = keys.map(withKey)
  const missing = both.map(({ key }) => ({ ...unknown.request(context), key }))
  const row: AnsweredExchange[] = []
  for (const request of [...both, ...missing]) row.push(await context.call(request))
  // A creation takes longer, so that headers of concurrent requests may get into its response.
  const creations = context.allow.includes('write')
    ? both.map(({ key }) => ({ ...created.request(context), key }))
    : []
  const lists = Array.from({ length: turns }, () => both).flat()
  return [...row, ...(await context.together([...creations, ...lists]))]
}

/** A key of which no call was left before is not refused because of others. */
const whyRefused = ({ limits }: Context, response: AnsweredExchange): string => {
  const refused = `key ${response.key} was refused`
  const earlier = limits.responsesTo(response.key ?? '').filter(({ seq }) => seq < response.seq)
  const isSpent = earlier.some(
    (one) => rateHeaders(one)?.remaining === 0 && rateHeaders(one)?.reset === resetOf(response),
  )
  return isSpent
    ? `${refused}: this run had used what was left of its quota`
    : `${refused}: another client may have used it`
}

const resetOf = (response: AnsweredExchange) => rateHeaders(response)?.reset

const expectServed = async (
  context: Context,
  keys: readonly LimitKey[],
  responses: readonly AnsweredExchange[],
): Promise<void> => {
  for (const response of responses) {
    if ([403, 429].includes(statusCode(response))) {
      throw new Suspicion(whyRefused(context, response), [response])
    }
    const key = keys.find(({ label }) => label === response.key)
    if (key) await unlessBanOfOthers(context, key, response)
    const specimen = specimens[recognizeOperation(response) ?? 'get']
    const misfit = findMisfit(context, specimen, response)
    if (misfit) await judgeMisfit(context, specimen, response, misfit, 'while two keys were in use')
  }
}

/** @param mayRepeat whether to repeat it once if a window ends meanwhile */
const expectOwnKey = async (
  context: Context,
  keys: readonly LimitKey[],
  mayRepeat: boolean,
): Promise<void> => {
  const [less, more] = await begin(context, keys)
  const linesOf = ({ key }: AnsweredExchange) =>
    key === less.key.label ? ([less, more] as const) : ([more, less] as const)
  const responses = await sendBoth(context, [less.key, more.key])
  await expectServed(context, keys, responses)
  // An error without the headers is another fault.
  const judged = responses.filter(
    (response) => statusCode(response) !== 404 || rateHeaders(response),
  )
  const foreign = judged.find((response) => isForeign(response, ...linesOf(response)))
  if (!foreign) return
  const [own, other] = linesOf(foreign)
  const after = await context.call(onNew(own.key))
  const evidence = [own.alone, after, foreign]
  if (mayRepeat && headersIn(after).reset > headersIn(own.alone).reset) {
    return expectOwnKey(context, keys, false)
  }
  if (context.limits.shared || !isUnused(own.alone, after)) {
    throw new Suspicion('another client may have used a key', evidence)
  }
  const actual = `those of ${other.key.label}, while both were in use`
  const expected = `the rate-limit headers of key ${foreign.key}`
  await expectEach(judged, async (response) => {
    if (response.key === foreign.key && isForeign(response, own, other))
      violateAs(unlikeAlone, expected, actual, own.alone, after, response)
  })
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
    await expectOwnKey(context, twoKeys(context), true)
  },
})
