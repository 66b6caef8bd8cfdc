// What a variant of the API is, and how variants are made and combined.
import type { Parts } from './api-parts.ts'
import type { Handle } from './message.ts'

/**
 * A difference from the reference: other parts, a wrapper around the API, or another description.
 */
export interface Variant {
  parts?: (honest: Parts) => Partial<Parts>
  handle?: (honest: Handle, parts: Parts) => Handle
  /** Another published description, made of a copy of the OpenAPI document. */
  description?: (honest: object) => object
  /** The path of the base address, if it is not `/v1`. */
  basePath?: string
}

type Functions = {
  [Name in keyof Parts as Parts[Name] extends (...given: never[]) => unknown
    ? Name
    : never]: Parts[Name]
}

/** Another function for one part; it is also given the parts of the reference. */
export const replacing = <Name extends keyof Functions>(
  name: Name,
  by: (honest: Parts, ...given: Parameters<Functions[Name]>) => ReturnType<Functions[Name]>,
): Variant => ({
  parts: (honest) => ({
    [name]: (...given: Parameters<Functions[Name]>) => by(honest, ...given),
  }),
})

/** Made for each server, so that servers do not share state. */
export const perServer = (make: () => Variant): Variant => ({
  parts: (honest) => make().parts?.(honest) ?? {},
})

/** Several variants in one server, applied one after the other. */
export const together = (...variants: readonly Variant[]): Variant => ({
  parts: (honest) => {
    let changed: Partial<Parts> = {}
    for (const { parts } of variants)
      changed = { ...changed, ...parts?.({ ...honest, ...changed }) }
    return changed
  },
  handle: (honest, parts) =>
    variants.reduce((inner, { handle }) => handle?.(inner, parts) ?? inner, honest),
})
