// What the API is put together from. Each part is a seam: a fault, or another legal design, is a
// few lines over one of them.

import { plans } from '../spec/plans.ts'
import type { Clock } from './clock.ts'
import type { Reading, WriteError } from './errors.ts'
import { writeError } from './errors.ts'
import { createHttpDate, rateLimitHeaders, retryAfter } from './headers.ts'
import type { KeyRecord, Keys } from './keys.ts'
import { type Decision, type Limiter, type SharedCounters, untouched } from './limiter.ts'
import type { ApiRequest } from './message.ts'
import { readNewPet } from './new-pet.ts'
import {
  createPet,
  deprecationHeaders,
  getPet,
  listPets,
  type Operation,
  printPet,
  removalAtMs,
} from './operations.ts'
import { readLimit, readPetId, readStatus } from './parameters.ts'
import { type FindRoute, findRoute, type OperationId } from './routes.ts'
import type { NewPet, Pet, PetStatus, Store } from './store.ts'

/** What stands behind the API and outlives a request. */
export interface Backing {
  clock: Clock
  keys: Keys
  limiter: Limiter
  /** Where calls are counted instead, if several replicas count together. */
  counters?: SharedCounters
  store: Store
}

export interface Parts extends Backing {
  /** The key that the request carries, if it is one that was issued. */
  authenticate: (request: ApiRequest) => KeyRecord | undefined
  /** Charges the request to its key. */
  charge: (key: KeyRecord, request: ApiRequest, nowMs: number) => Decision
  /** What the headers say to a caller without a key. */
  withoutKey: (nowMs: number) => Decision
  findRoute: FindRoute
  operations: Record<OperationId, Operation>
  readLimit: (values: readonly string[]) => Reading<number>
  readStatus: (values: readonly string[]) => Reading<PetStatus | undefined>
  readPetId: (text: string) => Reading<bigint>
  readNewPet: (request: ApiRequest) => Reading<NewPet>
  printPet: (pet: Pet) => string
  error: WriteError
  rateLimitHeaders: (decision: Decision) => Record<string, string>
  /** The value of `Retry-After` for a wait that ends at `nowMs + waitMs`. */
  retryAfter: (waitMs: number, nowMs: number) => string
  httpDate: (nowMs: number) => string
  deprecationHeaders: (removalAtMs: number) => Record<string, string>
  removalAtMs: number
}

export const createParts = (backing: Backing): Parts => ({
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
