// The names of the demonstration: a platform, a project on it, and the domains of its owner.
import type { ZoneRecord, Zones } from './zones.ts'

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
  { from: 'docs.farm.test', to: 'www.animals.test', status: 308 },
] as const
export const customHosts: readonly string[] = [primary, ...redirects.map(({ from }) => from)]

const ttl = 3600

const cname = (name: string): ZoneRecord => ({ name, ttl, type: 'CNAME', data: platformHost })

/** The zones as their owners have set them, as the dashboard said. */
export const customerZones = (addresses: readonly string[]): Zones => ({
  apexes: [platformZone, 'animals.test', 'farm.test', 'test'],
  records: [
    ...addresses.flatMap((data): ZoneRecord[] =>
      [platformHost, siteHost].map((name) => ({ name, ttl: 60, type: 'A', data })),
    ),
    cname(primary),
    { name: 'animals.test', ttl, type: 'ALIAS', data: platformHost },
    cname('shop.animals.test'),
    cname('docs.farm.test'),
  ],
})
