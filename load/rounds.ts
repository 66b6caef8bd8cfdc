// The experiment on a key's minute: wait for the full quota, two probes, a burst of more than is
// left; and its verdict.

import type { LimitKey } from '../engine/context.ts'
import { type AnsweredExchange, isAnswered } from '../engine/exchange.ts'
import { Suspicion, Untested, Violation } from '../engine/outcome.ts'
import { type Judgement, judgeFewer, judgeMore } from '../engine/quota/judgements.ts'
import { isServed, minuteSaid } from '../engine/quota/rate-headers.ts'
import { announcedBy, type Round } from '../engine/quota/round.ts'
import type { Quota } from '../spec/plans.ts'
import type { Load } from './connection.ts'
import type { Lane, LoadPlan, Phase, Recording } from './scenario.ts'

/** Between the probes: a token bucket refills in it, and a log does not. */
const pauseMs = 3_500
/** A Reset this near might fall into the burst, so it is waited for. */
const nearResetMs = 8_000
const overallMs = 120_000
export const maxProbes = 3
/** Those of the script for k6. */
const scriptProbes = 2

/**
 * How many are sent beyond what is left. One is refused in any case; more of them are repeated
 * requests after a refusal, for which a server may ban the key: only if that is permitted.
 */
export const surplusOf = ({ allow }: Pick<Lane, 'allow'>, connections: number): number =>
  allow.includes('ban') ? connections : 1

/** The burst as a load: each connection has one request in flight, until all are sent. */
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

/** Probes keys with their full quota; if one has a near Reset, all of them again after it. */
export const probeAll = async (
  lane: Lane,
  keys: readonly LimitKey[],
): Promise<readonly Round[]> => {
  const probes = new Map<LimitKey, AnsweredExchange[]>(keys.map((key) => [key, []]))
  /** A key that was refused is not probed again. */
  const askAll = async () => {
    for (const [key, own] of probes) if (own.every(isServed)) own.push(await lane.ask(key.label))
  }
  for (const { label } of keys) await lane.waitForFullQuota(label)
  await askAll()
  const resetsInMs = [...probes].map(([{ quota }, [first]]) =>
    first && isServed(first) ? (minuteSaid(first, quota)?.resetInMs ?? 0) : 0,
  )
  const nearest = Math.max(0, ...resetsInMs.filter((ms) => ms <= nearResetMs))
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
  return round as Round
}

export const driveInto = async (lane: Lane, round: Round, load: Load): Promise<Round> => {
  const { samples, lost, neverSent } = await lane.drive(load)
  const burst = samples.map(lane.exchangeOf).filter(isAnswered)
  return { ...round, burst: [...round.burst, ...burst], lost: round.lost + lost + neverSent }
}

/** So many of the last calls of a minute that twice as many connections request them together. */
const lastOf = (announced: number, connections: number): number =>
  Math.min(announced, Math.max(1, Math.floor(connections / 2)))

export const holdRound = async (lane: Lane, key: LimitKey, connections: number): Promise<Round> => {
  const surplus = surplusOf(lane, connections)
  await lane.ensureDay(key.label, maxProbes + key.quota.perMinute + surplus)
  const round = await probe(lane, key)
  if (!round.probes.every(isServed)) return round
  const announced = announcedBy(round)
  const last = lastOf(announced, connections)
  const begun =
    announced > last
      ? await driveInto(lane, round, burstOf(key.label, announced - last, connections))
      : round
  return driveInto(lane, begun, burstOf(key.label, last + surplus, connections))
}

/** From its probes to the last request of its burst. */
const burstSeconds = 40

/** A burst on each key by the script for k6, all at once. @param vus connections in all */
export const burstPhase = (
  plan: LoadPlan,
  keys: readonly LimitKey[],
  vus = Math.max(...plan.connections),
): Phase => ({
  kind: 'burst',
  vus,
  seconds: burstSeconds,
  work: keys.map(({ label, quota }) => {
    const announced = quota.perMinute - scriptProbes
    const last = lastOf(announced, Math.floor(vus / keys.length))
    return { label, amount: announced - last, last: last + surplusOf(plan, vus) }
  }),
})

/** The round that samples of the script show; of concurrent probes the lowest Remaining is last. */
export const recordedRound = (
  { exchanges }: Recording,
  key: LimitKey,
  parts: readonly string[] = ['burst'],
  phase?: number,
): Round => {
  const all = exchanges(key.label, parts, phase)
  const remainingOf = (one: AnsweredExchange) => minuteSaid(one, key.quota)?.remaining ?? 0
  const probes = exchanges(key.label, ['probe'], phase).filter(isAnswered)
  const burst = all.filter(isAnswered)
  const inOrder = probes.toSorted((a, b) => remainingOf(b) - remainingOf(a))
  return { key, probes: inOrder, burst, lost: all.length - burst.length }
}

/** A larger quota is no burst: `capacity` is for those. */
const maxQuota = 10_000

export const isForBursts = ({ perMinute }: Quota): boolean => perMinute <= maxQuota

export const keysOfBursts = (keys: readonly LimitKey[]): readonly LimitKey[] =>
  keys
    .filter(({ quota }) => isForBursts(quota))
    .filter(({ plan }, at, all) => all.findIndex((each) => each.plan === plan) === at)

/** Why no key can be exhausted by a burst; undefined: one can. */
export const noneForBursts = (quotas: readonly Quota[]): string | undefined =>
  quotas.some(isForBursts) ? undefined : `needs a key with at most ${maxQuota} requests a minute`

/** The key whose minute is spent with the fewest requests. */
export const cheapest = (keys: readonly LimitKey[]): LimitKey => {
  const [first] = keys.toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)
  if (first) return first
  throw new Untested('key', 'needs a key that may be exhausted, in addition to the ban key')
}

/**
 * Whether nobody else used a key, by its own responses: Remaining skips no number.
 * @param served consecutive responses to a key, from the first one with its full quota on
 */
export const isQuiet = (served: readonly AnsweredExchange[], quota: Quota): boolean => {
  const numbers = served.map((response) => minuteSaid(response, quota)?.remaining)
  const [first] = numbers
  if (first === undefined || first < quota.perMinute - 1) return false
  return numbers.every((number, at) => {
    const before = numbers[at - 1]
    return number !== undefined && (before === undefined || before - number <= 1)
  })
}

/** One burst, and a second one if the first alone is inconclusive. */
export interface Trial {
  readonly name: string
  readonly first: Round
  readonly second: Round | null
}

/** What holds for all trials of a lane. */
export interface Circumstances {
  /** Whether others use the keys too. */
  readonly shared: boolean
  /** Whether a test clock is moved: then no other client calls meanwhile. */
  readonly instant: boolean
}

/** For the explanations of verdicts: when a second burst has to confirm the first one. */
export const twice = 'if another client may explain one burst, a second one has to confirm it.'
export const fewer = `Fewer served than announced, or than the full quota of the plan; ${twice}`
export const othersAsk =
  'others use the keys (shared: true), or Remaining skipped numbers (ambiguous)'

export const isUndecided = (round: Round): boolean =>
  judgeMore(round).kind === 'weak' || judgeFewer(round).kind === 'weak'

type Judge = (round: Round) => Judgement

/** @returns what to throw, or undefined if the requirement is met */
const judgeTrial = (
  { name, first, second }: Trial,
  judge: Judge,
  isConfirmedBy: (second: Round, found: Judgement) => boolean,
): Violation | Suspicion | undefined => {
  const found = judge(first)
  if (found.kind === 'holds') return undefined
  if (found.kind === 'unclear') return new Suspicion(`${name}: ${found.why}`, found.evidence)
  const { expected, actual, evidence } = found
  const violation = new Violation(expected, `${name}: ${actual}`, evidence)
  if (found.kind === 'violation') return violation
  const again = second && judge(second)
  if (second && again && again.kind !== 'holds' && again.kind !== 'unclear') {
    if (isConfirmedBy(second, again)) return violation
  }
  return new Suspicion(`${name}: ${actual} once, which another client may explain`, evidence)
}

const throwWorst = (found: readonly (Violation | Suspicion | undefined)[]): void => {
  const worst = found.find((each) => each instanceof Violation) ?? found.find((each) => each)
  if (worst) throw worst
}

/** No more is served than any legal design would. */
export const expectNotMore = (trials: readonly Trial[]): void => {
  throwWorst(
    trials.map((trial) =>
      judgeTrial(trial, judgeMore, (_second, { kind }) => kind === 'violation'),
    ),
  )
}

/** No fewer is served than was announced, or than the full quota of the plan. */
export const expectNotFewer = (
  trials: readonly Trial[],
  { shared, instant }: Circumstances,
): void => {
  const [any] = trials
  if (shared && any) {
    const why = 'others use the keys (shared: true), so their calls are unknown'
    throw new Suspicion(why, any.first.probes)
  }
  throwWorst(
    trials.map((trial) =>
      judgeTrial(trial, judgeFewer, (second, { kind }) => {
        return kind === 'violation' || instant || second.key.label !== trial.first.key.label
      }),
    ),
  )
}
