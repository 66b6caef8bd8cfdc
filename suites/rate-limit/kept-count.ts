// No response resets the count of its key: an error gives no calls back, and leads to no ban.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { check } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  unauthorized,
} from '../../engine/check/exchange.ts'
import { completes, Suspicion, Untested } from '../../engine/check/outcome.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { roundingMs } from '../../engine/quota/calls.ts'
import { spentBeforeErrors } from '../../engine/quota/planned-experiments.ts'
import { areBefore, dateMs, isServed, minuteSaid } from '../../engine/quota/rate-headers.ts'
import { expectKept } from '../invariants/remaining.ts'
import { createPet, getPet, listPets, listPetsWith } from '../pets/requests.ts'
import { cheapest, limitNeeds } from './experiments.ts'
import { readTrace } from './other-clients.ts'
import { callAnyway, shortList, unlessLost } from './sending.ts'

/** How long replicas may take to synchronise their count. */
const lagMs = 300

/** An id that no pet has, and a key that was never issued. */
const unknownId = '8999999999999999937'
const unknownKey = 'Bearer never-issued-key'

/** Each is followed by a list, which shows the count. */
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

/** Sent first and last: a cached response would show the first count again. */
const filtered = listPets({ limit: 1, status: 'sold' })

/** A server may keep only the counts of its latest keys, so other keys call too. */
const maxOtherKeys = 8
/** It may also keep counts for invalid keys. */
const unknownKeys = 20
export const invalidKeys = 'many invalid keys'

const callWithUnknownKeys = async (context: Context): Promise<void> => {
  for (let at = 0; at < unknownKeys; at += 1) {
    await completes(context.call(unauthorized(shortList, `${unknownKey}-${at}`)))
  }
}

/** Whether these calls, a list before them and one after show that they count on no other key. */
export const unknownKeysAreFree = ({ once }: Context, areFree = async () => false) =>
  once('invalid keys are free', areFree)

const isOneCall = (before: AnsweredExchange | undefined, after: AnsweredExchange): boolean => {
  const [said, left] = [before && minuteSaid(before), minuteSaid(after)]
  const isSameWindow = said !== undefined && said.reset === left?.reset
  return isSameWindow && isServed(after) && said.remaining - left.remaining === 1
}

/** Ignores refusals: another key may have no quota left. */
const callWithOtherKeys = async (context: Context, label: string): Promise<void> => {
  const others = allKeys(context.limits).filter((key) => key.label !== label)
  for (const other of others.slice(0, maxOtherKeys)) {
    await completes(context.call({ ...shortList, key: other.label }))
  }
}

/**
 * Spends enough of a fresh minute for a reset of the count, or returned calls, to be noticed.
 * @returns the response that was not served, if any
 */
const spendPart = async (context: Context, key: LimitKey) => {
  await context.limits.rest(key.label)
  // One at a time, since such a row shows later whether other clients use the key.
  for (let spent = 0; spent < spentBeforeErrors(key.quota); spent += 1) {
    const response = await callAnyway(context, key)
    if (!isServed(response)) return response
  }
  await context.limits.passRealTime(lagMs)
  return undefined
}

const tooSoon = 'a request was refused although calls remained'

/** Spends a part of the minute; returns the first response of the row. */
const begin = async (context: Context, key: LimitKey): Promise<AnsweredExchange> => {
  const refused = await spendPart(context, key)
  if (refused) throw new Suspicion(tooSoon, [refused])
  return context.call({ ...filtered, key: key.label })
}

/** In the last seconds before Reset a response is not judged. */
const unjudgedS = Math.ceil(roundingMs / 1000)

const shiftMs = 15_000

/** Sends the row and judges each response; returns its lists. */
const sendRow = async (context: Context, key: LimitKey) => {
  const { label } = key
  const first = await unlessLost(begin(context, key))
  const said = minuteSaid(first)
  if (!said) throw new Untested('ambiguous', 'Remaining of the minute is not given', [first])
  const send = async (request: ApiRequest) => {
    const isKeyed = request.authorization === 'valid'
    const response = await context.call(isKeyed ? { ...request, key: label } : request)
    if (isKeyed) expectKept(response, readTrace(context, key))
    return response
  }
  const lists: AnsweredExchange[] = []
  for (const group of groups) {
    for (const request of group) await send(request)
    lists.push(await send(shortList))
  }
  const before = lists.at(-1)
  await callWithUnknownKeys(context)
  const after = await send(shortList)
  await unknownKeysAreFree(context, async () => isOneCall(before, after))
  await callWithOtherKeys(context, label)
  await context.limits.passRealTime(lagMs)
  lists.push(await send(filtered))
  // The creation comes last, since it may clear a cache.
  await send(createPet(context.newPet()))
  lists.push(await send(shortList))
  if (!lists.every(isServed)) throw new Untested('blocked', 'a valid list was refused', lists)
  return { lists, isInOneWindow: areBefore(lists, said.reset - unjudgedS) }
}

export const keptCount = check({
  id: 'count-kept-after-errors',
  requirement: 'headers.remaining.rises',
  needs: {
    ...limitNeeds,
    keyed: 50 + maxOtherKeys,
    anonymous: 2 + unknownKeys,
    allow: ['exhaust', 'write'],
    clock: true,
    experiment: 'errors',
    shares: invalidKeys,
  },
  sends:
    'With the test clock, after a rest: a part of the minute is spent. Then each of these, ' +
    'followed by a list: invalid bodies, an invalid query, unknown ids, an unknown method ' +
    'and address, HEAD, OPTIONS, no key, an invalid key, a call with each of 20 other ' +
    'invalid keys; then a call with each other valid key, a `POST /pets`. A filtered list ' +
    'comes first and last.',
  fails:
    'Remaining rises before its Reset by more than any design could have given back since an ' +
    'earlier response.',
  inconclusive:
    'Remaining of the minute is not given, a window may have ended, or the time of the ' +
    'target is unknown (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const { lists, isInOneWindow } = await sendRow(context, key)
    if (isInOneWindow) return
    // The window may have been near its end. A little later it is not.
    if (lists.every((list) => dateMs(list) !== undefined)) {
      // A rest would end at the same second of the minute, whatever passes in it.
      await context.limits.rest(key.label)
      await context.limits.pass(shiftMs)
      if ((await sendRow(context, key)).isInOneWindow) return
    }
    throw new Suspicion('a window may have ended', lists.slice(-1))
  },
})
