// Spends the whole minute of keys: waits for the full quota, two probes, then all calls that are
// announced and more, and goes on while all are served.
import type { LimitKey } from '../engine/check/context.ts'
import type { AnsweredExchange } from '../history/exchange.ts'
import { isServed, minuteSaid } from '../history/rate-headers.ts'
import type { Load } from './connection.ts'
import { maxRecorded } from './load-server.ts'
import type { Lane, LoadPlan } from './scenario.ts'

/** The pause between two probes: a bucket refills in it, and Reset shows how a log sets it. */
const probePauseMs = 3_500
/** Replicas may take a quarter of a second to share a count: after this one count shows. */
const lagMs = 300
const overallMs = 120_000
const maxProbes = 3
/** If Reset is this near the burst starts after it, so that no window ends during the burst. */
const nearResetMs = 8_000

/**
 * How many are sent beyond what is left. One is refused in any case; more of them are repeated
 * requests after a refusal, for which a server may ban the key: only if that is permitted.
 */
export const countSurplus = ({ allow }: LoadPlan, connections: number): number =>
  allow.includes('ban') ? connections : 1

/** How many requests it takes to spend each of these keys, at most, where they are limited. */
export const spendingCost = (keys: readonly LimitKey[], surplus: number): number =>
  keys.reduce((sum, { quota }) => sum + maxProbes + quota.perMinute + surplus, 0)

interface Probed {
  readonly key: LimitKey
  readonly probes: readonly AnsweredExchange[]
}

/** Probes keys with their full quota; if one has a near Reset, all of them again after it. */
const probeAll = async (lane: Lane, keys: readonly LimitKey[]): Promise<readonly Probed[]> => {
  const all = keys.map((key) => ({ key, probes: [] as AnsweredExchange[] }))
  /** A key that was refused is not probed again. */
  const askAll = async () => {
    for (const { key, probes } of all) {
      if (probes.every(isServed)) probes.push(await lane.handleOf(key).ask())
    }
  }
  for (const key of keys) await lane.handleOf(key).rest()
  await askAll()
  const resetsInMs = all.flatMap(({ probes: [first] }) =>
    first && isServed(first) ? (minuteSaid(first)?.resetInMs ?? []) : [],
  )
  const nearest = Math.max(0, ...resetsInMs.filter((ms) => ms <= nearResetMs))
  if (nearest > 0) {
    await lane.pass(nearest + 1_000)
    await askAll()
  }
  await lane.pass(probePauseMs)
  await askAll()
  return all
}

type Burst = Pick<Load, 'connections' | 'newConnections' | 'whileServed'>

/** Sends with a key, each connection one request at a time. @returns whether all were served */
export const send = async (
  lane: Lane,
  { label }: Pick<LimitKey, 'label'>,
  amount: number,
  burst: Burst,
): Promise<boolean> => {
  if (amount <= 0) return true
  const usual = { durationMs: null, overallMs, keep: maxRecorded }
  const { sent, counts } = await lane.drive({ ...usual, ...burst, amount, key: label })
  return counts.served === sent
}

export interface Spending extends Burst {
  /** How many are sent beyond what is announced. */
  readonly surplus: number
  /** Whether the last calls of the minute are sent together, after a pause. */
  readonly inTwo?: true
}

/**
 * Spends a key. Where all was served it goes on: more than two windows in less than one, no design
 * grants. @returns whether so many were served
 */
const spend = async (lane: Lane, probed: Probed, spending: Spending): Promise<boolean> => {
  const { key, probes } = probed
  const { surplus, inTwo, ...burst } = spending
  const probe = probes.at(-1)
  if (!probe || !probes.every(isServed)) return false
  const announced = lane.handleOf(key).left(probe, key.quota.perMinute - probes.length)
  // Twice as many connections as there are calls left request them together.
  const half = Math.max(1, Math.floor(burst.connections / 2))
  const last = inTwo ? Math.min(announced, half) : announced
  const hasBegun = announced > last
  const isServedFirst = !hasBegun || (await send(lane, key, announced - last, burst))
  if (hasBegun) await lane.pause(lagMs)
  const isAllServed = await send(lane, key, last + surplus, burst)
  const left = 2 * key.quota.perMinute + 1 - probes.length - announced - surplus
  if (!isServedFirst || !isAllServed || left <= 0) return false
  // Those in flight with the first refusal may be refused too.
  return send(lane, key, left, { ...burst, connections: surplus, whileServed: true })
}

/** Spends the full quota of keys at once. @returns whether one of them has no limit */
export const spendAll = async (
  lane: Lane,
  keys: readonly LimitKey[],
  spending: Spending,
): Promise<boolean> => {
  for (const key of keys) await lane.ensureDay(key, spendingCost([key], spending.surplus))
  const probed = await probeAll(lane, keys)
  const ended = await Promise.all(probed.map((each) => spend(lane, each, spending)))
  return ended.includes(true)
}

/** A larger quota is no burst: `capacity` is for those. */
const maxQuota = 10_000

export const keysToSpend = ({ keys }: LoadPlan): readonly LimitKey[] =>
  keys.filter(({ quota }) => quota.perMinute <= maxQuota)

/** Why no key can be exhausted by a burst; undefined: one can. */
export const noneToSpend = (plan: LoadPlan): string | undefined =>
  keysToSpend(plan).length > 0
    ? undefined
    : `needs a key with at most ${maxQuota} requests a minute`

/** The first of each plan. */
export const keyOfEachPlan = (plan: LoadPlan): readonly LimitKey[] =>
  keysToSpend(plan).filter((key, at, all) => all.findIndex((one) => one.plan === key.plan) === at)
