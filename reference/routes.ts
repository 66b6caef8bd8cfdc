// Routing: the operation of a request, and its parameters.
import { isInt64 } from './json.ts'
import { type Reading, refuse } from './message.ts'
import { isPetStatus, type PetStatus } from './store.ts'

export const basePath = '/v1'

export type OperationId = 'listPets' | 'createPet' | 'getPet'

export type Route =
  | { operation: OperationId; petId: string }
  | { operation?: undefined; missing: 'address' }
  | { operation?: undefined; missing: 'method'; allow: string }

export type FindRoute = (method: string, path: string) => Route

const pets = `${basePath}/pets`

/** HEAD and OPTIONS are methods like any other that the interface does not have. */
export const findRoute: FindRoute = (method, path) => {
  if (path === pets) {
    if (method === 'GET') return { operation: 'listPets', petId: '' }
    if (method === 'POST') return { operation: 'createPet', petId: '' }
    return { missing: 'method', allow: 'GET, POST' }
  }
  if (!path.startsWith(`${pets}/`)) return { missing: 'address' }
  const petId = path.slice(pets.length + 1)
  if (petId === '' || petId.includes('/')) return { missing: 'address' }
  return method === 'GET' ? { operation: 'getPet', petId } : { missing: 'method', allow: 'GET' }
}

export const defaultLimit = 20
const maxLimit = 100

const invalid = (message: string) => refuse(400, 'invalid_parameter', message)

/** @param values all that the query gives for the name: none, one, or several */
export const readLimit = (values: readonly string[]): Reading<number> => {
  const [text] = values
  if (text === undefined) return { value: defaultLimit }
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return values.length === 1 && limit >= 1 && limit <= maxLimit
    ? { value: limit }
    : invalid(`limit has to be one integer from 1 to ${maxLimit}.`)
}

export const readStatus = (values: readonly string[]): Reading<PetStatus | undefined> => {
  const [text] = values
  if (text === undefined) return { value: undefined }
  return values.length === 1 && isPetStatus(text)
    ? { value: text }
    : invalid('status has to be one of available, pending and sold.')
}

/** Read as it is written in the path: an integer needs no percent-escapes. */
export const readPetId = (text: string): Reading<bigint> => {
  const id = /^-?\d{1,100}$/.test(text) ? BigInt(text) : undefined
  return isInt64(id) ? { value: id } : invalid('petId has to be an int64.')
}
