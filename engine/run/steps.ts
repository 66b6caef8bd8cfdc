// What a walk is made of: requests that build on what happened before, and moves of the clock.

import type { ApiRequest } from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'
import type { Context } from '../check/context.ts'

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
  | { readonly kind: 'send'; readonly requests: readonly MakeRequest[] }
  /** Afterwards the store is listed by each status, unless it is bare. */
  | { readonly kind: 'move'; readonly ms: number; readonly isBare?: true }
