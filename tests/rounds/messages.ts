// The messages between the rounds and their processes: one at a time.
import type { Plan } from '../../spec/plans.ts'
import type { Held } from './held-resources.ts'

export interface Key {
  readonly plan: Plan
  readonly key: string
  readonly perMinute?: number
  readonly perDay?: number
}

/** The options of a round. */
export interface Round {
  readonly seed: number
  readonly keys: readonly Key[]
  /** Whether the target offers a test clock; without one the run goes by real time. */
  readonly clock: boolean
  /** Globs of the checks; by default all. */
  readonly only: readonly string[]
  /** Whether another run follows that is left after some events. */
  readonly leaves: boolean
}

export interface Target {
  readonly url: string
  readonly clock: string | undefined
  readonly description: string
}

/** Messages to the server. */
export type ToServer = { readonly start: Round } | { readonly stop: true }

/** Messages to the vetting process. */
export interface ToVetter {
  readonly target: Target
  readonly round: Round
}

export interface Vetted {
  readonly verdict: string
  readonly requests: number
  /** A line for each check: its id and how it ended. */
  readonly outcomes: readonly string[]
  readonly held: Held
}
