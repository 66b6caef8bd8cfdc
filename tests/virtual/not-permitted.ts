// What a run did that it was not allowed to do, by what passed over the wire alone.

import type { Permission } from '../../engine/check/context.ts'
import { rateHeaders, retryAfterMs } from '../../history/rate-headers.ts'
import type { Quota } from '../../spec/plans.ts'
import type { Passed } from './vet.ts'

/** A Retry-After this far beyond its own Reset is wrong, and one call may test that. */
const believedMs = 600_000

/** The Retry-After of a response, if it has one. */
export const statedMs = ({ result }: Passed): number | undefined => {
  if (result.response?.status !== 429) return undefined
  const exchange = { ...result, at: '' } as Parameters<typeof retryAfterMs>[0]
  const waitMs = retryAfterMs(exchange)
  return waitMs && Math.min(waitMs, (rateHeaders(exchange)?.resetInMs ?? 0) + believedMs)
}

/**
 * Requests that left after a refusal was received, and before its time was over.
 * @param spared the key that may be banned, and so may be used early
 */
export const impatient = (passed: readonly Passed[], spared: string | undefined): string[] =>
  passed.flatMap((refusal) => {
    const waitMs = statedMs(refusal)
    if (waitMs === undefined || refusal.key === spared) return []
    const freeAtMs = refusal.receivedMs + waitMs
    const early = passed.filter(
      ({ key, sentMs }) => key === refusal.key && sentMs >= refusal.receivedMs && sentMs < freeAtMs,
    )
    return early.map(({ sentMs }) => `${refusal.key} ${Math.round(freeAtMs - sentMs)} ms early`)
  })

const dayMs = 86_400_000
/** What a run leaves of a key's day, unless it may spend one. */
const leftOfDay = 0.1

/** A Reset of a minute further ahead is a fault, and is tested after two windows. */
const minuteMostMs = 120_000

const harmless = ['GET', 'HEAD', 'OPTIONS']

const statusOf = ({ result }: Passed) => result.response?.status ?? 0
const numbersOf = ({ result }: Passed) =>
  rateHeaders({ ...result, at: '' } as Parameters<typeof rateHeaders>[0])

/** Methods that might create or change something, refused or not. */
const writes = (passed: readonly Passed[]): string[] =>
  passed
    .filter(({ method }) => !harmless.includes(method))
    .map(({ method }) => `${method} without write`)

/** Requests sent although the latest response to the key stated that none remains. */
const beyondTheLast = (own: readonly Passed[], { perDay }: Quota): string[] =>
  own.flatMap((one) => {
    const heard = own.filter(({ receivedMs }) => receivedMs <= one.sentMs)
    const latest = heard.toSorted((a, b) => a.receivedMs - b.receivedMs).at(-1)
    const said = latest && numbersOf(latest)
    if (!latest || said?.remaining !== 0) return []
    const restMs = said.limit === perDay ? said.resetInMs : Math.min(said.resetInMs, minuteMostMs)
    const isPast = one.sentMs >= latest.receivedMs + restMs - 1_000
    return isPast ? [] : [`${one.key} used with 0 remaining`]
  })

/** Refusals that were in flight together: more than one of them are repeated requests. */
const crowded = (own: readonly Passed[]): string[] => {
  const refused = own.filter((one) => statusOf(one) === 429)
  return refused.flatMap((one, at) =>
    refused.slice(0, at).some((other) => other.receivedMs > one.sentMs)
      ? [`${one.key} refused twice in a burst`]
      : [],
  )
}

/** More calls of a key in 24 hours than leave a tenth of its day, or a refusal of the day. */
const daySpent = (own: readonly Passed[], { perDay }: Quota): string[] => {
  const refused = own.filter((one) => statusOf(one) === 429 && numbersOf(one)?.limit === perDay)
  const times = own.map(({ sentMs }) => sentMs).toSorted((a, b) => a - b)
  const most = Math.floor((1 - leftOfDay) * perDay)
  const over = times.filter((ms, at) => ms - (times[at - most] ?? Number.NEGATIVE_INFINITY) < dayMs)
  return [
    ...refused.map(({ key }) => `${key} refused for its day`),
    ...over.map((ms) => `${own[0]?.key}: more than ${most} calls in the day up to ${ms}`),
  ]
}

interface Keyed {
  readonly key: string
  readonly quota: Quota
}

/**
 * @param isLegal whether the server never refuses while its headers state that requests remain
 * @returns a line for each request that needed a permission which the run was not given
 */
export const trespasses = (
  passed: readonly Passed[],
  keys: readonly Keyed[],
  allow: readonly Permission[],
  isLegal: boolean,
): string[] => {
  const lacks = (permission: Permission) => !allow.includes(permission)
  const ofKeys = keys.flatMap(({ key, quota }) => {
    const own = passed.filter((one) => one.key === key)
    const refused = own.filter((one) => statusOf(one) === 429)
    return [
      ...(lacks('exhaust') ? beyondTheLast(own, quota) : []),
      ...(lacks('exhaust') && isLegal ? refused.map(() => `${key} was driven to a 429`) : []),
      ...(lacks('ban') && isLegal ? crowded(own) : []),
      ...(lacks('day') ? daySpent(own, quota) : []),
    ]
  })
  const exposed = keys.filter(({ key }) => passed.some(({ others }) => others.includes(key)))
  return [
    ...exposed
      .slice(lacks('expose') ? 0 : 1)
      .map(({ key }) => `${key} was sent outside Authorization`),
    ...(lacks('write') ? writes(passed) : []),
    ...(lacks('ban') ? impatient(passed, undefined) : []),
    ...ofKeys,
  ]
}
