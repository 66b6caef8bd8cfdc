// Assertions over exchanges. Each throws a Violation that says what was expected and what came.
import { checkError, checkPet, checkPets } from '../spec/schemas.ts'
import { bodyText, readBody } from './body.ts'
import { type AnsweredExchange, type Exchange, statusOf } from './exchange.ts'
import { type Json, type JsonObject, printJson } from './json.ts'
import { Violation } from './outcome.ts'
import { quote } from './record/text.ts'

const maxShown = 300

/** A text of the target, short enough for one line of a report once it is written. */
export const short = (text: string): string => quote(text, maxShown)

/** A value of the target, likewise shortened. */
export const shownValue = (value: Json | undefined): string =>
  value === undefined ? 'none' : short(printJson(value))

/** A member of a pet and its value: `status "sold"`, or `no status`. */
export const describeMember = (pet: JsonObject, member: string): string => {
  const found = pet[member]
  return found === undefined ? `no ${member}` : `${member} ${shownValue(found)}`
}

/** A response in a few words: status and the beginning of its body. */
export const describeResponse = (exchange: Exchange): string => {
  if (!exchange.response) return `no answer (${exchange.noAnswer})`
  const body = bodyText(exchange)
  return body === '' ? `${statusOf(exchange)}, no body` : `${statusOf(exchange)} ${short(body)}`
}

export const violate = (expected: string, actual: string, ...evidence: Exchange[]): never => {
  throw new Violation(expected, actual, evidence)
}

export const expectStatus = (exchange: AnsweredExchange, ...allowed: number[]): void => {
  if (allowed.includes(statusOf(exchange))) return
  violate(`status ${allowed.join(' or ')}`, describeResponse(exchange), exchange)
}

export const expectRefused = (exchange: AnsweredExchange): void => {
  const status = statusOf(exchange)
  if (status < 400 || status > 499) violate('a 4xx response', describeResponse(exchange), exchange)
}

export const expectJson = (exchange: AnsweredExchange): Json => {
  const body = readBody(exchange)
  if ('value' in body) return body.value
  const text = bodyText(exchange)
  const shownToo = text === '' ? '' : `: ${short(text)}`
  return violate('a JSON body', `${statusOf(exchange)} with ${body.fault}${shownToo}`, exchange)
}

/** The body as what a check of its shape accepts. */
const expectShape = (
  exchange: AnsweredExchange,
  what: string,
  faultOf: (value: Json) => string | undefined,
): Json => {
  const value = expectJson(exchange)
  const fault = faultOf(value)
  if (fault === undefined) return value
  return violate(what, `${fault}: ${short(bodyText(exchange))}`, exchange)
}

export const expectPet = (exchange: AnsweredExchange): JsonObject =>
  expectShape(exchange, 'a Pet', checkPet) as JsonObject

export const expectPets = (exchange: AnsweredExchange): JsonObject[] =>
  expectShape(exchange, 'an array of Pet objects', checkPets) as JsonObject[]

/** The body as an Error whose `status` is the HTTP status. */
export const expectError = (exchange: AnsweredExchange): JsonObject =>
  expectShape(exchange, 'an Error', checkError) as JsonObject

export const expectMember = (
  pet: JsonObject,
  member: string,
  wanted: Json,
  ...evidence: Exchange[]
): void => {
  const found = pet[member]
  if (found !== undefined && printJson(found) === printJson(wanted)) return
  violate(`${member} ${short(printJson(wanted))}`, describeMember(pet, member), ...evidence)
}
