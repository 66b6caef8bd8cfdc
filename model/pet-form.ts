// The pets of a success: a list is an array of them, and each has its members.

import { bodyObject, readBody } from '../history/body.ts'
import {
  type AnsweredExchange,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { isInt64, isObject, type Json, type JsonObject, printJson } from '../history/json.ts'
import { sentPetsIn } from '../history/known-pets.ts'
import { Untested, Violation, type Wrong } from '../history/outcome.ts'
import { describeShape } from '../history/value-kinds.ts'
import { checkPet } from '../spec/schemas.ts'
import {
  type Clause,
  clause,
  describeBody,
  describeMember,
  shownValue,
  violateAs,
  wrongShape,
} from './clause.ts'
import { wrongCount } from './compare-pets.ts'
import { statuses } from './read-body.ts'

export const unreadBody =
  'no such body was read: each is longer than 1 MiB, nested more than 500 deep, or in an unknown ' +
  'coding (ambiguous)'

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
const isFilled = (one: AnsweredExchange): boolean => (isList(one) ? hasPets : isListedSuccess)(one)

const hasStatus = (exchange: AnsweredExchange): boolean =>
  isListedSuccess(exchange) && sentPetsIn(exchange).some((pet) => 'status' in pet)

/** Whether an earlier run left a pet: the server may have been fixed since then. */
const isOfEarlierRun = ({ name }: JsonObject, { names }: History): boolean =>
  typeof name === 'string' && name.startsWith('petvet-') && !name.startsWith(names.mark)

/** Shows the creation of the pet too, where it is one of this run. */
const failOf = (
  pet: JsonObject,
  exchange: AnsweredExchange,
  { knownPets }: History,
  ...[wrong, expected, actual]: readonly [wrong: Wrong, expected: string, actual: string]
): void => {
  const maker = isInt64(pet.id) ? knownPets.creationOf(pet.id)?.exchange : undefined
  if (maker === undefined) violateAs(wrong, expected, actual, exchange)
  const evidence = [...new Set([maker, exchange])] as AnsweredExchange[]
  violateAs({ ...wrong, ofPet: true }, expected, actual, ...evidence)
}

/**
 * Judges each pet of a success; what is not a pet is judged by the shape of the body.
 * @throws Untested where only a pet of an earlier run is wrong
 */
const eachPet = (
  exchange: AnsweredExchange,
  history: History,
  judge: (pet: JsonObject, fail: (wrong: Wrong, expected: string, actual: string) => void) => void,
): void => {
  const left: string[] = []
  for (const pet of sentPetsIn(exchange)) {
    try {
      judge(pet, (...found) => failOf(pet, exchange, history, ...found))
    } catch (error) {
      if (!(error instanceof Violation) || !isOfEarlierRun(pet, history)) throw error
      left.push(`pet ${shownValue(pet.id)} was made by an earlier run, delete it: ${error.actual}`)
    }
  }
  if (left[0]) throw new Untested('ambiguous', left[0], [exchange])
}

type JudgePet = Parameters<typeof eachPet>[2]

const judgeFields: JudgePet = (pet, fail) => {
  const { status, ...others } = pet
  // The id and the status are requirements of their own.
  const fault = checkPet({ ...others, id: 1n })
  if (fault === undefined) return
  fail(wrongShape(fault), 'a Pet with its fields', `${fault.says}: ${shownValue(pet)}`)
}

const judgeId: JudgePet = (pet, fail) => {
  if (isInt64(pet.id)) return
  const wrong = { aspect: 'body', name: 'id', kind: describeShape(pet.id) } as const
  fail(wrong, 'an id that is an int64 integer', describeMember(pet, 'id'))
}

const judgeStatus: JudgePet = (pet, fail) => {
  if (!('status' in pet)) return
  if (statuses.some((each) => each === pet.status)) return
  const kind = typeof pet.status === 'string' ? 'no such value' : describeShape(pet.status)
  const wrong = { aspect: 'body', name: 'status', kind } as const
  fail(wrong, `a status of ${statuses.join(', ')}`, describeMember(pet, 'status'))
}

/** Whether a body was stored as it is, whatever it is: by the name in it, which is used once. */
const hasStored = (exchange: AnsweredExchange, stored: Json): boolean => {
  const { method, body } = exchange.apiRequest
  const [name] = /"petvet-\w+-\d+"/.exec(printJson(stored)) ?? []
  const isOwn = method === 'POST' && isSuccess(exchange) && typeof body === 'string'
  return isOwn && name !== undefined && body.includes(name)
}

const listedPets = 'Every pet in a 200 or 201 that the interface lists'

export const petClauses: readonly Clause[] = [
  clause({
    id: 'list-body-array',
    requirement: 'pets.array',
    judges: 'Every 200 to a list.',
    fails: 'A body that is not an array of objects.',
    inconclusive: unreadBody,
    applies: isList,
    judge: (exchange, { exchanges }) => {
      const body = readBody(exchange)
      const listed = 'value' in body && Array.isArray(body.value) ? body.value : undefined
      if (listed?.length === sentPetsIn(exchange).length) return
      const wrong = { aspect: 'body', kind: 'no array of objects' } as const
      const odd = listed?.find((one) => !isObject(one))
      const found = listed ? `an array with ${describeShape(odd)} in it` : describeBody(exchange)
      const maker = exchanges.find((one) => odd !== undefined && hasStored(one, odd))
      const own = maker && ({ ...wrong, ofPet: true } as const)
      const evidence = maker ? [maker, exchange] : [exchange]
      violateAs(own ?? wrong, 'an array of Pet objects', found, ...evidence)
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
    judge: (exchange, history) => {
      if (!isList(exchange) && !bodyObject(exchange)) {
        violateAs({ aspect: 'body', kind: 'no object' }, 'a Pet', describeBody(exchange), exchange)
      }
      eachPet(exchange, history, judgeFields)
    },
  }),

  clause({
    id: 'pet-id-int64',
    requirement: 'pet.id.present',
    judges: `${listedPets}.`,
    fails: 'No `id`, or one that is not an int64 integer.',
    applies: hasPets,
    judge: (exchange, history) => eachPet(exchange, history, judgeId),
  }),

  clause({
    id: 'pet-status-listed',
    requirement: 'pet-status.values',
    judges: `${listedPets} that has a \`status\`.`,
    fails: 'A status that is none of the three, null included.',
    applies: hasStatus,
    judge: (exchange, history) => eachPet(exchange, history, judgeStatus),
  }),
]
