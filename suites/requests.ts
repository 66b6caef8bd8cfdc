// Requests of the three operations, as the checks ask them.
import type { JsonObject } from '../engine/json.ts'
import { printJson } from '../engine/json.ts'
import type { ApiRequest } from '../engine/request.ts'
import { get, post } from '../engine/request.ts'

export const statuses = ['available', 'pending', 'sold'] as const

export interface ListQuery {
  readonly limit?: number
  readonly status?: string
}

export const listPets = ({ limit, status }: ListQuery): ApiRequest => {
  const parameters = [
    ...(status === undefined ? [] : [`status=${encodeURIComponent(status)}`]),
    ...(limit === undefined ? [] : [`limit=${limit}`]),
  ]
  // Either order is the same query: an even limit comes first.
  if (limit !== undefined && limit % 2 === 0) parameters.reverse()
  return get(parameters.length === 0 ? '/pets' : `/pets?${parameters.join('&')}`)
}

/** @param query sent as it stands, sound or not */
export const listPetsWith = (query: string): ApiRequest => get(`/pets?${query}`)

/** @param body printed where it is an object, and sent as it stands where it is text or bytes */
export const createPet = (body: JsonObject | string | Uint8Array | null): ApiRequest =>
  post('/pets', isText(body) ? body : printJson(body))

const isText = (
  body: JsonObject | string | Uint8Array | null,
): body is string | Uint8Array | null =>
  body === null || typeof body === 'string' || body instanceof Uint8Array

/** @param id an id, or the raw text to put in its place */
export const getPet = (id: bigint | string): ApiRequest => get(`/pets/${id}`)
