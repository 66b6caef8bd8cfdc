// A clause: one requirement as a pure function of a response and the history of the run. It sends
// nothing.

import { bodyText, readBody } from '../history/body.ts'
import {
  type AnsweredExchange,
  type Exchange,
  headerValues,
  isAnswered,
  isSuccess,
  statusCode,
} from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { isObject, type Json, type JsonObject, printJson } from '../history/json.ts'
import { Violation } from '../history/outcome.ts'
import { quote, startOf } from '../history/quote.ts'
import { type Demanded, describeDue } from '../history/statuses.ts'
import { type Text, text } from '../history/text.ts'
import { describeShape } from '../history/value-kinds.ts'
import type { Kind, Wrong } from '../history/wrong.ts'
import type { BindingRequirementId, RequirementId } from '../spec/requirements.ts'
import { type BodyFault, checkError } from '../spec/schemas.ts'

export interface Clause {
  readonly kind: 'clause'
  readonly id: string
  readonly requirement: RequirementId
  /** Which responses it is about, in words; `petvet explain` prints this text, and `fails`. */
  readonly judges: string
  readonly fails: string
  /** What leaves it inconclusive besides a run that was given no such response. */
  readonly inconclusive?: string
  readonly applies: (exchange: AnsweredExchange) => boolean
  /**
   * Why a run may legitimately contain no such response: the clause is then inapplicable. Without
   * this text it is then untested.
   */
  readonly optional?: string
  /** Rows that cause what it judges: they are sent where it is selected without them. */
  readonly sentBy?: readonly string[]
  /**
   * Throws a Violation for a response that violates the requirement, Untested for one that cannot
   * be judged, and Inapplicable for one that the requirement is not about after all.
   */
  readonly judge: (exchange: AnsweredExchange, history: History) => void
}

/** A requirement about every response: judged over all that rows and programs caused. */
export const clause = (
  declared: Omit<Clause, 'kind' | 'requirement'> & { readonly requirement: BindingRequirementId },
): Clause => ({ kind: 'clause', ...declared })

/** Clauses about what the successes of valid keys show. */
export const ofKeys = (all: readonly Parameters<typeof clause>[0][]): readonly Clause[] =>
  all.map((each) => ({
    ...clause(each),
    applies: (exchange) => exchange.key !== null && each.applies(exchange),
  }))

const maxShown = 300

/** A text of the target, short enough for one line of a report once it is written. */
export const short = (text: string): string => quote(text, maxShown)

/** A value of the target, likewise shortened. */
export const shownValue = (value: Json | undefined): string =>
  value === undefined ? 'none' : short(printJson(value))

/** Of a longer text the end is hard to see. */
const maxPlain = 40

const lengthOf = (text: string): string => {
  const [characters, bytes] = [[...text].length, Buffer.byteLength(text)]
  return `${characters} characters${bytes > characters ? `, ${bytes} bytes` : ''}`
}

/** A member of a pet and its value: `status "sold"`, or `no status`. */
export const describeMember = (pet: JsonObject, member: string): string => {
  const found = pet[member]
  if (found === undefined) return `no ${member}`
  const isLong = typeof found === 'string' && found.length > maxPlain
  return `${member} ${shownValue(found)}${isLong ? ` (${lengthOf(found)})` : ''}`
}

/** The beginning of a body; the line feed that it ends with says nothing. */
const shortBody = (exchange: AnsweredExchange): string =>
  short(bodyText(exchange).replace(/\n$/, ''))

/** A response in a few words: status and the beginning of its body. */
export const describeResponse = (exchange: Exchange): string => {
  if (!isAnswered(exchange)) return `no answer (${exchange.noResponse})`
  const body = shortBody(exchange)
  return body === '' ? `${statusCode(exchange)}, no body` : `${statusCode(exchange)} ${body}`
}

/** Several responses taken together, or one in a way that no part of it shows. */
export const violate = (expected: string, actual: string, ...evidence: Exchange[]): never => {
  throw new Violation(expected, actual, evidence)
}

/** The last response of the evidence has a wrong part. */
export const violateAs = (
  wrong: Wrong,
  expected: string | Text,
  actual: string | Text,
  ...evidence: Exchange[]
): never => {
  throw new Violation(expected, actual, evidence, wrong)
}

/** What is wrong with a header, in which way: `missing`, `a date`; its value, if one shows it. */
export const asHeader = (name: string, kind: Kind | Text, value?: string): Wrong => {
  return { aspect: 'header', name, kind, ...(value !== undefined && { brief: text(value) }) }
}

/** A header is not there, or wrong as it is. @param kind in which way, where it is there */
export const violateField = (
  exchange: AnsweredExchange,
  name: string,
  kind: Kind | Text,
  expected: string,
): never => {
  const values = headerValues(exchange, name)
  if (values.length === 0) {
    return violateAs(asHeader(name, 'missing'), expected, 'no such header', exchange)
  }
  const value = values.join(', ')
  const wrong = asHeader(name, kind, value === `${kind}` ? '' : value)
  return violateAs(wrong, expected, `${name}: ${value}`, exchange)
}

/** Whether the body is that of an error, whatever the status says. */
const hasError = (exchange: AnsweredExchange): boolean => {
  const body = readBody(exchange)
  return 'value' in body && checkError(body.value) === undefined
}

/** The last response of the evidence has another status than was due. */
export const wrongStatus = (
  due: Demanded,
  evidence: readonly Exchange[],
  found = '',
): Violation => {
  const last = evidence.at(-1)
  const actual = last ? describeResponse(last) : 'no response'
  const isError = last && isAnswered(last) && isSuccess(last) && hasError(last)
  return new Violation(describeDue(due), `${actual}${found}`, evidence, {
    aspect: 'status',
    due: due.statuses,
    brief: text(`${last?.response?.status}`),
    ...(due.why !== undefined && { why: text(due.why) }),
    ...(isError && { kind: 'an Error' }),
  })
}

export const violateStatus = (due: Demanded, ...evidence: Exchange[]): never => {
  throw wrongStatus(due, evidence)
}

/** So much of a page is read for its words. */
const maxPage = 4_096

/** Of a page what it shows, without its markup. */
const wordsOf = (text: string): string =>
  startOf(text, maxPage)
    .replace(/<(?:script|style)[^<]*<|<[^>]*>|&#?\w+;|\s+/gi, ' ')
    .replace(/ +/g, ' ')
    .trim()

/** A page or a plain text is named, and not printed: its type, and its first words. */
const describeText = (exchange: AnsweredExchange, text: string, isCounted: boolean): string => {
  const type = headerValues(exchange, 'Content-Type').join(', ').split(';', 1)[0]
  return `${short(type || 'no Content-Type')}, "${quote(wordsOf(text), 60, isCounted)}"`
}

const isStructured = (text: string): boolean => /^\s*\ufeff?[[{"]/.test(text)

/** What a body is instead of what it has to be: `200 with an object: {...}`, and in brief. */
export const wrongBody = (exchange: AnsweredExchange) => {
  const body = readBody(exchange)
  const said = bodyText(exchange)
  const of = (brief: string, rest = '', inBrief = brief) => {
    const has = 'fault' in body && { has: true as const }
    const wrong = { aspect: 'body' as const, brief: text(inBrief), ...has }
    return { wrong, actual: `${statusCode(exchange)} with ${brief}${rest}` }
  }
  const shown = `: ${shortBody(exchange)}`
  if ('value' in body) {
    const kind = hasError(exchange) ? 'an Error' : describeShape(body.value)
    if (isStructured(said)) return of(kind, shown)
    return of(said === kind ? kind : `${kind}${shown}`)
  }
  const { fault, coding = '', more = coding } = body
  if (isStructured(said)) return of(`${fault}${more}`, shown)
  const page = (isCounted: boolean) =>
    said === '' ? '' : ` (${describeText(exchange, said, isCounted)})`
  return of(`${fault}${coding}${page(true)}`, '', `${fault}${coding}${page(false)}`)
}

export const expectJson = (exchange: AnsweredExchange): Json => {
  const body = readBody(exchange)
  if ('value' in body) return body.value
  const { wrong, actual } = wrongBody(exchange)
  return violateAs({ ...wrong, kind: body.fault }, 'a JSON body', actual, exchange)
}

/** What of a body does not have its shape. */
export const wrongShape = ({ member, value, isUnlisted, brief }: BodyFault): Wrong => {
  // No other double is as near to the largest int64.
  const isRounded = typeof value === 'bigint' && value === 2n ** 63n
  const shape = isRounded ? 'rounded to a double' : describeShape(value as Json)
  const kind: Kind = isUnlisted && typeof value === 'string' ? 'no such value' : shape
  return { aspect: 'body', ...(member !== undefined && { name: member }), kind, brief: text(brief) }
}

const errorMembers = ['code', 'message', 'status']

/** The body as an Error. */
export const expectError = (exchange: AnsweredExchange): JsonObject => {
  const value = expectJson(exchange)
  const fault = checkError(value)
  if (fault === undefined) return value as JsonObject
  const actual = `${fault.says}: ${shortBody(exchange)}`
  const missing = isObject(value) ? errorMembers.filter((each) => !(each in value)) : []
  const all = missing.length > 0 && { name: missing.join(', '), kind: 'missing' as const }
  return violateAs({ ...wrongShape(fault), ...all }, 'an Error', actual, exchange)
}
