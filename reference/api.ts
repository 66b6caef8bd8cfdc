// The API as one function from a request to its response: the key first, then the quota, then the
// operation.
import type { ErrorCode } from './errors.ts'
import type { KeyRecord } from './keys.ts'
import type { Decision } from './limiter.ts'
import { type ApiRequest, type ApiResponse, type Handle, splitTarget } from './message.ts'
import type { Parts } from './parts.ts'

/** Room for every parameter there is, many times over. */
const longestTarget = 8_192

const noQuery = new URLSearchParams()

export const createApi =
  (parts: Parts): Handle =>
  (request) => {
    const nowMs = parts.clock.now()
    const key = parts.authenticate(request)
    if (key === undefined)
      return complete(unauthorized(parts), parts.withoutKey(nowMs), nowMs, parts)
    if (parts.counters === undefined) {
      return answerCharged(request, key, parts.charge(key, request, nowMs), nowMs, parts)
    }
    return parts.counters
      .take(key.key, key.quota, nowMs)
      .then((decision) => answerCharged(request, key, decision, nowMs, parts))
  }

const answerCharged = (
  request: ApiRequest,
  key: KeyRecord,
  decision: Decision,
  nowMs: number,
  parts: Parts,
): ApiResponse => {
  const answer = decision.granted
    ? answerOf(request, key, nowMs, parts)
    : refusedAnswer(decision, nowMs, parts)
  return complete(answer, decision, nowMs, parts)
}

/** A request that is not even HTTP is answered below the API, but with the same headers. */
export const refuseMalformed = (
  status: number,
  code: ErrorCode,
  message: string,
  parts: Parts,
): ApiResponse => {
  const nowMs = parts.clock.now()
  return complete(parts.error(status, code, message), parts.withoutKey(nowMs), nowMs, parts)
}

const answerOf = (
  request: ApiRequest,
  key: KeyRecord,
  nowMs: number,
  parts: Parts,
): ApiResponse => {
  if (request.target.length > longestTarget) {
    return parts.error(414, 'target_too_long', 'The request target is too long.')
  }
  const { path, query } = splitTarget(request.target)
  const route = parts.findRoute(request.method, path)
  if (route.operation !== undefined) {
    const parameters = query === '' ? noQuery : new URLSearchParams(query)
    const call = { request, key, query: parameters, petId: route.petId, nowMs }
    return parts.operations[route.operation](call, parts)
  }
  if (route.missing === 'address') {
    return parts.error(404, 'not_found', 'There is nothing at this address.')
  }
  const answer = parts.error(405, 'method_not_allowed', 'This address has no such method.')
  return { ...answer, headers: { ...answer.headers, Allow: route.allow } }
}

/** One text for every key that is not valid, so that nothing is said about which ones are. */
const unauthorized = (parts: Parts): ApiResponse => {
  const answer = parts.error(401, 'unauthorized', 'A valid API key is required.')
  return { ...answer, headers: { ...answer.headers, 'WWW-Authenticate': 'Bearer' } }
}

const refusedAnswer = (decision: Decision, nowMs: number, parts: Parts): ApiResponse => {
  const answer = refusalOf(decision, parts)
  const wait = parts.retryAfter(decision.retryAfterMs ?? 0, nowMs)
  return { ...answer, headers: { ...answer.headers, 'Retry-After': wait } }
}

const refusalOf = ({ uncounted, banned }: Decision, parts: Parts): ApiResponse => {
  if (uncounted) return parts.error(503, 'unavailable', 'Calls cannot be counted at the moment.')
  if (banned) return parts.error(429, 'key_banned', 'This key is banned for a while.')
  return parts.error(429, 'rate_limited', 'The rate limit is exceeded.')
}

const complete = (
  answer: ApiResponse,
  decision: Decision,
  nowMs: number,
  parts: Parts,
): ApiResponse => ({
  status: answer.status,
  headers: {
    'Content-Type': 'application/json',
    ...parts.rateLimitHeaders(decision),
    Date: parts.httpDate(nowMs),
    ...answer.headers,
  },
  body: answer.body,
})
