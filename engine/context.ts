// What a check is given: a way to ask, what the run knows, and chance with a seed.

import type { TargetClock } from './client/target-clock.ts'
import type { Answered } from './exchange.ts'
import type { Herd } from './herd.ts'
import type { JsonObject } from './json.ts'
import type { Permission } from './permission.ts'
import type { Limits } from './quota/limits.ts'
import type { Forgery } from './redact.ts'
import type { ApiRequest } from './request.ts'

export interface Names {
  /** Begins every name of this run, except where the name itself is under test. */
  readonly mark: string
  /** A new name that begins with the mark. */
  fresh(): string
}

export interface Categories {
  /** Whether any positive int64 may be used, so far as this run has found out. */
  readonly free: boolean
  /** Those that may be used when not free: configured ones, and those that were accepted. */
  readonly known: readonly bigint[]
  readonly configured: readonly bigint[]
  /**
   * One that may be used; of free ones, this run's own number.
   * @throws Untested (category) where none is known to exist.
   */
  readonly any: bigint
  /** Says what the probe found: whether unknown categories are taken, and which of them were. */
  readonly decide: (free: boolean, accepted: readonly bigint[]) => void
}

export interface Context {
  /**
   * Sends one request, after waiting for the quota. Resolves with a whole answer.
   * @throws Untested when blocked or out of budget; NoAnswer when no whole answer comes.
   */
  readonly call: (request: ApiRequest) => Promise<Answered>
  /** Sends requests at the same time, each on a connection of its own. */
  readonly together: (requests: readonly ApiRequest[]) => Promise<readonly Answered[]>
  /**
   * The answer to a sound request of an operation, asked once in a run and then remembered:
   * the control beside which a fault is judged.
   * @throws Untested (blocked) where the sound request was not answered as it should be.
   */
  readonly control: (operation: 'list' | 'create' | 'get') => Promise<Answered>
  /**
   * Runs `judge`; when it finds a Violation while the newest animal of this run is younger than
   * one second, waits out that second (in which it need not be listed) and runs it once more.
   */
  readonly settled: <T>(judge: () => Promise<T>) => Promise<T>
  /** What this run may do to the target. */
  readonly allow: readonly Permission[]
  /** `count` of these, by the seed of the check; all of them where requests are plentiful. */
  readonly sample: <T>(all: readonly T[], count: number) => readonly T[]
  /** Does something once in a run; later calls, of any check, get the same result. */
  readonly once: <T>(name: string, make: () => Promise<T>) => Promise<T>
  /** For the rate-limit suites alone. */
  readonly limits: Limits
  readonly herd: Herd
  readonly names: Names
  readonly categories: Categories
  /** A member-wise sound body: fresh name, usable category, and what is given. */
  readonly newPet: (members?: JsonObject) => JsonObject
  /**
   * A valid key's text, to make invalid ones of; the writer knows what to hide of them.
   * @param label of the key, if not the first one
   */
  readonly forge: (make: Forgery, label?: string) => string
  /** Only for checks that declare `clock`. */
  readonly clock: TargetClock
  /** The published description as a document; only for checks that declare `description`. */
  readonly description: () => Promise<unknown>
  /** The seed of this check: of the run's seed and the check's id. */
  readonly seed: number
}
