// Assertions over exchanges. Each throws a Violation that says what was expected and what came.
import { checkError, checkPet, checkPets } from '../../spec/schemas.ts'
import { bodyText, readBody } from './body.ts'
import { type AnsweredExchange, type Exchange, statusCode } from './exchange.ts'
import { type Json, type JsonObject, printJson } from './json.ts'
import { Violation, type Wrong } from './outcome.ts'
import { quote } from './quote.ts'
import { describeChange } from './value-kinds.ts'

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
  if (!exchange.response) return `no answer (${exchange.noResponse})`
  const body = bodyText(exchange)
  return body === '' ? `${statusCode(exchange)}, no body` : `${statusCode(exchange)} ${short(body)}`
}

/** Several responses taken together, or one in a way that no part of it shows. */
export const violate = (expected: string, actual: string, ...evidence: Exchange[]): never => {
  throw new Violation(expected, actual, evidence)
}

/** The last response of the evidence has a wrong part. */
export const violateAs = (
  wrong: Wrong,
  expected: string,
  actual: string,
  ...evidence: Exchange[]
): never => {
  throw new Violation(expected, actual, evidence, wrong)
}

/** A header of the last response is wrong. @param kind in which way: `missing`, `a date` */
export const violateHeader = (
  name: string,
  kind: string,
  expected: string,
  actual: string,
  ...evidence: Exchange[]
): never => violateAs({ aspect: 'header', name, kind }, expected, actual, ...evidence)

/** The last response of the evidence has a wrong status. @param expected what was due instead */
export const violateStatus = (expected: string, ...evidence: Exchange[]): never => {
  const last = evidence.at(-1)
  const actual = last ? describeResponse(last) : 'no response'
  throw new Violation(expected, actual, evidence, { aspect: 'status' })
}

export const expectStatus = (exchange: AnsweredExchange, ...allowed: number[]): void => {
  if (allowed.includes(statusCode(exchange))) return
  violateStatus(`status ${allowed.join(' or ')}`, exchange)
}

export const expectRefused = (exchange: AnsweredExchange): void => {
  const status = statusCode(exchange)
  if (status < 400 || status > 499) violateStatus('a 4xx response', exchange)
}

export const expectJson = (exchange: AnsweredExchange): Json => {
  const body = readBody(exchange)
  if ('value' in body) return body.value
  const text = bodyText(exchange)
  const shownToo = text === '' ? '' : `: ${short(text)}`
  const wrong = { aspect: 'body', kind: body.fault.replace(/:.*/s, '') } as const
  const actual = `${statusCode(exchange)} with ${body.fault}${shownToo}`
  return violateAs(wrong, 'a JSON body', actual, exchange)
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
  const actual = `${fault}: ${short(bodyText(exchange))}`
  return violateAs(wrongShape(fault), what, actual, exchange)
}

/** What of a body does not have its shape: `no status`, `/0/id is "1", not an int64`. */
export const wrongShape = (fault: string): Wrong => {
  const [, missing] = /^no (\w+)/.exec(fault) ?? []
  if (missing !== undefined) return { aspect: 'body', name: missing, kind: 'missing' }
  if (fault.includes('not one of')) return { aspect: 'body', name: 'status', kind: 'no such value' }
  const [, name, value = ''] = /^\/(?:\d+\/)?(\w+) is (.*), not /s.exec(fault) ?? []
  return { aspect: 'body', ...(name !== undefined && { name }), kind: formOfShown(value || fault) }
}

const formOfShown = (shown: string): string => {
  // No other double is as near to the largest int64.
  if (Number(shown) === 2 ** 63) return 'rounded to a double'
  if (shown.startsWith('"')) return 'a string'
  if (/^-?\d/.test(shown)) return 'a number'
  return /^(?:null|true|false|an array|an object)/.exec(shown)?.[0] ?? 'another shape'
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
  violateAs(
    { aspect: 'member', name: member, kind: describeChange(wanted, found) },
    `${member} ${shownValue(wanted)}`,
    describeMember(pet, member),
    ...evidence,
  )
}
