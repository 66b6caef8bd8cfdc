// The parts of a server without a fault.
import { plans } from '../spec/plans.ts'
import { writeError } from './errors.ts'
import { createHttpDate, rateLimitHeaders, retryAfter } from './headers.ts'
import { untouched } from './limiter.ts'
import { readNewPet } from './new-pet.ts'
import {
  createPet,
  deprecationHeaders,
  getPet,
  listPets,
  printPet,
  removalAtMs,
} from './operations.ts'
import { readLimit, readPetId, readStatus } from './parameters.ts'
import type { Backing, Parts } from './parts.ts'
import { findRoute } from './routes.ts'

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
