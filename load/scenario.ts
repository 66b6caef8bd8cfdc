// What a load scenario is: what it does on a lane, what it needs and costs, how it is judged.
import type { LimitKey, Permission } from '../engine/check/context.ts'
import type { KeyHandle } from '../engine/check/key-handle.ts'
import type { LoadFigures } from '../engine/check/run-file.ts'
import { chooseBanKey, missingBanKey, missingPermission } from '../engine/check/spendable-keys.ts'
import { labelKeys, type RunOptions } from '../engine/run/run-options.ts'
import type { AnsweredExchange, Exchange } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { Untested } from '../history/outcome.ts'
import type { Clause } from '../model/clause.ts'
import type { LawId } from '../model/limiter/laws.ts'
import type { OpenRequirementId, RequirementId } from '../spec/requirements.ts'
import type { Driven, Load } from './connection.ts'

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
  /** How many take turns. */
  readonly lanes: number
}

/** One server under load, with its keys, its time and its measurements. */
export interface Lane {
  /** A baseline gets the same load as the target. */
  readonly column: 'target' | 'prism' | 'reference'
  readonly plan: LoadPlan
  /** Sends from several connections at once; every request is measured. */
  readonly drive: (
    load: Load,
  ) => Promise<Pick<Driven, 'sent' | 'ended'> & Pick<LoadFigures, 'counts'>>
  /**
   * What can be done with a key. Its requests are all the same; each is sent on the suites' client,
   * and is measured.
   */
  readonly handleOf: (key: LimitKey) => KeyHandle
  /**
   * Sends requests when each is due, up to the first refusal: their latency counts from then.
   * @returns the refusal
   */
  readonly keepPace: (
    label: string,
    perSecond: number,
    amount: number,
  ) => Promise<Exchange | undefined>
  /**
   * Ensures that so many requests are left of a key's day; moves the test clock by a day if needed.
   * @throws Untested (blocked) if they are not
   */
  readonly ensureDay: (key: LimitKey, requests: number) => Promise<void>
  /** Lets time pass at the target: moves its clock, or waits. */
  readonly pass: (ms: number) => Promise<void>
  /** Lets real time pass, which is part of the pace of a load. */
  readonly sleep: (ms: number) => Promise<void>
  /** Lets real time pass, which is not. */
  readonly pause: (ms: number) => Promise<void>
  /** Milliseconds at the target, moves of its clock included. */
  readonly nowMs: () => number
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
  /** The calls of the run, and those of the scenario. */
  readonly history: History
  readonly own: readonly AnsweredExchange[]
  /** The longest delay between due and sent. */
  readonly latestMs: number
  /** What ended the scenario early: what it sent is judged all the same. */
  readonly error: unknown
}

/** A requirement that laws of the limiter judge, or clauses, over what the scenario has sent. */
export interface JudgedVerdict extends Named<RequirementId> {
  readonly laws: readonly [LawId | Clause, ...LawId[]]
  /** The key whose calls are judged, if not those of all. */
  readonly keyOf?: (plan: LoadPlan) => string
  /** Why there is nothing to judge, by what came. */
  readonly unless?: (figures: LoadFigures) => string | undefined
}

export const judged = (
  id: string,
  requirement: RequirementId,
  sends: string,
  ...laws: JudgedVerdict['laws']
): JudgedVerdict => ({ id, requirement, sends, laws })

/** What was seen; bad news as a warning. */
export type Observed = string | { readonly warn: string }

interface OpenVerdict extends Named<OpenRequirementId> {
  /** What is recorded, in plain words. */
  readonly records: string
  readonly observe: (held: Held) => Observed
}

export type Verdict = JudgedVerdict | OpenVerdict

export interface Scenario {
  readonly id: string
  /** What it finds out, in one line. */
  readonly says: string
  /** In addition to a key that may be exhausted. */
  readonly needs: {
    readonly allow: readonly Permission[]
    readonly banKey?: true
    /** Why none of the quotas is suitable, or undefined. */
    readonly quota?: (plan: LoadPlan) => string | undefined
  }
  /**
   * Once more where a law is in doubt, with all keys or only those in question, from the most
   * connections: what is seen twice is no other client.
   */
  readonly repeats?: 'all' | 'keys'
  /** Run only if it is named. */
  readonly named?: true
  /** No request is to be refused: a refusal is an error, and so is what is then not sent. */
  readonly withinQuota?: true
  /** The same load makes no sense at Prism, which counts nothing. */
  readonly needsLimiter?: true
  /** Requests at the target, at most; and seconds of real time, waits included. */
  readonly cost: (plan: LoadPlan) => {
    readonly requests: number
    readonly seconds: number
    readonly does: string
  }
  /**
   * Puts the load on one lane. The lanes take turns at each yield; what the target's lane sent is
   * judged.
   * @throws Untested if it cannot continue
   */
  readonly run: (lane: Lane) => AsyncGenerator<void, void>
  readonly verdicts: readonly Verdict[]
  /** What it sends depends on the responses: several machines cannot send it by a plan. */
  readonly adapts?: true
}

/** The key with the largest minute, of one or more. */
export const strongest = (keys: readonly LimitKey[]): LimitKey =>
  keys.reduce((best, key) => (key.quota.perMinute > best.quota.perMinute ? key : best))

/** The key whose minute is spent with the fewest requests, of one or more. */
export const cheapest = (keys: readonly LimitKey[]): LimitKey =>
  keys.reduce((best, key) => (key.quota.perMinute < best.quota.perMinute ? key : best))

export const planLoad = (
  { keys, allow, shared, clockUrl }: Pick<RunOptions, 'keys' | 'allow' | 'shared' | 'clockUrl'>,
  settings: LoadSettings,
  lanes = 1,
): LoadPlan => {
  const labelled = labelKeys(keys)
  const banKey = chooseBanKey(labelled)
  const own = labelled.filter((key) => key !== banKey)
  return { ...settings, keys: own, banKey, allow, shared, instant: clockUrl !== null, lanes }
}

/** Why a scenario cannot run; undefined: it can. */
const missingFor = ({ needs }: Scenario, plan: LoadPlan): Untested | undefined => {
  const refused = missingPermission(needs.allow, plan.allow)
  if (refused) return refused
  if (needs.banKey && !plan.banKey) return missingBanKey
  if (plan.keys.length === 0) {
    return new Untested('key', 'needs a key (--key PLAN=KEY) in addition to the ban key')
  }
  const why = needs.quota?.(plan)
  return why === undefined ? undefined : new Untested('key', why)
}

const nothing = { requests: 0, seconds: 0, does: 'nothing' }

/** Each with what is missing, if anything is, and its cost; `again` to send it once more. */
export const planAll = (scenarios: readonly Scenario[], plan: LoadPlan) =>
  scenarios.map((scenario) => {
    const lack = missingFor(scenario, plan)
    const own = lack ? nothing : scenario.cost(plan)
    return { scenario, lack, cost: { ...own, again: scenario.repeats ? own.requests : 0 } }
  })
