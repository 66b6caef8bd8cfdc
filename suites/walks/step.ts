// The steps of a walk, and what they build on.

import type { Context } from '../../engine/check/context.ts'
import type { ApiRequest } from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'

/** What a step builds on: what the run knows, and what this walk did before. */
export interface Scene {
  readonly context: Context
  /** The pets that this walk created, in order. */
  readonly created: readonly bigint[]
  /** The latest valid body that it sent. */
  readonly lastBody: JsonObject | undefined
  /** The latest request that it sent with a key. */
  readonly lastKeyed: ApiRequest | undefined
}

/** Makes a request from what is known by then; undefined: it cannot be sent. */
export type MakeRequest = (scene: Scene) => ApiRequest | undefined

export type Step =
  /** So many, chosen and sent at the same time. */
  | { readonly kind: 'draw'; readonly size: number }
  | { readonly kind: 'send'; readonly make: MakeRequest }
  /** Late: also past the removal. */
  | { readonly kind: 'move'; readonly ms: number; readonly isLate?: true }
