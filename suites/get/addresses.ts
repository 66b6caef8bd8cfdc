// Addresses that the interface does not name, and methods that its paths do not have; versions,
// what announces a deprecation, and the codes of errors.

import fc from 'fast-check'
import { type AnyCheck, type Make, observe, type Value } from '../../engine/check/declare.ts'
import { someId } from '../../engine/check/requests.ts'
import { openRow, row } from '../../engine/check/row.ts'
import { bodyObject } from '../../history/body.ts'
import {
  type AnsweredExchange,
  get,
  header,
  isAnswered,
  post,
  statusCode,
  unauthorized,
} from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { describeMember } from '../../model/clause.ts'
import vocabulary from '../vocabulary/addresses.json' with { type: 'json' }

const needs = { stage: 'reads' } as const
const toGet = (path: string): Value => [`with the path ${path}`, () => get(path)]

const unnamed = ['store', 'animals', 'domains', 'projects'].map((name) =>
  row('list', { id: `address-${name}-4xx`, needs, values: [toGet(`/${name}`)] }),
)

/** A client that misspells an address needs to notice it. */
const nonsense = row('list', {
  ...{ id: 'address-nonsense-not-2xx', needs },
  values: [['with a path by the seed', ({ seed }) => get(`/petvet-nonsense-${seed}`)]],
})

/** Spellings of the list, which may be served, but not without a key; the usual ones come first. */
const spellings = [
  ...['//pets', '/PETS', '/%70ets', '/./pets', '/x/%2e%2e/pets', '/;a=1/pets'],
  ...['/Pets/', '/pets;a=1', '/pets.json', '//pets//', '/PETS/?limit=1'],
]
/** Further ones; ID is the id of a known pet. */
const furtherSpellings: readonly Value[] = vocabulary.spellings
  .split(' ')
  .map((path) => [
    `with the path ${path}`,
    (context) => get(path.includes('ID') ? path.replace('ID', `${someId(context)}`) : path),
  ])

const spelling = openRow('list', {
  ...{ id: 'address-spelling', requirement: 'service.address-spelling', needs },
  ...{ record: 'status', values: [toGet('/pets/')] },
  more: [...spellings.map(toGet), ...furtherSpellings],
})

/** A server may limit the requests without a key of a client address. */
const maxUnguarded = 20

/** A router may serve an address that the guard in front of it does not know. */
const unguarded = row('list', {
  ...{ id: 'address-spelling-needs-key', requirement: 'auth.key-missing' },
  fails: 'A 2xx response with a pet in it.',
  needs: { stage: 'unauthenticated' },
  // A server decodes the other before it looks for a guard.
  values: ['/pets/', '//pets', '/PETS', '/pets.json', '/x/../pets'].map((path) => [
    `without a key, with the path ${path}`,
    () => unauthorized(get(path)),
  ]),
  more: furtherSpellings
    .slice(0, maxUnguarded)
    .map(([words, make]) => [
      `without a key, ${words}`,
      (context, pick) => unauthorized(make(context, pick)),
    ]),
})

/** Of the list, or of a pet. If the method works, it changes only a pet of this run. */
const otherMethod =
  (methods: readonly string[], idOf?: (id: bigint) => bigint): Make =>
  (context, pick) => {
    const path = idOf ? `/pets/${idOf(someId(context))}` : '/pets'
    const method = pick(fc.constantFrom(...methods))
    const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
    return { ...(hasBody ? post(path, printJson(context.newPet())) : get(path)), method }
  }

const refusedMethod = (id: string, values: readonly Value[], more: readonly Value[] = []) =>
  row('list', {
    ...{ id: `method-${id}-refused`, values, more },
    needs: { ...needs, allow: ['write'] },
  })

const ofList = ['PUT', 'PATCH', 'DELETE']
const ofPet = [...ofList, 'POST']
const known = (id: bigint): bigint => id

/**
 * Methods that no path of the interface has: of RFC 9110, of the IANA registry of HTTP methods
 * (https://www.iana.org/assignments/http-methods), and one of caches. CONNECT is left out: its
 * target is an authority, which no path is.
 */
const furtherMethods = ['TRACE', 'PROPFIND', 'MKCOL', 'MOVE', 'LOCK', 'SEARCH', 'LINK', 'PURGE']
const registered = vocabulary.methods.split(' ')

const atList = (method: string): Value => [`with the method ${method}`, otherMethod([method])]
const atPet = (method: string): Value => [
  `with the method ${method}, at a known pet`,
  otherMethod([method], known),
]

const methods = [
  refusedMethod('put-list', [atList('PUT')]),
  refusedMethod('trace', [atList('TRACE')]),
  refusedMethod('known', [...ofPet.map(atPet), ...['PATCH', 'DELETE'].map(atList)]),
  refusedMethod(
    'other',
    [['with a method by the seed', otherMethod(furtherMethods)]],
    [
      ['with a method by the seed, at a known pet', otherMethod(furtherMethods, known)],
      [
        'with one by the seed, at a pet that is not there',
        otherMethod(['POST', ...ofList], (id) => -id),
      ],
      ...registered.map((method, at) => (at % 2 === 0 ? atPet(method) : atList(method))),
    ],
  ),
]

const openMethods = (['head', 'options'] as const).map((name) => {
  const method = name.toUpperCase()
  return openRow('list', {
    ...{ id: `method-${name}-list`, requirement: `service.${name}`, needs },
    record: 'status',
    values: [[`with the method ${method}`, () => ({ ...get('/pets'), method })]],
  })
})

const prefix = observe({
  id: 'version-prefix-v2',
  requirement: 'version.other-prefix',
  // Without the key: another service may be at that address.
  needs: { stage: 'unauthenticated' },
  sends: '`GET /pets` without a key, with `/v2` instead of `/v1`.',
  records: 'The status.',
  after: 'list',
  run: async ({ call, control }) => {
    const { pathname } = new URL((await control('list')).request.url)
    const path = pathname.replace(/\/v1(?=\/pets)/, '/v2')
    if (path === pathname) return 'no prefix to change'
    return String(statusCode(await call({ ...unauthorized(get(path)), from: 'origin' })))
  },
})

const byCheck = (a: AnsweredExchange, b: AnsweredExchange): number =>
  a.check < b.check ? -1 : Number(a.check > b.check)

const codes = observe({
  id: 'error-codes',
  requirement: 'gap.code-values',
  sentBy: ['auth-missing-list-401'],
  needs: { stage: 'reads' },
  sends: 'No requests: it looks at a 400 and a 401 of the run.',
  records: 'The `code` of each.',
  after: 'list',
  run: async ({ history }) => {
    // By check, so that equal runs look at the same ones, whatever came first.
    const answered = history.exchanges.filter(isAnswered).toSorted(byCheck)
    const found = [400, 401].flatMap(
      (status) => answered.find((one) => statusCode(one) === status) ?? [],
    )
    const codeOf = (one: AnsweredExchange) => describeMember(bodyObject(one) ?? {}, 'code')
    return found.map((one) => `${statusCode(one)} ${codeOf(one)}`).join(', ')
  },
})

const announced = observe({
  id: 'get-deprecation-sent',
  requirement: 'get.deprecation-sent',
  needs: { stage: 'reads', getPet: true },
  sends: 'No requests: it looks at the GET of an existing pet.',
  records: 'Which of `Deprecation` and `Sunset` the response has.',
  after: 'get',
  run: async ({ control }) => {
    const exchange = await control('get')
    const sent = ['Deprecation', 'Sunset'].filter((name) => header(exchange, name) !== undefined)
    return sent.join(' and ') || 'neither'
  },
})

export const addresses: readonly AnyCheck[] = [
  ...unnamed,
  nonsense,
  spelling,
  unguarded,
  ...methods,
  ...openMethods,
  ...[prefix, codes, announced],
]
