// The kinds of check: check, observe, clause (model/clause.ts). Each is a
// plain object in a list, with its requirement, its needs and how it is judged.

import type fc from 'fast-check'
import type { ApiRequest, Operation } from '../../history/exchange.ts'
import type { Clause } from '../../model/clause.ts'
import type { Plan } from '../../spec/plans.ts'
import type {
  BindingRequirementId,
  OpenRequirementId,
  RequirementId,
} from '../../spec/requirements.ts'
import type { Context, Parts, Permission } from './context.ts'
import type { Recorded } from './recorded.ts'

/**
 * The order of a run: what needs few pets first, what moves the clock for good last; with a test
 * clock the hazards come after that.
 */
export const stages = [
  'probes', // finds out what later requests may use
  'unauthenticated', // sends no valid key: costs no quota, and is sent before any wait
  'refusals', // creations that must be refused, while there are few pets
  'creations',
  'reads',
  'limits', // exhausts a key's minute
  'bans', // sends requests after 429, with the key that is set aside for bans
  'hazards', // may crash the target or spoil its store, for all that reads it later
  'days', // spends a key's day
  'rest', // without a test clock spends what is left of a minute, and waits for nothing
  'time', // moves the target's clock
  'removal', // moves the clock past the removal date
] as const
export type Stage = (typeof stages)[number]

/** What a check needs. What it costs is measured (`petvet plan`), not declared. */
export interface Needs {
  readonly stage: Stage
  /** With the permission to ban it needs a key that may be banned. */
  readonly allow?: readonly Permission[]
  /** Needs the target's test clock. */
  readonly clock?: boolean
  /** Needs the address of the published description. */
  readonly description?: boolean
  /** The tariff (free, pro, ...) that it is about: inapplicable if no key of it is configured. */
  readonly plan?: Plan
  /** A second key, of any plan. */
  readonly keys?: 'another'
  /** How many known pets it needs, at best: selected alone, the run creates those missing. */
  readonly pets?: number
  /** Calls the deprecated operation, which a target past its removal date lacks. */
  readonly getPet?: boolean
}

/** Draws one of some values; the same one by the same seed. */
export type Pick = <T>(values: fc.Arbitrary<T>) => T

/** Makes a request of what the run knows. @throws Untested where it cannot be made */
export type Make = (context: Context, pick: Pick) => ApiRequest

/**
 * One of the requests of a row; its words follow the operation: `with the status SOLD`. In a row of
 * valid requests also what is peculiar about it.
 */
export type Value = readonly [words: string, make: Make, parts?: Parts]

interface Declared {
  readonly id: string
  readonly requirement: RequirementId
  /** Checks that cause what it judges: they run before it, also where it is selected alone. */
  readonly sentBy?: readonly string[]
  /** The requests of a row, all of which are sent; walks draw from them too. */
  readonly values?: readonly Value[]
  /** A larger vocabulary: drawn by the seed of the run, as many as its budget has room for. */
  readonly more?: readonly Value[]
  /** That of a row. */
  readonly operation?: Operation
  /** The operation of a row of valid requests: its values share requests with those of others. */
  readonly pack?: Operation
  /** Where the test clock is moved to before each value of a row. */
  readonly dates?: readonly number[]
  /** The setup: a plain request of this operation is served before it. */
  readonly after?: Operation
  /** Its place in a run that ends with the first minute; by the kill table. */
  readonly rank?: number
  /**
   * What leaves it inconclusive besides a missing permission or key, a 429 or a lost response.
   * `petvet explain` prints this text, and `sends`, `judges`, `fails` and `records`.
   */
  readonly inconclusive?: string
}

export interface Check extends Declared {
  readonly kind: 'check'
  /** It reports itself what is wrong with its responses; otherwise it owns their statuses. */
  readonly judgesItself?: true
  readonly needs: Needs
  readonly sends: string
  readonly fails: string
  /** Of a program: laws of the limiter about its requirement, by the ids of their clauses. */
  readonly laws?: readonly [string, ...string[]]
  /** More laws that its calls may break: their clauses judge them, and a doubt sends it again. */
  readonly clauses?: readonly string[]
  /** Of a program; the run sends the values of a row. @param time from 0: how often it was sent */
  readonly run?: (context: Context, time: number) => Promise<void>
}

export interface Observation extends Declared {
  readonly kind: 'observe'
  readonly requirement: OpenRequirementId
  readonly needs: Needs
  readonly sends: string
  readonly records: string
  /** What a row records of each response. */
  readonly record?: Recorded
  readonly run?: (context: Context) => Promise<string>
}

export type AnyCheck = Check | Observation | Clause

/** Explains why a check is inconclusive when the plain request before it fails. */
export const controlFailed = {
  list: 'a valid `GET /pets` does not return 200 (blocked)',
  create: 'a valid `POST /pets` does not return 201 (blocked)',
  get: 'a GET of an existing pet does not return 200 (blocked)',
} as const

const inconclusiveOf = ({ after, inconclusive }: Partial<Declared>) =>
  inconclusive === undefined && after ? { inconclusive: controlFailed[after] } : {}

/** One claim. `run` throws a Violation, or Untested with what is missing. */
export const check = (
  declared: Omit<Check, 'kind'> & { readonly requirement: BindingRequirementId },
): Check => ({ kind: 'check', ...declared, ...inconclusiveOf(declared) })

/** An open point: `run` returns what it saw and cannot fail. */
export const observe = (declared: Omit<Observation, 'kind'>): Observation => ({
  kind: 'observe',
  ...declared,
  ...inconclusiveOf(declared),
})

/** All requests of a row; none of a program. */
export const allValues = ({ values = [], more = [] }: SendingCheck): readonly Value[] => [
  ...values,
  ...more,
]

/** A check that sends requests of its own. */
export type SendingCheck = Check | Observation

export const sendsRequests = (declared: AnyCheck): declared is SendingCheck =>
  declared.kind !== 'clause'
