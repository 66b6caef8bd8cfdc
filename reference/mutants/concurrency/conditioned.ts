// Faults under a condition that no row names, which each of them carries as data.
import { parseJson } from '../../json.ts'
import type { ApiRequest, ApiResponse } from '../../message.ts'
import { each, type Parts, perServer, type Variant } from '../../variant.ts'
import {
  everyResponseBy,
  findOperation,
  rateLimitNames,
  readBody,
  readQuery,
  replacedBy,
  serverError,
  where,
  without,
} from '../../wrappers/middleware.ts'
import {
  listing,
  listMembers,
  memberIn,
  onResponse,
  refusing,
  refusingText,
  rewriting,
} from '../../wrappers/pet-store.ts'
import { onConnection } from './intermittent.ts'

/** Requests that would be served break the server; the test is made for each server. */
const breaking = (
  make: () => (request: ApiRequest, parts: Parts, response: ApiResponse) => boolean,
): Variant =>
  everyResponseBy((parts) => {
    const breaks = make()
    return (response, request) =>
      breaks(request, parts, response) && response.status < 300 ? serverError(response) : response
  })

const isList = (request: ApiRequest, parts: Parts): boolean =>
  findOperation(request, parts) === 'listPets'

const onCreation = (breaks: (request: ApiRequest) => boolean): Variant =>
  breaking(() => (request) => request.method === 'POST' && breaks(request))

const onList = (breaks: (request: ApiRequest, query: URLSearchParams) => boolean): Variant =>
  breaking(() => (request, parts) => isList(request, parts) && breaks(request, readQuery(request)))

const authorization = ({ header }: ApiRequest): string => header('authorization') ?? ''

const nameIn = (request: ApiRequest): string => String(memberIn(request, 'name'))

const malformed = replacedBy(400, 'malformed', 'The request line is malformed.')

export const conditionedMutants = each({
  'list-limit-over-20-one-more @ list-limit-most': [
    'A list with a limit of more than 20 has one pet more.',
    listing((pets, { status, limit, store }) =>
      limit > 20 ? store.list(status, limit + 1) : pets,
    ),
    { condition: 'with a limit above 20' },
  ],
  'list-limit-over-60-ignored @ list-limit-no-fewer': [
    'A limit of more than 60 is taken for none.',
    listing((pets, { limit }) => (limit > 60 ? pets.slice(0, 20) : pets)),
    { condition: 'with a limit above 60' },
  ],
  'headers-missing-without-authorization @ header-limit-present': [
    'The three headers are missing where there is no Authorization.',
    where(
      (_response, { header }) => header('authorization') === undefined,
      without(...rateLimitNames),
    ),
    { condition: 'without an Authorization header' },
  ],
  'name-over-110-bytes-refused @ create-name-scripts-201': [
    'A name of more than 110 bytes is refused.',
    refusing(({ name }) => Buffer.byteLength(name) <= 110),
    { condition: 'with a name of more than 110 bytes' },
  ],
  'body-over-300-refused @ create-name-scripts-201': [
    'A body of more than 300 bytes is refused.',
    refusingText((text) => Buffer.byteLength(text) > 300),
    { condition: 'with a body of more than 300 bytes: 400' },
  ],
  'name-under-3-refused @ create-name-words-201': [
    'A name of fewer than 3 characters is refused.',
    refusing(({ name }) => [...name].length >= 3),
    { condition: 'with a name of fewer than 3 characters' },
  ],
  'body-left-on-connection @ status-due': [
    'The body of a request without a valid key is taken for the next request.',
    onConnection(async (request, kept, honest, parts) => {
      const wasLeft = kept.isCut === true
      kept.isCut = parts.authenticate(request) === undefined && readBody(request) !== ''
      if (!wasLeft) return honest(request)
      return malformed(await honest({ ...request, method: 'GET', body: Buffer.alloc(0) }))
    }),
    { condition: 'right after a POST /pets without a valid key (401) on its connection' },
  ],
  'name-over-50-refused @ create-name-scripts-201': [
    'A name of more than 50 characters is refused.',
    refusing(({ name }) => [...name].length <= 50),
    { condition: 'with a name of more than 50 characters' },
  ],
  'name-in-capitals-taken @ create-other-fault-400': [
    'A pet is created by its Name too.',
    rewriting((text) =>
      listMembers(text).includes('name') ? text : text.replace('"Name"', '"name"'),
    ),
    { condition: 'without name and with the extra member Name' },
  ],
  'status-first-refused @ create-json-form-201': [
    'A creation whose first member is not the name is refused.',
    refusingText((text) => listMembers(text)[0] !== 'name'),
    { condition: 'with the members of its JSON in another order' },
  ],
  'escaped-text-refused @ create-json-form-201': [
    'A text with an escape in its JSON is refused: the reader borrows it from the body.',
    refusingText((text) => /:\s*"[^"\\]*\\/.test(text)),
    { condition: 'with an escape in a string of its JSON' },
  ],
  'status-right-after-another-refused @ create-valid-201': [
    'The global pattern of status goes on where it matched last.',
    perServer(() => {
      const pattern = /^(?:available|pending|sold)$/g
      return refusingText((text) => {
        const { status } = Object(parseJson(text)?.value)
        return typeof status === 'string' && !pattern.test(status)
      })
    }),
    { condition: 'with a status right after one that was served' },
  ],
  'agent-over-40-breaks @ answer-no-5xx': [
    'A User-Agent of more than 40 characters breaks the server.',
    breaking(
      () =>
        ({ header }) =>
          (header('user-agent')?.length ?? 0) > 40,
    ),
    { condition: 'with a User-Agent of more than 40 characters' },
  ],
  'key-over-255-breaks @ answer-no-5xx': [
    'An invalid key of more than 255 characters breaks the server.',
    where(
      ({ status }, request) => status === 401 && authorization(request).length > 262,
      serverError,
    ),
    { condition: 'with a key of more than 255 characters' },
  ],
  'name-over-60-breaks @ answer-no-5xx': [
    'A name of more than 60 characters breaks the server.',
    onCreation((request) => [...nameIn(request)].length > 60),
    { condition: 'with a name of more than 60 characters' },
  ],
  'null-member-breaks @ answer-no-5xx': [
    'Another member that is null breaks the server.',
    onCreation((request) =>
      listMembers(readBody(request)).some(
        (each) =>
          !['name', 'categoryId', 'status'].includes(each) && memberIn(request, each) === null,
      ),
    ),
    { condition: ' null: 500' },
  ],
  'limit-over-60-breaks @ answer-no-5xx': [
    'A limit of more than 60 breaks the server.',
    onList((_request, query) => Number(query.get('limit')) > 60),
    { condition: 'with a limit above 60' },
  ],
  'traced-and-sold-breaks @ answer-no-5xx': [
    'A sold pet with a traceparent breaks the server.',
    onCreation(
      (request) =>
        memberIn(request, 'status') === 'sold' && request.header('traceparent') !== undefined,
    ),
    { condition: 'with traceparent' },
  ],
  'lists-broken-by-depth @ answer-no-5xx': [
    'Once a body is nested deep, every list is a 500.',
    breaking(() => {
      let isBroken = false
      return (request, parts) => {
        isBroken ||= request.method === 'POST' && readBody(request).includes('['.repeat(1_000))
        return isBroken && isList(request, parts)
      }
    }),
    { condition: 'POST /pets with a body nested 10001 deep' },
  ],
  'every-third-list-breaks @ answer-no-5xx': [
    'Every third list is a 500.',
    breaking(() => {
      let lists = 0
      return (request, parts) => isList(request, parts) && ++lists % 3 === 0
    }),
    { condition: 'each 3rd time' },
  ],
  'second-key-breaks-lists @ answer-no-5xx': [
    'Lists break with one of two keys.',
    onList((request) => /key-1-|free-2/.test(authorization(request))),
    { condition: 'with key free-2', suite: 'both' },
  ],
  'long-limit-breaks @ answer-no-5xx': [
    'A limit of 100 with a status breaks the server.',
    onList((_request, query) => query.get('limit') === '100' && query.has('status')),
    { condition: 'with limit=100 and a status' },
  ],
  'id-beyond-32-bits-breaks @ answer-no-5xx': [
    'An unknown id above 2^31-1 breaks the server.',
    where(
      ({ status }, { target }) =>
        status === 404 && Number(/\/pets\/(\d+)$/.exec(target)?.[1] ?? 0) >= 2 ** 31,
      serverError,
    ),
    { condition: 'with a petId above 2147483647' },
  ],
  'basic-breaks @ answer-no-5xx': [
    'Another scheme than Bearer breaks the server if it is Basic.',
    where((_response, request) => authorization(request).startsWith('Basic '), serverError),
    { condition: 'with Basic in place of Bearer' },
  ],
  'two-apostrophes-break @ answer-no-5xx': [
    'A name with two apostrophes breaks the server.',
    onCreation((request) => nameIn(request).split("'").length > 2),
    { condition: 'with two apostrophes in the name' },
  ],
  'less-than-breaks @ answer-no-5xx': [
    'A name with < breaks the server.',
    onCreation((request) => nameIn(request).includes('<')),
    { condition: 'with "<" in the name' },
  ],
  'name-again-breaks @ answer-no-5xx': [
    'A second pet of one name breaks the server.',
    breaking(() => {
      const names = new Set<string>()
      return (request, _parts, { status }) => {
        if (request.method !== 'POST' || status !== 201) return false
        const isKnown = names.has(nameIn(request))
        names.add(nameIn(request))
        return isKnown
      }
    }),
    { condition: 'with the name of an earlier pet' },
  ],
  'category-one-breaks @ answer-no-5xx': [
    'A pet of category 1 breaks the server.',
    onCreation((request) => memberIn(request, 'categoryId') === 1n),
    { condition: 'with categoryId 1' },
  ],
  'each-tenth-creation-breaks @ answer-no-5xx': [
    'Each tenth creation breaks the server.',
    breaking(() => {
      let count = 0
      return (request, _parts, { status }) => {
        if (request.method !== 'POST' || status !== 201) return false
        count += 1
        return count % 10 === 0
      }
    }),
    { condition: '(each 10th time)' },
  ],
  'sold-pet-breaks @ answer-no-5xx': [
    'A sold pet breaks the server where it is fetched by id.',
    onResponse('getPet', 200, (response) =>
      response.body.includes('"status":"sold"') ? serverError(response) : response,
    ),
    { condition: 'of a pet created with status "sold"' },
  ],
  'lower-scheme-and-filter-breaks @ answer-no-5xx': [
    'The scheme in lower case with a limit breaks the server.',
    onList((request, query) => authorization(request).startsWith('bearer') && query.has('limit')),
    { condition: 'with the scheme bearer' },
  ],
})
