// Addresses that the interface does not name, and methods that its paths do not have.

import fc from 'fast-check'
import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, check, type Make, observe, type Value } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  isSuccess,
  json,
  post,
  statusCode,
  unauthorized,
} from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { violateStatus } from '../../model/clause.ts'
import { showsPet } from '../../model/judge.ts'
import { someId } from '../pets/compare-pets.ts'
import { afterControl } from '../pets/requests.ts'
import { openRow, row } from '../pets/rows.ts'

const needs = { stage: 'reads' } as const
const toGet = (path: string): Value => [`with the path ${path}`, () => get(path)]

const unnamed = (
  [
    ['store', 'service.groups'],
    ['animals', 'service.groups'],
    ['domains', 'publishing.no-operation'],
    ['projects', 'publishing.no-operation'],
  ] as const
).map(([name, requirement]) =>
  row('list', 'Anything other than a 4xx response.', {
    ...{ id: `address-${name}-4xx`, requirement, needs, values: [toGet(`/${name}`)] },
  }),
)

const createAt = (path: string, { newPet }: Context): ApiRequest =>
  post(path, printJson(newPet()), [json])

const nonsense = row(
  'list',
  'A 2xx response. It is a should: a client that misspells an address needs to notice it.',
  {
    ...{ id: 'address-nonsense-not-2xx', requirement: 'service.nonsense-address', needs },
    values: [['with a path by the seed', ({ seed }) => get(`/petvet-nonsense-${seed}`)]],
  },
)

/** Those that routers serve most often come first. */
const spelledPaths = ['/pets/', '//pets', '/PETS', '/%70ets']
const fronts = ['/', '//', '/./', '/x/../', '/%2e/', '/x/%2e%2e/', '/;a=1/'] as const
const segments = ['pets', 'PETS', 'Pets', '%70ets', 'pets;a=1', 'pets.json'] as const
const ends = ['', '/', '//', '/?limit=1'] as const
/** Spellings of the list, which may be served, but not without a key. */
const spellings = fc
  .tuple(fc.constantFrom(...fronts), fc.constantFrom(...segments), fc.constantFrom(...ends))
  .map((parts) => parts.join(''))
  .filter((path) => path !== '/pets')
const spelled: Make = (_, pick) => get(pick(spellings))
const statusOf = (response: AnsweredExchange): string => `${statusCode(response)}`

const spelling = openRow('list', {
  ...{ id: 'address-spelling', requirement: 'service.address-spelling', needs },
  ...{ records: 'The status of each.', record: statusOf },
  most: spelledPaths.length,
  values: [...spelledPaths.map(toGet), ['with a path spelled by the seed', spelled]],
})

/** A server decodes the other before it looks for a guard. */
const unguardedPaths = spelledPaths.filter((path) => !path.includes('%'))

/** A router may serve an address that the guard in front of it does not know. */
const unguarded = check({
  id: 'address-spelling-needs-key',
  requirement: 'auth.key-missing',
  needs: { stage: 'unauthenticated' },
  sends:
    '`GET /pets/`, `//pets` and `/PETS` without a key; where one is served, with the ' +
    'permission to write also a `POST`.',
  fails: 'A 2xx response with a pet in it: one is given out, or created.',
  ...afterControl('list', async (context, control) => {
    for (const path of unguardedPaths) {
      const found = await context.call(unauthorized(get(path)))
      if (isSuccess(found) && showsPet(found))
        violateStatus('status 401, or no pet', control, found)
      if (!isSuccess(found) || !context.allow.includes('write')) continue
      const made = await context.call(unauthorized(createAt(path, context)))
      if (isSuccess(made) && showsPet(made)) violateStatus('status 401, or no pet', control, made)
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
  row('create', 'Anything other than a 4xx response or 501.', {
    id: `method-${method.toLowerCase()}-${at}-refused`,
    requirement: 'service.method',
    needs: { ...needs, allow: ['write'] },
    values: [
      [
        at === 'list' ? `with the method ${method}` : `with the method ${method}, at a known pet`,
        (context) => {
          // If the method works, it changes only a pet of this run.
          const path = at === 'list' ? '/pets' : `/pets/${someId(context)}`
          if (method === 'DELETE') return { ...get(path), method }
          return { ...post(path, printJson(context.newPet())), method }
        },
      ],
    ],
  }),
)

/**
 * Methods that no path of the interface has: of RFC 9110, of the IANA registry of HTTP methods
 * (https://www.iana.org/assignments/http-methods), and one of caches. CONNECT is left out: its
 * target is an authority, which no path is.
 */
const furtherMethods = [
  'TRACE',
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH', 'REPORT'],
  ...['LINK', 'UNLINK', 'BIND', 'ACL', 'CHECKOUT', 'MERGE', 'QUERY', 'PURGE'],
] as const

/** Of the list, of a known pet, or of one that is not there. */
const otherMethod =
  (methods: readonly string[], idOf: (id: bigint) => bigint | undefined): Make =>
  (context, pick) => {
    const id = idOf(someId(context))
    const path = id === undefined ? '/pets' : `/pets/${id}`
    const method = pick(fc.constantFrom(...methods))
    const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
    return { ...(hasBody ? post(path, printJson(context.newPet())) : get(path)), method }
  }

const further = row('list', 'Anything other than a 4xx response or 501.', {
  ...{ id: 'method-other-refused', requirement: 'service.method' },
  needs: { ...needs, allow: ['write'] },
  values: [
    ['with a method by the seed', otherMethod(furtherMethods, () => undefined)],
    ['with a method by the seed, at a known pet', otherMethod(furtherMethods, (id) => id)],
    [
      'with a method by the seed, at a pet that is not there',
      otherMethod(['POST', 'PUT', 'PATCH', 'DELETE'], (id) => -id),
    ],
  ],
})

const openMethods = (
  [
    ['HEAD', 'service.head'],
    ['OPTIONS', 'service.options'],
  ] as const
).map(([method, requirement]) =>
  openRow('list', {
    ...{ id: `method-${method.toLowerCase()}-list`, requirement, needs },
    ...{ records: 'The status.', record: statusOf },
    values: [[`with the method ${method}`, () => ({ ...get('/pets'), method })]],
  }),
)

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
    needs: { stage: 'unauthenticated' },
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
  further,
  ...openMethods,
  ...prefixes,
]
