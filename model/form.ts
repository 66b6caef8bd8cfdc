// The body and the status of every response: JSON, pets with their fields, no 5xx.

import { bodyObject, readBody, readCodings } from '../history/body.ts'
import {
  type AnsweredExchange,
  headerValues,
  isAtOwnPath,
  isBelowBase,
  isFromBelow,
  isOpenMethod,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import { isInt64, type JsonObject, printJson } from '../history/json.ts'
import { sentPetsIn } from '../history/known-pets.ts'
import { describeShape } from '../history/value-kinds.ts'
import { checkPet } from '../spec/schemas.ts'
import {
  type Clause,
  clause,
  describeMember,
  describeResponse,
  expectJson,
  short,
  violateAs,
  violateHeader,
  violateStatus,
  wrongShape,
} from './clause.ts'
import { wrongCount } from './compare-pets.ts'
import { isPastRemoval } from './due.ts'
import { statuses } from './read-body.ts'

const hasBody = ({ response, apiRequest }: AnsweredExchange): boolean =>
  apiRequest.method !== 'HEAD' && response.status !== 204 && response.bytes.length > 0

const isJsonAnswer = (exchange: AnsweredExchange): boolean =>
  isAtOwnPath(exchange) && !isOpenMethod(exchange) && !isFromBelow(exchange) && hasBody(exchange)

/** If the header is given twice, both must be the same. */
const mediaTypes = (exchange: AnsweredExchange): string[] =>
  headerValues(exchange, 'Content-Type').map(
    (value) => value.split(';', 1)[0]?.trim().toLowerCase() ?? '',
  )

/** A success that the interface lists for the operation. */
const isListedSuccess = (exchange: AnsweredExchange): boolean => {
  const operation = recognizeOperation(exchange)
  return operation === 'create'
    ? isSuccess(exchange)
    : operation !== undefined && statusCode(exchange) === 200
}

const isList = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'list' && isListedSuccess(exchange)

const hasPets = (exchange: AnsweredExchange): boolean =>
  isListedSuccess(exchange) && sentPetsIn(exchange).length > 0

/** An empty list says nothing about pets; a body that is not a pet does. */
const isFilled = (exchange: AnsweredExchange): boolean =>
  isList(exchange) ? hasPets(exchange) : isListedSuccess(exchange)

const hasStatus = (exchange: AnsweredExchange): boolean =>
  isListedSuccess(exchange) && sentPetsIn(exchange).some((pet) => 'status' in pet)

/** Judges each pet of a success; what is not a pet is judged by the shape of the body. */
const eachPet = (
  exchange: AnsweredExchange,
  judge: (pet: JsonObject, exchange: AnsweredExchange) => void,
): void => {
  for (const pet of sentPetsIn(exchange)) judge(pet, exchange)
}

const judgeFields = (pet: JsonObject, exchange: AnsweredExchange): void => {
  const { status, ...others } = pet
  // The id and the status are requirements of their own.
  const fault = checkPet({ ...others, id: 1n })
  if (fault === undefined) return
  violateAs(wrongShape(fault), 'a Pet with its fields', `${fault.says}: ${brief(pet)}`, exchange)
}

const brief = (pet: JsonObject): string => short(printJson(pet))

const judgeId = (pet: JsonObject, exchange: AnsweredExchange): void => {
  if (isInt64(pet.id)) return
  const wrong = { aspect: 'body', name: 'id', kind: describeShape(pet.id) } as const
  violateAs(wrong, 'an id that is an int64 integer', describeMember(pet, 'id'), exchange)
}

const judgeStatus = (pet: JsonObject, exchange: AnsweredExchange): void => {
  if (!('status' in pet)) return
  if (statuses.some((each) => each === pet.status)) return
  const kind = typeof pet.status === 'string' ? 'no such value' : describeShape(pet.status)
  const wrong = { aspect: 'body', name: 'status', kind } as const
  const expected = `a status of ${statuses.join(', ')}`
  violateAs(wrong, expected, describeMember(pet, 'status'), exchange)
}

const responsesWithBody =
  'Every response with a body at a path of the interface, except to HEAD and OPTIONS'

const unreadBody =
  'no such body was read: each is longer than 1 MiB, nested more than 500 deep, or in an unknown ' +
  'coding (ambiguous)'

const json = [
  clause({
    id: 'body-media-type-json',
    requirement: 'service.json',
    judges: `${responsesWithBody}.`,
    fails:
      'No `Content-Type`, or one that is not `application/json` (parameters and letter case are ' +
      'free); if given twice, each must be.',
    applies: isJsonAnswer,
    judge: (exchange) => {
      const types = mediaTypes(exchange)
      if (types.length > 0 && types.every((type) => type === 'application/json')) return
      const found = headerValues(exchange, 'Content-Type').join(', ') || 'no Content-Type'
      const kind = types.length > 0 ? short(types.join(', ')) : 'missing'
      const wrong = { aspect: 'header', name: 'Content-Type', kind } as const
      const actual = `${found} on a ${statusCode(exchange)}`
      violateAs(wrong, 'Content-Type application/json', actual, exchange)
    },
  }),

  clause({
    id: 'body-coding-identity',
    requirement: 'service.coding',
    judges: `${responsesWithBody}. Each request sends \`Accept-Encoding: identity\`.`,
    fails:
      'A `Content-Encoding` all the same. It is a should: gzip, deflate, br and zstd are ' +
      'decoded, and the body is then judged by the other checks.',
    applies: isJsonAnswer,
    judge: (exchange) => {
      const codings = readCodings(exchange.response.headers)
      if (codings.length === 0) return
      const named = short(codings.join(', '))
      const wrong = { aspect: 'header', name: 'Content-Encoding', kind: named } as const
      const actual = `a body with the coding ${named}`
      violateAs(wrong, 'a body without a coding, as requested', actual, exchange)
    },
  }),

  clause({
    id: 'body-strict-json',
    requirement: 'service.json',
    judges: `${responsesWithBody}.`,
    fails:
      'A body that a strict parser refuses, that is not in the coding it names, that is not ' +
      'UTF-8 or begins with a byte order mark.',
    inconclusive: unreadBody,
    applies: isJsonAnswer,
    judge: (exchange) => {
      expectJson(exchange)
    },
  }),
]

const listedPets = 'Every pet in a 200 or 201 that the interface lists'

const pets = [
  clause({
    id: 'list-body-array',
    requirement: 'pets.array',
    judges: 'Every 200 to a list.',
    fails: 'A body that is not an array of objects.',
    inconclusive: unreadBody,
    applies: isList,
    judge: (exchange) => {
      const body = readBody(exchange)
      const listed = 'value' in body && Array.isArray(body.value) ? body.value : undefined
      if (listed?.length === sentPetsIn(exchange).length) return
      const wrong = { aspect: 'body', kind: 'no array of objects' } as const
      violateAs(wrong, 'an array of Pet objects', describeResponse(exchange), exchange)
    },
  }),

  clause({
    id: 'list-length-most',
    requirement: 'list.limit.maximum',
    judges: 'Every 200 to a list, valid or not.',
    fails: 'More than 100 pets, whatever the limit.',
    applies: isList,
    judge: (exchange) => {
      const { length } = sentPetsIn(exchange)
      if (length > 100) {
        violateAs(wrongCount(length, 100), 'at most 100 pets', `${length} pets`, exchange)
      }
    },
  }),

  clause({
    id: 'pet-fields',
    requirement: 'pet.fields',
    judges: `${listedPets}.`,
    fails:
      'No `name` that is a string, or no `categoryId` that is an int64. Further members are ' +
      'legal.',
    applies: isFilled,
    judge: (exchange) => {
      if (!isList(exchange) && !bodyObject(exchange)) {
        violateAs(
          { aspect: 'body', kind: 'no object' },
          'a Pet',
          describeResponse(exchange),
          exchange,
        )
      }
      eachPet(exchange, judgeFields)
    },
  }),

  clause({
    id: 'pet-id-int64',
    requirement: 'pet.id.present',
    judges: `${listedPets}.`,
    fails: 'No `id`, or one that is not an int64 integer.',
    applies: hasPets,
    judge: (exchange) => eachPet(exchange, judgeId),
  }),

  clause({
    id: 'pet-status-listed',
    requirement: 'pet-status.values',
    judges: `${listedPets} that has a \`status\`.`,
    fails: 'A status that is none of the three, null included.',
    applies: hasStatus,
    judge: (exchange) => eachPet(exchange, judgeStatus),
  }),
]

const expectNo5xx = (exchange: AnsweredExchange, may501: boolean): void => {
  const status = statusCode(exchange)
  if (status < 500 || (status === 501 && may501)) return
  violateStatus('no 5xx response', exchange)
}

export const serverError = clause({
  id: 'answer-no-5xx',
  requirement: 'service.no-server-error',
  judges: 'Every response at a path of the interface, whether the request was valid or not.',
  fails: 'A 5xx; except 501 to a method that the path does not have, or to the removed operation.',
  applies: isAtOwnPath,
  judge: (exchange) => {
    const operation = recognizeOperation(exchange)
    const isRemoved = operation === 'get' && isPastRemoval(exchange)
    expectNo5xx(exchange, isRemoved || operation === undefined)
  },
})

/** The interface says nothing of other addresses, so a 5xx there is only a should. */
const serverErrorElsewhere = clause({
  id: 'answer-no-5xx-elsewhere',
  requirement: 'service.no-server-error-elsewhere',
  judges: 'Every response below the base URL at an address that the interface does not name.',
  fails: 'A 5xx but 501. It is a should: the interface says nothing of such addresses.',
  applies: (exchange) => isBelowBase(exchange) && !isAtOwnPath(exchange),
  judge: (exchange) => expectNo5xx(exchange, true),
})

const allow = clause({
  id: 'method-405-allow',
  requirement: 'service.allow',
  judges: 'Every 405 at a path of the interface.',
  fails: 'No `Allow`, or at `/pets` one without GET and POST. It is a should: HTTP requires it.',
  inconclusive: 'no response was 405 (ambiguous)',
  applies: (exchange) => statusCode(exchange) === 405 && isAtOwnPath(exchange),
  judge: (exchange) => {
    const values = headerValues(exchange, 'Allow')
    const named = values.flatMap((value) => value.split(',')).map((name) => name.trim())
    const wanted = /^\/pets(?:\?|$)/.test(exchange.apiRequest.path) ? ['GET', 'POST'] : []
    if (values.length > 0 && wanted.every((method) => named.includes(method))) return
    const found = values.length > 0 ? `Allow: ${values.join(', ')}` : 'no such header'
    const kind = values.length > 0 ? 'without GET or POST' : 'missing'
    const expected = `Allow${wanted.length > 0 ? ' with GET and POST' : ''}`
    violateHeader('Allow', kind, expected, found, exchange)
  },
})

export const formClauses: readonly Clause[] = [
  ...json,
  ...pets,
  serverError,
  serverErrorElsewhere,
  allow,
]
