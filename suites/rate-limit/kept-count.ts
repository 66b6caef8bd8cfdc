// Whatever a response is, it leaves the count of its key as it is: no error gives calls back, and
// none draws a ban.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check, type Question } from '../../engine/declare.ts'
import { type Answered, type ApiRequest, get, unauthorized } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { spentBeforeErrors } from '../../engine/quota/experiments.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import { plans } from '../../spec/plans.ts'
import { expectKept } from '../invariants/remaining.ts'
import { createPet, getPet, listPets, listPetsWith } from '../requests.ts'
import { isAlone, traceOf } from './alone.ts'
import { answered, orUntested } from './flood.ts'
import { hindsight } from './quota.ts'
import { areBefore, forgottenMs, isRefused, isServed, isShutOut, minuteSaid } from './reading.ts'
import { cheapest, short } from './round.ts'

/** Replicas that count together may take so long to hear of a call. */
const lagMs = 300

/** Ids that nobody has, and a key that was never issued. */
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
  [unauthorized(short)],
  [unauthorized(short, unknownKey)],
]

/** Asked first and last: a response that was kept shows the count of the first one. */
const filtered = listPets({ limit: 1, status: 'sold' })

/** Counts may be kept for the latest few keys alone; so many others are asked with at most. */
const othersMost = 8

/** Another key may itself be spent, or withdrawn: that is not looked at here. */
const askOthers = async (context: Context, label: string): Promise<void> => {
  const others = allKeys(context.limits).filter((key) => key.label !== label)
  for (const other of others.slice(0, othersMost)) {
    await orUntested(context.call({ ...short, key: other.label }))
  }
}

/**
 * Spends so much of a fresh minute that a count which begins anew is seen, or calls that come back.
 * @returns what was not served, if anything was
 */
const spendPart = async (
  { limits }: Context,
  { label, quota }: LimitKey,
): Promise<Answered | undefined> => {
  await limits.rest(label)
  // One at a time: from such a row it is known later whether others use the key.
  for (let spent = 0; spent < spentBeforeErrors(quota); spent += 1) {
    const answer = await limits.insist(label, short)
    if (!isServed(answer)) return answer
  }
  await limits.linger(lagMs)
  return undefined
}

const tooSoon = 'it was refused before its minute was spent'

const begin = async (context: Context, key: LimitKey): Promise<Answered> => {
  const refused = await spendPart(context, key)
  if (refused) throw new Suspicion(tooSoon, [refused])
  return context.call({ ...filtered, key: key.label })
}

const keptCount = check({
  id: 'count-kept-after-errors',
  requirement: 'headers.remaining.rises',
  needs: {
    ...{ ...hindsight, keyed: 49 + othersMost, anonymous: 2 },
    ...{ allow: ['exhaust', 'write'], clock: true, holds: 'errors' },
  },
  sends:
    'By the test clock, after a rest: a part of the minute is spent, then each of these once ' +
    'with a list after it: bodies that are refused, a bad query, unknown ids, an unknown ' +
    'method and address, HEAD, OPTIONS, no key, an invalid key, a creation, a call with each ' +
    'of the other keys. A filtered list comes first and last.',
  fails:
    'A Remaining above what any design could have given back since an earlier response of the ' +
    'row, before its Reset.',
  inconclusive:
    'Remaining of the minute is not given, a window may have ended in the row, or the time at ' +
    'the target is unknown (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const { label, quota } = key
    const first = await answered(begin(context, key))
    const said = minuteSaid(first, quota)
    if (!said) throw new Untested('ambiguous', 'Remaining of the minute is not given', [first])
    const ask = async (request: ApiRequest) => {
      const isKeyed = request.authorization === 'valid'
      const response = await context.call(isKeyed ? { ...request, key: label } : request)
      if (isKeyed) expectKept(response, traceOf(context, label))
      return response
    }
    const lists: Answered[] = []
    for (const group of groups) {
      for (const request of group) await ask(request)
      lists.push(await ask(short))
    }
    await askOthers(context, label)
    await context.limits.linger(lagMs)
    lists.push(await ask(filtered))
    // A creation may well be what clears a cache, so it comes last.
    await ask(createPet(context.newPet()))
    lists.push(await ask(short))
    if (!lists.every(isServed)) throw new Untested('blocked', 'a valid list was refused', lists)
    if (areBefore(lists, said.reset)) return
    throw new Suspicion('a window may have ended meanwhile', [first, ...lists.slice(-1)])
  },
})

/** Who counts errors counts to ten, as a rule. */
const errorsMost = 12

/** Errors of one kind after the other, and a list: what shut the key out, if anything did. */
const shutOutByErrors = async (context: Context, key: LimitKey): Promise<Answered | undefined> => {
  const { limits } = context
  const { label, quota } = key
  const refused = await spendPart(context, key)
  if (refused) throw new Untested('blocked', tooSoon, [refused])
  const left = quota.perMinute - spentBeforeErrors(quota)
  const count = Math.min(errorsMost, Math.floor((left - 2) / 2))
  const kinds = [createPet({}), getPet(unknownId)]
  const requests = kinds.flatMap((kind) => Array<ApiRequest>(Math.max(0, count)).fill(kind))
  let before: Answered | undefined
  for (const [at, request] of [...requests, short].entries()) {
    const response = await limits.insist(label, request)
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

const notForErrors = check({
  id: 'ban-not-for-errors',
  requirement: 'ban.only-repeated',
  needs: {
    ...hindsight,
    keyed: spentBeforeErrors(plans.free) + 2 * errorsMost + 1,
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
    const shutOut = await answered(shutOutByErrors(context, key))
    if (!shutOut) return
    await limits.pass(forgottenMs)
    const again = await answered(shutOutByErrors(context, key))
    await limits.pass(forgottenMs)
    if (!again || !(await isAlone(context, key, undefined))) {
      throw new Suspicion('another client may have been refused with the key', [shutOut])
    }
    const expected = 'no ban of a key that was never over its quota, whatever errors it made'
    violate(expected, told(again), shutOut, again)
  },
})

export const kept: readonly Question[] = [keptCount]

export const errorsNoBan: readonly Question[] = [notForErrors]
