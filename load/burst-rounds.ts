// The experiment on a key's minute: wait for the full quota, two probes, a burst of more than is
// left; and its verdict.
import type { LimitKey } from '../engine/check/context.ts'
import {
  announcedBy,
  type Judgement,
  judgeFewer,
  judgeMore,
  judgeOneCount,
  nearResetMs,
  probePauseMs,
  type Round,
} from '../engine/quota/round.ts'
import { type AnsweredExchange, isAnswered } from '../history/exchange.ts'
import { Suspicion, Untested, Violation } from '../history/outcome.ts'
import { isServed, isShutOut, minuteSaid, retryAfterMs } from '../history/rate-headers.ts'
import type { Quota } from '../spec/plans.ts'
import type { Lane, LoadPlan } from './scenario.ts'

const overallMs = 120_000
const maxProbes = 3

/**
 * How many are sent beyond what is left. One is refused in any case; more of them are repeated
 * requests after a refusal, for which a server may ban the key: only if that is permitted.
 */
export const countSurplus = ({ allow }: LoadPlan, connections: number): number =>
  allow.includes('ban') ? connections : 1

/** How many requests a round with each of these keys takes, at most. */
export const roundsCost = (keys: readonly LimitKey[], surplus: number): number =>
  keys.reduce((sum, { quota }) => sum + maxProbes + quota.perMinute + surplus, 0)

/** Requests of this run itself may have drawn a ban whose end no response states. */
const expectNoBan = (lane: Lane, label: string, first: AnsweredExchange | undefined): void => {
  if (!first || !isShutOut(first) || !lane.mayBeBanned(label)) return
  if (retryAfterMs(first) !== undefined) return
  throw new Untested('blocked', `key ${label} is shut out, and no response says for how long`, [
    first,
  ])
}

/** Probes keys with their full quota; if one has a near Reset, all of them again after it. */
const probeAll = async (lane: Lane, keys: readonly LimitKey[]): Promise<readonly Round[]> => {
  const probes = new Map<LimitKey, AnsweredExchange[]>(keys.map((key) => [key, []]))
  /** A key that was refused is not probed again. */
  const askAll = async () => {
    for (const [key, own] of probes) if (own.every(isServed)) own.push(await lane.ask(key.label))
  }
  for (const { label } of keys) await lane.waitForFullQuota(label)
  await askAll()
  for (const [{ label }, [first]] of probes) expectNoBan(lane, label, first)
  const resetsInMs = [...probes.values()].map(([first]) =>
    first && isServed(first) ? (minuteSaid(first)?.resetInMs ?? 0) : 0,
  )
  const nearest = Math.max(0, ...resetsInMs.filter((ms) => ms <= nearResetMs))
  if (nearest > 0) {
    await lane.pass(nearest + 1_000)
    await askAll()
  }
  await lane.pass(probePauseMs)
  await askAll()
  return [...probes].map(([key, own]) => ({ key, probes: own, burst: [], lost: 0 }))
}

/** Sends a burst: each connection has one request in flight, until all are sent. */
export const driveInto = async (
  lane: Lane,
  round: Round,
  amount: number,
  connections: number,
  newConnections = false,
): Promise<Round> => {
  const { exchanges, counts, neverSent } = await lane.drive({
    connections,
    amount,
    durationMs: null,
    key: round.key.label,
    newConnections,
    atOnce: true,
    overallMs,
    keep: amount,
  })
  const burst = [...round.burst, ...exchanges.filter(isAnswered)]
  return { ...round, burst, lost: round.lost + counts.timeout + counts.reset + neverSent }
}

/** So many of the last calls of a minute that twice as many connections request them together. */
const lastOf = (announced: number, connections: number): number =>
  Math.min(announced, Math.max(1, Math.floor(connections / 2)))

interface Burst {
  readonly connections: number
  /** How many are sent beyond what is announced. */
  readonly surplus: number
  readonly newConnections?: boolean
  /** Whether the last calls of the minute are sent together. */
  readonly inTwo?: true
}

const spend = async (lane: Lane, round: Round, burst: Burst): Promise<Round> => {
  const { connections, surplus, newConnections, inTwo } = burst
  const announced = announcedBy(round)
  const last = inTwo ? lastOf(announced, connections) : announced
  const begun =
    announced > last ? await driveInto(lane, round, announced - last, connections) : round
  return driveInto(lane, begun, last + surplus, connections, newConnections)
}

/** Spends the full quota of keys at once: their probes, then a burst on each of them. */
export const holdRounds = async (
  lane: Lane,
  keys: readonly LimitKey[],
  burst: Burst,
): Promise<readonly Round[]> => {
  for (const key of keys) await lane.ensureDay(key, roundsCost([key], burst.surplus))
  const rounds = await probeAll(lane, keys)
  return Promise.all(
    rounds.map((round) => (round.probes.every(isServed) ? spend(lane, round, burst) : round)),
  )
}

/** At the target once more if the first time is inconclusive. */
export const holdTwice = async function* (
  lane: Lane,
  hold: (isAgain: boolean) => Promise<readonly Round[]>,
  nameOf: (key: LimitKey) => string,
): AsyncGenerator<void, readonly Trial[]> {
  const all = await hold(false)
  yield
  const isClear = lane.column !== 'target' || !all.some(isUndecided)
  const again = isClear ? [] : await hold(true)
  return all.map((first, at) => ({ name: nameOf(first.key), first, second: again[at] ?? null }))
}

/** A larger quota is no burst: `capacity` is for those. */
const maxQuota = 10_000

export const keysOfBursts = ({ keys }: LoadPlan): readonly LimitKey[] =>
  keys.filter(({ quota }) => quota.perMinute <= maxQuota)

/** The first of each plan. */
export const keyOfEachPlan = (plan: LoadPlan): readonly LimitKey[] =>
  keysOfBursts(plan).filter((key, at, all) => all.findIndex((one) => one.plan === key.plan) === at)

/** Why no key can be exhausted by a burst; undefined: one can. */
export const noneForBursts = (plan: LoadPlan): string | undefined =>
  keysOfBursts(plan).length > 0
    ? undefined
    : `needs a key with at most ${maxQuota} requests a minute`

/**
 * Whether nobody else used a key, by its own responses: Remaining skips no number.
 * @param served consecutive responses to a key, from the first one with its full quota on
 */
export const isQuiet = (served: readonly AnsweredExchange[], quota: Quota): boolean => {
  const numbers = served.map((response) => minuteSaid(response)?.remaining)
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

/** For the explanations of verdicts: when a second burst has to confirm the first one. */
export const twice = 'if another client may explain one burst, a second one has to confirm it.'
export const fewer = `Fewer served than announced, or than the full quota of the plan; ${twice}`
export const othersAsk =
  'others use the keys (shared: true), or Remaining skipped numbers (ambiguous); the key may be ' +
  'banned, by an earlier burst, for a time that is not stated (blocked)'

const isUndecided = (round: Round): boolean =>
  [judgeMore, judgeFewer, judgeOneCount].some((judge) => judge(round).kind === 'weak')

/** @returns what to throw, or undefined if the requirement is met */
const judgeTrial = (
  { name, first, second }: Trial,
  judge: (round: Round) => Judgement,
  isWeakEnough: (second: Round) => boolean,
): Violation | Suspicion | undefined => {
  const found = judge(first)
  if (found.kind === 'holds') return undefined
  if (found.kind === 'unclear') return new Suspicion(`${name}: ${found.why}`, found.evidence)
  const { expected, actual, evidence } = found
  const violation = new Violation(expected, `${name}: ${actual}`, evidence)
  if (found.kind === 'violation') return violation
  const again = second && judge(second)
  if (again?.kind === 'violation') return violation
  if (second && again?.kind === 'weak' && isWeakEnough(second)) return violation
  return new Suspicion(`${name}: ${actual} once, which another client may explain`, evidence)
}

const throwWorst = (found: readonly (Violation | Suspicion | undefined)[]): void => {
  const worst = found.find((each) => each instanceof Violation) ?? found.find((each) => each)
  if (worst) throw worst
}

const expectEach = (judge: (round: Round) => Judgement, trials: readonly Trial[]) =>
  throwWorst(trials.map((trial) => judgeTrial(trial, judge, () => false)))

/** No more is served than any legal design would. */
export const expectNotMore = (trials: readonly Trial[]) => expectEach(judgeMore, trials)

/** All connections share one count. */
export const expectOneCount = (trials: readonly Trial[]) => expectEach(judgeOneCount, trials)

/** No fewer is served than was announced, or than the full quota of the plan. */
export const expectNotFewer = (
  trials: readonly Trial[],
  { shared, instant }: Pick<LoadPlan, 'shared' | 'instant'>,
): void => {
  const [any] = trials
  if (shared && any) {
    const why = 'others use the keys (shared: true), so their calls are unknown'
    throw new Suspicion(why, any.first.probes)
  }
  throwWorst(
    trials.map((trial) =>
      judgeTrial(trial, judgeFewer, ({ key }) => instant || key.label !== trial.first.key.label),
    ),
  )
}
