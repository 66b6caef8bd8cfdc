// What a load scenario is: what it does on a lane, what it needs and costs, how it is judged.
import type { LimitKey, Permission } from '../engine/check/context.ts'
import type { LoadFigures, LoadStep } from '../engine/check/run-file.ts'
import { chooseBanKey, missingBanKey, missingPermission } from '../engine/check/spendable-keys.ts'
import type { RunOptions } from '../engine/run/run-options.ts'
import { labelKeys } from '../engine/run/run-options.ts'
import type { AnsweredExchange, Exchange } from '../history/exchange.ts'
import { Untested } from '../history/outcome.ts'
import type { Quota } from '../spec/plans.ts'
import type { OpenRequirementId, RequirementId } from '../spec/requirements.ts'
import type { Driven, Load } from './connection.ts'
import type { Distributed } from './phases.ts'

/** A baseline: it gets the same load as the target. */
type Baseline = 'prism' | 'reference'

export interface LoadSettings {
  /** Connections at once, one number for each step of a scenario that has steps. */
  readonly connections: readonly number[]
  /** How long a scenario of any length lasts; null: its usual one. */
  readonly durationMs: number | null
}

export interface LoadPlan extends LoadSettings {
  /** The keys that may be exhausted, and the one that may be banned. */
  readonly keys: readonly LimitKey[]
  readonly banKey: LimitKey | undefined
  readonly allow: readonly Permission[]
  /** Whether others use the keys too: then counts prove nothing. */
  readonly shared: boolean
  /** Whether a test clock is moved instead of waiting. */
  readonly instant: boolean
}

/** What was sent on several connections at once; as exchanges as many as the load keeps. */
type Sent = Omit<Driven, 'samples'> &
  Pick<LoadFigures, 'counts' | 'latency'> & { readonly exchanges: readonly Exchange[] }

/** One server under load, with its keys, its time and its measurements. */
export interface Lane {
  readonly column: 'target' | Baseline
  /** How many lanes take turns. */
  readonly columns: number
  readonly plan: LoadPlan
  /** Sends from several connections at once; every request is measured. */
  readonly drive: (load: Load) => Promise<Sent>
  /**
   * Sends one request now, on the suites' client, whatever is left of the quota; it is measured.
   * May be called again before the last response came.
   * @param dueMs when it was due, by `performance.now()`: its latency counts from then
   */
  readonly call: (label: string, dueMs: number | null) => Promise<Exchange>
  /** Counts a request that was planned and is not sent. */
  readonly skipped: () => void
  /**
   * Sends one request as the suites do, recorded with its whole response; it is measured too.
   * @throws Untested (budget, interrupted), NoResponseError
   */
  readonly ask: (label: string) => Promise<AnsweredExchange>
  /** Waits until nothing that was sent with a key counts any more. */
  readonly waitForFullQuota: (label: string) => Promise<void>
  /** Whether this run has sent on after a refusal of a key: it may be banned. */
  readonly mayBeBanned: (label: string) => boolean
  /**
   * Ensures that so many requests are left of a key's day; moves the test clock by a day if needed.
   * @throws Untested (blocked) if they are not
   */
  readonly ensureDay: (key: LimitKey, requests: number) => Promise<void>
  /** Waits until the Retry-After of the latest refusal of a key has elapsed. */
  readonly waitForRetryAfter: (label: string) => Promise<void>
  /** Lets time pass at the target: moves its clock, or waits. */
  readonly pass: (ms: number) => Promise<void>
  readonly sleep: (ms: number) => Promise<void>
  /** Milliseconds at the target, moves of its clock included. */
  readonly nowMs: () => number
  readonly step: (step: LoadStep) => void
  readonly figures: () => LoadFigures
}

interface LoadCost {
  /** Requests at the target, at most. */
  readonly requests: number
  /** In real time, waits included. */
  readonly seconds: number
  readonly does: string
}

interface LoadNeeds {
  readonly allow: readonly Permission[]
  readonly banKey?: true
  /** Needs a key that may be exhausted, in addition to the ban key. */
  readonly key?: true
  /** Why none of the quotas is suitable, or undefined. */
  readonly quota?: (plan: LoadPlan) => string | undefined
}

interface Named<Id extends RequirementId> {
  /** `load-<scenario>-<fact>`; unique. */
  readonly id: string
  readonly requirement: Id
  /** What is sent, in plain words, as `petvet explain` prints it. */
  readonly sends: string
}

/** What a scenario sent, to be judged. */
export interface Held {
  readonly plan: LoadPlan
  readonly figures: LoadFigures
}

/** One claim: `judge` throws a Violation, or Untested with what is missing (engine/outcome). */
interface BindingVerdict<Seen> extends Named<RequirementId> {
  /** What is a violation, in plain words. */
  readonly fails: string
  /** What leaves it inconclusive, besides a missing permission or key, or a lost response. */
  readonly inconclusive?: string
  readonly judge: (seen: Seen, held: Held) => void
}

/** What was seen; bad news as a warning. */
export type Observed = string | { readonly warn: string }

interface OpenVerdict<Seen> extends Named<OpenRequirementId> {
  /** What is recorded, in plain words. */
  readonly records: string
  readonly observe: (seen: Seen, held: Held) => Observed
}

export type Verdict<Seen> = BindingVerdict<Seen> | OpenVerdict<Seen>

interface ScenarioForm<Seen> {
  readonly id: string
  /** What it finds out, in one line. */
  readonly says: string
  readonly needs: LoadNeeds
  /** Run only if it is named. */
  readonly named?: true
  /** No request is to be refused: a refusal is an error, and so is what is then not sent. */
  readonly withinQuota?: true
  /** The baselines at which the same load makes sense. */
  readonly baselines: readonly Baseline[]
  readonly cost: (plan: LoadPlan) => LoadCost
  /**
   * Puts the load on one lane. The lanes take turns at each yield; the result of the target's lane
   * is judged.
   * @throws Untested if it cannot continue: then all its verdicts are untested
   */
  readonly run: (lane: Lane) => AsyncGenerator<void, Seen>
  readonly verdicts: readonly Verdict<Seen>[]
  /** Absent: it is sent from one machine only. */
  readonly distributed?: Distributed<LoadPlan, Seen>
}

/** A scenario; only it knows the type of its result. */
export type Scenario = ScenarioForm<unknown>

export const scenario = <Seen>(form: ScenarioForm<Seen>): Scenario => form as unknown as Scenario

const firstBy = (keys: readonly LimitKey[], order: (a: Quota, b: Quota) => number): LimitKey => {
  const [first] = keys.toSorted((a, b) => order(a.quota, b.quota))
  if (first) return first
  throw new Untested('key', needsKey)
}

export const strongest = (keys: readonly LimitKey[]): LimitKey =>
  firstBy(keys, (a, b) => b.perMinute - a.perMinute)

/** The key whose minute is spent with the fewest requests. */
export const cheapest = (keys: readonly LimitKey[]): LimitKey =>
  firstBy(keys, (a, b) => a.perMinute - b.perMinute)

const needsKey = 'needs a key (--key PLAN=KEY) in addition to the ban key'

export const planLoad = (
  { keys, allow, shared, clockUrl }: Pick<RunOptions, 'keys' | 'allow' | 'shared' | 'clockUrl'>,
  settings: LoadSettings,
): LoadPlan => {
  const labelled = labelKeys(keys)
  const banKey = chooseBanKey(labelled)
  const own = labelled.filter((key) => key !== banKey)
  return { ...settings, keys: own, banKey, allow, shared, instant: clockUrl !== null }
}

/** Why a scenario cannot run; undefined: it can. */
export const missingFor = ({ needs }: Scenario, plan: LoadPlan): Untested | undefined => {
  const refused = missingPermission(needs.allow, plan.allow)
  if (refused) return refused
  if (needs.banKey && !plan.banKey) return missingBanKey
  if (needs.key && plan.keys.length === 0) return new Untested('key', needsKey)
  const why = needs.quota?.(plan)
  return why === undefined ? undefined : new Untested('key', why)
}

const nothing: LoadCost = { requests: 0, seconds: 0, does: 'nothing' }

/** Each with what is missing (null: it runs), and its cost. */
export const planAll = (scenarios: readonly Scenario[], plan: LoadPlan) =>
  scenarios.map((scenario) => {
    const lack = missingFor(scenario, plan)?.message ?? null
    return { scenario, lack, cost: lack === null ? scenario.cost(plan) : nothing }
  })
