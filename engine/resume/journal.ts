// The journal of a run: what its exchanges do not say and a resumed run needs. No key is in it.

import type { Plan, Quota } from '../../spec/plans.ts'
import type { Permission } from '../context.ts'
import type { CheckResult, RunCommand } from '../run-file.ts'

interface JournalKey {
  readonly label: string
  readonly plan: Plan
  readonly quota: Quota
  readonly use: 'ban' | null
  /** A digest with the salt of the journal. */
  readonly digest: string
}

/** What a run was started with: it is resumed with the same. */
export interface Head {
  readonly kind: 'head'
  readonly petvet: string
  readonly runId: string
  readonly seed: number
  readonly salt: string
  readonly startedAt: string
  readonly baseUrl: string
  readonly clockUrl: string | null
  readonly descriptionUrl: string | null
  readonly categories: readonly string[]
  readonly allow: readonly Permission[]
  readonly shared: boolean
  readonly strict: boolean
  readonly maxRequests: number
  readonly responseTimeoutMs: number
  readonly keys: readonly JournalKey[]
  /** A digest of the further headers. */
  readonly headers: string
  readonly checks: readonly string[]
  readonly again?: RunCommand
}

/** One line of `journal.ndjson`. Times are of our own clock, ISO 8601. */
export type Entry =
  | Head
  | { readonly kind: 'resumed'; readonly at: string }
  /** Where the test clock was before the first check, and how far the run had moved it. */
  | {
      readonly kind: 'clock'
      readonly at: string
      readonly clockMs: number
      readonly movedMs: number
    }
  /** Written before a request is sent: without an exchange it may or may not have been counted. */
  | {
      readonly kind: 'sending'
      readonly seq: number
      readonly check: string
      readonly key: string | null
    }
  | { readonly kind: 'result'; readonly at: string; readonly result: CheckResult }
  | { readonly kind: 'note'; readonly text: string }
  /** What the category probe found. */
  | { readonly kind: 'categories'; readonly free: boolean; readonly accepted: readonly string[] }

export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>

/** Writes an entry before the next thing is done. */
export type Journal = (entry: Entry) => void
