// A lane: one server that takes the load, with its keys, its time, and what it is measured by.

import type { Answered, Exchange } from '../engine/exchange.ts'
import type { LoadFigures, LoadStep } from '../engine/load-figures.ts'
import type { Permission } from '../engine/permission.ts'
import type { LimitKey } from '../engine/quota/limits.ts'
import type { Driven, Load, Sample } from './load-form.ts'

/** Where the same load is put besides the target. */
export type Beside = 'prism' | 'reference'

/** What the command line says about the load. */
export interface LoadSettings {
  /** Connections at once, one number for each step of a scenario that has steps. */
  readonly connections: readonly number[]
  /** How long a scenario goes on whose length is free; null: as long as it says. */
  readonly durationMs: number | null
}

export interface Lane {
  readonly column: 'target' | Beside
  /** How many lanes take turns in this scenario. */
  readonly columns: number
  /** The keys that may be exhausted; the one for bans is not among them. */
  readonly keys: readonly LimitKey[]
  readonly banKey: LimitKey | undefined
  readonly allow: readonly Permission[]
  readonly settings: LoadSettings
  /** Whether others use the keys too: then counts prove nothing. */
  readonly shared: boolean
  /** Whether time is let pass by the test clock. */
  readonly instant: boolean
  /** A crowd; all that comes of it is measured. */
  readonly drive: (load: Load) => Promise<Driven & Pick<LoadFigures, 'counts' | 'latency'>>
  /**
   * One request now, on the suites' own client, whatever is left of the quota; it is measured.
   * For what keeps a pace: it may be called again before the last answer came.
   * @param dueMs when it was due, by `performance.now()`: its latency counts from then
   */
  readonly call: (label: string, dueMs: number | null) => Promise<Sample>
  /** One request that was planned and is not sent. */
  readonly skipped: () => void
  /**
   * One request as the suites send it, remembered with its whole answer; it is measured too.
   * @throws Untested (budget, interrupted), NoAnswerError
   */
  readonly ask: (label: string) => Promise<Answered>
  /** A sample as an exchange, for what judges exchanges and for evidence. */
  readonly exchangeOf: (sample: Sample) => Exchange
  /** Waits until nothing that was sent with a key counts any more. */
  readonly rest: (label: string) => Promise<void>
  /**
   * Makes sure that so many requests are left of a key's day; by the test clock a day is let pass.
   * @throws Untested (blocked) where they are not
   */
  readonly ensureDay: (label: string, requests: number) => Promise<void>
  /** Waits until the latest refusal of a key is over, as it stated. */
  readonly thaw: (label: string) => Promise<void>
  /** Lets time pass at the target: moves its clock, or waits. */
  readonly pass: (ms: number) => Promise<void>
  /** Waits in real time. */
  readonly sleep: (ms: number) => Promise<void>
  /** Milliseconds as the target sees them pass; moves of its clock are added. */
  readonly nowMs: () => number
  /** Writes down one step of a scenario that raises the load. */
  readonly step: (step: LoadStep) => void
  /** What was measured so far in this scenario. */
  readonly figures: () => LoadFigures
}
