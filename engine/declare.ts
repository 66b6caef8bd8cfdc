// The kinds of check: check, property, observe, invariant. Each is a value in a list, and carries
// its requirement, what it needs, and how it is judged.

import type { Plan } from '../spec/plans.ts'
import type {
  BindingRequirementId,
  OpenRequirementId,
  RequirementId,
} from '../spec/requirements.ts'
import type { Context, Permission } from './context.ts'
import type { AnsweredExchange } from './exchange.ts'

/** The order of a run: what needs few pets first, what moves the clock for good last. */
export const stages = [
  'probes', // finds out what later requests may use
  'unauthenticated', // without a valid key; it spends no quota and fills the waits
  'refusals', // creations that must be refused, while there are few pets
  'creations',
  'reads',
  'limits', // exhausts a key's minute
  'bans', // sends requests after 429 with a key of its own
  'days', // spends a key's day
  'time', // moves the target's clock
  'removal', // moves it past the removal date
] as const
export type Stage = (typeof stages)[number]

/** Takes long, and several checks judge its result: it runs once. */
export type Experiment =
  | 'silence' // a fresh minute spent, and 75 s without a call
  | 'burst' // a whole minute at once on a rested key, and one request more
  | 'retry' // the request after the wait that a refusal stated
  | 'requestsAfter429' // the key for bans exhausted, and requests after that
  | 'requestsAfter429 again' // the same twice more, at most
  | 'late' // two minutes spent, and a request in the last second of each
  | 'steady' // calls every 50 s, never a minute's number within two minutes
  | 'errors' // a part of a fresh minute spent, and then a row of errors
  | 'day' // a key's day spent

/** What a check needs, and what it costs when it passes: the plan adds these up. */
export interface Needs {
  readonly stage: Stage
  /** Requests that count on a key. */
  readonly keyed: number
  /** The same where requests are plentiful (see quota/ample.ts), if it differs there. */
  readonly ample?: number
  /** So many more at a target that refuses everything optional in a creation. */
  readonly further?: number
  /** Requests without a valid key. */
  readonly anonymous: number
  readonly allow?: readonly Permission[]
  /** Needs the target's test clock. */
  readonly clock?: boolean
  /** Needs the address of the published description. */
  readonly description?: boolean
  /** Is about one plan: inapplicable if no key of it is configured. */
  readonly plan?: Plan
  /** How many keys it needs, not counting the one for bans. */
  readonly keys?: number
  /** Uses a second key: of the same plan as the cheapest one, of another plan, or of any. */
  readonly secondKey?: 'same-plan' | 'other-plan' | 'any'
  /** Uses each key but the first of its plan, including the one for bans. */
  readonly eachKey?: boolean
  /** The experiment that it runs; `keyed` is its cost with a Free key. */
  readonly holds?: Experiment
  /** Those whose results it judges, whichever check ran them. */
  readonly looksAt?: readonly Experiment[]
  /** Needs a key that may be banned. */
  readonly banKey?: boolean
  /** Names requests that checks share and the first of them sends; each declares the whole cost. */
  readonly shares?: string
  /** What it judges of other checks: that there are many pets, all creations, or all refusals. */
  readonly made?: 'crowd' | 'creations' | 'refusals'
  /** So many known pets are a crowd for it, where it runs alone; by default a list is cut. */
  readonly pets?: number
  /** Calls the deprecated operation, which a target past its removal date lacks. */
  readonly getPet?: boolean
}

interface Declared {
  readonly id: string
  readonly requirement: RequirementId
  /**
   * What leaves it inconclusive besides a missing permission or key, a 429 or a lost response.
   * Like `sends`, `judges`, `fails` and `records` it is printed by `petvet explain`.
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
  /** Why a run may hold no such response; without this a run without one is untested. */
  readonly optional?: string
  /**
   * Throws a Violation for a response that violates it, Untested for one that cannot be judged,
   * and Inapplicable for one that it is not about after all.
   */
  readonly holds: (exchange: AnsweredExchange, trace: Trace) => void
}

/** All requests with their responses, in order, and what is known about the target. */
export interface Trace {
  readonly exchanges: readonly AnsweredExchange[]
  /** Whether other clients use the keys too. */
  readonly shared: boolean
  readonly quotaOf: (key: string) => { readonly perMinute: number; readonly perDay: number }
}

/** A property is a check whose `run` sends generated values; see property.ts. */
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

/** Those whose requests are not sent by an earlier one that shares them. */
export const unshared = (checks: readonly SendingCheck[]): readonly SendingCheck[] => {
  const met = new Set<string>()
  return checks.filter(({ needs: { shares } }) => {
    const isMet = shares !== undefined && met.has(shares)
    if (shares !== undefined) met.add(shares)
    return !isMet
  })
}
