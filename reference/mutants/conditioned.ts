// Faults under a condition that no row names: each carries the condition as data.
import { isObject, parseJson } from '../json.ts'
import { type ApiRequest, type ApiResponse, refuse } from '../message.ts'
import { family, type Parts, replacing, type Variant } from '../variant.ts'
import { findOperation, readBody, readQuery } from '../wrappers/middleware.ts'

type Members = Readonly<Record<string, unknown>>

const membersOf = (request: ApiRequest): Members => {
  const { value } = parseJson(readBody(request)) ?? {}
  return isObject(value) ? value : {}
}

/** Refuses some creations. */
const refusing = (isRefused: (pet: Members, request: ApiRequest) => boolean): Variant =>
  replacing('readNewPet', ({ readNewPet }, request) =>
    isRefused(membersOf(request), request)
      ? refuse(400, 'refused', 'The pet is refused.')
      : readNewPet(request),
  )

/** Whether a request breaks the server; made for each server. */
type Breaks = (request: ApiRequest, parts: Parts) => boolean

const broken: ApiResponse = {
  status: 500,
  headers: {},
  body: '{"code":"internal","message":"The service failed.","status":500}',
}

/** Requests that would be served break the server. */
const breaking = (make: () => Breaks): Variant => ({
  handle: (honest, parts) => {
    const breaks = make()
    return async (request) => {
      const response = await honest(request)
      const isServed = response.status < 300
      return breaks(request, parts) && isServed
        ? { ...broken, headers: response.headers }
        : response
    }
  },
})

const nameLength = ({ name }: Members): number => (typeof name === 'string' ? [...name].length : 0)

const isList = (request: ApiRequest, parts: Parts): boolean =>
  findOperation(request, parts) === 'listPets'

/** What is read of a name that is written in another letter case. */
const readingName: Variant = replacing('readNewPet', ({ readNewPet }, request) => {
  const { name, Name } = membersOf(request)
  const isOther = name === undefined && typeof Name === 'string'
  const body = Buffer.from(readBody(request).replace('"Name"', '"name"'))
  return readNewPet(isOther ? { ...request, body } : request)
})

const onCreation = (breaks: (pet: Members, request: ApiRequest) => boolean): Variant =>
  breaking(() => (request) => request.method === 'POST' && breaks(membersOf(request), request))

/** Every so many lists break. */
const everyList = (count: number): Variant =>
  breaking(() => {
    let lists = 0
    return (request, parts) => {
      if (isList(request, parts)) lists += 1
      return isList(request, parts) && lists % count === 0
    }
  })

/** Once a body is nested deep, no list works any more. */
const brokenByDepth: Variant = breaking(() => {
  let isBroken = false
  return (request, parts) => {
    isBroken ||= request.method === 'POST' && readBody(request).includes('['.repeat(1_000))
    return isBroken && isList(request, parts)
  }
})

const made = family((variant: Variant) => variant)

/** The condition is the first word of each row. */
export const conditionedMutants = made.each({
  'name-over-50-refused': [
    ...(['create-valid-201', 'A name of more than 50 characters is refused.'] as const),
    refusing((pet) => nameLength(pet) > 50),
    { condition: 'with a name of more than 50 characters' },
  ],
  'name-over-60-breaks': [
    ...(['answer-no-5xx', 'A name of more than 60 characters breaks the server.'] as const),
    onCreation((pet) => nameLength(pet) > 60),
    { condition: 'with a name of more than 60 characters' },
  ],
  'name-in-capitals-taken': [
    ...(['create-other-fault-400', 'A pet is created by its Name too.'] as const),
    readingName,
    { condition: 'without name and with the extra member Name' },
  ],
  'status-first-refused': [
    ...([
      'create-json-form-201',
      'A creation whose first member is not the name is refused.',
    ] as const),
    refusing((pet) => 'name' in pet && Object.keys(pet)[0] !== 'name'),
    { condition: 'with the members of its JSON in another order' },
  ],
  'traced-and-sold-breaks': [
    ...(['answer-no-5xx', 'A sold pet with a traceparent breaks the server.'] as const),
    onCreation((pet, { header }) => pet.status === 'sold' && header('traceparent') !== undefined),
    { condition: 'with traceparent' },
  ],
  'lists-broken-by-depth': [
    ...(['answer-no-5xx', 'Once a body is nested deep, every list is a 500.'] as const),
    brokenByDepth,
    { condition: 'POST /pets with a body nested 10001 deep' },
  ],
  'every-third-list-breaks': [
    ...(['answer-no-5xx', 'Every third list is a 500.'] as const),
    everyList(3),
    { condition: ' times)' },
  ],
  'second-key-breaks-lists': [
    ...(['answer-no-5xx', 'Lists break with one of two keys.'] as const),
    breaking(
      () => (request, parts) =>
        isList(request, parts) && /key-1-|free-2/.test(request.header('authorization') ?? ''),
    ),
    { condition: 'with key free-2', suite: 'both' },
  ],
  'long-limit-breaks': [
    ...(['answer-no-5xx', 'A limit of 100 with a status breaks the server.'] as const),
    breaking(() => (request, parts) => {
      const query = readQuery(request)
      return isList(request, parts) && query.get('limit') === '100' && query.has('status')
    }),
    { condition: 'with limit=100 and status=' },
  ],
  'lower-scheme-and-filter-breaks': [
    ...(['answer-no-5xx', 'The scheme in lower case with a limit breaks the server.'] as const),
    breaking(
      () => (request, parts) =>
        isList(request, parts) &&
        (request.header('authorization') ?? '').startsWith('bearer') &&
        readQuery(request).has('limit'),
    ),
    { condition: 'with the scheme bearer' },
  ],
})
