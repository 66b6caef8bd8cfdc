// Faults of addresses and methods that the interface does not have, and of the version prefix.

import { type ApiRequest, type ApiResponse, splitTarget } from '../../message.ts'
import { basePath } from '../../routes.ts'
import { caughtBy, each, type Mutant, replacing, together, type Variant } from '../../variant.ts'
import {
  everyResponse,
  isOfPets,
  onStatus,
  replacedBy,
  serverError,
  where,
  withBody,
  withHeaders,
  without,
} from '../../wrappers/middleware.ts'
import { refusingCalls } from '../../wrappers/pet-store.ts'
import { letsIn, recognising } from '../auth/accepted-keys.ts'

/** Serves requests that should get 404 or 405, if the test says so and the key is valid. */
const served = (
  test: (request: ApiRequest, path: string) => boolean,
  status: number,
  body: string,
): Variant =>
  everyResponse((response, request): ApiResponse => {
    const isRefused = response.status === 404 || response.status === 405
    const path = splitTarget(request.target).path.slice(basePath.length)
    return isRefused && test(request, path) ? { ...response, status, body } : response
  })

const address = (name: string, body: string, fault: string): Mutant => ({
  id: `address-${name}-served`,
  caughtBy: `address-${name}-4xx`,
  fault,
  ...served((_request, path) => path === `/${name}`, 200, body),
})

const pet = '{"id":1,"name":"Rex","categoryId":1}'

const method = (
  name: string,
  at: 'list' | 'animal',
  status: number,
  body: string,
  fault: string,
): Mutant => ({
  id: `method-${name.toLowerCase()}-${at}-served`,
  caughtBy: name === 'PUT' && at === 'list' ? 'method-put-list-refused' : 'method-known-refused',
  fault,
  ...served(
    (request, path) => request.method === name && (path === '/pets') === (at === 'list'),
    status,
    body,
  ),
})

/** A router serves addresses as `/pets` that the guard in front of it does not know. */
const unguardedAt = (isSpelled: (path: string) => boolean): Variant => {
  const isMeant = ({ target }: ApiRequest) => isSpelled(splitTarget(target).path)
  return together(
    recognising(letsIn(isMeant)),
    replacing('findRoute', ({ findRoute }, name, path) =>
      findRoute(name, isSpelled(path) ? `${basePath}/pets` : path),
    ),
  )
}

/** Without dot segments, escaped ones too. */
const resolved = (path: string): string => new URL(path, 'http://localhost').pathname

const basedAt = (path: string): Variant => ({
  basePath: path,
  parts: ({ findRoute }) => ({
    findRoute: (name, given) => findRoute(name, given.replace(path, basePath)),
  }),
})

export const addressMutants = [
  address('store', '{"pets":"/v1/pets"}', 'GET /store is served as an index page of the group.'),
  address('animals', '[]', 'GET /animals is served as a second name of the list.'),
  address('domains', '[]', "GET /domains is served: the API also hosts the dashboard's routes."),
  address('projects', '[]', 'GET /projects is served: a route of the dashboard is public.'),
  ...each({
    'address-nonsense-served @ address-nonsense-not-2xx': [
      'Unknown addresses get the start page with 200.',
      served((_request, path) => !path.startsWith('/pets'), 200, '{"it":"works"}'),
    ],
    'address-space-unguarded @ address-spelling-needs-key': [
      'The router trims a path that the guard does not, and `/pets%20` needs no key.',
      unguardedAt((path) => path === `${basePath}/pets%20`),
    ],
    'method-report-served @ method-other-refused': [
      'The method REPORT is served.',
      served(({ method: name }) => name === 'REPORT', 200, '[]'),
    ],
    'address-dots-unguarded @ address-spelling-needs-key': [
      'The key is checked before dot segments of a path are resolved, and `/x/../pets` needs none.',
      unguardedAt((path) => path !== `${basePath}/pets` && resolved(path) === `${basePath}/pets`),
    ],
    'address-unknown-500 @ answer-no-5xx-elsewhere': [
      'An unknown address makes the error handler throw, and gets 500.',
      where(({ status }, request) => status === 404 && !isOfPets(request), serverError),
    ],
    'trace-repeats-key @ auth-trace-repeats-no-key': [
      'A 405 to TRACE shows the request that came in, with its key.',
      where(
        (_response, { method }) => method === 'TRACE',
        (response, { header }) =>
          replacedBy(405, 'method_not_allowed', `TRACE, ${header('authorization')}`)(response),
      ),
    ],
    'method-trace-served @ method-trace-refused': [
      'TRACE is served by the server, without the key.',
      where(
        (_response, { method }) => method === 'TRACE',
        (response, { target }) => ({
          ...withBody('message/http', `TRACE ${target} HTTP/1.1`)(response),
          status: 200,
        }),
      ),
    ],
    'field-bytes-refused @ list-field-bytes-200': [
      'A field with bytes beyond ASCII gets 400.',
      where(
        (_response, { head = '' }) => /[^\0-\x7f]/.test(head),
        replacedBy(400, 'bad_request', 'A field is not ASCII.'),
      ),
    ],
    'version-fetch-not-built @ walk-statuses': [
      'GET /pets/{petId} is not implemented.',
      refusingCalls('getPet', 404, () => true),
    ],
    'address-slash-at-end-unguarded @ address-spelling-needs-key': [
      'The key is checked at /pets alone, and /pets/ is served, too.',
      unguardedAt((path) => path === `${basePath}/pets/`),
    ],
    'address-upper-case-unguarded @ address-spelling-needs-key': [
      'Routes ignore the letter case, and the check of the key does not.',
      unguardedAt((path) => path === `${basePath}/PETS`),
    ],
  }),
  method('PUT', 'list', 200, '[]', 'PUT /pets is served.'),
  method('PATCH', 'list', 200, '[]', 'PATCH /pets is served like a GET.'),
  method('DELETE', 'list', 204, '', 'DELETE /pets is served.'),
  method('PUT', 'animal', 200, pet, 'PUT /pets/{petId} is served.'),
  method('DELETE', 'animal', 204, '', 'DELETE /pets/{petId} is served.'),
  method('POST', 'animal', 201, pet, 'POST /pets/{petId} is served like POST /pets.'),
  ...caughtBy('answer-no-5xx', {
    'method-unknown-500': ['An unknown method throws, and gets 500.', onStatus(405, serverError)],
    'method-head-500': [
      'HEAD gets 500.',
      everyResponse((response, request) =>
        request.method === 'HEAD' ? { ...response, status: 500, body: '' } : response,
      ),
    ],
  }),
  ...caughtBy('method-405-allow', {
    'method-allow-missing': ['A 405 has no Allow header.', onStatus(405, without('Allow'))],
    'method-allow-incomplete': ['Allow is only GET.', onStatus(405, withHeaders({ Allow: 'GET' }))],
  }),
  ...caughtBy('base-address-version-prefix', {
    'version-prefix-missing': ['The API has no version prefix.', basedAt('')],
    'version-prefix-other': ['The version prefix is a date.', basedAt('/2026-11-20')],
  }),
]
