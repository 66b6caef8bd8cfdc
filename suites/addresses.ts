// Addresses that the interface does not name, and methods that its paths do not have.

import type { Needs, Question } from '../engine/check.ts'
import { check, invariant, observe } from '../engine/check.ts'
import type { Context } from '../engine/context.ts'
import type { Answered } from '../engine/exchange.ts'
import { headerValues, statusOf } from '../engine/exchange.ts'
import { told, violate } from '../engine/expect.ts'
import { petsIn } from '../engine/herd.ts'
import { printJson } from '../engine/json.ts'
import { Untested } from '../engine/outcome.ts'
import type { ApiRequest } from '../engine/request.ts'
import { get, json, unauthorized } from '../engine/request.ts'
import { isAtOwnPath, isSuccess } from './answers.ts'

const read: Needs = { stage: 'reads', keyed: 1, anonymous: 0 }

const unnamed = (
  [
    ['store', 'service.groups'],
    ['animals', 'service.groups'],
    ['domains', 'publishing.no-operation'],
    ['projects', 'publishing.no-operation'],
  ] as const
).map(([name, requirement]) =>
  check(`address-${name}-4xx`, requirement, read, async ({ call, control }) => {
    const sound = await control('list')
    const answer = await call(get(`/${name}`))
    const status = statusOf(answer)
    if (isSuccess(answer)) violate('a 4xx answer', told(answer), sound, answer)
    if (status >= 400 && status <= 499) return
    throw new Untested('ambiguous', `/${name} was answered ${status}; a 2xx or a 4xx decides`, [
      answer,
    ])
  }),
)

const nonsense = check(
  'address-nonsense-not-2xx',
  'service.nonsense-address',
  read,
  async ({ call, control, seed }) => {
    const sound = await control('list')
    const answer = await call(get(`/petvet-nonsense-${seed}`))
    if (isSuccess(answer)) violate('no 2xx answer', told(answer), sound, answer)
  },
)

const spellings = (
  [
    ['slash-at-end', '/pets/'],
    ['slash-doubled', '//pets'],
    ['upper-case', '/PETS'],
    ['percent-escape', '/%70ets'],
  ] as const
).map(([name, path]) =>
  observe(`address-${name}`, 'service.address-spelling', read, async ({ call, control }) => {
    await control('list')
    return String(statusOf(await call(get(path))))
  }),
)

type MethodRow = readonly [method: string, at: 'list' | 'animal', hasBody: boolean]

const methodRows: readonly MethodRow[] = [
  ['PUT', 'list', true],
  ['PATCH', 'list', true],
  ['DELETE', 'list', false],
  ['PUT', 'animal', true],
  ['PATCH', 'animal', true],
  ['DELETE', 'animal', false],
  ['POST', 'animal', true],
]

/** The animal that the control made: should a method be there after all, it harms this run only. */
const ownAnimal = async ({ control }: Context): Promise<[path: string, control: Answered]> => {
  const created = await control('create')
  return [`/pets/${petsIn(created)[0]?.id}`, created]
}

const methods = methodRows.map(([method, at, hasBody]) =>
  check(
    `method-${method.toLowerCase()}-${at}-refused`,
    'service.method',
    { ...read, allow: ['write'] },
    async (context) => {
      const [animal, control] = await ownAnimal(context)
      const request: ApiRequest = {
        ...get(at === 'list' ? '/pets' : animal),
        method,
        headers: hasBody ? [json] : [],
        body: hasBody ? printJson(context.newPet()) : null,
      }
      const answer = await context.call(request)
      const status = statusOf(answer)
      if ((status >= 400 && status <= 499) || status === 501) return
      violate('a 4xx answer or 501', told(answer), control, answer)
    },
  ),
)

const openMethods = (
  [
    ['HEAD', 'service.head'],
    ['OPTIONS', 'service.options'],
  ] as const
).map(([method, requirement]) =>
  observe(`method-${method.toLowerCase()}-list`, requirement, read, async ({ call, control }) => {
    await control('list')
    return String(statusOf(await call({ ...get('/pets'), method })))
  }),
)

const allow = invariant(
  'method-405-allow',
  'service.allow',
  (exchange) => statusOf(exchange) === 405 && isAtOwnPath(exchange),
  (exchange) => {
    const values = headerValues(exchange, 'Allow')
    const named = values.flatMap((value) => value.split(',')).map((name) => name.trim())
    const wanted = /^\/pets(?:\?|$)/.test(exchange.asked.path) ? ['GET', 'POST'] : []
    if (values.length > 0 && wanted.every((method) => named.includes(method))) return
    const found = values.length > 0 ? `Allow: ${values.join(', ')}` : 'no such header'
    violate(`Allow${wanted.length > 0 ? ' with GET and POST' : ''}`, found, exchange)
  },
)

/** The addresses that stand where the base address has `/v1`. */
const prefixes = (
  [
    ['v2', (path: string) => path.replace(/\/v1(?=\/pets)/, '/v2')],
    ['none', (path: string) => path.replace(/\/v1(?=\/pets)/, '')],
  ] as const
).map(([name, turn]) =>
  observe(
    `version-prefix-${name}`,
    'version.other-prefix',
    // Without the key: whatever stands there need not be the service that issued it.
    { stage: 'strangers', keyed: 0, anonymous: 1 },
    async ({ call, control }) => {
      const { pathname } = new URL((await control('list')).request.url)
      const path = turn(pathname)
      if (path === pathname) return 'no prefix to change'
      return String(statusOf(await call({ ...unauthorized(get(path)), from: 'origin' })))
    },
  ),
)

export const list: readonly Question[] = [
  ...unnamed,
  nonsense,
  ...spellings,
  ...methods,
  ...openMethods,
  allow,
  ...prefixes,
]
