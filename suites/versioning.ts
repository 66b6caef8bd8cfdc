// Versioning: the prefix of the base address, and what is announced of the deprecation.
import type { Needs, Question } from '../engine/check.ts'
import { check, observe } from '../engine/check.ts'
import { header } from '../engine/exchange.ts'
import { violate } from '../engine/expect.ts'

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

export const list: readonly Question[] = [...prefix, announced]
