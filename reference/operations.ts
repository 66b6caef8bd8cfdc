// The three operations, each from a call that is allowed to its response.

import type { ApiResponse, Refusal } from './message.ts'
import { basePath } from './routes.ts'
import type { Pet } from './store.ts'
import type { Operation, Parts } from './variant.ts'

export const listPets: Operation = ({ query }, parts) => {
  const limit = parts.readLimit(query.getAll('limit'))
  if ('refusal' in limit) return refused(limit.refusal, parts)
  const status = parts.readStatus(query.getAll('status'))
  if ('refusal' in status) return refused(status.refusal, parts)
  const pets = parts.store.list(status.value, limit.value)
  return { status: 200, headers: {}, body: printList(pets, parts) }
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

const joinPets = (pets: readonly Pet[], print: (pet: Pet) => string): string =>
  `[${pets.map(print).join(',')}]`

/** The text of a list, for as long as the store returns the very same one. */
const texts = new WeakMap<readonly Pet[], string>()

const printList = (pets: readonly Pet[], parts: Parts): string => {
  // A variant may print the same pet differently the next time.
  if (parts.printPet !== printPet) return joinPets(pets, parts.printPet)
  const text = texts.get(pets) ?? joinPets(pets, printPet)
  texts.set(pets, text)
  return text
}
