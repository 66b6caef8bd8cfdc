// The built-in reference as a target: on a port of its own, with a test clock, and made-up keys.

import { permissions } from '../engine/permission.ts'
import type { KeyOption } from '../engine/run-options.ts'
import { direct } from '../engine/wire/reach.ts'
import { startReference } from '../reference/start.ts'
import { keyOptions } from './keys.ts'
import { madeUpKeys } from './run-serve.ts'
import type { Target } from './target.ts'

export interface BuiltIn {
  readonly target: Target
  /** How many requests have reached it, where it tells. */
  readonly received: (() => number) | null
  readonly close: () => Promise<void>
}

/** What a target has that needs no more than an address. */
export const plainTarget = {
  clockUrl: null,
  categories: [],
  descriptionUrl: null,
  shared: false,
  headers: [],
  secrets: [],
  reach: direct,
} as const

export const startBuiltIn = (): Promise<BuiltIn> => startReferenceWith(keyOptions(madeUpKeys(), {}))

export const startReferenceWith = async (keys: readonly KeyOption[]): Promise<BuiltIn> => {
  const { url, clockUrl, descriptionUrl, received, close } = await startReference({
    keys: keys.map(({ plan, key, quota }) => ({ plan, key, ...quota })),
    store: 'memory',
    port: 0,
    clockPort: 0,
    onFault: (fault) => console.error('petvet: a fault of the reference:', fault),
  })
  const target = {
    ...plainTarget,
    baseUrl: url,
    clockUrl: clockUrl ?? null,
    descriptionUrl,
    keys,
    allow: permissions,
  }
  return { target, received: received ?? null, close }
}
