// Puts the API together, honest or with one difference laid over its seams.
import { createApi } from './api.ts'
import type { Handle } from './message.ts'
import type { Backing, Parts } from './parts.ts'
import { createParts } from './sound-parts.ts'

/** A difference from the honest API: other parts, a function around the whole, and the like. */
export interface Variant {
  parts?: (honest: Parts) => Partial<Parts>
  handle?: (honest: Handle, parts: Parts) => Handle
  /** Another published description, made of a copy of the OpenAPI document. */
  description?: (honest: object) => object
  /** The path of the base address, where it is not the usual one. */
  basePath?: string
}

export const compose = (backing: Backing, variant: Variant): { handle: Handle; parts: Parts } => {
  const honest = createParts(backing)
  const changed = variant.parts?.(honest) ?? {}
  // Built again over what changed, so that another limiter or store reaches the parts that use it.
  const parts = { ...createParts({ ...backing, ...changed }), ...changed }
  const handle = createApi(parts)
  return { handle: variant.handle?.(handle, parts) ?? handle, parts }
}
