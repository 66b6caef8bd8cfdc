// No response resets the count of its key: an error gives no calls back, and causes no ban.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check } from '../../engine/declare.ts'
import { type Answered, type ApiRequest, get, unauthorized } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { spentBeforeErrors } from '../../engine/quota/experiments.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import { dateMs } from '../../engine/quota/rate-headers.ts'
import { plans } from '../../spec/plans.ts'
import { roundingMs } from '../invariants/calls.ts'
import { expectKept } from '../invariants/remaining.ts'
import { createPet, getPet, listPets, listPetsWith } from '../requests.ts'
import { completes, shortList, unlessLost } from './burst.ts'
import { cheapest, limitNeeds } from './experiments.ts'
import { isOnlyClient, traceOf } from './other-clients.ts'
import { areBefore, forgottenMs, isRefused, isServed, isShutOut, minuteSaid } from './reading.ts'

/** Replicas with a common count may take so long to learn of a call. */
const lagMs = 300

/** An id that no pet has, and a key that was never issued. */
const unknownId = '8999999999999999937'

const unknownKey = 'Bearer no-key-of-anybody'

/** Each is followed by a list, which shows what it left of the count. */
const groups: readonly (readonly ApiRequest[])[] = [
  [createPet({}), createPet('{"name":')],
  [listPetsWith('limit=0')],
  [getPet(unknownId), getPet('no-id')],
  [{ ...get('/pets'), method: 'PUT' }],
  [get('/petvet-no-address')],
  [{ ...get('/pets'), method: 'HEAD' }],
  [{ ...get('/pets'), method: 'OPTIONS' }],
  [unauthorized(shortList)],
  [unauthorized(shortList, unknownKey)],
]

/** Sent first and last: a response from a cache shows the count of the first one. */
const filtered = listPets({ limit: 1, status: 'sold' })

/** A server may keep only the counts of the latest few keys: so many other keys call. */
const maxOtherKeys = 8

/** It may keep as many counts of whatever was sent as a key, also of keys that it never issued. */
const unknownKeys = 20

const callWithUnknownKeys = async (context: Context): Promise<void> => {
  for (let at = 0; at < unknownKeys; at += 1) {
    await completes(context.call(unauthorized(shortList, `${unknownKey}-${at}`)))
  }
}

/** Another key may itself be spent, or withdrawn: that is not judged here. */
const callWithOtherKeys = async (context: Context, label: string): Promise<void> => {
  const others = allKeys(context.limits).filter((key) => key.label !== label)
  for (const other of others.slice(0, maxOtherKeys)) {
    await completes(context.call({ ...shortList, key: other.label }))
  }
}

/**
 * Spends so much of a fresh minute that a reset of the count shows, or calls that come back.
 * @returns the response that was not served, if any
 */
const spendPart = async (
  { limits }: Context,
  { label, quota }: LimitKey,
): Promise<Answered | undefined> => {
  await limits.rest(label)
  // One at a time, as such a row shows later whether others use the key.
  for (let spent = 0; spent < spentBeforeErrors(quota); spent += 1) {
    const response = await limits.sendAnyway(label, shortList)
    if (!isServed(response)) return response
  }
  await limits.passRealTime(lagMs)
  return undefined
}

const tooSoon = 'a request before the minute was spent was refused'

/** The first response of the row. */
const begin = async (context: Context, key: LimitKey): Promise<Answered> => {
  const refused = await spendPart(context, key)
  if (refused) throw new Suspicion(tooSoon, [refused])
  return context.call({ ...filtered, key: key.label })
}

/** So near to its Reset a response is not judged, in whole seconds. */
const unjudgedS = Math.ceil(roundingMs / 1000)

const shiftMs = 15_000

/** Sends the row, each response judged at once. @returns its lists, and the window of the first */
const sendRow = async (context: Context, key: LimitKey) => {
  const { label, quota } = key
  const first = await unlessLost(begin(context, key))
  const said = minuteSaid(first, quota)
  if (!said) throw new Untested('ambiguous', 'Remaining of the minute is not given', [first])
  const send = async (request: ApiRequest) => {
    const isKeyed = request.authorization === 'valid'
    const response = await context.call(isKeyed ? { ...request, key: label } : request)
    if (isKeyed) expectKept(response, traceOf(context, label))
    return response
  }
  const lists: Answered[] = []
  for (const group of groups) {
    for (const request of group) await send(request)
    lists.push(await send(shortList))
  }
  await callWithUnknownKeys(context)
  await callWithOtherKeys(context, label)
  await context.limits.passRealTime(lagMs)
  lists.push(await send(filtered))
  // A creation may well be what clears a cache, so it comes last.
  await send(createPet(context.newPet()))
  lists.push(await send(shortList))
  if (!lists.every(isServed)) throw new Untested('blocked', 'a valid list was refused', lists)
  return { said, lists }
}

export const keptCount = check({
  id: 'count-kept-after-errors',
  requirement: 'headers.remaining.rises',
  needs: {
    ...limitNeeds,
    keyed: 49 + maxOtherKeys,
    anonymous: 2 + unknownKeys,
    allow: ['exhaust', 'write'],
    clock: true,
    holds: 'errors',
  },
  sends:
    'By the test clock, after a rest: a part of the minute is spent, then each of these once ' +
    'with a list after it: bodies that are refused, a bad query, unknown ids, an unknown ' +
    'method and address, HEAD, OPTIONS, no key, an invalid key, a creation, a call with each ' +
    'of 20 other invalid keys and of the other valid ones. A filtered list comes first and last.',
  fails:
    'A Remaining above what any design could have given back since an earlier response of the ' +
    'row, before its Reset.',
  inconclusive:
    'Remaining of the minute is not given, a window may have ended in the row, or the time at ' +
    'the target is unknown (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const { said, lists } = await sendRow(context, key)
    if (areBefore(lists, said.reset - unjudgedS)) return
    // A fixed window may be near its end when the row begins: a little later it is not.
    if (lists.every((list) => dateMs(list) !== undefined)) {
      await context.limits.pass(shiftMs)
      const again = await sendRow(context, key)
      if (areBefore(again.lists, again.said.reset - unjudgedS)) return
    }
    throw new Suspicion('a window may have ended meanwhile', lists.slice(-1))
  },
})

/** Servers that count errors usually allow ten. */
const maxErrors = 12

/** Sends errors of one kind after the other, and a list. Returns what shut the key out, if any. */
const shutOutByErrors = async (context: Context, key: LimitKey): Promise<Answered | undefined> => {
  const { limits } = context
  const { label, quota } = key
  const refused = await spendPart(context, key)
  if (refused) throw new Untested('blocked', tooSoon, [refused])
  const left = quota.perMinute - spentBeforeErrors(quota)
  const count = Math.min(maxErrors, Math.floor((left - 2) / 2))
  const kinds = [createPet({}), getPet(unknownId)]
  const requests = kinds.flatMap((kind) => Array<ApiRequest>(Math.max(0, count)).fill(kind))
  let before: Answered | undefined
  for (const [at, request] of [...requests, shortList].entries()) {
    const response = await limits.sendAnyway(label, request)
    if (isShutOut(response)) {
      const remaining = before && minuteSaid(before, quota)?.remaining
      if (isRefused(response) && remaining !== undefined && remaining < left - at) {
        throw new Suspicion('an error took more than one call, or others use the key', [response])
      }
      return response
    }
    before = response
  }
  return undefined
}

export const errorsNoBan = check({
  id: 'ban-not-for-errors',
  requirement: 'ban.only-repeated',
  needs: {
    ...limitNeeds,
    keyed: spentBeforeErrors(plans.free) + 2 * maxErrors + 1,
    allow: ['exhaust', 'write'],
    clock: true,
  },
  sends:
    'By the test clock, after a rest: 26 lists, 12 bodies that are refused, 12 GETs of an ' +
    'unknown id, and a list.',
  fails: 'One of them is answered 401, 403 or 429, and again 25 hours later.',
  inconclusive: 'another client may have used the key (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const { limits } = context
    const key = cheapest(limits)
    const shutOut = await unlessLost(shutOutByErrors(context, key))
    if (!shutOut) return
    await limits.pass(forgottenMs)
    const again = await unlessLost(shutOutByErrors(context, key))
    await limits.pass(forgottenMs)
    if (!again || !(await isOnlyClient(context, key))) {
      throw new Suspicion('requests of another client may have been refused', [shutOut])
    }
    const expected = 'no ban of a key that was never over its quota, whatever errors it made'
    violate(expected, describeResponse(again), shutOut, again)
  },
})
