// Addresses that the interface does not name, and methods that its paths do not have.

import { usableObject } from '../engine/check/body.ts'
import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check, invariant, type Needs, observe } from '../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  headerValues,
  isSuccess,
  json,
  post,
  statusCode,
  unauthorized,
} from '../engine/check/exchange.ts'
import { violateHeader, violateStatus } from '../engine/check/expect.ts'
import { printJson } from '../engine/check/json.ts'
import { petsIn } from '../engine/check/known-pets.ts'
import { isAtOwnPath, isRefusal } from '../engine/check/operations.ts'
import { Untested } from '../engine/check/outcome.ts'
import { afterControl, offeredOr, recordEach, recordsStatus, whenScarce } from './pets/requests.ts'
import { replaced } from './response-matching/specimens.ts'

const read: Needs = { stage: 'reads', keyed: 1, anonymous: 0 }

const unnamed = (
  [
    ['store', 'service.groups'],
    ['animals', 'service.groups'],
    ['domains', 'publishing.no-operation'],
    ['projects', 'publishing.no-operation'],
  ] as const
).map(([name, requirement]) =>
  check({
    id: `address-${name}-4xx`,
    requirement,
    needs: read,
    sends: `One \`GET /${name}\` below the base URL, with a valid key.`,
    fails: 'A 2xx response.',
    inconclusive: 'the response is neither 2xx nor 4xx (ambiguous)',
    run: async ({ call, control }) => {
      const valid = await control('list')
      const response = await call(get(`/${name}`))
      if (isSuccess(response)) violateStatus('a 4xx response', valid, response)
      if (isRefusal(response)) return
      const message = `/${name} gets ${statusCode(response)}, neither 2xx nor 4xx`
      throw new Untested('ambiguous', message, [response])
    },
  }),
)

const createAt = (path: string, { newPet }: Context): ApiRequest =>
  post(path, printJson(newPet()), [json])

const nonsense = check({
  id: 'address-nonsense-not-2xx',
  requirement: 'service.nonsense-address',
  needs: read,
  sends: 'One `GET /petvet-nonsense-SEED` with a valid key.',
  fails: 'A 2xx response. It is a should: a client that misspells an address needs to notice it.',
  ...afterControl('list', async ({ call, seed }, valid) => {
    const response = await call(get(`/petvet-nonsense-${seed}`))
    if (isSuccess(response)) violateStatus('no 2xx response', valid, response)
  }),
})

/** Those that routers serve most often come first. */
const spelledPaths = ['/pets/', '//pets', '/PETS', '/%70ets']

const spelling = observe({
  id: 'address-spelling',
  requirement: 'service.address-spelling',
  needs: { ...read, ample: spelledPaths.length },
  sends: `With a valid key: \`GET ${spelledPaths.join('`, `')}\`; one of them${whenScarce}.`,
  records: 'The status of each.',
  ...afterControl('list', ({ call, sample }) =>
    recordEach(sample(spelledPaths, 1), async (path) => [
      path,
      String(statusCode(await call(get(path)))),
    ]),
  ),
})

const givesPet = (response: AnsweredExchange): boolean =>
  petsIn(response).length > 0 || usableObject(response)?.id !== undefined

/** A server decodes the other before it looks for a guard. */
const unguardedPaths = spelledPaths.filter((path) => !path.includes('%'))

/** A router may serve an address that the guard in front of it does not know. */
const unguarded = check({
  id: 'address-spelling-needs-key',
  requirement: 'auth.key-missing',
  needs: { stage: 'unauthenticated', keyed: 0, anonymous: unguardedPaths.length },
  sends:
    '`GET /pets/`, `//pets` and `/PETS` without a key; where one is served, with the ' +
    'permission to write also a `POST`.',
  fails: 'A 2xx response with a pet in it: one is given out, or created.',
  ...afterControl('list', async (context, control) => {
    for (const path of unguardedPaths) {
      const found = await context.call(unauthorized(get(path)))
      if (isSuccess(found) && givesPet(found))
        violateStatus('status 401, or no pet', control, found)
      if (!isSuccess(found) || !context.allow.includes('write')) continue
      const made = await context.call(unauthorized(createAt(path, context)))
      if (isSuccess(made) && givesPet(made)) violateStatus('status 401, or no pet', control, made)
    }
  }),
})

const absentMethods = [
  ['PUT', 'list'],
  ['PATCH', 'list'],
  ['DELETE', 'list'],
  ['PUT', 'animal'],
  ['PATCH', 'animal'],
  ['DELETE', 'animal'],
  ['POST', 'animal'],
] as const

const methods = absentMethods.map(([method, at]) =>
  check({
    id: `method-${method.toLowerCase()}-${at}-refused`,
    requirement: 'service.method',
    needs: {
      ...{ ...read, allow: ['write'] },
      ...(method === 'PUT' && at === 'list' && { sharesEach: [replaced.name] }),
    },
    sends:
      `One ${method} at ` +
      `${at === 'list' ? '`/pets`' : '`/pets/{petId}` of a pet that this run created'}, with ` +
      `${method === 'DELETE' ? 'no' : 'a valid'} body and a valid key.`,
    fails: 'Anything other than a 4xx response or 501.',
    ...afterControl('create', async (context, created) => {
      const { call, newPet } = context
      // If the method works, it changes only the pet of the control request.
      const request = get(at === 'list' ? '/pets' : `/pets/${petsIn(created)[0]?.id}`)
      const content = method === 'DELETE' ? {} : { headers: [json], body: printJson(newPet()) }
      const isRight = (one: AnsweredExchange) => isRefusal(one) || statusCode(one) === 501
      const name = method === 'PUT' && at === 'list' ? replaced.name : `a ${method} at ${at}`
      const send = () => call({ ...request, method, ...content })
      const response = await offeredOr(context, name, isRight, send)
      if (isRight(response)) return
      violateStatus('a 4xx response or 501', created, response)
    }),
  }),
)

const openMethods = (
  [
    ['HEAD', 'service.head'],
    ['OPTIONS', 'service.options'],
  ] as const
).map(([method, requirement]) =>
  observe({
    id: `method-${method.toLowerCase()}-list`,
    requirement,
    needs: read,
    sends: `One ${method} at \`/pets\` with a valid key.`,
    ...recordsStatus('list', () => ({ ...get('/pets'), method })),
  }),
)

const allow = invariant({
  id: 'method-405-allow',
  requirement: 'service.allow',
  judges: 'Every 405 at a path of the interface.',
  fails: 'No `Allow`, or at `/pets` one without GET and POST. It is a should: HTTP requires it.',
  inconclusive: 'no response was 405 (ambiguous)',
  applies: (exchange) => statusCode(exchange) === 405 && isAtOwnPath(exchange),
  holds: (exchange) => {
    const values = headerValues(exchange, 'Allow')
    const named = values.flatMap((value) => value.split(',')).map((name) => name.trim())
    const wanted = /^\/pets(?:\?|$)/.test(exchange.apiRequest.path) ? ['GET', 'POST'] : []
    if (values.length > 0 && wanted.every((method) => named.includes(method))) return
    const found = values.length > 0 ? `Allow: ${values.join(', ')}` : 'no such header'
    const kind = values.length > 0 ? 'without GET or POST' : 'missing'
    const expected = `Allow${wanted.length > 0 ? ' with GET and POST' : ''}`
    violateHeader('Allow', kind, expected, found, exchange)
  },
})

const prefixes = (
  [
    ['v2', 'with `/v2` instead of `/v1`', '/v2'],
    ['none', 'with no version prefix', ''],
  ] as const
).map(([name, words, prefix]) =>
  observe({
    id: `version-prefix-${name}`,
    requirement: 'version.other-prefix',
    // Without the key: another service may be at that address.
    needs: { stage: 'unauthenticated', keyed: 0, anonymous: 1 },
    sends: `\`GET /pets\` without a key, ${words}.`,
    records: 'The status.',
    ...afterControl('list', async ({ call }, { request }) => {
      const { pathname } = new URL(request.url)
      const path = pathname.replace(/\/v1(?=\/pets)/, prefix)
      if (path === pathname) return 'no prefix to change'
      return String(statusCode(await call({ ...unauthorized(get(path)), from: 'origin' })))
    }),
  }),
)

export const addresses: readonly AnyCheck[] = [
  ...unnamed,
  nonsense,
  spelling,
  unguarded,
  ...methods,
  ...openMethods,
  allow,
  ...prefixes,
]
