// Faults of addresses and methods that the interface does not have, and of the version prefix.
import type { RequirementId } from '../../spec/requirements.ts'
import type { Variant } from '../compose.ts'
import type { ApiRequest, ApiResponse } from '../message.ts'
import { splitTarget } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import { basePath } from '../routes.ts'
import { everyAnswer, onStatus, replacedBy, withHeaders, without } from './over.ts'

/** Answers what is refused elsewhere: where the test says so, and only with a valid key. */
const served = (
  test: (request: ApiRequest, path: string) => boolean,
  status: number,
  body: string,
): Variant =>
  everyAnswer((answer, request): ApiResponse => {
    const isRefused = answer.status === 404 || answer.status === 405
    const path = splitTarget(request.target).path.slice(basePath.length)
    return isRefused && test(request, path) ? { ...answer, status, body } : answer
  })

const address = (name: string, breaks: RequirementId, body: string, fault: string): Mutant => ({
  id: `address-${name}-served`,
  breaks,
  caughtBy: `address-${name}-4xx`,
  fault,
  ...served((_request, path) => path === `/${name}`, 200, body),
})

const addresses: readonly Mutant[] = [
  address('store', 'service.groups', '{"pets":"/v1/pets"}', 'The group has an index page.'),
  address('animals', 'service.groups', '[]', 'The tag is taken for a second name of the list.'),
  address('domains', 'publishing.no-operation', '[]', 'The dashboard talks to the same service.'),
  address('projects', 'publishing.no-operation', '[]', 'A route of the dashboard leaks out.'),
  {
    id: 'address-nonsense-served',
    breaks: 'service.nonsense-address',
    caughtBy: 'address-nonsense-not-2xx',
    fault: 'Whatever no route matches is answered with the start page.',
    ...served((_request, path) => !path.startsWith('/pets'), 200, '{"it":"works"}'),
  },
]

const elsewhere: readonly Mutant[] = [
  {
    id: 'address-unknown-500',
    breaks: 'service.no-server-error-elsewhere',
    caughtBy: 'answer-no-5xx-elsewhere',
    fault: 'An address without a route makes the handler of errors throw.',
    ...everyAnswer((answer, request, parts) =>
      answer.status === 404 && !splitTarget(request.target).path.startsWith(`${basePath}/pets`)
        ? replacedBy(500, 'internal', 'The service failed.')(answer, request, parts)
        : answer,
    ),
  },
]

const animal = '{"id":1,"name":"Rex","categoryId":1}'

const method = (
  name: string,
  at: 'list' | 'animal',
  status: number,
  body: string,
  fault: string,
): Mutant => ({
  id: `method-${name.toLowerCase()}-${at}-served`,
  breaks: 'service.method',
  caughtBy: `method-${name.toLowerCase()}-${at}-refused`,
  fault,
  ...served(
    (request, path) => request.method === name && (path === '/pets') === (at === 'list'),
    status,
    body,
  ),
})

const methods: readonly Mutant[] = [
  method('PUT', 'list', 200, '[]', 'The whole collection can be replaced.'),
  method('PATCH', 'list', 200, '[]', 'An unknown method is taken for a read.'),
  method('DELETE', 'list', 204, '', 'The collection can be emptied.'),
  method('PUT', 'animal', 200, animal, 'The scaffold made a full set of routes.'),
  method('PATCH', 'animal', 200, animal, 'A part of an animal can be changed.'),
  method('DELETE', 'animal', 204, '', 'An animal can be deleted.'),
  method('POST', 'animal', 201, animal, 'The path below the collection is not looked at.'),
  {
    id: 'method-unknown-500',
    breaks: 'service.no-server-error',
    caughtBy: 'answer-no-5xx',
    fault: 'The table of routes has no entry for the method, and the lookup throws.',
    ...onStatus(405, replacedBy(500, 'internal', 'The service failed.')),
  },
  {
    id: 'method-head-500',
    breaks: 'service.no-server-error',
    caughtBy: 'answer-no-5xx',
    fault: 'HEAD falls between the routes and the framework.',
    ...everyAnswer((answer, request) =>
      request.method === 'HEAD' ? { ...answer, status: 500, body: '' } : answer,
    ),
  },
  {
    id: 'method-allow-missing',
    breaks: 'service.allow',
    caughtBy: 'method-405-allow',
    fault: 'An answer 405 does not say what is allowed.',
    ...onStatus(405, without('Allow')),
  },
  {
    id: 'method-allow-incomplete',
    breaks: 'service.allow',
    caughtBy: 'method-405-allow',
    fault: 'Allow only names the method of the route that was looked at last.',
    ...onStatus(405, withHeaders({ Allow: 'GET' })),
  },
]

/** The whole API at another base address. */
const basedAt = (path: string): Variant => ({
  basePath: path,
  parts: ({ findRoute }) => ({
    findRoute: (name, given) => findRoute(name, given.replace(path, basePath)),
  }),
})

const version: readonly Mutant[] = [
  {
    id: 'version-prefix-missing',
    breaks: 'service.base-path',
    caughtBy: 'base-address-version-prefix',
    fault: 'The paths stand at the root.',
    ...basedAt(''),
  },
  {
    id: 'version-prefix-other',
    breaks: 'version.prefix',
    caughtBy: 'version-prefix-v1',
    fault: 'The version is carried as a date.',
    ...basedAt('/2026-11-20'),
  },
  {
    id: 'version-fetch-not-built',
    breaks: 'service.operations',
    caughtBy: 'stateful-list-add-fetch',
    fault: 'As it is deprecated, the fetch was never built.',
    parts: ({ operations }) => ({
      operations: {
        ...operations,
        getPet: (_call, { error }) => error(404, 'not_found', 'There is nothing at this address.'),
      },
    }),
  },
]

export const addressMutants: readonly Mutant[] = [
  ...addresses,
  ...elsewhere,
  ...methods,
  ...version,
]
