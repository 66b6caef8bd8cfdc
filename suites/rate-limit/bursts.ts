// Programs: the quota of a minute. After a rest a key sends what remains and one request more, and
// waits as its refusal states.

import type { Context } from '../../engine/check/context.ts'
import { type KeyHandle, secondMs } from '../../engine/check/key-handle.ts'
import { createPet, getPet } from '../../engine/check/requests.ts'
import { moveTo, requestOf } from '../../engine/run/send-row.ts'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { petsIn } from '../../history/known-pets.ts'
import { completes, Untested } from '../../history/outcome.ts'
import {
  isRefused,
  isServed,
  isShutOut,
  minuteSaid,
  readWaitMs,
  toMs,
} from '../../history/rate-headers.ts'
import { type Plan, planNames, plans } from '../../spec/plans.ts'
import { acceptedStatus } from '../pets/requests.ts'
import {
  callWith,
  cheapest,
  faulty,
  lagMs,
  limitNeeds,
  listRefused,
  lists,
  otherKeys,
  program,
} from './program.ts'

/** A larger minute takes a load test, not a burst. */
const maxBurst = 2_000

/** A bucket refills in it, and Reset shows how a log sets it; the burst begins within a second. */
const probePauseMs = 3_500
/** The number of creations at the end of a burst, or of GETs by id, and of those to spare. */
const maxLast = 12
const spare = 3

/** The end of a burst: creations on the cheapest key, GETs by id on others. */
const chooseLast = async (context: Context, key: KeyHandle): Promise<readonly ApiRequest[]> => {
  if (key.label === cheapest(context).label) {
    const creates = context.allow.includes('write') && (await completes(context.control('create')))
    if (!creates) return []
    // Of one status, so that one list shows which of them had an effect.
    const status = acceptedStatus(context)
    return Array.from({ length: maxLast + spare }, () => createPet(context.newPet({ status })))
  }
  if (!(await completes(context.control('get')))) return []
  const [pet] = petsIn(await key.call())
  return typeof pet?.id === 'bigint' ? Array(maxLast + spare).fill(getPet(pet.id)) : []
}

/** How a minute is spent. */
interface Spending {
  /** That of a minute of the test clock at which it begins. */
  readonly tenth: number
  /** What another key does meanwhile. */
  readonly meanwhile?: () => Promise<void>
  /** What is sent first, a few at a time: what is refused for what it is counts, or does not. */
  readonly first?: readonly ApiRequest[]
  /** So many valid requests; lists, if not given. */
  readonly valid?: (count: number) => readonly ApiRequest[]
  /** The requests that end the burst, so that the refused one need not be a list. */
  readonly last?: readonly ApiRequest[]
  /** Whether the refused one is sent alone, as the latest. */
  readonly isAlone?: true
}

/** The calls before a burst, so that what is left is known. */
const beginToSpend = async (
  { limits }: Context,
  { rested, ask, flood }: KeyHandle,
  { tenth, meanwhile, first = [] }: Spending,
): Promise<AnsweredExchange[]> => {
  const all = [await rested(tenth)]
  if (!all.some(isServed)) return all
  await meanwhile?.()
  all.push(...(await flood(first, fewAtOnce)))
  if (all.some(isShutOut)) return all
  await limits.pass(probePauseMs)
  return [...all, await ask()]
}

/**
 * Spends the minute of a rested key: what remains and one request more. It goes on while all of
 * that was served, at most to twice the quota.
 * @returns the responses; after a refusal nothing was sent
 */
export const spend = async (
  context: Context,
  key: KeyHandle,
  how: Spending,
): Promise<readonly AnsweredExchange[]> => {
  const { quota, flood, left } = key
  const { perMinute } = quota
  const { valid = lists, last = [], isAlone } = how
  if (perMinute > maxBurst) {
    const message = `a burst of ${perMinute} requests a minute is too large; use petvet load`
    throw new Untested('ambiguous', message)
  }
  const all = await beginToSpend(context, key, how)
  const ends = [...last]
  let step: readonly AnsweredExchange[] = all.slice(-1)
  for (let steps = 0; step.some(isServed) && !all.some(isShutOut); steps += 1) {
    if (all.filter(isServed).length > 2 * perMinute) break
    const unsaid = Math.max(0, perMinute - all.length)
    const least = Math.min(...step.filter(isServed).map((one) => left(one, unsaid)))
    const count = Math.max(1, least + (isAlone && steps === 0 ? 0 : 1))
    const end = ends.splice(0, steps === 0 ? Math.min(maxLast, Math.ceil(count / 2)) : 1)
    step = await flood(valid(count - end.length))
    if (!step.some(isRefused)) step = [...step, ...(await flood(end))]
    all.push(...step)
  }
  return all
}

/** When the wait of a refusal ends. */
const endMs = (refusal: AnsweredExchange): number => toMs(refusal) + (readWaitMs(refusal) ?? 0)

/** A window that has just begun, and ends so soon, is too short, or it is a bucket. */
const shortMs = 57_000
/** Calls so shortly before a Reset are not what a bucket gives back by then. */
const beforeResetMs = 2_000
/** None of so few is refused where fewer remain than was said. */
const fewAtOnce = 8

/** One call, or two where the first is served: a refused key has to wait. */
const askAfter = async ({ ask }: KeyHandle, isTwice: boolean): Promise<AnsweredExchange> => {
  const first = await ask()
  return isTwice && isServed(first) ? ask() : first
}

/**
 * After another rest calls after a Reset; where windows seem short also after the next two. What
 * remains is spent before the second one, and on the cheapest key before the first: if a window was
 * shorter than a minute, more than it has would come back in less.
 */
const watchResets = async (context: Context, key: KeyHandle) => {
  const { rested, flood, ask, left } = key
  const { limits } = context
  const steps = [
    { isToSpend: key.label === cheapest(context).label, maxMs: Number.POSITIVE_INFINITY },
    { isToSpend: true, maxMs: shortMs },
    { isToSpend: false, maxMs: shortMs },
  ]
  let latest = await rested()
  for (const { isToSpend, maxMs } of steps) {
    const resetInMs = isServed(latest) ? minuteSaid(latest)?.resetInMs : undefined
    if (resetInMs === undefined || resetInMs > maxMs) return
    await limits.pass(Math.max(0, resetInMs - beforeResetMs))
    await flood(lists(isToSpend ? left(latest) - 1 : 0), fewAtOnce)
    if (isToSpend) await ask()
    await limits.pass(beforeResetMs + secondMs)
    // The laws judge no rise of what may not have been counted yet.
    if (isToSpend || maxMs === shortMs) await limits.passRealTime(lagMs)
    latest = await askAfter(key, isToSpend)
  }
}

/** What programs that spend a quota are about. */
export const ofQuota = {
  laws: ['limit-not-late', 'limit-not-below-quota', 'limit-not-early'],
  clauses: [
    ...(['retry-after-each-served', 'retry-after-present', 'quota-429-status'] as const),
    'ban-only-after-refusals',
  ],
} as const

/** How often the stated wait is kept: of a refusal, and of that of the call after it. */
const maxWaits = 2

/** The bursts of a run begin at all tenths of a minute but the last, which is near a Reset. */
const tenths = { free: 0, pro: 3, business: 6, enterprise: 8 } as const

/** Of the silence before one of them. */
const idleMs = 600_000

const burst = async (context: Context, plan: Plan): Promise<void> => {
  const { limits } = context
  const key = cheapest(context, plan)
  const isCheapest = key.label === cheapest(context).label
  const last = await chooseLast(context, key)
  // Some stores forget a key that is idle, and some counts begin anew.
  if (limits.instant && plan === 'pro') await limits.pass(idleMs)
  const isLargest =
    key.quota.perMinute === Math.max(...limits.keys.map((one) => one.quota.perMinute))
  const callSmall = () => callWith(isLargest && !isCheapest ? [cheapest(context)] : [])
  const how = { tenth: tenths[plan], meanwhile: callSmall, last }
  const sent = await spend(context, key, how)
  const [refusal] = sent.filter(isRefused).toSorted((a, b) => endMs(b) - endMs(a))
  if (!refusal && sent.every(isServed)) {
    const why = 'nothing was refused: Remaining announced no more, or calls came back as fast as'
    throw new Untested('ambiguous', `${why} they were sent`, sent.slice(-1))
  }
  if (!refusal) return
  // A key that announced calls before is not refused for another one.
  await (isCheapest ? callWith(otherKeys(context, key)) : callSmall())
  await key.retry(refusal, maxWaits)
  await listRefused(context, key)
  if (context.limits.instant) await watchResets(context, key)
}

/** Another key of a plan may have another number: of one plan as much of it as a Free key has. */
const burstOther = async (context: Context, plan: Plan): Promise<void> => {
  const { allow, limits } = context
  // The key for bans is such a key, and is exhausted.
  const isSpent = (one: KeyHandle) => allow.includes('ban') && limits.banKey?.plan === one.plan
  const key = limits.keys.findLast((one) => one !== cheapest(context, one.plan) && !isSpent(one))
  if (key?.plan !== plan) return
  const { rested, flood } = key
  await rested()
  await flood(lists(plans.free.perMinute))
}

/** More of a minute that a run leaves is not spent for one refusal. */
const maxLeft = 60

/** Where a run may not wait its minute ends with a refusal, which shows much of itself. */
const spendLeft = async ({ limits }: Context, key: KeyHandle): Promise<void> => {
  const last = key.responses().at(-1)
  if (limits.instant || !last || key.responses().some(isShutOut)) return
  const left = key.left(last)
  if (left <= maxLeft) await key.flood(lists(left + 1))
}

/** The quota of a plan, on its cheapest key. */
export const quotas = planNames.map((plan) =>
  program({
    id: `quota-${plan}`,
    requirement: `limits.${plan}`,
    needs: { ...limitNeeds, plan },
    ...ofQuota,
    sends:
      `With a key of the plan ${plan}, after a rest of two windows: two calls, and a burst of ` +
      'one more than remain; it continues if all are served. With the test clock it begins at ' +
      'another tenth of a minute for each plan. While the cheapest key is exhausted, a call with ' +
      'each of up to eight others; while the largest is, one with the cheapest, as before it. ' +
      'Then one request after the stated wait, at most twice; with the test clock one after ' +
      'another rest, one after its Reset; on the cheapest key, and where windows seem short, ' +
      'what remains before a Reset and two calls after it; on one plan as many with another key ' +
      'as a Free key has. Where it may not wait: what is left of at most 60, and one more.',
    run: async (context) => {
      await burst(context, plan).catch(async (error) => {
        const isOver = error instanceof Untested && error.because === 'budget'
        if (isOver) await spendLeft(context, cheapest(context, plan))
        throw error
      })
      if (context.limits.instant) await burstOther(context, plan)
    },
  }),
)

/** Of a larger minute as much as a Free key has, if it could be spent before the removal. */
const maxAfterRemoval = 100
export const afterRemoval = Date.UTC(2030, 11, 6, 0, 0, 1)

/** Valid requests of the operations that are left, as they were served before; then lists. */
const servedBefore =
  (context: Context) =>
  (count: number): ApiRequest[] => {
    const again = (operation: 'list' | 'create', most: number) =>
      context.packsAgain(operation, most).map((pieces) => requestOf(operation, context, pieces, {}))
    const listed = again('list', Math.floor(count / 2))
    const created = context.allow.includes('write') ? again('create', count - listed.length) : []
    return [...listed, ...created, ...lists(count - listed.length - created.length)]
  }

export const quotasAfterRemoval = (['free', 'pro', 'enterprise'] as const).map((plan) =>
  program({
    id: `quota-${plan}-after-removal`,
    requirement: `limits.${plan}`,
    needs: { ...limitNeeds, stage: 'removal', plan, clock: true },
    ...ofQuota,
    sends:
      'With the test clock one second into 6 December 2030, after a rest: one request more than ' +
      `the minute has, or, above ${maxAfterRemoval}, than a Free key has; of these as many as ` +
      'there are are valid requests that were served before. On a Free key 22 requests that are ' +
      'refused for what they are come first.',
    run: async (context) => {
      await moveTo(context, afterRemoval)
      const key = cheapest(context, plan)
      const valid = servedBefore(context)
      const { perMinute } = key.quota
      if (perMinute <= maxAfterRemoval || perMinute > maxBurst) {
        const first = plan === 'free' ? faulty(context) : []
        await spend(context, key, { tenth: plan === 'free' ? 5 : 2, first, valid })
      } else {
        await key.rested()
        await key.flood(valid(plans.free.perMinute))
      }
    },
  }),
)
