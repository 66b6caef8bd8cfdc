// The three operations, each from a call that is allowed to its response. The body of POST /pets is
// validated by hand, independently of the schemas that the suites use.

import { isInt64, isObject, parseJson } from './json.ts'
import { type ApiRequest, type ApiResponse, type Reading, type Refusal, refuse } from './message.ts'
import { basePath } from './routes.ts'
import { isPetStatus, type NewPet, type Pet, type PetStatus } from './store.ts'
import type { Operation, Parts } from './variant.ts'

export const listPets: Operation = ({ query }, parts) => {
  const limit = parts.readLimit(query.getAll('limit'))
  if ('refusal' in limit) return refused(limit.refusal, parts)
  const status = parts.readStatus(query.getAll('status'))
  if ('refusal' in status) return refused(status.refusal, parts)
  const pets = parts.store.list(status.value, limit.value).map(parts.printPet)
  return { status: 200, headers: {}, body: `[${pets.join(',')}]` }
}

export const createPet: Operation = ({ request }, parts) => {
  const reading = parts.readNewPet(request)
  if ('refusal' in reading) return refused(reading.refusal, parts)
  return { status: 201, headers: {}, body: parts.printPet(parts.store.add(reading.value)) }
}

export const getPet: Operation = ({ petId, nowMs }, parts) => {
  const headers = parts.deprecationHeaders(parts.removalAtMs)
  const response = nowMs < parts.removalAtMs ? findPet(petId, parts) : removed(parts)
  return { ...response, headers: { ...response.headers, ...headers } }
}

const findPet = (petId: string, parts: Parts): ApiResponse => {
  const id = parts.readPetId(petId)
  if ('refusal' in id) return refused(id.refusal, parts)
  const pet = parts.store.get(id.value)
  return pet === undefined
    ? parts.error(404, 'not_found', 'There is no such pet.')
    : { status: 200, headers: {}, body: parts.printPet(pet) }
}

const removed = (parts: Parts): ApiResponse =>
  parts.error(410, 'gone', 'This operation was removed; list the pets by status instead.')

const refused = ({ status, code, message }: Refusal, parts: Parts): ApiResponse =>
  parts.error(status, code, message)

export const printPet = (pet: Pet): string => pet.json

/** The first moment at which `GET /pets/{petId}` is gone. */
export const removalAtMs = Date.UTC(2030, 11, 5)
const deprecatedSinceMs = Date.UTC(2025, 11, 5)

/** RFC 9745 and RFC 8594; the successor is the list with its filter. */
export const deprecationHeaders = (removedAtMs: number): Record<string, string> => ({
  Deprecation: `@${deprecatedSinceMs / 1000}`,
  Sunset: new Date(removedAtMs).toUTCString(),
  Link: `<${basePath}/pets>; rel="successor-version"`,
})

/** The interface gives a name no length; this one keeps a store of them within memory. */
const maxNameCodePoints = 10_000

export const readNewPet = (request: ApiRequest): Reading<NewPet> => {
  if (request.body === 'too-large') {
    return refuse(413, 'body_too_large', 'The body is too large.')
  }
  // An empty body lacks the required members, whatever media type it claims.
  if (request.body.length > 0 && !isJson(request)) {
    return refuse(415, 'unsupported_media_type', 'The body has to be application/json in UTF-8.')
  }
  const text = decodeUtf8(request.body)
  if (text === undefined) return invalid('The body is not UTF-8.')
  const parsed = parseJson(text)
  if (parsed === undefined) return invalid('The body is not JSON, or is nested too deep.')
  return isObject(parsed.value) ? readMembers(parsed.value) : invalid('The body is no object.')
}

const invalid = (message: string) => refuse(400, 'invalid_body', message)

const readMembers = (members: Record<string, unknown>): Reading<NewPet> => {
  const name = own(members, 'name')
  if (typeof name !== 'string') return invalid('name is required and has to be a string.')
  // A lone surrogate is no character: in UTF-8, and so in a file, it could not be kept unchanged.
  if (!name.isWellFormed()) return invalid('name holds a lone surrogate.')
  if ([...name].length > maxNameCodePoints) return invalid('name is too long.')

  // `1.0` and `1e2` are refused: an int64 is written as an integer.
  const categoryId = own(members, 'categoryId')
  if (!isInt64(categoryId)) return invalid('categoryId is required and has to be an int64.')

  const status = readStatus(members)
  if (status === undefined) return invalid('status has to be available, pending or sold.')
  return { value: { name, categoryId, status } }
}

/**
 * The interface leaves the status open where it is omitted. A new pet counts as available here, so
 * that one of the three filters finds every pet.
 */
const readStatus = (members: Record<string, unknown>): PetStatus | undefined => {
  if (!Object.hasOwn(members, 'status')) return 'available'
  const status = members.status
  return isPetStatus(status) ? status : undefined
}

/** No media type at all is refused like a wrong one: guessing could accept a form by accident. */
const isJson = ({ header }: ApiRequest): boolean => {
  const coding = header('content-encoding')
  if (coding !== undefined && coding.toLowerCase() !== 'identity') return false
  const [type, ...parameters] = (header('content-type') ?? '').toLowerCase().split(';')
  return type?.trim() === 'application/json' && parameters.every(keepsUtf8)
}

const keepsUtf8 = (parameter: string): boolean => {
  const [name, value] = parameter.split('=', 2)
  return name?.trim() !== 'charset' || /^\s*("utf-?8"|utf-?8)\s*$/.test(value ?? '')
}

/** A byte order mark is kept, and is then invalid JSON: the interface's bodies have none. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const decodeUtf8 = (bytes: Buffer): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const own = (members: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined
