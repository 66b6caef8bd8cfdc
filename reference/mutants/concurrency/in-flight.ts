// Faults of state that concurrent requests share: a module variable that is read after an await, a
// result that several requests share, a response that goes to another request; and those that only
// a load shows.

import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, parseJson, printJson } from '../../json.ts'
import { clockWindow, type MakeMeter, type Meter } from '../../limiter.ts'
import type { ApiRequest, ApiResponse, Handle } from '../../message.ts'
import type { OperationId } from '../../routes.ts'
import { each, family, type Parts, type Variant } from '../../variant.ts'
import {
  findOperation,
  pause,
  rateLimitNames,
  replacedBy,
  withHeaders,
} from '../../wrappers/middleware.ts'
import { minutesBy } from '../../wrappers/rate-limiting.ts'

const query = () => pause(60)

type Around = (honest: Handle, parts: Parts) => Handle

/** Keeps the latest request of an operation, and merges it into each one after its query. */
const ofTheLatest =
  (operation: OperationId | 'any', merge: (own: ApiRequest, latest: ApiRequest) => ApiRequest) =>
  (honest: Handle, parts: Parts): Handle => {
    let latest: ApiRequest | undefined
    return async (request) => {
      const isOne = operation === 'any' || findOperation(request, parts) === operation
      if (!isOne || request.body === 'too-large') return honest(request)
      latest = request
      await query()
      return honest(merge(request, latest))
    }
  }

/** Requests that arrive while an equal one is served share its response. */
const onceFor =
  (nameShared: (request: ApiRequest, parts: Parts) => string | undefined): Around =>
  (honest, parts) => {
    const inFlight = new Map<string, Promise<ApiResponse>>()
    return (request) => {
      const name = nameShared(request, parts)
      if (name === undefined) return honest(request)
      const known = inFlight.get(name)
      if (known) return known
      const made = query().then(() => honest(request))
      inFlight.set(name, made)
      return made.finally(() => inFlight.delete(name))
    }
  }

const isValid = (operation: OperationId, request: ApiRequest, parts: Parts) =>
  findOperation(request, parts) === operation && parts.authenticate(request) !== undefined

/** For a moment, each call that finds the old window creates a new counter. */
const madeTwice: MakeMeter = (limit, windowMs) => {
  const momentMs = 4
  let bornMs = 0
  let meter = clockWindow(limit, windowMs)
  const enter = (nowMs: number): Meter => {
    if (Math.floor(bornMs / windowMs) < Math.floor(nowMs / windowMs)) bornMs = nowMs
    if (nowMs < bornMs + momentMs) meter = clockWindow(limit, windowMs)
    return meter
  }
  return { look: (nowMs) => enter(nowMs).look(nowMs), count: (nowMs) => enter(nowMs).count(nowMs) }
}

const handledBy = family((handle: Around): Variant => ({ handle }))

export const inFlightMutants = [
  ...handledBy.each({
    'in-flight-filter-of-the-latest @ response-own-together': [
      'The query of a list is kept in a module variable, which the next request overwrites.',
      ofTheLatest('listPets', (own, { target }) => ({ ...own, target })),
    ],
    'in-flight-body-of-the-latest @ response-own-together': [
      'The body of a creation is kept in a module variable, which the next request overwrites.',
      ofTheLatest('createPet', (own, { body }) => ({ ...own, body })),
    ],
    'in-flight-key-of-the-latest @ response-own-together': [
      'The key is kept in a module variable, which the next request overwrites.',
      ofTheLatest('any', (own, { header }) => ({
        ...own,
        header: (name) => (name === 'authorization' ? header : own.header)(name),
      })),
    ],
    'in-flight-status-of-the-latest-refusal @ response-own-together': [
      'The status code of an error is kept in a variable, which the next error overwrites.',
      (honest) => {
        let status = 0
        return async (request) => {
          const response = await honest(request)
          if (response.status < 400) return response
          status = response.status
          await query()
          return { ...response, status }
        }
      },
    ],
    'in-flight-fetches-mixed-up @ response-own-together': [
      'Concurrent GETs by id are batched, and their results assigned to the wrong requests.',
      (honest, parts) => {
        let batch: { request: ApiRequest; resolve: (response: ApiResponse) => void }[] = []
        const load = async () => {
          const loaded = batch
          batch = []
          for (const [at, { resolve }] of loaded.entries()) {
            resolve(await honest(loaded[(at + 1) % loaded.length]?.request as ApiRequest))
          }
        }
        return (request) => {
          const known = /\/\d+$/.test(request.target)
          if (!isValid('getPet', request, parts) || !known) return honest(request)
          return new Promise((resolve) => {
            batch.push({ request, resolve })
            if (batch.length === 1) void query().then(load)
          })
        }
      },
    ],
    'in-flight-lists-made-once @ response-own-together': [
      'Concurrent lists share one result, whatever their query.',
      onceFor((request, parts) => (isValid('listPets', request, parts) ? 'a list' : undefined)),
    ],
    'in-flight-status-kept-for-others @ response-own-together': [
      'The status of a creation is set on an object that all requests share.',
      ofTheLatest('createPet', (own, latest) => {
        const [members, others] = [own, latest].map(({ body }) => parseJson(String(body))?.value)
        if (!isObject(members) || !isObject(others)) return own
        if (!members.status || !others.status) return own
        return { ...own, body: Buffer.from(printJson({ ...members, status: others.status })) }
      }),
    ],
    'in-flight-headers-of-the-latest @ header-limit-of-plan': [
      'Rate-limit headers are kept in a module variable, which the next request overwrites.',
      (honest) => {
        let latest: ApiResponse['headers'] = {}
        return async (request) => {
          const response = await honest(request)
          latest = response.headers
          await query()
          const limits = rateLimitNames.map((name) => [name, latest[name] ?? ''])
          return withHeaders(Object.fromEntries(limits))(response)
        }
      },
      { suite: 'both' },
    ],
    'in-flight-response-by-path @ list-each-filtered': [
      'Concurrent requests to one path share one response, whatever their key.',
      onceFor((request, parts) =>
        findOperation(request, parts) === 'listPets' ? request.target.split('?')[0] : undefined,
      ),
    ],
    'in-flight-equal-creations-joined @ create-ids-all-distinct': [
      'Equal creations in flight are joined into one.',
      onceFor((request, parts) =>
        isValid('createPet', request, parts) ? String(request.body) : undefined,
      ),
    ],
  }),
]

/** Found by `petvet load`, each by the scenario that claims it. */
export const loadMutants = [
  ...each({
    'load-window-made-twice @ load-edge-not-more': [
      'At the start of a window concurrent calls each reset the counter.',
      minutesBy(madeTwice),
    ],
  }),
  ...handledBy.each({
    'load-collapse @ load-burst-no-5xx': [
      'Above 20 concurrent requests the database pool is empty, and requests get 503.',
      (honest) => {
        let underWay = 0
        return async (request) => {
          underWay += 1
          try {
            // Takes a while, so that concurrent requests overlap.
            await sleep(20)
            const response = await honest(request)
            return underWay <= 20 ? response : replacedBy(503, 'overloaded', 'Too busy.')(response)
          } finally {
            underWay -= 1
          }
        }
      },
    ],
    'load-connection-leak @ load-burst-answered': [
      'Connections are leaked: after 40, no request gets a response.',
      (honest) => {
        const seen = new WeakSet<object>()
        let held = 0
        return (request) => {
          if (!seen.has(request.connection)) held += 1
          seen.add(request.connection)
          return held > 40 ? new Promise(() => {}) : honest(request)
        }
      },
    ],
  }),
]
