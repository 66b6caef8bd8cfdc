// The body and the status of every response: JSON, pets with their fields, no 5xx. A list is an
// array of pets, and each has its members.

import { bodyObject, readBody, readCodings } from '../history/body.ts'
import {
  type AnsweredExchange,
  headerValues,
  isAtOwnPath,
  isBelowBase,
  isOpenMethod,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { isInt64, isObject, type JsonObject } from '../history/json.ts'
import { sentPetsIn } from '../history/known-pets.ts'
import { Untested } from '../history/outcome.ts'
import { upTo499 } from '../history/statuses.ts'
import { text } from '../history/text.ts'
import { describeShape } from '../history/value-kinds.ts'
import { checkPet } from '../spec/schemas.ts'
import {
  type Clause,
  clause,
  describeMember,
  expectJson,
  short,
  shownValue,
  violate,
  violateAs,
  violateField,
  violateStatus,
  wrongBody,
  wrongShape,
} from './clause.ts'
import { isPastRemoval } from './due.ts'
import { isFromBelow } from './from-below.ts'
import { asksForAnotherForm } from './read.ts'
import { statuses } from './read-body.ts'

/** Whether a whole body came: a 206 is what was asked for by Range, which is open (ruling 1). */
const hasBody = ({ response, apiRequest }: AnsweredExchange): boolean =>
  apiRequest.method !== 'HEAD' && ![204, 206].includes(response.status) && response.bytes.length > 0

const isJsonAnswer = (exchange: AnsweredExchange): boolean =>
  isAtOwnPath(exchange) && !isOpenMethod(exchange) && !isFromBelow(exchange) && hasBody(exchange)

/** A browser asks for other codings. */
const wantsPlain = ({ request }: AnsweredExchange): boolean =>
  request.headers.some(([name, value]) => /^accept-encoding$/i.test(name) && value === 'identity')

const responsesWithBody =
  'Every response with a body at a path of the interface, except to HEAD and OPTIONS'

const expectNo5xx = (exchange: AnsweredExchange, may501: boolean): void => {
  const status = statusCode(exchange)
  if (status < 500 || (status === 501 && may501)) return
  violateStatus({ statuses: [upTo499] }, exchange)
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

const unreadBody =
  'no such body was read: each is longer than 1 MiB, nested more than 500 deep, or in an unknown ' +
  'coding (blocked)'

/** A success that the interface lists for the operation. */
const isListedSuccess = (exchange: AnsweredExchange): boolean => {
  const operation = recognizeOperation(exchange)
  if (asksForAnotherForm(exchange)) return false
  return operation === 'create'
    ? isSuccess(exchange)
    : operation !== undefined && statusCode(exchange) === 200
}

const isList = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'list' && isListedSuccess(exchange)

const hasPets = (exchange: AnsweredExchange): boolean =>
  isListedSuccess(exchange) && sentPetsIn(exchange).length > 0

/** An empty list says nothing about pets; a body that is not a pet does. */
const isFilled = (one: AnsweredExchange): boolean => (isList(one) ? hasPets : isListedSuccess)(one)

const hasStatus = (exchange: AnsweredExchange): boolean =>
  isListedSuccess(exchange) && sentPetsIn(exchange).some((pet) => 'status' in pet)

/** Whether an earlier run left a pet: the server may have been fixed since then. */
const isOfEarlierRun = ({ name }: JsonObject, { names }: History): boolean =>
  typeof name === 'string' && name.startsWith('petvet-') && !name.startsWith(names.mark)

/** A clause about each pet of a success. */
interface OfPets extends Omit<Parameters<typeof clause>[0], 'judge'> {
  /** What of a pet is judged; the rest is as it has to be. */
  readonly view: (pet: JsonObject) => JsonObject
  readonly expected: string
  /** What is found in a pet, if that is not the fault. */
  readonly says?: (pet: JsonObject) => string
}

/**
 * The creation of a wrong pet is shown too, where it is one of this run. Where only a pet of an
 * earlier run is wrong, that is ambiguous.
 */
const clauseOfPets = ({ view, expected, says, ...declared }: OfPets): Clause => {
  const judge = (exchange: AnsweredExchange, history: History): void => {
    if (!isList(exchange) && !bodyObject(exchange)) {
      const { wrong, actual } = wrongBody(exchange)
      violateAs({ ...wrong, kind: 'no object' }, 'a Pet', actual, exchange)
    }
    const faulty = sentPetsIn(exchange).flatMap((pet) => {
      const fault = checkPet(view(pet))
      if (!fault) return []
      const actual = says?.(pet) ?? `${fault.says}: ${shownValue(pet)}`
      return [{ pet, fault: { ...fault, ...(says && { brief: actual }) }, actual }]
    })
    const own = faulty.find(({ pet }) => !isOfEarlierRun(pet, history))
    const [found = own] = faulty
    if (found && !own) {
      const { pet, actual } = found
      const left = `pet ${shownValue(pet.id)} was made by an earlier run, delete it: ${actual}`
      throw new Untested('ambiguous', left, [exchange])
    }
    if (!own) return
    const { pet, fault, actual } = own
    const maker = isInt64(pet.id) ? history.knownPets.creationOf(pet.id)?.exchange : undefined
    const wrong = { ...wrongShape(fault), ...(maker && { ofPet: true as const }) }
    violateAs(wrong, expected, actual, ...new Set([maker ?? exchange, exchange]))
  }
  return clause({ ...declared, judge })
}

const plain: JsonObject = { name: '', categoryId: 1n }

const listedPets = 'Every pet in a 200 or 201 that the interface lists'

export const formClauses: readonly Clause[] = [
  clause({
    id: 'body-media-type-json',
    requirement: 'service.json',
    judges: `${responsesWithBody}.`,
    fails:
      'No `Content-Type`, or one that is not `application/json` (parameters and letter case are ' +
      'free); if given twice, each must be.',
    applies: isJsonAnswer,
    judge: (exchange) => {
      const values = headerValues(exchange, 'Content-Type')
      const types = values.map((value) => value.replace(/;.*/s, '').trim().toLowerCase())
      if (types.length > 0 && types.every((type) => type === 'application/json')) return
      const kind = text(short(types.join(', ')))
      violateField(exchange, 'Content-Type', kind, 'Content-Type application/json')
    },
  }),

  clause({
    id: 'base-address-version-prefix',
    requirement: 'service.base-path',
    judges: 'The address of every list that was served.',
    fails: 'A path that does not end in `/v1/pets`.',
    applies: (exchange) => exchange.key !== null && isList(exchange),
    judge: (exchange) => {
      const { url } = exchange.request
      if (/^[^?]*\/v1\/pets(?:\?|$)/.test(url)) return
      const { pathname } = new URL(url)
      violate('a base URL that ends in /v1', `the path of the list is ${pathname}`, exchange)
    },
  }),
  clause({
    id: 'body-coding-identity',
    requirement: 'service.coding',
    judges:
      `${responsesWithBody}, where the request has \`Accept-Encoding: identity\`; each of petvet ` +
      'has it.',
    fails:
      'A `Content-Encoding` all the same. It is a should: gzip, deflate, br and zstd are ' +
      'decoded, and the body is then judged by the other checks.',
    applies: (exchange) => isJsonAnswer(exchange) && wantsPlain(exchange),
    judge: (exchange) => {
      const codings = readCodings(exchange.response.headers)
      if (codings.length === 0) return
      const kind = text(short(codings.join(', ')))
      violateField(exchange, 'Content-Encoding', kind, 'a body without a coding, as requested')
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
      const odd = `an array with ${describeShape(listed?.find((one) => !isObject(one)))} in it`
      const { wrong, actual } = listed
        ? { wrong: { aspect: 'body' } as const, actual: odd }
        : wrongBody(exchange)
      const kind = 'no array of objects'
      violateAs({ ...wrong, kind }, 'an array of Pet objects', actual, exchange)
    },
  }),

  clauseOfPets({
    id: 'pet-fields',
    requirement: 'pet.fields',
    judges: `${listedPets}.`,
    fails:
      'No `name` that is a string, or no `categoryId` that is an int64. Further members are ' +
      'legal.',
    applies: isFilled,
    // The id and the status are requirements of their own.
    view: ({ status, ...others }) => ({ ...others, id: 1n }),
    expected: 'a Pet with its fields',
  }),

  clauseOfPets({
    id: 'pet-id-int64',
    requirement: 'pet.id.present',
    judges: `${listedPets}.`,
    fails: 'No `id`, or one that is not an int64 integer.',
    applies: hasPets,
    view: ({ id }) => ({ ...plain, ...(id !== undefined && { id }) }),
    expected: 'an id that is an int64 integer',
    says: (pet) => describeMember(pet, 'id'),
  }),

  clauseOfPets({
    id: 'pet-status-listed',
    requirement: 'pet-status.values',
    judges: `${listedPets} that has a \`status\`.`,
    fails: 'A status that is none of the three, null included.',
    applies: hasStatus,
    view: ({ status = 'sold' }) => ({ ...plain, id: 1n, status }),
    expected: `a status of ${statuses.join(', ')}`,
    says: (pet) => describeMember(pet, 'status'),
  }),
  serverError,
  // The interface says nothing of other addresses, so a 5xx there is only a should.
  clause({
    id: 'answer-no-5xx-elsewhere',
    requirement: 'service.no-server-error-elsewhere',
    judges: 'Every response below the base URL at an address that the interface does not name.',
    fails: 'A 5xx but 501. It is a should: the interface says nothing of such addresses.',
    applies: (exchange) => isBelowBase(exchange) && !isAtOwnPath(exchange),
    judge: (exchange) => expectNo5xx(exchange, true),
  }),
  clause({
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
      const missing = wanted.filter((method) => !named.includes(method))
      if (values.length > 0 && missing.length === 0) return
      const expected = `Allow${wanted.length > 0 ? ' with GET and POST' : ''}`
      violateField(exchange, 'Allow', `without ${missing.join(' and ')}`, expected)
    },
  }),
]
