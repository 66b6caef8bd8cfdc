// How a variant differs from the usual demonstration: its records, certificates and responses.
import { platformHost, primary } from '../demo/customers.ts'
import type { EdgeAnswer, EdgeRequest } from '../demo/edge.ts'
import type { PublishingVariant } from '../demo/variant.ts'
import type { ZoneRecord } from '../demo/zones.ts'

/** The subdomain and the apex at which most variants differ. */
export const docs = 'docs.farm.test'
export const apex = 'animals.test'
export const twoAddresses = ['127.0.0.1', '127.0.0.2']
export const otherAuthority = 'other-ca.test'

const ttl = 3600

export const record = (
  name: string,
  type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'ALIAS',
  data: string,
): ZoneRecord => ({ name, type, data, ttl })

export const caa = (name: string, flags: number, tag: string, value: string): ZoneRecord => ({
  name,
  type: 'CAA',
  ttl,
  flags,
  tag,
  value,
})

type Zones = (all: readonly ZoneRecord[]) => readonly ZoneRecord[]

export const plus =
  (...records: readonly ZoneRecord[]): Zones =>
  (all) => [...all, ...records]

/** Removes all records of a name, and adds these. */
export const instead =
  (name: string, ...records: readonly ZoneRecord[]): Zones =>
  (all) => [...all.filter((each) => each.name !== name), ...records]

/** The CNAME leads to the platform by way of another name, once certificates are issued. */
export const indirect: PublishingVariant = {
  laterZones: instead(
    docs,
    record(docs, 'CNAME', 'all.farm.test'),
    record('all.farm.test', 'CNAME', platformHost),
  ),
}

type Leaf = Parameters<NonNullable<PublishingVariant['leaf']>>[1]

/** The certificate of one host is issued otherwise. */
export const leaf = (change: Partial<Leaf>): PublishingVariant => ({
  leaf: (host, honest) => (host === docs ? { ...honest, ...change } : null),
})

/** One host is presented the platform's own certificate. */
export const uncertified: PublishingVariant = {
  credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
}

export const daysFromNow = (days: number) => new Date(Date.now() + days * 24 * 3600_000)

export const page = (status: number, body: string): EdgeAnswer => ({ status, headers: {}, body })
export const noSite = page(404, 'no such site')
export const to = (status: number, location: string): EdgeAnswer => ({
  ...page(status, ''),
  headers: { location },
})

/** Other responses over HTTPS to one host. */
export const at = (
  host: string,
  answer: (request: EdgeRequest) => EdgeAnswer,
): PublishingVariant => ({
  answer: (honest, request) =>
    request.host === host && request.scheme === 'https' ? answer(request) : honest(request),
})

/** Another domains file. */
export const file = (redirects?: unknown, own: unknown = primary) => ({
  domains: { domains: { primary: own, redirects } },
})
