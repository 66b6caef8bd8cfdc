// What an open row records of a response.

import { type AnsweredExchange, isSuccess, statusCode } from '../../history/exchange.ts'
import { type JsonObject, printJson } from '../../history/json.ts'
import { petsIn, sentObject } from '../../history/known-pets.ts'
import { short, shownValue } from '../../model/clause.ts'

/** The status of a pet for an observation; `none` if it has no status. */
export const describeStatus = ({ status = null }: JsonObject, none: string): string => {
  if (status === null) return none
  return typeof status === 'string' ? short(status) : shownValue(status)
}

const statusOf = (response: AnsweredExchange): string => `${statusCode(response)}`

/** A list shows by its length whether a limit was clamped. */
const countOf = (response: AnsweredExchange): string =>
  statusCode(response) === 200 ? `200 with ${petsIn(response).length}` : statusOf(response)

const statusesOf = (response: AnsweredExchange): string => {
  if (statusCode(response) !== 200) return statusOf(response)
  const found = new Set(petsIn(response).map((pet) => describeStatus(pet, 'none')))
  return found.size === 0 ? '200 empty' : `200 with ${[...found].sort().join(', ')}`
}

const membersOf = (response: AnsweredExchange): string => {
  const [pet] = isSuccess(response) ? petsIn(response) : []
  if (!pet) return statusOf(response)
  const { id, ...others } = sentObject(response) ?? {}
  if (id !== undefined) return pet.id === id ? '201 id taken' : '201 id ignored'
  const sent = Object.entries(others)
  const lost = sent.find(([member]) => !(member in pet))
  if (lost) return `201 without ${lost[0]}`
  const isKept = sent.every(
    ([member, value]) => printJson(pet[member] ?? null) === printJson(value),
  )
  return isKept ? '201 kept' : '201 changed'
}

/** What is recorded, in words, and how it is read. */
export const recorded = {
  status: ['The status of each.', statusOf],
  'number of pets': ['The status; of a 200, the number of pets.', countOf],
  'statuses of pets': ['The status; of a 200, the statuses of its pets.', statusesOf],
  members: [
    'The status; of a 201, whether the members were returned as they were sent, or an id.',
    membersOf,
  ],
} as const satisfies Record<string, readonly [string, (response: AnsweredExchange) => string]>

export type Recorded = keyof typeof recorded

/** What several requests got: once if it is the same, else with what each of them was. */
export const recordEach = async <T>(
  all: readonly T[],
  outcomeOf: (each: T) => Promise<readonly [name: string, outcome: string]>,
): Promise<string> => {
  const found: (readonly [string, string])[] = []
  for (const each of all) found.push(await outcomeOf(each))
  const outcomes = new Set(found.map(([, outcome]) => outcome))
  return outcomes.size === 1
    ? [...outcomes].join()
    : found.map((each) => each.join(': ')).join('; ')
}
