// The experiment on a key's minute, by a crowd: a rest, two probes, a burst of more than is left.

import { type Answered, isAnswered } from '../engine/exchange.ts'
import { Untested } from '../engine/outcome.ts'
import { isServed, minuteSaid } from '../engine/quota/key-minute.ts'
import type { LimitKey } from '../engine/quota/limits.ts'
import { announcedBy, type Round } from '../engine/quota/round.ts'
import type { Quota } from '../spec/plans.ts'
import type { Lane } from './lane.ts'
import type { Load } from './load-form.ts'
import type { LoadPlan } from './scenario.ts'

/** Between the probes: a bucket is full again after it, a log can be told by it. */
const pauseMs = 3_500
/** A reset this near might fall into the burst, so it is let pass first. */
const nearMs = 8_000
const overallMs = 120_000
/** Requests before the burst. */
export const probesMost = 3

/**
 * How many are sent beyond what is left. One is refused in any case; more of them are repeated
 * requests to a server, which may answer with a ban: only where that is allowed.
 */
export const surplusOf = ({ allow }: Pick<Lane, 'allow'>, connections: number): number =>
  allow.includes('ban') ? connections : 1

/** The burst as a load: each connection has one request under way, until all are sent. */
export const burstOf = (label: string, amount: number, connections: number): Load => ({
  connections,
  amount,
  durationMs: null,
  key: label,
  newConnections: false,
  atOnce: true,
  overallMs,
  keep: amount,
})

/** Rested keys, asked what is left; where one announces a near reset, all once more behind it. */
export const probeAll = async (
  lane: Lane,
  keys: readonly LimitKey[],
): Promise<readonly Round[]> => {
  const probes = new Map<LimitKey, Answered[]>(keys.map((key) => [key, []]))
  /** A key that was refused is not asked on. */
  const askAll = async () => {
    for (const [key, own] of probes) if (own.every(isServed)) own.push(await lane.ask(key.label))
  }
  for (const { label } of keys) await lane.rest(label)
  await askAll()
  const resetsInMs = [...probes].map(([{ quota }, [first]]) =>
    first && isServed(first) ? (minuteSaid(first, quota)?.resetInMs ?? 0) : 0,
  )
  const nearest = Math.max(0, ...resetsInMs.filter((ms) => ms <= nearMs))
  if (nearest > 0) {
    await lane.pass(nearest + 1_000)
    await askAll()
  }
  await lane.pass(pauseMs)
  await askAll()
  return [...probes].map(([key, own]) => ({ key, probes: own, burst: [], lost: 0 }))
}

export const probe = async (lane: Lane, key: LimitKey): Promise<Round> => {
  const [round] = await probeAll(lane, [key])
  return round ?? { key, probes: [], burst: [], lost: 0 }
}

/** What a crowd got, added to a round. */
export const driveInto = async (lane: Lane, round: Round, load: Load): Promise<Round> => {
  const { samples, lost, neverSent } = await lane.drive(load)
  const burst = samples.map(lane.exchangeOf).filter(isAnswered)
  return { ...round, burst: [...round.burst, ...burst], lost: round.lost + lost + neverSent }
}

export const holdRound = async (lane: Lane, key: LimitKey, connections: number): Promise<Round> => {
  const surplus = surplusOf(lane, connections)
  await lane.ensureDay(key.label, probesMost + key.quota.perMinute + surplus)
  const round = await probe(lane, key)
  if (!round.probes.every(isServed)) return round
  // The last requests of the minute are asked for by twice as many, all in the same moment.
  const announced = announcedBy(round)
  const last = Math.min(announced, Math.max(1, Math.floor(connections / 2)))
  const begun =
    announced > last
      ? await driveInto(lane, round, burstOf(key.label, announced - last, connections))
      : round
  return driveInto(lane, begun, burstOf(key.label, last + surplus, connections))
}

/** A larger minute is no burst any more: what is beyond it, `capacity` asks. */
const quotaMost = 10_000

export const isForBursts = ({ perMinute }: Quota): boolean => perMinute <= quotaMost

/** The first key of each plan; what is true of one is true of the others. */
export const keysOfBursts = (keys: readonly LimitKey[]): readonly LimitKey[] =>
  keys
    .filter(({ quota }) => isForBursts(quota))
    .filter(({ plan }, at, all) => all.findIndex((each) => each.plan === plan) === at)

/** Why no key can be exhausted by a burst, where none can. */
export const noneForBursts = (quotas: readonly Quota[]): string | undefined =>
  quotas.some(isForBursts)
    ? undefined
    : `it needs a key with at most ${quotaMost} requests a minute`

/** A key rests for two windows before each burst. */
const restSeconds = 125

export const burstCost = (plan: LoadPlan) => {
  const bursts = keysOfBursts(plan.keys).flatMap(({ quota }) =>
    plan.connections.map((each) => probesMost + quota.perMinute + surplusOf(plan, each)),
  )
  return {
    requests: bursts.reduce((sum, each) => sum + each, 0),
    seconds: bursts.length * (plan.instant ? 1 : restSeconds),
  }
}

/** The key whose minute is spent with the fewest requests. */
export const cheapest = (keys: readonly LimitKey[]): LimitKey => {
  const [first] = keys.toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)
  if (first) return first
  throw new Untested('key', 'it needs a key that may be exhausted, beside the one for bans')
}

/** Another key of the plan, for a second opinion; the same one where there is none. */
export const twinOf = (keys: readonly LimitKey[], key: LimitKey): LimitKey =>
  keys.find(({ label, plan }) => label !== key.label && plan === key.plan) ?? key

/**
 * Whether a key is ours alone, by what its own answers announced: nobody took a number in between.
 * @param served answers to a rested key, one after the other, from its first on
 */
export const isQuiet = (served: readonly Answered[], quota: Quota): boolean => {
  const numbers = served.map((answer) => minuteSaid(answer, quota)?.remaining)
  const [first] = numbers
  if (first === undefined || first < quota.perMinute - 1) return false
  return numbers.every((number, at) => {
    const before = numbers[at - 1]
    return number !== undefined && (before === undefined || before - number <= 1)
  })
}
