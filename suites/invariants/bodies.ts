// The body and the status of every answer: JSON, animals with their fields, no 5xx.

import { bodyObject, readBody } from '../../engine/body.ts'
import type { Invariant } from '../../engine/check.ts'
import { invariant } from '../../engine/check.ts'
import type { Answered } from '../../engine/exchange.ts'
import { headerValues, statusOf } from '../../engine/exchange.ts'
import { expectJson, short, told, violate } from '../../engine/expect.ts'
import { petsIn } from '../../engine/herd.ts'
import type { JsonObject } from '../../engine/json.ts'
import { isInt64, printJson } from '../../engine/json.ts'
import { codingsOf } from '../../engine/wire/decode-body.ts'
import { checkPet } from '../../spec/schemas.ts'
import {
  isAtOwnPath,
  isBelowBase,
  isFromBelow,
  isOpenMethod,
  isPastRemoval,
  operationOf,
} from '../answers.ts'

const hasBody = ({ response, asked }: Answered): boolean =>
  asked.method !== 'HEAD' && response.status !== 204 && response.bytes.length > 0

const isJsonAnswer = (exchange: Answered): boolean =>
  isAtOwnPath(exchange) && !isOpenMethod(exchange) && !isFromBelow(exchange) && hasBody(exchange)

/** One that is given twice has to be the same each time, or nobody knows what the body is. */
const mediaTypes = (exchange: Answered): string[] =>
  headerValues(exchange, 'Content-Type').map(
    (value) => value.split(';', 1)[0]?.trim().toLowerCase() ?? '',
  )

const successOf = { list: 200, create: 201, get: 200 } as const

/** A success that the interface lists for the operation. */
const isListedSuccess = (exchange: Answered): boolean => {
  const operation = operationOf(exchange)
  return operation !== undefined && statusOf(exchange) === successOf[operation]
}

const isList = (exchange: Answered): boolean =>
  operationOf(exchange) === 'list' && isListedSuccess(exchange)

const hasPets = (exchange: Answered): boolean =>
  isListedSuccess(exchange) && petsIn(exchange).length > 0

/** An empty list says nothing about animals; a body that is no animal at all does. */
const isFilled = (exchange: Answered): boolean =>
  isList(exchange) ? hasPets(exchange) : isListedSuccess(exchange)

const hasStatus = (exchange: Answered): boolean =>
  isListedSuccess(exchange) && petsIn(exchange).some((pet) => 'status' in pet)

/** The animals of a success; what is no animal at all is judged by the shape of the body. */
const eachPet =
  (judge: (pet: JsonObject, exchange: Answered) => void): Invariant['holds'] =>
  (exchange) => {
    for (const pet of petsIn(exchange)) judge(pet, exchange)
  }

const judgeFields = (pet: JsonObject, exchange: Answered): void => {
  const { status, ...others } = pet
  // The id and the status are sentences of their own.
  const fault = checkPet({ ...others, id: 1n })
  if (fault !== undefined) violate('a Pet with its fields', `${fault}: ${brief(pet)}`, exchange)
}

const brief = (pet: JsonObject): string => short(printJson(pet))

const judgeId = (pet: JsonObject, exchange: Answered): void => {
  if (!isInt64(pet.id)) violate('an id that is an int64 integer', brief(pet), exchange)
}

const values = ['available', 'pending', 'sold']

const judgeStatus = (pet: JsonObject, exchange: Answered): void => {
  if (!('status' in pet)) return
  if (typeof pet.status === 'string' && values.includes(pet.status)) return
  violate(`a status of ${values.join(', ')}`, brief(pet), exchange)
}

const json = [
  invariant('body-media-type-json', 'service.json', isJsonAnswer, (exchange) => {
    const types = mediaTypes(exchange)
    if (types.length > 0 && types.every((type) => type === 'application/json')) return
    const found = headerValues(exchange, 'Content-Type').join(', ') || 'no Content-Type'
    violate('Content-Type application/json', `${found} on a ${statusOf(exchange)}`, exchange)
  }),

  invariant('body-coding-identity', 'service.coding', isJsonAnswer, (exchange) => {
    const codings = codingsOf(exchange.response.headers)
    if (codings.length === 0) return
    const named = short(codings.join(', '))
    violate('a body without a coding, as it was asked for', `the coding ${named}`, exchange)
  }),

  invariant('body-strict-json', 'service.json', isJsonAnswer, (exchange) => {
    expectJson(exchange)
  }),
]

const animals = [
  invariant('list-body-array', 'pets.array', isList, (exchange) => {
    const body = readBody(exchange)
    if (
      'value' in body &&
      Array.isArray(body.value) &&
      body.value.length === petsIn(exchange).length
    )
      return
    violate('an array of Pet objects', told(exchange), exchange)
  }),

  invariant('list-length-most', 'list.limit.maximum', isList, (exchange) => {
    const { length } = petsIn(exchange)
    if (length > 100) violate('at most 100 animals', `${length} animals`, exchange)
  }),

  invariant('pet-fields', 'pet.fields', isFilled, (exchange, trace) => {
    if (!isList(exchange) && !bodyObject(exchange)) {
      violate('a Pet', told(exchange), exchange)
    }
    eachPet(judgeFields)(exchange, trace)
  }),

  invariant('pet-id-int64', 'pet.id.present', hasPets, eachPet(judgeId)),

  invariant('pet-status-listed', 'pet-status.values', hasStatus, eachPet(judgeStatus)),

  invariant('pet-state-known', 'states.values', hasStatus, eachPet(judgeStatus)),
]

const isUnknownMethod = (exchange: Answered): boolean => operationOf(exchange) === undefined

const serverError = invariant(
  'answer-no-5xx',
  'service.no-server-error',
  isAtOwnPath,
  (exchange) => {
    const status = statusOf(exchange)
    if (status < 500) return
    const removed = operationOf(exchange) === 'get' && isPastRemoval(exchange)
    if (status === 501 && (removed || isUnknownMethod(exchange))) return
    violate('no 5xx answer', told(exchange), exchange)
  },
)

/** Where the interface has no address a service may fail without breaking it. */
const serverErrorElsewhere = invariant(
  'answer-no-5xx-elsewhere',
  'service.no-server-error-elsewhere',
  (exchange) => isBelowBase(exchange) && !isAtOwnPath(exchange),
  (exchange) => {
    const status = statusOf(exchange)
    if (status >= 500 && status !== 501) violate('no 5xx answer', told(exchange), exchange)
  },
)

export const bodies = [...json, ...animals, serverError, serverErrorElsewhere]
