// Composes the API from its parts, correct or with one difference.
import { plans } from '../spec/plans.ts'
import { createApi } from './api.ts'
import type { Backing, Parts } from './api-parts.ts'
import { type Decision, untouched } from './limiter.ts'
import { type Handle, writeError } from './message.ts'
import { readNewPet } from './new-pet.ts'
import {
  createPet,
  deprecationHeaders,
  getPet,
  listPets,
  printPet,
  removalAtMs,
} from './operations.ts'
import { findRoute, readLimit, readPetId, readStatus } from './routes.ts'
import type { Variant } from './variant.ts'

export const compose = (backing: Backing, variant: Variant): { handle: Handle; parts: Parts } => {
  const honest = createParts(backing)
  const changed = variant.parts?.(honest) ?? {}
  // Created again from the changed parts, so that all of them use the other limiter or store.
  const parts = { ...createParts({ ...backing, ...changed }), ...changed }
  const handle = createApi(parts)
  return { handle: variant.handle?.(handle, parts) ?? handle, parts }
}

/** The parts of a correct server. */
const createParts = (backing: Backing): Parts => ({
  ...backing,
  authenticate: ({ header }) => backing.keys.find(header('authorization')),
  charge: ({ key, quota }, _request, nowMs) => backing.limiter.take(key, quota, nowMs),
  withoutKey: (nowMs) => untouched(plans.free, nowMs),
  findRoute,
  operations: { listPets, createPet, getPet },
  readLimit,
  readStatus,
  readPetId,
  readNewPet,
  printPet,
  error: writeError,
  rateLimitHeaders,
  retryAfter,
  httpDate: createHttpDate(),
  deprecationHeaders,
  removalAtMs,
})

const rateLimitHeaders = (decision: Decision): Record<string, string> => ({
  'X-RateLimit-Limit': String(decision.limit),
  'X-RateLimit-Remaining': String(decision.remaining),
  'X-RateLimit-Reset': String(Math.ceil(decision.resetAtMs / 1000)),
})

/** Whole seconds, rounded up: a client that waits this long must be served. */
const retryAfter = (waitMs: number): string => String(Math.max(1, Math.ceil(waitMs / 1000)))

/** The text of a `Date` header, formatted once per second. */
const createHttpDate = (): ((nowMs: number) => string) => {
  let second = Number.NaN
  let text = ''
  return (nowMs) => {
    const current = Math.floor(nowMs / 1000)
    if (current !== second) {
      second = current
      text = new Date(nowMs).toUTCString()
    }
    return text
  }
}
