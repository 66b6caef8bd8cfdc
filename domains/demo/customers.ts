// The names of the demonstration: a platform, a project on it, and the domains of its owner.
import { record, type Zones } from './zones.ts'

export const platformZone = 'publish.test'
export const platformHost = `sites.${platformZone}`
export const slug = 'menagerie'
export const siteHost = `${slug}.${platformZone}`
export const authorityName = 'ca.publish.test'
export const marker = 'petvet-demo-menagerie'

export const primary = 'www.animals.test'
export const redirects = [
  { from: 'animals.test', to: primary, status: 301 },
  { from: 'shop.animals.test', to: primary, status: 302 },
  { from: 'docs.farm.test', to: primary, status: 308 },
] as const
export const customHosts: readonly string[] = [primary, ...redirects.map(({ from }) => from)]

/** The zones as their owners have set them, according to the dashboard. */
export const customerZones = (addresses: readonly string[]): Zones => ({
  apexes: [platformZone, 'animals.test', 'farm.test', 'test'],
  records: [
    ...addresses.flatMap((address) =>
      [platformHost, siteHost].map((name) => record(`${name} A ${address}`, 60)),
    ),
    record(`${primary} CNAME ${platformHost}`),
    record(`animals.test ALIAS ${platformHost}`),
    record(`shop.animals.test CNAME ${platformHost}`),
    record(`docs.farm.test CNAME ${platformHost}`),
  ],
})
