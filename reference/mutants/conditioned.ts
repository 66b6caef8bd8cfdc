// Faults under a condition that no row names: each carries the condition as data.
import type { ApiRequest } from '../message.ts'
import { caughtBy, each, type Parts, type Variant } from '../variant.ts'
import {
  everyResponseBy,
  findOperation,
  readBody,
  readQuery,
  serverError,
} from '../wrappers/middleware.ts'
import { listMembers, memberIn, refusing, refusingText, rewriting } from '../wrappers/pet-store.ts'

/** Requests that would be served break the server; the test is made for each server. */
const breaking = (make: () => (request: ApiRequest, parts: Parts) => boolean): Variant =>
  everyResponseBy((parts) => {
    const breaks = make()
    return (response, request) =>
      breaks(request, parts) && response.status < 300 ? serverError(response) : response
  })

const isList = (request: ApiRequest, parts: Parts): boolean =>
  findOperation(request, parts) === 'listPets'

const onCreation = (breaks: (request: ApiRequest) => boolean): Variant =>
  breaking(() => (request) => request.method === 'POST' && breaks(request))

const onList = (breaks: (request: ApiRequest, query: URLSearchParams) => boolean): Variant =>
  breaking(() => (request, parts) => isList(request, parts) && breaks(request, readQuery(request)))

const authorization = ({ header }: ApiRequest): string => header('authorization') ?? ''

export const conditionedMutants = [
  ...each({
    'name-over-50-refused': [
      'create-valid-201',
      'A name of more than 50 characters is refused.',
      refusing(({ name }) => [...name].length <= 50),
      { condition: 'with a name of more than 50 characters' },
    ],
    'name-in-capitals-taken': [
      'create-other-fault-400',
      'A pet is created by its Name too.',
      rewriting((text) =>
        listMembers(text).includes('name') ? text : text.replace('"Name"', '"name"'),
      ),
      { condition: 'without name and with the extra member Name' },
    ],
    'status-first-refused': [
      'create-json-form-201',
      'A creation whose first member is not the name is refused.',
      refusingText((text) => listMembers(text)[0] !== 'name'),
      { condition: 'with the members of its JSON in another order' },
    ],
  }),
  ...caughtBy('answer-no-5xx', {
    'name-over-60-breaks': [
      'A name of more than 60 characters breaks the server.',
      onCreation((request) => [...String(memberIn(request, 'name'))].length > 60),
      { condition: 'with a name of more than 60 characters' },
    ],
    'traced-and-sold-breaks': [
      'A sold pet with a traceparent breaks the server.',
      onCreation(
        (request) =>
          memberIn(request, 'status') === 'sold' && request.header('traceparent') !== undefined,
      ),
      { condition: 'with traceparent' },
    ],
    'lists-broken-by-depth': [
      'Once a body is nested deep, every list is a 500.',
      breaking(() => {
        let isBroken = false
        return (request, parts) => {
          isBroken ||= request.method === 'POST' && readBody(request).includes('['.repeat(1_000))
          return isBroken && isList(request, parts)
        }
      }),
      { condition: 'POST /pets with a body nested more than 500 deep' },
    ],
    'every-third-list-breaks': [
      'Every third list is a 500.',
      breaking(() => {
        let lists = 0
        return (request, parts) => isList(request, parts) && ++lists % 3 === 0
      }),
      { condition: ' times)' },
    ],
    'second-key-breaks-lists': [
      'Lists break with one of two keys.',
      onList((request) => /key-1-|free-2/.test(authorization(request))),
      { condition: 'with key free-2', suite: 'both' },
    ],
    'long-limit-breaks': [
      'A limit of 100 with a status breaks the server.',
      onList((_request, query) => query.get('limit') === '100' && query.has('status')),
      { condition: 'with limit=100 and status=' },
    ],
    'lower-scheme-and-filter-breaks': [
      'The scheme in lower case with a limit breaks the server.',
      onList((request, query) => authorization(request).startsWith('bearer') && query.has('limit')),
      { condition: 'with the scheme bearer' },
    ],
  }),
]
