// The kinds of check: check, observe, invariant; a property is a check (property.ts). Each is a
// plain object in a list, with its requirement, its needs and how it is judged.

import type { Plan } from '../../spec/plans.ts'
import type {
  BindingRequirementId,
  OpenRequirementId,
  RequirementId,
} from '../../spec/requirements.ts'
import type { Context, Permission } from './context.ts'
import type { AnsweredExchange } from './exchange.ts'
import type { Names } from './naming.ts'

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
   * `keyed` and `anonymous` are its part of the 600 requests that a run with a test clock spends on
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
  /** Ids of single requests that other checks need too: each is one of `keyed`, and sent once. */
  readonly sharesEach?: readonly string[]
  /**
   * What other checks must have produced before it: many pets (`crowd`), or all creations or
   * refused creations of the run. If it is selected alone, the run adds what produces them.
   */
  readonly made?: 'crowd' | 'creations' | 'refusals'
  /**
   * With `made: 'crowd'`: how many pets it needs; by default 101, more than any list may hold. A
   * run creates as many as the most demanding of its checks needs.
   */
  readonly pets?: number
  /** Calls the deprecated operation, which a target past its removal date lacks. */
  readonly getPet?: boolean
}

interface Declared {
  readonly id: string
  readonly requirement: RequirementId
  /** What is peculiar about its requests, where they do not show it: `with a key that was cut`. */
  readonly condition?: string
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

export interface Invariant extends Declared {
  readonly kind: 'invariant'
  /** Which responses it is about, in words. */
  readonly judges: string
  readonly fails: string
  /** Which responses it is about. */
  readonly applies: (exchange: AnsweredExchange) => boolean
  /**
   * Why a run may legitimately contain no such response: the invariant is then inapplicable.
   * Without this text it is then untested.
   */
  readonly optional?: string
  /** Checks that send what it judges: they run where it is selected without them. */
  readonly sentBy?: readonly string[]
  /**
   * Throws a Violation for a response that violates the requirement, Untested for one that cannot
   * be judged, and Inapplicable for one that the requirement is not about after all.
   */
  readonly holds: (exchange: AnsweredExchange, trace: Trace) => void
}

/** All requests with their responses, in order, and what is known about the target. */
export interface Trace {
  readonly exchanges: readonly AnsweredExchange[]
  /** Whether other clients use the keys too. */
  readonly shared: boolean
  readonly timesSent: Names['timesSent']
}

export type AnyCheck = Check | Observation | Invariant

type Binding<T extends Check | Invariant> = Omit<T, 'kind' | 'requirement'> & {
  readonly requirement: BindingRequirementId
}

/** One claim. `run` throws a Violation, or Untested with what is missing. */
export const check = (declared: Binding<Check>): Check => ({ kind: 'check', ...declared })

/** An open point: `run` returns what it saw and cannot fail. */
export const observe = (declared: Omit<Observation, 'kind'>): Observation => ({
  kind: 'observe',
  ...declared,
})

/** A requirement about every response: judged over all that the other checks caused. */
export const invariant = (declared: Binding<Invariant>): Invariant => ({
  kind: 'invariant',
  ...declared,
})

/** A check that sends requests of its own. */
export type SendingCheck = Check | Observation

export const sendsRequests = (declared: AnyCheck): declared is SendingCheck =>
  declared.kind !== 'invariant'
