// The kinds of check: check, observe, clause (model/clause.ts). Each is a
// plain object in a list, with its requirement, its needs and how it is judged.

import type fc from 'fast-check'
import type { ApiRequest } from '../../history/exchange.ts'
import type { Clause } from '../../model/clause.ts'
import type { Plan } from '../../spec/plans.ts'
import type {
  BindingRequirementId,
  OpenRequirementId,
  RequirementId,
} from '../../spec/requirements.ts'
import type { Context, Permission } from './context.ts'

/**
 * The order of a run: what needs few pets first, what moves the clock for good last; with a test
 * clock the hazards come after that.
 */
export const stages = [
  'probes', // finds out what later requests may use
  'unauthenticated', // sends no valid key: costs no quota, so `schedule` may move it into waits
  'refusals', // creations that must be refused, while there are few pets
  'creations',
  'reads',
  'limits', // exhausts a key's minute
  'bans', // sends requests after 429, with the key that is set aside for bans
  'hazards', // may crash the target or spoil its store, for all that reads it later
  'days', // spends a key's day
  'time', // moves the target's clock
  'removal', // moves the clock past the removal date
  'rest', // spends what nothing else needs of a minute, and waits for nothing
] as const
export type Stage = (typeof stages)[number]

/** A long sequence of requests that several checks judge, so a run sends it once. */
export type Experiment =
  | 'silence' // spends a fresh minute's quota, then sends nothing for 75 s, then one request
  | 'burst' // sends a whole minute's quota at once with a rested key, and one request more
  | 'retry' // sends one request after the wait that a 429 stated
  | 'requestsAfter429' // exhausts the key for bans, then sends more requests with it
  | 'requestsAfter429 again' // does so again, at most twice
  | 'late' // spends a minute's quota, then sends a request in that minute's last second
  | 'steady' // sends a part of a minute's quota every 50 s
  | 'errors' // spends a part of a fresh minute's quota, then sends requests that end in errors
  | 'day' // spends a key's quota of a day
  | 'burst after removal' // the burst again, with the clock past the removal date

/** What a check needs, and what it costs when it passes; `petvet plan` adds these costs up. */
export interface Needs {
  readonly stage: Stage
  /** Its stage in a run with a test clock, if it differs. */
  readonly stageByClock?: Stage
  /** Requests that use up the quota of a key. */
  readonly keyed: number
  /** `keyed` in a run with a test clock or a key of at least Pro (`isAmple`), if it differs. */
  readonly ample?: number
  /**
   * `keyed` and `anonymous` are its part of the 500 requests that a run with a test clock spends on
   * walks; one that walks further (`--walk`) multiplies them. Without a clock it is of the stage
   * `rest`, and sends only what it may send there.
   */
  readonly walk?: true
  /**
   * Additional requests that use up quota, if the target refuses every optional feature of a
   * creation (extreme names, unknown categories, ...): others are then tried in their place.
   */
  readonly ifRefused?: number
  /** Requests without a valid key. */
  readonly anonymous: number
  readonly allow?: readonly Permission[]
  /** Needs the target's test clock. */
  readonly clock?: boolean
  /** Needs the address of the published description. */
  readonly description?: boolean
  /** The tariff (free, pro, ...) that it is about: inapplicable if no key of it is configured. */
  readonly plan?: Plan
  /** How many keys it needs, not counting the one for bans. */
  readonly keys?: number
  /**
   * Needs a second key: of the plan of the cheapest key, of another plan, or of any plan. If there
   * is none, it is untested, but inapplicable for 'other-plan'.
   */
  readonly secondKey?: 'same-plan' | 'other-plan' | 'any'
  /**
   * Judges the second and later keys of each plan, the one for bans included. Inapplicable if there
   * is no such key.
   */
  readonly furtherKeys?: boolean
  /** The experiment that it runs; `keyed` is then the experiment's cost with a Free key. */
  readonly experiment?: Experiment
  /** The experiments whose results it judges, whichever check ran them. */
  readonly looksAt?: readonly Experiment[]
  /** Needs a key that may be banned. */
  readonly banKey?: boolean
  /**
   * An id for a set of requests that several checks need: the first of them to run sends it. Each
   * declares its full cost; the plan counts it once.
   */
  readonly shares?: string
  /**
   * How many known pets it needs, at best; more than any list may hold are 101. If it is selected
   * alone, the run creates those that are missing.
   */
  readonly pets?: number
  /** Calls the deprecated operation, which a target past its removal date lacks. */
  readonly getPet?: boolean
}

/** Draws one of some values; the same one by the same seed. */
export type Pick = <T>(values: fc.Arbitrary<T>) => T

/** Makes a request of what the run knows. @throws Untested where it cannot be made */
export type Make = (context: Context, pick: Pick) => ApiRequest

/** One of the requests of a row; its words follow the operation: `with the status SOLD`. */
export type Value = readonly [words: string, make: Make]

interface Declared {
  readonly id: string
  readonly requirement: RequirementId
  /** What is peculiar about its requests, where they do not show it: `with a key that was cut`. */
  readonly condition?: string
  /** Checks that cause what it judges: they run before it, also where it is selected alone. */
  readonly sentBy?: readonly string[]
  /** The requests of a row: a run sends some of them, and walks draw from them. */
  readonly values?: readonly Value[]
  /** Its place in the first minute, for runs that end with it; by the kill table. */
  readonly rank?: number
  /**
   * What leaves it inconclusive besides a missing permission or key, a 429 or a lost response.
   * `petvet explain` prints this text, and `sends`, `judges`, `fails` and `records`.
   */
  readonly inconclusive?: string
}

export interface Check extends Declared {
  readonly kind: 'check'
  readonly needs: Needs
  readonly sends: string
  readonly fails: string
  readonly run: (context: Context) => Promise<void>
}

export interface Observation extends Declared {
  readonly kind: 'observe'
  readonly requirement: OpenRequirementId
  readonly needs: Needs
  readonly sends: string
  readonly records: string
  readonly run: (context: Context) => Promise<string>
}

export type AnyCheck = Check | Observation | Clause

type Binding<T extends Check> = Omit<T, 'kind' | 'requirement'> & {
  readonly requirement: BindingRequirementId
}

/** One claim. `run` throws a Violation, or Untested with what is missing. */
export const check = (declared: Binding<Check>): Check => ({ kind: 'check', ...declared })

/** An open point: `run` returns what it saw and cannot fail. */
export const observe = (declared: Omit<Observation, 'kind'>): Observation => ({
  kind: 'observe',
  ...declared,
})

/** A check that sends requests of its own. */
export type SendingCheck = Check | Observation

export const sendsRequests = (declared: AnyCheck): declared is SendingCheck =>
  declared.kind !== 'clause'
