// Faults of addresses and methods that the interface does not have, and of the version prefix.
import type { Variant } from '../../compose.ts'
import { type ApiRequest, type ApiResponse, splitTarget } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { basePath } from '../../routes.ts'
import { everyResponse, onStatus, replacedBy, withHeaders, without } from '../../seams/responses.ts'

/** Answers what is refused elsewhere: where the test says so, and only with a valid key. */
const served = (
  test: (request: ApiRequest, path: string) => boolean,
  status: number,
  body: string,
): Variant =>
  everyResponse((answer, request): ApiResponse => {
    const isRefused = answer.status === 404 || answer.status === 405
    const path = splitTarget(request.target).path.slice(basePath.length)
    return isRefused && test(request, path) ? { ...answer, status, body } : answer
  })

const address = (name: string, body: string, fault: string): Mutant => ({
  id: `address-${name}-served`,
  caughtBy: `address-${name}-4xx`,
  fault,
  ...served((_request, path) => path === `/${name}`, 200, body),
})

const animal = '{"id":1,"name":"Rex","categoryId":1}'

const method = (
  name: string,
  at: 'list' | 'animal',
  status: number,
  body: string,
  fault: string,
): Mutant => ({
  id: `method-${name.toLowerCase()}-${at}-served`,
  caughtBy: `method-${name.toLowerCase()}-${at}-refused`,
  fault,
  ...served(
    (request, path) => request.method === name && (path === '/pets') === (at === 'list'),
    status,
    body,
  ),
})

/** The whole API at another base address. */
const basedAt = (path: string): Variant => ({
  basePath: path,
  parts: ({ findRoute }) => ({
    findRoute: (name, given) => findRoute(name, given.replace(path, basePath)),
  }),
})

export const addressMutants: readonly Mutant[] = [
  address('store', '{"pets":"/v1/pets"}', 'The group has an index page.'),
  address('animals', '[]', 'The tag is taken for a second name of the list.'),
  address('domains', '[]', 'The dashboard talks to the same service.'),
  address('projects', '[]', 'A route of the dashboard leaks out.'),
  {
    id: 'address-nonsense-served',
    caughtBy: 'address-nonsense-not-2xx',
    fault: 'Whatever no route matches is answered with the start page.',
    ...served((_request, path) => !path.startsWith('/pets'), 200, '{"it":"works"}'),
  },
  {
    id: 'address-unknown-500',
    caughtBy: 'answer-no-5xx-elsewhere',
    fault: 'An address without a route makes the handler of errors throw.',
    ...everyResponse((answer, request, parts) =>
      answer.status === 404 && !splitTarget(request.target).path.startsWith(`${basePath}/pets`)
        ? replacedBy(500, 'internal', 'The service failed.')(answer, request, parts)
        : answer,
    ),
  },
  method('PUT', 'list', 200, '[]', 'The whole collection can be replaced.'),
  method('PATCH', 'list', 200, '[]', 'An unknown method is taken for a read.'),
  method('DELETE', 'list', 204, '', 'The collection can be emptied.'),
  method('PUT', 'animal', 200, animal, 'The scaffold made a full set of routes.'),
  method('PATCH', 'animal', 200, animal, 'A part of an animal can be changed.'),
  method('DELETE', 'animal', 204, '', 'An animal can be deleted.'),
  method('POST', 'animal', 201, animal, 'The path below the collection is not looked at.'),
  ...caughtBy('answer-no-5xx', [
    [
      'method-unknown-500',
      'The table of routes has no entry for the method, and the lookup throws.',
      onStatus(405, replacedBy(500, 'internal', 'The service failed.')),
    ],
    [
      'method-head-500',
      'HEAD falls between the routes and the framework.',
      everyResponse((answer, request) =>
        request.method === 'HEAD' ? { ...answer, status: 500, body: '' } : answer,
      ),
    ],
  ]),
  ...caughtBy('method-405-allow', [
    [
      'method-allow-missing',
      'An answer 405 does not say what is allowed.',
      onStatus(405, without('Allow')),
    ],
    [
      'method-allow-incomplete',
      'Allow only names the method of the route that was looked at last.',
      onStatus(405, withHeaders({ Allow: 'GET' })),
    ],
  ]),
  {
    id: 'version-prefix-missing',
    caughtBy: 'base-address-version-prefix',
    fault: 'The paths stand at the root.',
    ...basedAt(''),
  },
  {
    id: 'version-prefix-other',
    caughtBy: 'version-prefix-v1',
    fault: 'The version is carried as a date.',
    ...basedAt('/2026-11-20'),
  },
  {
    id: 'version-fetch-not-built',
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
