// Changes to how pets are read, stored and returned, each to one part of the API.
import { isUtf8 } from 'node:buffer'
import type { Clock } from '../clock.ts'
import { isInt64, isObject, parseJson, printJson } from '../json.ts'
import { type ApiRequest, type ApiResponse, type Reading, refuse } from '../message.ts'
import type { OperationId } from '../routes.ts'
import { memoryStore, type NewPet, type Pet, type PetStatus, type Store } from '../store.ts'
import { type Call, type Parts, replacing, type Variant } from '../variant.ts'
import { receiving } from './middleware.ts'

export type Members = Readonly<Record<string, unknown>>

/** Another store: its own functions, or what is to be done with the pets. */
interface StoreChange extends Partial<Store> {
  /** Called with each pet that was added. */
  added?: (pet: Pet, fields: NewPet) => void
  /** Whether a pet is listed. */
  lists?: (pet: Pet) => boolean
}

export const storeWith = (store: Store, { added, lists, ...change }: StoreChange): Store => ({
  ...store,
  ...(added && {
    add: (fields) => {
      const pet = store.add(fields)
      added(pet, fields)
      return pet
    },
  }),
  ...(lists && {
    list: (status, limit) => store.list(status, allPets).filter(lists).slice(0, limit),
  }),
  ...change,
})

/** Changes the store of the reference. State is created for each server. */
export const inStore = (change: (store: Store, clock: Clock) => StoreChange): Variant => ({
  parts: ({ store, clock }) => ({ store: storeWith(store, change(store, clock)) }),
})

/** Assigns other ids, by the place of the pet. */
export const numbering = (makeId: (place: bigint) => bigint): Variant =>
  inStore(() => memoryStore(makeId))

/** Stores another pet than the one that was read. */
export const storing = (change: (pet: NewPet) => NewPet): Variant =>
  inStore(({ add }) => ({ add: (pet) => add(change(pet)) }))

interface Listed {
  limit: number
  status: PetStatus | undefined
  store: Store
}

/** Lists other pets. */
export const listing = (
  change: (pets: readonly Pet[], listed: Listed) => readonly Pet[],
): Variant =>
  inStore((store) => ({
    list: (status, limit) => change(store.list(status, limit), { status, limit, store }),
  }))

/** More than any test creates. */
export const allPets = 1_000_000

/** Shows every pet in another way. */
export const showing = (change: (pet: Members) => unknown): Variant =>
  replacing('printPet', (_parts, { id, name, categoryId, status }) =>
    printJson(change({ id, name, categoryId, status })),
  )

/** Reads a petId as the id given, or as the reference does where none is given. */
export const readingId = (change: (text: string, parts: Parts) => bigint | undefined): Variant =>
  replacing('readPetId', (parts, text) => {
    const value = change(text, parts)
    return isInt64(value) ? { value } : parts.readPetId(text)
  })

/** Changes the responses of an operation. */
export const onCall = (
  operation: OperationId,
  change: (response: ApiResponse, call: Call, parts: Parts) => ApiResponse,
): Variant => ({
  parts: ({ operations }) => ({
    operations: {
      ...operations,
      [operation]: (call: Call, parts: Parts) =>
        change(operations[operation](call, parts), call, parts),
    },
  }),
})

/** Changes the responses of an operation that have this status. */
export const onResponse = (
  operation: OperationId,
  status: number,
  change: (response: ApiResponse) => ApiResponse,
): Variant =>
  onCall(operation, (response) => (response.status === status ? change(response) : response))

/** Changes the text of the body where an operation succeeds. */
export const onBody = (operation: OperationId, change: (body: string) => string): Variant =>
  onCall(operation, (response) =>
    response.status < 300 ? { ...response, body: change(response.body) } : response,
  )

/** Refuses some calls of an operation, whatever it responded, with the same headers. */
export const refusingCalls = (
  operation: OperationId,
  status: number,
  isRefused: (call: Call, response: ApiResponse) => boolean,
): Variant =>
  onCall(operation, (response, call, { error }) =>
    isRefused(call, response)
      ? { ...error(status, 'refused', 'This is refused.'), headers: response.headers }
      : response,
  )

/** JSON without its comments; what looks like one in a string stays. */
export const withoutComments = (text: string): string =>
  text.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\/\*[^*]*\*\//g, '$1')

/** Changes the pet, or each pet of the list, in the body of a response. */
export const rewritingPets =
  (change: (pet: Members) => Members) =>
  (response: ApiResponse): ApiResponse => {
    const value = parseJson(response.body)?.value as Members | Members[]
    const changed = Array.isArray(value) ? value.map(change) : change(value)
    return { ...response, body: printJson(changed) }
  }

/** Rounds a member of a pet to a double. */
export const rounding =
  (member: 'id' | 'categoryId') =>
  (pet: Members): Members => ({ ...pet, [member]: BigInt(Number(pet[member])) })

/** Reads the body of a creation as if it were another text. */
export const rewriting = (change: (text: string) => string): Variant =>
  replacing('readNewPet', ({ readNewPet }, request) => {
    if (request.body === 'too-large') return readNewPet(request)
    const text = request.body.toString('utf8')
    const changed = isUtf8(request.body) ? change(text) : text
    return readNewPet(changed === text ? request : { ...request, body: Buffer.from(changed) })
  })

/** Decodes each byte that is not UTF-8 as a replacement character. */
export const replacingBadBytes = receiving(({ body }) => ({
  body: body === 'too-large' ? body : Buffer.from(body.toString('utf8')),
}))

/** A member of the body of a creation, as it was sent. */
export const memberIn = ({ body }: ApiRequest, name: string): unknown => {
  const value = parseJson(String(body))?.value
  return isObject(value) ? value[name] : undefined
}

/** Reads one member of a creation as another value; undefined means that none was sent. */
export const coercing = (member: string, change: (value: unknown) => unknown): Variant =>
  rewriting((text) => {
    const members = parseJson(text)?.value
    if (!isObject(members)) return text
    const value = change(members[member])
    // A fraction, which is refused, may be none once it is printed.
    const isKept = member !== 'categoryId' && typeof members.categoryId === 'number'
    return value === members[member] || isKept ? text : printJson({ ...members, [member]: value })
  })

/** Changes what is read of a creation. */
export const reading = (
  change: (reading: Reading<NewPet>, request: ApiRequest, parts: Parts) => Reading<NewPet>,
): Variant =>
  replacing('readNewPet', (parts, request) => change(parts.readNewPet(request), request, parts))

const notAllowed = refuse(400, 'invalid_body', 'That is not allowed.')

/** Refuses creations that are valid. */
export const refusing = (unless: (pet: NewPet) => boolean): Variant =>
  reading((read) => ('refusal' in read || unless(read.value) ? read : notAllowed))

/** Refuses a creation by the text of its body. */
export const refusingText = (isRefused: (text: string) => boolean): Variant =>
  reading((read, { body }) => ('refusal' in read || !isRefused(String(body)) ? read : notAllowed))

export const listMembers = (text: string): string[] => Object.keys(parseJson(text)?.value ?? {})
