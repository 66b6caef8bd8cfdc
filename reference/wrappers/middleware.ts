// Changes to whole responses of the API: their headers, bodies and errors.
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiRequest, type ApiResponse, type Reading, refuse, splitTarget } from '../message.ts'
import { basePath, type OperationId } from '../routes.ts'
import type { Parts, Variant } from '../variant.ts'

export type Change = (response: ApiResponse, request: ApiRequest, parts: Parts) => ApiResponse

/** A change that needs only the response. */
type Rewrite = (response: ApiResponse) => ApiResponse

/** Changes every response of the API; `make` creates the state of each server. */
export const everyResponseBy = (make: (parts: Parts) => Change): Variant => ({
  handle: (honest, parts) => {
    const change = make(parts)
    return async (request) => change(await honest(request), request, parts)
  },
})

/** Changes every response of the API, without state. */
export const everyResponse = (change: Change): Variant => everyResponseBy(() => change)

/** Every request arrives with another method, target, header or body. */
export const receiving = (change: (request: ApiRequest) => Partial<ApiRequest>): Variant => ({
  handle: (honest) => (request) => honest({ ...request, ...change(request) }),
})

/** Delays responses by some milliseconds; `make` creates the state of each server. */
export const delayedBy = (make: () => (response: ApiResponse) => number | undefined): Variant => ({
  handle: (honest) => {
    const delayMs = make()
    return async (request) => {
      const response = await honest(request)
      const ms = delayMs(response)
      if (ms !== undefined) await sleep(ms)
      return response
    }
  },
})

/** Lets other requests go on for some turns of the event loop. */
export const pause = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** The operation that a request names, whether its key is valid or not. */
export const findOperation = ({ method, target }: ApiRequest, parts: Parts) =>
  parts.findRoute(method, splitTarget(target).path).operation

export const isOfPets = ({ target }: ApiRequest): boolean =>
  splitTarget(target).path.startsWith(`${basePath}/pets`)

export const readQuery = ({ target }: ApiRequest): URLSearchParams =>
  new URLSearchParams(splitTarget(target).query)

export const readBody = ({ body }: ApiRequest): string =>
  body === 'too-large' ? '' : body.toString('utf8')

/** What an operation reads of a request that may be refused for it. */
export const readParts = (request: ApiRequest, parts: Parts): Reading<unknown> => {
  const route = parts.findRoute(request.method, splitTarget(request.target).path)
  if (route.operation === undefined) return refuse(404, 'not_found', 'There is nothing there.')
  if (route.operation === 'createPet') return parts.readNewPet(request)
  if (route.operation === 'getPet') return parts.readPetId(route.petId)
  const given = readQuery(request)
  const limit = parts.readLimit(given.getAll('limit'))
  return 'refusal' in limit ? limit : parts.readStatus(given.getAll('status'))
}

export type Test = (response: ApiResponse, request: ApiRequest, parts: Parts) => boolean

/** Changes the responses that pass the test. */
export const where = (test: Test, change: Change): Variant =>
  everyResponse((...given) => (test(...given) ? change(...given) : given[0]))

/** Whether a response is one of the operation. */
export const isOf =
  (operation: OperationId): Test =>
  (_response, request, parts) =>
    findOperation(request, parts) === operation

export const onOperation = (operation: OperationId, change: Change): Variant =>
  where(isOf(operation), change)

export const onStatus = (status: number, change: Change): Variant =>
  where((response) => response.status === status, change)

/** Changes the response to a key that was sent and is not valid. */
export const onInvalidKey = (change: Change): Variant =>
  where(
    (response, { header }) => response.status === 401 && header('authorization') !== undefined,
    change,
  )

/** Changes the responses during a ban. */
export const duringBans = (change: Change): Variant =>
  where(({ body }) => body.includes('"key_banned"'), change)

/** Changes every 4xx and 5xx response. */
export const onErrors = (change: Change): Variant =>
  where((response) => response.status >= 400, change)

export const rateLimitNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

export const withHeaders =
  (more: Record<string, string>): Rewrite =>
  (response) => ({ ...response, headers: { ...response.headers, ...more } })

export const without =
  (...names: string[]): Rewrite =>
  (response) => {
    const left = Object.entries(response.headers).filter(([name]) => !names.includes(name))
    return { ...response, headers: Object.fromEntries(left) }
  }

/** Another status, in the body as well. */
export const withStatus =
  (status: number): Rewrite =>
  (response) => ({
    ...response,
    status,
    body: response.body.replace(/"status":\d+/, `"status":${status}`),
  })

export const withBody =
  (mediaType: string, body: string): Rewrite =>
  (response) =>
    withHeaders({ 'Content-Type': mediaType })({ ...response, body })

/** Another text of the body. */
export const rewritingBody =
  (change: (body: string) => string): Rewrite =>
  (response) => ({ ...response, body: change(response.body) })

export const withoutBody: Rewrite = rewritingBody(() => '')

/** Encodes the body, and names the coding in a header. */
export const inCoding =
  (coding: string, encode: (body: string) => Buffer): Rewrite =>
  (response) => ({
    ...response,
    headers: { ...response.headers, 'Content-Encoding': coding },
    body: encode(response.body).toString('latin1'),
    encoding: 'latin1',
  })

interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly status: number
}

type RewriteError = (error: ErrorBody, request: ApiRequest) => unknown

const rewritten =
  (change: RewriteError): Change =>
  (response, request) => ({
    ...response,
    body: JSON.stringify(change(JSON.parse(response.body) as ErrorBody, request)),
  })

/** Writes the body of every Error in another way. */
export const rewritingErrors = (change: RewriteError): Variant => onErrors(rewritten(change))

/** Writes the body of the Errors with a status in another way. */
export const onError = (status: number, change: RewriteError): Variant =>
  onStatus(status, rewritten(change))

/** An Error instead of the response, with the same headers. */
export const replacedBy =
  (status: number, code: string, message: string): Rewrite =>
  (response) => ({ ...response, status, body: JSON.stringify({ code, message, status }) })

/** Instead of the response, that of a server that failed. */
export const serverError = replacedBy(500, 'internal', 'The service failed.')

/** Writes another time into every Date, and into nothing else. */
export const dated = (make: () => (nowMs: number) => number): Variant =>
  everyResponseBy(({ clock, httpDate }) => {
    const written = make()
    return (response) => withHeaders({ Date: httpDate(written(clock.now())) })(response)
  })

/** Fails at some valid requests, before their operation does anything. */
export const failingAt = (status: 400 | 500, test: (request: ApiRequest) => boolean): Variant => ({
  handle: (honest, parts) => async (request) => {
    if (!test(request) || !findOperation(request, parts)) return honest(request)
    // A list changes nothing, and counts.
    const listed = await honest({ ...request, method: 'GET', target: `${basePath}/pets` })
    return listed.status === 200 ? replacedBy(status, 'failed', 'It failed.')(listed) : listed
  },
})
