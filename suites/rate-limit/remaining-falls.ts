// Remaining falls by one with each call, in the response to that very call.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { violateHeader } from '../../engine/check/expect.ts'
import { Suspicion, Untested } from '../../engine/check/outcome.ts'
import { isServed, minuteMs, minuteSaid, spanMs } from '../../engine/quota/rate-headers.ts'
import { isHabit, judgePace } from '../../engine/quota/remaining-steps.ts'
import { createPet } from '../pets/requests.ts'
import { listFalls } from './count-judgements.ts'
import { cheapest, limitNeeds } from './experiments.ts'
import { listSteps } from './other-clients.ts'
import { shortList } from './sending.ts'

/** How often a creation and a list are sent, after one list. */
const pairs = 3
/** How long replicas may take to synchronise their count. */
const lagMs = 300

const rowOf = async (context: Context, key: LimitKey, pauseMs: number) => {
  const call = (request = shortList) => context.call({ ...request, key: key.label })
  const row = [await call()]
  for (let at = 0; at < 2 * pairs; at += 1) {
    if (pauseMs > 0) await context.limits.passRealTime(pauseMs)
    row.push(await call(at % 2 === 0 ? createPet(context.newPet()) : shortList))
  }
  if (!row.every(isServed)) throw new Untested('blocked', 'a valid request was refused', row)
  return row
}

/** By how much Remaining fell with each call; undefined if a response does not give it. */
const fallsIn = (row: readonly AnsweredExchange[]): number[] | undefined => {
  const said = row.flatMap((one) => minuteSaid(one) ?? [])
  return said.length < row.length ? undefined : listFalls(said)
}

/** Whether calls of one kind always take nothing and the others two, unlike another client. */
const isBehind = (falls: readonly number[]): boolean =>
  [0, 1].some((stale) => falls.every((fall, at) => fall === (at % 2 === stale ? 0 : 2)))

/** Whether a bucket may have refilled a call between any two, so that calls take nothing. */
const isRefilled = (row: readonly AnsweredExchange[], { quota }: LimitKey): boolean =>
  (spanMs(row) / pairs) * quota.perMinute >= minuteMs

const ownCall = check({
  id: 'remaining-shows-own-call',
  requirement: 'headers.remaining.falls',
  needs: { ...limitNeeds, keyed: 1 + 2 * pairs, allow: ['exhaust', 'write'], clock: true },
  sends:
    'With the test clock: a list, and three times a `POST /pets` and a list. If the numbers ' +
    'are one call late, the same after a rest, 300 ms apart.',
  fails:
    'In both rows Remaining falls by nothing with each call of one kind and by two with each ' +
    'of the other kind.',
  inconclusive:
    'Remaining of the minute is not given, the second row differs, or another client may have ' +
    'used the key (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const quick = await rowOf(context, key, 0)
    const falls = fallsIn(quick)
    if (!falls) throw new Untested('ambiguous', 'Remaining of the minute is not given', quick)
    if (!isBehind(falls)) return
    await context.limits.rest(key.label)
    const slow = await rowOf(context, key, lagMs)
    const actual = `it fell by ${falls.join(', ')}`
    if (context.limits.shared || isRefilled(slow, key) || !isBehind(fallsIn(slow) ?? [])) {
      throw new Suspicion(`${actual} in quick calls, which a count that lags explains`, quick)
    }
    const expected = 'Remaining to fall by one with a creation, and with a list'
    violateHeader('X-RateLimit-Remaining', 'falls otherwise', expected, actual, ...slow)
  },
})

const methods = ['GET', 'POST'] as const
type Method = (typeof methods)[number]

/** Longer than a count lags, and much longer than a call on most networks. */
const pausesMs = [400, 1_200]
/** Quick calls before each pause; many lists, to notice a count that does not move. */
const quickCalls: Record<Method, number> = { GET: 16, POST: 1 }
/** A pause in real time, where a rest would take two minutes. */
const apartMs = 7_000

const callWithPauses = async (context: Context, { label }: LimitKey, method: Method) => {
  const { limits } = context
  const call = () => {
    const request = method === 'GET' ? shortList : createPet(context.newPet())
    return context.call({ ...request, key: label })
  }
  await (limits.instant ? limits.rest(label) : limits.pass(apartMs))
  for (const pauseMs of pausesMs) {
    for (let calls = 0; calls < quickCalls[method]; calls += 1) await call()
    await limits.passRealTime(pauseMs)
    await call()
  }
}

/** Sends nothing if each call of the key lowers Remaining by one. */
const expectFallByOne = async (context: Context, key: LimitKey): Promise<void> => {
  const { limits, allow } = context
  for (const method of methods) {
    const maySend = method === 'GET' || allow.includes('write')
    const isOdd = judgePace(listSteps(context, key), method) === 'odd'
    if (isOdd && maySend && !limits.shared) await callWithPauses(context, key, method)
  }
  const all = listSteps(context, key)
  const heavy = all.filter(({ fall }) => fall > 1)
  const found = limits.shared ? undefined : heavy.find((step) => isHabit(step, all))
  const step = found ?? heavy[0]
  if (!step) return
  const evidence = [step.from.exchange, step.to.exchange]
  if (found) {
    const actual = `it fell by ${step.fall} with each, quick or after a pause`
    const expected = 'Remaining to fall by one with a call'
    violateHeader('X-RateLimit-Remaining', 'falls otherwise', expected, actual, ...evidence)
  }
  if (methods.every((method) => judgePace(all, method) !== 'odd')) return
  throw new Suspicion('Remaining falls unevenly: another client may use the key', evidence)
}

/** A pause shows whether a call takes more than one, or other clients call meanwhile. */
const afterPause = check({
  id: 'remaining-falls-after-pause',
  requirement: 'headers.remaining.falls',
  needs: { stage: 'limits', keyed: 0, anonymous: 0 },
  sends:
    'No requests if Remaining falls by one with quick calls; otherwise some quick calls and ' +
    'one after a pause, twice.',
  fails: 'Remaining falls by the same number above one, with quick calls and after a pause.',
  inconclusive:
    'too few calls show it, or it falls irregularly: another client may have used the key ' +
    '(ambiguous)',
  run: async (context) => {
    await context.control('list')
    const paced = context.limits.keys.filter((key) =>
      methods.some((method) => judgePace(listSteps(context, key), method) !== 'unknown'),
    )
    if (paced.length === 0) {
      throw new Untested('ambiguous', 'too few consecutive calls give Remaining')
    }
    for (const key of paced) await expectFallByOne(context, key)
  },
})

export const remainingFalls: readonly Check[] = [ownCall, afterPause]
