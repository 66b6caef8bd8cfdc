// The API as one function from a request to its response: the key first, then the quota, then the
// operation. It is composed of its parts, correct or with one difference.

import { plans } from '../spec/plans.ts'
import type { KeyRecord } from './issued-keys.ts'
import { type Decision, untouched } from './limiter.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type Handle,
  splitTarget,
  writeError,
} from './message.ts'
import {
  createPet,
  deprecationHeaders,
  getPet,
  listPets,
  printPet,
  readNewPet,
  removalAtMs,
} from './operations.ts'
import { findRoute, readLimit, readPetId, readStatus } from './routes.ts'
import type { Backing, Parts, Variant } from './variant.ts'

/** Room for every parameter of the interface, many times over. */
const maxTargetLength = 8_192

const createApi =
  (parts: Parts): Handle =>
  (request) => {
    const nowMs = parts.clock.now()
    const key = parts.authenticate(request)
    if (key === undefined) {
      return complete(unauthorized(parts), parts.withoutKey(nowMs), nowMs, parts)
    }
    const decision = parts.charge(key, request, nowMs)
    const response = decision.granted
      ? respond(request, key, nowMs, parts)
      : limited(decision, nowMs, parts)
    return complete(response, decision, nowMs, parts)
  }

/** The response to a request that is not even HTTP, with the headers of all others. */
export const refuseMalformed = (
  status: number,
  code: string,
  message: string,
  parts: Parts,
): ApiResponse => {
  const nowMs = parts.clock.now()
  return complete(parts.error(status, code, message), parts.withoutKey(nowMs), nowMs, parts)
}

const respond = (request: ApiRequest, key: KeyRecord, nowMs: number, parts: Parts): ApiResponse => {
  if (request.target.length > maxTargetLength) {
    return parts.error(414, 'target_too_long', 'The request target is too long.')
  }
  const { path, query } = splitTarget(request.target)
  const route = parts.findRoute(request.method, path)
  if (route.operation !== undefined) {
    const { operation, petId } = route
    const call = { request, key, query: new URLSearchParams(query), petId, nowMs }
    return parts.operations[operation](call, parts)
  }
  if (route.missing === 'address') {
    return parts.error(404, 'not_found', 'There is nothing at this address.')
  }
  const response = parts.error(405, 'method_not_allowed', 'This address has no such method.')
  return { ...response, headers: { ...response.headers, Allow: route.allow } }
}

/** One text for every invalid key, so that it does not reveal which keys exist. */
const unauthorized = (parts: Parts): ApiResponse => {
  const response = parts.error(401, 'unauthorized', 'A valid API key is required.')
  return { ...response, headers: { ...response.headers, 'WWW-Authenticate': 'Bearer' } }
}

const limited = (decision: Decision, nowMs: number, parts: Parts): ApiResponse => {
  const response = decision.banned
    ? parts.error(429, 'key_banned', 'This key is banned for a while.')
    : parts.error(429, 'rate_limited', 'The rate limit is exceeded.')
  const wait = parts.retryAfter(decision.retryAfterMs ?? 0, nowMs)
  return { ...response, headers: { ...response.headers, 'Retry-After': wait } }
}

const complete = (
  response: ApiResponse,
  decision: Decision,
  nowMs: number,
  parts: Parts,
): ApiResponse => ({
  status: response.status,
  headers: {
    'Content-Type': 'application/json',
    ...parts.rateLimitHeaders(decision),
    Date: parts.httpDate(nowMs),
    ...response.headers,
  },
  body: response.body,
})

export const compose = (backing: Backing, variant: Variant): { handle: Handle; parts: Parts } => {
  const honest = createParts(backing)
  const changed = variant.parts?.(honest) ?? {}
  // Created again from the changed parts, so that all of them use the other limiter or store.
  const parts = { ...createParts({ ...backing, ...changed }), ...changed }
  const handle = createApi(parts)
  return { handle: variant.handle?.(handle, parts) ?? handle, parts }
}

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
  httpDate: (nowMs) => new Date(nowMs).toUTCString(),
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
