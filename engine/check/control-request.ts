// Requests that checks share: the control requests, each sent once in a run.

import { isDeepStrictEqual } from 'node:util'
import { isSuch } from '../../history/body.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  controlId,
  recognizeOperation,
  statusCode,
} from '../../history/exchange.ts'
import { isObject, type JsonObject } from '../../history/json.ts'
import { type KnownPets, listedWithinMs, requestedId } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import { describeResponse } from '../../model/clause.ts'
import type { Context, Pace } from './context.ts'
import { createPet, expectAllRead, fetchKnown, findCreated, listPets } from './requests.ts'
import { missingPermission } from './spendable-keys.ts'

/**
 * A program may have sent what a row is about: what was refused for its content is not sent again.
 * Lists show more than their status, and a pet may have got its id since.
 */
export const refusedBefore = (
  history: Context['history'],
  request: ApiRequest,
): AnsweredExchange | undefined => {
  if (request.insists || recognizeOperation({ apiRequest: request }) === 'list') return undefined
  return history.exchanges.find(
    (one) =>
      one.apiRequest.path === request.path &&
      one.apiRequest.body?.length === request.body?.length &&
      [400, 404].includes(statusCode(one)) &&
      one.key !== null &&
      !history.knownPets.seen.has(requestedId(one) ?? 0n) &&
      isDeepStrictEqual(one.apiRequest, request),
  )
}

/** Waits until the newest pet of this run must be listed. */
export const createAged =
  (knownPets: KnownPets, pace: Pace): Context['aged'] =>
  async () => {
    const newest = knownPets.creations.at(-1)
    if (!newest) return
    const leftMs = newest.exchange.receivedMs + listedWithinMs - pace.now() + pace.movedMs()
    if (leftMs > 0) await pace.sleep(leftMs)
  }

type Parts = Pick<Context, 'call' | 'newPet' | 'history' | 'knownPets' | 'allow'> & {
  /** Adds members to every valid body from now on. */
  readonly demand: (members: JsonObject) => void
}

/** An optional member that a target may wrongly demand: its own check reports that. */
const optional = { status: 'available' } as const

export const isValidList = (exchange: AnsweredExchange): boolean => isSuch(exchange, Array.isArray)

const isCreated = (exchange: AnsweredExchange): boolean =>
  isSuch(exchange, (value) => isObject(value) && typeof value.id === 'bigint')

/** The valid request got a wrong response; it would again. */
class ControlFailed extends Untested {}

const unless = (
  isRight: boolean,
  expected: string,
  exchange: AnsweredExchange,
): AnsweredExchange => {
  if (isRight) return exchange
  const { method, path } = exchange.apiRequest
  const request = `setup request ${method} ${path}`
  const message = `${request} returned ${describeResponse(exchange)}, expected ${expected}`
  throw new ControlFailed('blocked', message, [exchange])
}

/** The control's fetch of a pet; in a resumed run it may be a recorded one. */
export const fetchIn = (trace: readonly AnsweredExchange[]): AnsweredExchange | undefined =>
  trace.find(
    (one) =>
      one.check === controlId &&
      one.apiRequest.path.startsWith('/pets/') &&
      statusCode(one) === 200,
  )

/** One valid request of each operation, sent once in a run and then remembered. */
export const createControls = (parts: Parts): Context['control'] => {
  const sent = new Map<string, Promise<AnsweredExchange>>()
  /** A connection that keeps a refusal is another fault. */
  const call: Context['call'] = async (request) => {
    const first = await parts.call(request)
    return statusCode(first) === 401 ? parts.call({ ...request, fresh: true }) : first
  }

  const ask = {
    list: async () => {
      const first = parts.history.exchanges.find((one) => one.key !== null && isValidList(one))
      const exchange = first ?? (await call(listPets({})))
      return unless(isValidList(exchange), 'a success with a list', exchange)
    },
    create: async () => {
      const missing = missingPermission(['write'], parts.allow)
      if (missing) throw missing
      const create = (members?: JsonObject) => call(createPet(parts.newPet(members)))
      const exchange = await create()
      if (!isCreated(exchange) && [400, 422].includes(statusCode(exchange))) {
        const fuller = await create(optional)
        if (isCreated(fuller)) {
          parts.demand(optional)
          return fuller
        }
      }
      const isUsable = isCreated(exchange) || (await findCreated(parts, exchange)) !== undefined
      return unless(isUsable, 'a success with a pet that has an id or is listed', exchange)
    },
    get: async () => {
      const recorded = fetchIn(parts.history.exchanges)
      if (recorded) return recorded
      if (parts.knownPets.someId() === undefined) await control('list')
      if (parts.knownPets.someId() === undefined) await control('create')
      const id = parts.knownPets.someId()
      if (id === undefined) {
        expectAllRead(parts.knownPets)
        throw new Untested('blocked', 'no response shows a pet with an id')
      }
      const exchange = await fetchKnown({ ...parts, call }, id)
      return unless(statusCode(exchange) === 200, '200', exchange)
    },
  }

  const control = (operation: keyof typeof ask): Promise<AnsweredExchange> => {
    const known = sent.get(operation)
    if (known) return known
    const exchange = ask[operation]()
    sent.set(operation, exchange)
    exchange.catch((error) => {
      if (!(error instanceof ControlFailed)) sent.delete(operation)
    })
    return exchange
  }
  return control
}
