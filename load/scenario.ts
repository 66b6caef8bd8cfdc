// What a load scenario is: a value that says what it does to a target and how it is judged.

import type { Permission } from '../engine/permission.ts'
import type { LimitKey } from '../engine/quota/limits.ts'
import type { Quota } from '../spec/plans.ts'
import type { OpenRequirementId, RequirementId } from '../spec/requirements.ts'
import type { Beside, Lane, LoadSettings } from './lane.ts'

/** What is known before anything is sent. */
export interface LoadPlan extends LoadSettings {
  /** The keys that may be exhausted, and the one that may be banned. */
  readonly keys: readonly LimitKey[]
  readonly banKey: LimitKey | undefined
  readonly allow: readonly Permission[]
  /** Whether the target's clock is moved instead of waiting. */
  readonly instant: boolean
}

export interface LoadCost {
  /** Requests at the target, at most. */
  readonly requests: number
  /** In real time, waits included. */
  readonly seconds: number
  /** What it does to the keys, in a few words. */
  readonly does: string
}

export interface LoadNeeds {
  readonly allow: readonly Permission[]
  /** Needs the key that may be banned. */
  readonly banKey?: true
  /** Needs a key that may be exhausted, in addition to the one for bans. */
  readonly key?: true
  /** Needs a key that can bear a load; the reason to leave the scenario out, or undefined. */
  readonly quota?: (quotas: readonly Quota[]) => string | undefined
}

interface Named<Id extends RequirementId> {
  /** `load-<scenario>-<fact>`; frozen, never used again. */
  readonly id: string
  readonly requirement: Id
  /** What is sent, in plain words, as `petvet explain` prints it. */
  readonly sends: string
}

/** One claim: `judge` throws a Violation, or Untested with what is missing (engine/outcome). */
export interface BindingVerdict<Seen> extends Named<RequirementId> {
  /** What is a violation, in plain words. */
  readonly fails: string
  /** What leaves it inconclusive, in addition to a missing permission or key, or a lost answer. */
  readonly inconclusive?: string
  readonly judge: (seen: Seen) => void
}

/** What is only seen: it cannot fail. Bad news is a warning. */
export interface OpenVerdict<Seen> extends Named<OpenRequirementId> {
  /** What is recorded, in plain words. */
  readonly records: string
  readonly observe: (seen: Seen) => string | { readonly warn: string }
}

export type Verdict<Seen> = BindingVerdict<Seen> | OpenVerdict<Seen>

interface ScenarioForm<Seen> {
  readonly id: string
  /** What it finds out, in one line. */
  readonly says: string
  readonly needs: LoadNeeds
  /** Run only where it is asked for by name. */
  readonly named?: true
  /** Columns where the same load makes sense. */
  readonly beside: readonly Beside[]
  readonly cost: (plan: LoadPlan) => LoadCost
  /**
   * Puts the load on one lane. It yields between slices, and there the lanes take turns; what it
   * returns is judged, for the lane of the target.
   * @throws Untested where it cannot go on: then all its verdicts are untested
   */
  readonly run: (lane: Lane) => AsyncGenerator<void, Seen>
  readonly verdicts: readonly Verdict<Seen>[]
}

/** A scenario; what it has seen is known to itself alone. */
export type Scenario = ScenarioForm<unknown>

export const scenario = <Seen>(form: ScenarioForm<Seen>): Scenario => form as unknown as Scenario
