// Which statuses are legal for a request, by the request alone and by what is known of the pets:
// the rulings as a relation. Where they leave a point open every status below 500 is legal.

import { isUtf8 } from 'node:buffer'
import type { Context } from '../../engine/check/context.ts'
import { type AnsweredExchange, statusCode } from '../../engine/check/exchange.ts'
import { isInt64, isObject, type Json, parseJson, printJson } from '../../engine/check/json.ts'
import { isAtOwnPath, isFromBelow, recognizeOperation } from '../../engine/check/operations.ts'
import { dateMs } from '../../engine/quota/rate-headers.ts'
import { isOrdinaryName, statuses } from '../pets/compare-pets.ts'
import { isPastRemoval, removalDay } from '../pets/removal-date.ts'

/** What a request is about: each part is judged by a check of its own. */
export type Part = 'valid' | 'body' | 'lenient' | 'removed' | 'id' | 'prefix' | 'method' | 'key'

interface Due {
  readonly part: Part
  /** As the targeted checks say it. */
  readonly expected: string
  readonly allows: (status: number) => boolean
}

const is4xx = (status: number): boolean => status >= 400 && status <= 499

const only = (part: Part, ...legal: number[]): Due => ({
  part,
  expected: `status ${legal.join(' or ')}`,
  allows: (status) => legal.includes(status),
})

const refused = (part: Part): Due => ({ part, expected: 'a 4xx response', allows: is4xx })
const refusedOrListed: Due = {
  part: 'valid',
  expected: 'a 4xx response or a list',
  allows: (status) => is4xx(status) || status === 200,
}
const notServed: Due = {
  part: 'method',
  expected: 'a 4xx response or 501',
  allows: (status) => is4xx(status) || status === 501,
}
const noServerError = (part: Part, may501 = false): Due => ({
  part,
  expected: 'no 5xx response',
  allows: (status) => status < 500 || (may501 && status === 501),
})

/** How a value is meant: valid, invalid, or as the interface leaves it open. */
type Reading = 'valid' | 'invalid' | 'open'
/** What only a lenient parser reads breaks a should. */
type TextReading = Reading | 'lenient'

/** These ask for something else than the operation itself (ruling 1). */
const asking = /^(?:accept|expect|upgrade|range|te|if-.*|content-encoding|transfer-encoding)$/i
const isJsonType = (value: string): boolean =>
  /^application\/json(?:\s*;\s*charset=("?)utf-8\1)?$/i.test(value)

const headersOf = ({ apiRequest }: AnsweredExchange): Reading => {
  const { headers, method, scheme, framing, padding } = apiRequest
  const types = headers.filter(([name]) => /^content-type$/i.test(name))
  const isTyped = method !== 'POST' || (types.length === 1 && isJsonType(types[0]?.[1] ?? ''))
  const asks = headers.some(([name]) => asking.test(name))
  const isPlain = scheme === 'Bearer' && framing === undefined && padding === undefined
  return isTyped && isPlain && !asks ? 'valid' : 'open'
}

const limitOf = (value: string): Reading => {
  if (/^[1-9]\d{0,2}$/.test(value) && Number(value) <= 100) return 'valid'
  // Another spelling of such a number.
  return /^[+ %\d.e]+$/i.test(value) && Number(value) >= 1 && Number(value) <= 100
    ? 'open'
    : 'invalid'
}

const parameterOf = (name: string, value: string): Reading => {
  if (name === 'limit') return limitOf(value)
  if (name === 'status') return statuses.some((each) => each === value) ? 'valid' : 'invalid'
  return 'open'
}

const worstOf = (readings: readonly Reading[]): Reading => {
  if (readings.includes('open')) return 'open'
  return readings.includes('invalid') ? 'invalid' : 'valid'
}

const queryOf = (path: string): Reading => {
  const at = path.indexOf('?')
  if (at < 0) return 'valid'
  const pairs = path
    .slice(at + 1)
    .split('&')
    .map((pair) => pair.split('=', 2))
  const names = pairs.map(([name = '']) => name)
  if (new Set(names).size < names.length) return 'open'
  return worstOf(pairs.map(([name = '', value = '']) => parameterOf(name, value)))
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const maxDigits = 60

/** An id and more text, which is no other spelling of a number: reading the id is a should. */
const hasSuffix = (text: string): boolean =>
  /^-?\d+(?:\.[a-z]|[^\d.e\s_x])/i.test(text) && !/^-?0[bo]/i.test(text)

const idOf = (path: string): TextReading => {
  const given = path.slice('/pets/'.length)
  if (/[?#]/.test(given)) return 'open'
  if (/^(?:0|-?[1-9]\d*)$/.test(given)) {
    return given.length < maxDigits && isInt64(BigInt(given)) ? 'valid' : 'invalid'
  }
  // Other spellings of an integer are open.
  const text = decoded(given)
  if (text === undefined) return 'invalid'
  if (/^\s*[+-]?\d+(?:\.0*)?(?:e\+?\d+)?\s*$/i.test(text)) return 'open'
  if (hasSuffix(text)) return 'lenient'
  return /^\s*[+-]?\d+\.\d*[1-9]\d*$/.test(text) || !/^\s*[+-]?\d/.test(text) ? 'invalid' : 'open'
}

/** Whether an object of JSON is not closed, or a string in it. */
const isCutOff = (text: string): boolean => {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, '')
  return bare.includes('"') || bare.split('{').length > bare.split('}').length
}

/** A text that is not JSON; what a lenient parser may take of it is a should (ruling 1). */
const brokenOf = (text: string): TextReading => {
  const trimmed = text.trim()
  if (trimmed.startsWith('\ufeff')) return 'open'
  if (trimmed.startsWith('{') && !isCutOff(trimmed)) return 'lenient'
  return trimmed.startsWith('/') ? 'lenient' : 'invalid'
}

const categoryOf = (value: Json | undefined, { free, known }: Context['categories']): Reading => {
  if (!isInt64(value)) return 'invalid'
  if (value <= 0n) return 'open'
  return free || known.includes(value) ? 'valid' : 'open'
}

const statusOfPet = (value: Json | undefined): Reading => {
  if (value === undefined || statuses.some((each) => each === value)) return 'valid'
  return value === null ? 'open' : 'invalid'
}

const nameOf = (value: Json | undefined): Reading => {
  if (typeof value !== 'string') return 'invalid'
  return isOrdinaryName(value) ? 'valid' : 'open'
}

const bodyReading = (text: string, categories: Context['categories']): TextReading => {
  let value: Json
  try {
    value = parseJson(text)
  } catch {
    return brokenOf(text)
  }
  if (!isObject(value)) return 'invalid'
  // A repeated member is open, and so is another spelling of a number.
  if (printJson(value) !== text) return 'open'
  const { name, categoryId, status, ...others } = value
  const own = [nameOf(name), categoryOf(categoryId, categories), statusOfPet(status)]
  if (own.includes('invalid')) return 'invalid'
  return Object.keys(others).length > 0 ? 'open' : worstOf(own)
}

const maxBodyBytes = 4_096

const bodyOf = (body: AnsweredExchange['apiRequest']['body'], context: Context): TextReading => {
  if (body === null) return 'invalid'
  const bytes = Buffer.from(body as string)
  if (bytes.length > maxBodyBytes) return 'open'
  if (!isUtf8(bytes)) return 'lenient'
  return bodyReading(bytes.toString(), context.categories)
}

const createDue = (exchange: AnsweredExchange, context: Context): Due => {
  const { path, body } = exchange.apiRequest
  if (path !== '/pets' || headersOf(exchange) === 'open') return noServerError('body')
  const reading = bodyOf(body, context)
  if (reading === 'open') return noServerError('body')
  if (reading === 'lenient') return refused('lenient')
  return reading === 'valid' ? only('valid', 201) : only('body', 400)
}

const listDue = (exchange: AnsweredExchange): Due => {
  const reading = headersOf(exchange) === 'open' ? 'open' : queryOf(exchange.apiRequest.path)
  if (reading === 'open') return noServerError('valid')
  return reading === 'valid' ? only('valid', 200) : refusedOrListed
}

const gone = only('removed', 404, 410, 501)

/** From the end of that day on (ruling 23): a valid GET by id is for nothing. */
const isRemoved = (exchange: AnsweredExchange): boolean =>
  (dateMs(exchange) ?? 0) >= removalDay.lastMs &&
  headersOf(exchange) === 'valid' &&
  idOf(exchange.apiRequest.path) === 'valid'

const getDue = (exchange: AnsweredExchange, context: Context): Due => {
  const { path } = exchange.apiRequest
  if (isPastRemoval(exchange)) return isRemoved(exchange) ? gone : noServerError('id', true)
  const reading = headersOf(exchange) === 'open' ? 'open' : idOf(path)
  if (reading === 'open') return noServerError('id')
  if (reading === 'invalid') return refused('id')
  if (reading === 'lenient') return refused('prefix')
  const id = BigInt(path.slice('/pets/'.length))
  const { knownPets } = context
  const exists = knownPets.seen.has(id)
  if (exists && knownPets.fetches.isKnown(exchange.key, id)) return only('valid', 200)
  // A pet may have the id after all; `otherId` judges whether it is the one that is returned.
  return statusCode(exchange) === 200 || exists ? only('id', 200, 404) : only('id', 404)
}

const groups = /^\/(?:store|animals|domains|projects)\/?$/

const elsewhereDue = (exchange: AnsweredExchange): Due => {
  const { path, authorization } = exchange.apiRequest
  if (authorization === 'valid') return groups.test(path) ? refused('method') : anything
  // Whatever answers as an operation needs the key as one (ruling 26).
  return anything
}

const anything: Due = { part: 'method', expected: 'any response', allows: () => true }

/** Which statuses are legal, by the request, what is known, and whether the key is valid. */
export const findDue = (exchange: AnsweredExchange, context: Context): Due => {
  const { apiRequest } = exchange
  if (apiRequest.from !== 'base' || !isAtOwnPath(exchange)) return elsewhereDue(exchange)
  const operation = recognizeOperation(exchange)
  if (operation === undefined) {
    const isOpen = apiRequest.method === 'HEAD' || apiRequest.method === 'OPTIONS'
    return isOpen ? noServerError('method', true) : notServed
  }
  if (apiRequest.authorization !== 'valid') return keylessDue(exchange, operation)
  if (operation === 'create') return createDue(exchange, context)
  return operation === 'list' ? listDue(exchange) : getDue(exchange, context)
}

/** A response from below the application says nothing about the key. */
const keylessDue = (exchange: AnsweredExchange, operation: 'list' | 'create' | 'get'): Due => {
  const mayBeRemoved = operation === 'get' && isPastRemoval(exchange)
  if (isFromBelow(exchange) || mayBeRemoved || exchange.apiRequest.carries !== undefined) {
    return noServerError('key', mayBeRemoved)
  }
  return only('key', 401)
}
