// Reading the parameters of the operations: `limit`, `status` and `petId`.
import { type Reading, refuse } from './errors.ts'
import { isInt64 } from './json.ts'
import { isPetStatus, type PetStatus } from './store.ts'

export const defaultLimit = 20
const greatestLimit = 100

const invalid = (message: string) => refuse(400, 'invalid_parameter', message)

/** `values` are all that the query gives for the name: none, one, or several. */
export const readLimit = (values: readonly string[]): Reading<number> => {
  const [text] = values
  if (text === undefined) return { value: defaultLimit }
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return values.length === 1 && limit >= 1 && limit <= greatestLimit
    ? { value: limit }
    : invalid(`limit has to be one integer from 1 to ${greatestLimit}.`)
}

export const readStatus = (values: readonly string[]): Reading<PetStatus | undefined> => {
  const [text] = values
  if (text === undefined) return { value: undefined }
  return values.length === 1 && isPetStatus(text)
    ? { value: text }
    : invalid('status has to be one of available, pending and sold.')
}

/** Read as it stands in the path: an integer needs no percent-escapes. */
export const readPetId = (text: string): Reading<bigint> => {
  const id = /^-?\d{1,100}$/.test(text) ? BigInt(text) : undefined
  return isInt64(id) ? { value: id } : invalid('petId has to be an int64.')
}
