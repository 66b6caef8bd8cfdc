// Versioning: the prefix of the base address, the three operations behind it, the deprecation.
import type { Needs, Question } from './kit/check.ts'
import { check, observe } from './kit/check.ts'
import { header } from './kit/exchange.ts'
import { expectPet, expectPets, expectStatus, violate } from './kit/expect.ts'
import { printJson } from './kit/json.ts'
import { get, post, withKeyOf } from './kit/request.ts'

const free: Needs = { stage: 'reads', keyed: 0, anonymous: 0 }

const prefix = (
  [
    ['base-address-version-prefix', 'service.base-path'],
    ['version-prefix-v1', 'version.prefix'],
  ] as const
).map(([id, requirement]) =>
  check(id, requirement, free, async ({ control }) => {
    const exchange = await control('list')
    const { pathname } = new URL(exchange.request.url)
    if (pathname.endsWith('/v1/pets')) return
    violate('a base address that ends in /v1', `the list stands at ${pathname}`, exchange)
  }),
)

const operations = check(
  'operations-three-served',
  'service.operations',
  { stage: 'creations', keyed: 2, anonymous: 0, allow: ['write'], getPet: true },
  async ({ call, control, newPet }) => {
    expectPets(await control('list'))
    const created = await call(post('/pets', printJson(newPet())))
    expectStatus(created, 201)
    const { id } = expectPet(created)
    const fetched = await call(withKeyOf(get(`/pets/${id}`), created))
    expectStatus(fetched, 200)
    if (expectPet(fetched).id !== id) violate(`the animal ${id}`, 'another one', created, fetched)
  },
)

const announced = observe(
  'get-deprecation-sent',
  'get.deprecation-sent',
  { ...free, getPet: true },
  async ({ control }) => {
    const exchange = await control('get')
    const sent = ['Deprecation', 'Sunset'].filter((name) => header(exchange, name) !== undefined)
    return sent.join(' and ') || 'neither'
  },
)

export const list: readonly Question[] = [...prefix, operations, announced]
