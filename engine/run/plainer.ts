// What of a request is not plain, part by part, and how each is left out or made plainer.
import {
  type AnsweredExchange,
  type ApiRequest,
  json,
  recognizeOperation,
  statusCode,
} from '../../history/exchange.ts'
import { type JsonObject, printJson } from '../../history/json.ts'
import { longMs } from '../../model/conditions.ts'
import { read } from '../../model/read.ts'
import { petIn, withMember, writtenPlainly } from '../../model/sent-pet.ts'
import type { Context } from '../check/context.ts'
import type { Session } from './session.ts'

/** Makes one part plain. */
export type Plainer = (request: ApiRequest) => ApiRequest

const withoutField =
  (name: string): Plainer =>
  (request) => ({ ...request, headers: request.headers.filter(([own]) => own !== name) })

const typed: Plainer = (request) => ({
  ...request,
  headers: [json, ...request.headers.filter(([name]) => !/^content-type$/i.test(name))],
})

const withoutParameter =
  (pair: string): Plainer =>
  (request) => {
    const [path = '', query = ''] = request.path.split(/\?(.*)/s)
    const left = query.split('&').filter((each) => each !== pair)
    return { ...request, path: left.length > 0 ? `${path}?${left.join('&')}` : path }
  }

const without =
  (member: 'framing' | 'names' | 'fresh'): Plainer =>
  ({ [member]: _, ...request }) =>
    request

const withPlainKey: Plainer = ({ says: _, ...request }) => ({ ...request, authorization: 'valid' })

const ofHead = (request: ApiRequest, isCreation: boolean): readonly Plainer[] => {
  const { headers, scheme, authorization } = request
  const types = headers.filter(([name]) => /^content-type$/i.test(name))
  const isTyped = types.length === 1 && types.join() === json.join()
  const own = headers.filter((each) => !(isCreation && types.includes(each)))
  return [
    ...[...new Set(own.map(([name]) => name))].map(withoutField),
    ...(isCreation && !isTyped ? [typed] : []),
    ...(['framing', 'names', 'fresh'] as const).filter((each) => request[each]).map(without),
    ...(scheme === 'Bearer' ? [] : [(rest: ApiRequest) => ({ ...rest, scheme: 'Bearer' })]),
    ...(authorization === 'valid' ? [] : [withPlainKey]),
  ]
}

/** So much longer than a plain name may matter. */
const minLonger = 3

const ofBody = (request: ApiRequest, { newPet }: Context): readonly Plainer[] => {
  const pet = petIn(request)
  if (!pet) return [(rest) => ({ ...rest, body: printJson(newPet()) })]
  const plain = newPet()
  const { parts } = read({ apiRequest: request })
  const isPeculiar = (member: string) => parts.some(({ part }) => part === member)
  const isLong = `${pet.name}`.length >= `${plain.name}`.length + minLonger
  const known = ['name', 'categoryId', 'status']
  const set = (member: string, make: () => JsonObject[string] | undefined): Plainer => {
    return (rest) => withMember(rest, member, make())
  }
  const filled = (member: string): Plainer => {
    return (rest) => (petIn(rest)?.[member] === null ? withMember(rest, member, 1n) : rest)
  }
  const extra = Object.keys(pet).filter((each) => !known.includes(each))
  return [
    ...extra.map((each) => set(each, () => undefined)),
    ...extra.filter((each) => pet[each] === null).map(filled),
    ...(isPeculiar('writing') ? [writtenPlainly] : []),
    ...(pet.status === undefined ? [] : [set('status', () => undefined)]),
    ...(pet.categoryId === plain.categoryId ? [] : [set('categoryId', () => plain.categoryId)]),
    ...(isPeculiar('name') || isLong ? [set('name', () => newPet().name)] : []),
  ]
}

const ofAddress = (request: ApiRequest, { knownPets }: Context): readonly Plainer[] => {
  const id = knownPets.someId()
  if (recognizeOperation({ apiRequest: request }) === 'get') {
    return id === undefined ? [] : [(rest) => ({ ...rest, path: `/pets/${id}` })]
  }
  const [, query] = request.path.split(/\?(.*)/s)
  return query === undefined ? [] : query.split('&').map(withoutParameter)
}

/** All that is peculiar about a request, the body and the name last. */
export const plainersOf = (request: ApiRequest, context: Context): readonly Plainer[] => {
  const isCreation = recognizeOperation({ apiRequest: request }) === 'create'
  return [
    ...ofHead(request, isCreation),
    ...ofAddress(request, context),
    ...(isCreation ? ofBody(request, context) : []),
  ]
}

/** A longer body is no pet with something odd about it, and more is slow to send. */
const maxBodyLength = 4_096
const maxPadding = 300_000

/** What may be left out of a request says nothing of a key's calls, of a ban, or of others. */
export const isReducible = (one: AnsweredExchange, { pace, history }: Session): boolean => {
  const { insists, carries, padding, body } = one.apiRequest
  const isOfOthers = insists || carries !== undefined
  const isLong = (padding ?? 0) > maxPadding || (body?.length ?? 0) > maxBodyLength
  const isOfKey = one.key !== null && [401, 403, 429].includes(statusCode(one))
  const isLate = pace.movedMs() - one.movedMs > longMs
  return !isOfOthers && !isLong && !isOfKey && !isLate && !history.isVoid(one)
}
