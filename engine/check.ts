// The four kinds of question: check, property, observe, invariant. Each is a value in a list.

import type { Plan } from '../spec/plans.ts'
import type {
  BindingRequirementId,
  OpenRequirementId,
  RequirementId,
} from '../spec/requirements.ts'
import type { Context } from './context.ts'
import type { Answered } from './exchange.ts'
import type { Permission } from './permission.ts'

/** The order of the work: what needs a small herd first, what moves the clock for good last. */
export const stages = [
  'probes', // finds out what later requests may use
  'strangers', // without a valid key; it spends no quota and fills the waits
  'refusals', // creations that are to be refused, while few animals are there
  'creations',
  'reads',
  'limits', // exhausts a key's minute
  'bans', // knocks on with a key of its own
  'days', // spends a key's day
  'time', // moves the target's clock
  'removal', // moves it past the removal date
] as const
export type Stage = (typeof stages)[number]

/** What several checks look at, and is held once in a run: it is what takes time. */
export type Experiment =
  | 'silence' // a fresh minute spent, and 75 s without a call
  | 'burst' // a whole minute at once on a rested key, and one request more
  | 'retry' // the request after the wait that a refusal told
  | 'knocks' // the key for bans exhausted, and asked on
  | 'knocks again' // the same twice more, at most
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
  /** So many more at a target that refuses whatever the interface leaves open in a creation. */
  readonly further?: number
  /** Requests without a valid key. */
  readonly anonymous: number
  readonly allow?: readonly Permission[]
  /** Needs the target's test clock. */
  readonly clock?: boolean
  /** Needs the address of the published description. */
  readonly description?: boolean
  /** Asks about one plan; a target of which no key of it is at hand does not claim it. */
  readonly plan?: Plan
  /** How many keys it needs, that of bans aside. */
  readonly keys?: number
  /** Looks at a second key of any use: of the plan of the cheapest one, of another, or of any. */
  readonly beside?: 'same-plan' | 'other-plan' | 'any'
  /** Looks at each key but the first of its plan, the one for bans included. */
  readonly eachKey?: boolean
  /** The experiment that it holds; `keyed` is its cost with a Free key. */
  readonly holds?: Experiment
  /** Those that it looks at, whoever holds them. */
  readonly looksAt?: readonly Experiment[]
  /** Needs a key that may be banned. */
  readonly banKey?: boolean
  /**
   * The name of requests that are sent once for all questions that share them, whichever comes
   * first; each declares their whole cost.
   */
  readonly shares?: string
  /** What other questions make that it judges: a crowd of animals, all that was made or refused. */
  readonly made?: 'crowd' | 'creations' | 'refusals'
  /** Asks the deprecated operation, which a target past its removal date lacks. */
  readonly getPet?: boolean
}

interface Named {
  readonly id: string
  readonly requirement: RequirementId
}

export interface Check extends Named {
  readonly kind: 'check'
  readonly needs: Needs
  readonly run: (context: Context) => Promise<void>
}

export interface Observation extends Named {
  readonly kind: 'observe'
  readonly requirement: OpenRequirementId
  readonly needs: Needs
  readonly run: (context: Context) => Promise<string>
}

export interface Invariant extends Named {
  readonly kind: 'invariant'
  /** Which answers it speaks of. */
  readonly applies: (exchange: Answered) => boolean
  /** Why no answer need be one that it speaks of, where that is so. */
  readonly optional?: string
  /**
   * Throws a Violation for an answer that breaks it, Untested for one that cannot be judged, and
   * Inapplicable for one that it does not speak of after all.
   */
  readonly holds: (exchange: Answered, trace: Trace) => void
}

/** All that was sent and answered, in order, and what is known about the target. */
export interface Trace {
  readonly exchanges: readonly Answered[]
  /** Whether others use the keys too. */
  readonly shared: boolean
  readonly quotaOf: (key: string) => { readonly perMinute: number; readonly perDay: number }
}

/** A property is a check whose `run` asks about generated values; see property.ts. */
export type Question = Check | Observation | Invariant

/** One claim. `run` throws a Violation, or Untested with what is missing. */
export const check = (
  id: string,
  requirement: BindingRequirementId,
  needs: Needs,
  run: Check['run'],
): Check => ({ kind: 'check', id, requirement, needs, run })

/** An open question: `run` returns what it saw and cannot fail. */
export const observe = (
  id: string,
  requirement: OpenRequirementId,
  needs: Needs,
  run: Observation['run'],
): Observation => ({ kind: 'observe', id, requirement, needs, run })

/** A sentence about every answer: judged over all that the other checks caused. */
export const invariant = (
  id: string,
  requirement: BindingRequirementId,
  applies: Invariant['applies'],
  holds: Invariant['holds'],
): Invariant => ({ kind: 'invariant', id, requirement, applies, holds })

/** The same of something that a target need not send: without it the sentence is not claimed. */
export const optionalInvariant = (why: string, question: Invariant): Invariant => ({
  ...question,
  optional: why,
})
