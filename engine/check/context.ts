// What a check is given while it runs: how to send requests, the pets that are known, categories,
// key limits, the test clock.

import type { AnsweredExchange, ApiRequest, Operation } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import type { JsonObject } from '../../history/json.ts'
import type { KnownPets } from '../../history/known-pets.ts'
import type { Categories, Names } from '../../history/naming.ts'
import type { Finding } from '../../model/judge.ts'
import type { Plan, Quota } from '../../spec/plans.ts'
import type { KeyHandle } from './key-handle.ts'

export const permissions = ['write', 'exhaust', 'ban', 'day', 'expose'] as const
export type Permission = (typeof permissions)[number]

/** What is peculiar about a valid request, by the part of it that it concerns. */
export type Parts = Readonly<Record<string, unknown>>

/** One value of a row, to be sent with values of others. */
export interface Piece {
  /** The row. */
  readonly id: string
  readonly words: string
  readonly parts: Parts
  /** That of the row. */
  readonly context: Context
}

export interface Context {
  /**
   * Sends one request, after waiting for the quota. Resolves with a complete response.
   * @throws Untested when blocked or out of budget; NoResponseError without a complete response.
   */
  readonly call: (request: ApiRequest) => Promise<AnsweredExchange>
  /** Likewise what only prepares: a wrong response to it is no result of the check. */
  readonly prepare: (request: ApiRequest) => Promise<AnsweredExchange>
  /** Sends requests at the same time, each on a connection of its own. */
  readonly together: (requests: readonly ApiRequest[]) => Promise<readonly AnsweredExchange[]>
  /**
   * The response to a valid request of an operation, sent once in a run and then remembered:
   * the control with which a faulty request is compared.
   * @throws Untested (blocked) if the valid request got a wrong response.
   */
  readonly control: (operation: 'list' | 'create' | 'get') => Promise<AnsweredExchange>
  /**
   * What a response violates, once what else may explain it was asked for.
   * @throws Untested where the status may still be explained
   */
  readonly judged: (response: AnsweredExchange) => Promise<readonly Finding[]>
  /**
   * Values of rows that were not sent yet, for so many creations of a program.
   * @param taken parts of which they have none
   */
  readonly packsFor: (count: number, taken: readonly string[]) => readonly (readonly Piece[])[]
  /** Packs of what was served before, at most so many, to be sent once more. */
  readonly packsAgain: (operation: Operation, count: number) => readonly (readonly Piece[])[]
  /** Where this request gets this status, the values in it pass. @returns the request */
  readonly carrying: (pieces: readonly Piece[], request: ApiRequest, status: number) => ApiRequest
  /** Waits until the newest pet of this run must be listed. */
  readonly aged: () => Promise<void>
  /** Whether a response lacks only what need not be listed yet. */
  readonly isLate: (response: AnsweredExchange) => boolean
  readonly allow: readonly Permission[]
  /** Only for the rate-limit suites. */
  readonly limits: Limits
  /** What was sent and received so far, by which responses are judged. */
  readonly history: History
  readonly knownPets: KnownPets
  readonly names: Names
  readonly categories: Categories
  /** A body that is valid member by member: fresh name, usable category, and these members. */
  readonly newPet: (members?: JsonObject) => JsonObject
  /** Derives a text from a key, by default the first one; reports will hide it. */
  readonly forge: (make: Forgery, label?: string) => string
  /** Only for checks that declare `clock`. */
  readonly clock: TargetClock
  /** The published description as a document; only for checks that declare `description`. */
  readonly description: () => Promise<unknown>
  readonly seed: number
  /** The seed of something that several checks share. */
  readonly seedOf: (name: string) => number
  /** How many requests the walks of this run take together: 0 without a test clock. */
  readonly walk: number
}

export interface LimitKey {
  readonly label: string
  readonly plan: Plan
  readonly quota: Quota
}

export interface Limits {
  /** The keys that may be exhausted; the one for bans is not among them. */
  readonly keys: readonly KeyHandle[]
  /** The one key that may be banned, where there is one to spare. */
  readonly banKey: KeyHandle | undefined
  /** Whether the test clock moves time: then no other client sends anything meanwhile. */
  readonly instant: boolean
  readonly pass: (ms: number) => Promise<void>
  /** Lets real time pass: other clients may use the key meanwhile. */
  readonly passRealTime: (ms: number) => Promise<void>
}

/** The target's test clock (rulings, "The test clock"). */
export interface TargetClock {
  /** Unix milliseconds at the target. */
  now(): Promise<number>
  advance(ms: number): Promise<number>
}

/** Time as it passes at the target: real time, or moves of its test clock. */
export interface Pace {
  /** Milliseconds, monotonic; moves of the target's clock are added. */
  readonly now: () => number
  /** Lets time pass at the target: moves its clock if it has one, else waits. */
  readonly pass: (ms: number) => Promise<void>
  readonly sleep: (ms: number) => Promise<void>
  /** Whether `pass` costs no real time. */
  readonly instant: boolean
  readonly moved: (ms: number) => void
  readonly movedMs: () => number
}

/** How a text is derived from a valid key, and how a shell derives it from `$PETVET_KEY`. */
export interface Forgery {
  readonly of: (key: string) => string
  readonly shell: string
}
