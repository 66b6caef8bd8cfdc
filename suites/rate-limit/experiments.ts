// Experiments that run once and that several checks judge: bursts, and the retry after a refusal.

import type { Context, LimitKey, Limits } from '../../engine/check/context.ts'
import type { Needs } from '../../engine/check/declare.ts'
import { dayKeyIn, firstSmallest } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { completes, Untested } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import {
  isRefused,
  isServed,
  minuteSaid,
  readWait,
  readWaitMs,
  toMs,
} from '../../history/rate-headers.ts'
import type { Plan, Quota } from '../../spec/plans.ts'
import { type LastRequests, type Round, runBurst } from './run-burst.ts'
import { callAnyway } from './sending.ts'

export const limitNeeds: Needs = { stage: 'limits', allow: ['exhaust'] }

/** The key that is cheapest to exhaust; most checks judge the burst on it. */
export const cheapest = ({ keys }: Limits): LimitKey => {
  const key = firstSmallest(keys, 'perMinute')
  if (key) return key
  throw new Untested('key', 'needs a key that may be exhausted, next to the one for bans')
}

/** The key of a plan whose minute is spent, or its day. */
export const keyOfPlan = ({ limits }: Context, plan: Plan, window: keyof Quota = 'perMinute') => {
  const key =
    window === 'perDay'
      ? dayKeyIn(limits.keys, plan)
      : firstSmallest(limits.keys, 'perMinute', plan)
  if (key) return key
  const what = `another key of the plan ${plan} that is not the one for bans`
  throw new Untested('key', `it needs ${what} (--key ${plan}=OTHER)`)
}

/** Keeps the first response after a rest, so that the next burst needs no rest of its own. */
export const rememberAfterRest = (
  { once }: Context,
  { label }: LimitKey,
  first: AnsweredExchange | null,
) => once(`served after a rest: ${label}`, async () => first)

/** That response, if it shows a full minute and no request was sent since. */
const firstAfterRest = async (context: Context, key: LimitKey) => {
  const first = await rememberAfterRest(context, key, null)
  if (!first || !isServed(first)) return undefined
  const isLast = context.limits.responsesTo(key.label).at(-1) === first
  const isWhole = minuteSaid(first)?.remaining === key.quota.perMinute - 1
  return isLast && isWhole ? first : undefined
}

/** Whether a creation is served; a server that serves none may have a limit nevertheless. */
export const canCreate = async (context: Context): Promise<boolean> =>
  context.allow.includes('write') && completes(context.control('create'))

/** Decides how a burst ends. The control requests for this are sent before the key rests. */
const lastRequestsOn = async (context: Context, key: LimitKey): Promise<LastRequests> => {
  if (key.label === cheapest(context.limits).label) {
    return (await canCreate(context)) ? 'creations' : 'lists'
  }
  return (await completes(context.control('get'))) ? 'fetches' : 'lists'
}

/** What the burst is called that all checks of a key's quota judge. */
export const exhausting = ({ label }: LimitKey): string => `exhausted: ${label}`

/** The burst on a key; on the cheapest one it ends with creations, else with GETs of a pet. */
export const firstBurst = async (context: Context, key: LimitKey): Promise<Round> => {
  await context.control('list')
  const last = await lastRequestsOn(context, key)
  return context.once(exhausting(key), async () =>
    runBurst(context, key, last, await firstAfterRest(context, key)),
  )
}

/** Runs a burst on a rested key that no other check judges. */
export const extraBurst = (context: Context, key: LimitKey): Promise<Round> =>
  runBurst(context, key, 'lists')

/** A second burst on a key, if the first one left a doubt. */
export const secondBurst = async (context: Context, key: LimitKey): Promise<Round> => {
  const last = await lastRequestsOn(context, key)
  return context.once(`exhausted again: ${key.label}`, () => runBurst(context, key, last))
}

export const refusalsIn = ({ probes, burst }: Round): readonly AnsweredExchange[] =>
  [...probes, ...burst].filter(isRefused)

/** The burst on the cheapest key, in which at least one request was refused with 429. */
export const refusedBurst = async (context: Context): Promise<Round> => {
  const round = await firstBurst(context, cheapest(context.limits))
  if (refusalsIn(round).length > 0) return round
  throw new Untested('blocked', 'no request got 429', round.burst.slice(-1))
}

/** Added to a stated wait, which counts from when its response is received. */
const graceMs = 50
/** The longest wait: in real time, and by the test clock. */
const maxWaitMs = { real: 150_000, instant: 8 * 86_400_000 }
/** In real time a refused retry is repeated, since another client may have used the quota. */
const maxTries = { instant: 1, real: 2 }

/**
 * The wait that a refusal states, in milliseconds; 0 if it states a time that is not ahead.
 * @throws Untested if there is none, or it is too long
 */
export const statedWaitMs = ({ instant }: Limits, refusal: AnsweredExchange): number => {
  const wait = readWait(refusal)
  if ('fault' in wait) {
    const message = `the refusal states no usable wait: ${wait.fault}`
    throw new Untested('ambiguous', message, [refusal])
  }
  if (wait.ms <= (instant ? maxWaitMs.instant : maxWaitMs.real)) return Math.max(0, wait.ms)
  const message = `the refusal states a wait of ${duration(wait.ms)}, which is too long for a run`
  throw new Untested('ambiguous', message, [refusal])
}

/** Of several refusals, the one whose wait ends last. */
export const lastToExpire = (refusals: readonly AnsweredExchange[]) => {
  const endOf = (one: AnsweredExchange) => toMs(one) + (readWaitMs(one) ?? 0)
  return refusals.toSorted((a, b) => endOf(a) - endOf(b)).at(-1)
}

/**
 * Waits as long as a refusal states. With the test clock exactly that long, since a longer wait
 * would hide a Retry-After that is slightly too short.
 */
const passStatedWait = async (limits: Limits, refusal: AnsweredExchange): Promise<void> => {
  const leftMs = statedWaitMs(limits, refusal) - (limits.nowMs() - toMs(refusal))
  if (leftMs > 0) await limits.pass(leftMs + (limits.instant ? 0 : graceMs))
}

/** Sends a request after the wait that each refusal states, until it is not refused. */
export const retryAsStated = async (
  context: Context,
  key: LimitKey,
  refusal: AnsweredExchange,
  maxTries: number,
) => {
  const tries: AnsweredExchange[] = []
  for (let latest = refusal; tries.length < maxTries && isRefused(latest); ) {
    await passStatedWait(context.limits, latest)
    latest = await callAnyway(context, key)
    tries.push(latest)
  }
  return tries
}

const retryAfterRefusal = async (context: Context, { key, probes, burst }: Round) => {
  const { limits } = context
  // Another check may have been refused since, with another wait.
  const since = limits.responsesTo(key.label).slice(-1)
  const refusal = lastToExpire([...probes, ...burst, ...since].filter(isRefused))
  if (!refusal) throw new Untested('blocked', 'no request got 429')
  const max = limits.instant ? maxTries.instant : maxTries.real
  return { refusal, tries: await retryAsStated(context, key, refusal, max) }
}

/** The request after the stated wait, on the cheapest key; repeated once in real time. */
export const firstRetry = (context: Context) => {
  const key = cheapest(context.limits)
  return context.once(`retried: ${key.label}`, async () =>
    retryAfterRefusal(context, await firstBurst(context, key)),
  )
}

/**
 * A retry after another burst: another client is unlikely to interfere at the same moment again.
 * @param time the number of this retry
 */
export const furtherRetry = (context: Context, time = 1) => {
  const key = cheapest(context.limits)
  return context.once(`retried again, ${time}: ${key.label}`, async () =>
    retryAfterRefusal(context, await extraBurst(context, key)),
  )
}
