// Faults of first versions: what the habits of a language and the defaults of a framework do.

import { parseJson } from '../json.ts'
import type { NewPet } from '../store.ts'
import { caughtBy, each, type Mutant, replacing, together, type Variant } from '../variant.ts'
import {
  everyResponse,
  rateLimitNames,
  where,
  withHeaders,
  without,
} from '../wrappers/middleware.ts'
import { allPets, coercing, numbering, showing } from '../wrappers/pet-store.ts'

/** As a database counts that has a hundred pets. */
const smallIds = numbering((position) => position + 101n)

const asDouble = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)

/** What JSON.parse and JSON.stringify do, and parseInt with an id. */
const numbersAsDoubles = together(
  smallIds,
  showing((pet) => ({ ...pet, categoryId: asDouble(pet.categoryId) })),
  replacing('readPetId', ({ readPetId }, text) => {
    const id = Number.parseInt(text, 10)
    return Number.isSafeInteger(id) ? { value: BigInt(id) } : readPetId(text)
  }),
)

/** Whatever object the body is, its members are stored as they are. */
const withoutTypes = replacing('readNewPet', ({ readNewPet }, request) => {
  const read = readNewPet(request)
  const sent = 'value' in read ? undefined : parseJson(String(request.body))?.value
  if (typeof sent !== 'object' || sent === null) return read
  const { name, categoryId, status = 'available' } = sent as Record<string, unknown>
  return { value: { name, categoryId, status } as unknown as NewPet }
})

/** `Number.parseInt(limit) || 20`, and nothing else. */
const parsedLimit = replacing('readLimit', (_parts, [text = '']) => {
  const limit = Number.parseInt(text, 10) || 20
  return { value: limit < 0 ? allPets : limit }
})

/** Two boxed integers are the same object up to 127, as those of Java are. */
const boxedIds: Variant = together(
  smallIds,
  replacing('readPetId', ({ readPetId }, text) => {
    const read = readPetId(text)
    return 'value' in read && read.value > 127n ? { value: -1n } : read
  }),
)

/** A body that is sent only as far as it has UTF-16 units. */
const cutAtItsLength = everyResponse((response) => ({
  ...response,
  body: Buffer.from(response.body).subarray(0, response.body.length).toString('latin1'),
  encoding: 'latin1',
}))

const grouped = (value: string | undefined): string => Number(value).toLocaleString('en-US')

export const firstVersionMutants: readonly Mutant[] = [
  ...each({
    'numbers-are-doubles': [
      'create-each-echoed',
      'All numbers are doubles: JSON is parsed and printed by the language, and ids by parseInt.',
      numbersAsDoubles,
    ],
    'types-not-validated': [
      'create-category-boolean-400',
      'Members of a creation are stored and returned as they were sent, whatever type they have.',
      withoutTypes,
    ],
    'status-skipped-if-falsy': [
      'create-status-blank-400',
      'A status of 0, false or "" is taken for none: `if (body.status)`.',
      coercing('status', (status) => status || undefined),
    ],
    'headers-missing-on-401-and-404': [
      'header-limit-present',
      'The limiter writes its headers in the handlers, so that a 401 and a 404 have none.',
      where(({ status }) => status === 401 || status === 404, without(...rateLimitNames)),
    ],
    'length-in-characters': [
      'body-strict-json',
      'Content-Length is the number of characters, so that a body with other than ASCII is cut.',
      cutAtItsLength,
    ],
    'headers-in-locale': [
      'header-reset-integer',
      'Numbers in headers are printed for the locale: 1,795,435,177.',
      everyResponse((response) =>
        withHeaders(
          Object.fromEntries(rateLimitNames.map((name) => [name, grouped(response.headers[name])])),
        )(response),
      ),
    ],
  }),
  ...caughtBy('list-length-most', {
    'limit-by-parse-int': ['`limit` is what parseInt reads, without bounds.', parsedLimit],
  }),
  ...caughtBy('get-each-known-200', {
    'ids-boxed': ['Ids beyond 127 are not found: boxed integers are compared by `==`.', boxedIds],
  }),
]
