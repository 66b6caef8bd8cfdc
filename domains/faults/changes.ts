// How a variant differs from the usual demonstration: its records, certificates and responses.
import { platformHost, primary } from '../demo/customers.ts'
import type { EdgeAnswer, EdgeRequest } from '../demo/edge.ts'
import type { Change, PublishingVariant } from '../demo/variant.ts'
import { page } from '../demo/website.ts'
import { record } from '../demo/zones.ts'

/** The subdomain and the apex at which most variants differ. */
export const docs = 'docs.farm.test'
export const apex = 'animals.test'

export const twoAddresses = { addresses: ['127.0.0.1', '127.0.0.2'] } as const

/** @param lines of a zone, such as `farm.test CAA 0 issue ";"` */
export const plus = (...lines: readonly string[]): PublishingVariant => ({
  zones: (all) => [...all, ...lines.map((line) => record(line))],
})

/** Removes all records of a name, and adds these. */
export const instead = (name: string, ...lines: readonly string[]): PublishingVariant => ({
  zones: (all) => [
    ...all.filter((each) => each.name !== name),
    ...lines.map((line) => record(line)),
  ],
})

/** The same once all certificates are issued. */
export const later = ({ zones }: PublishingVariant): PublishingVariant =>
  zones ? { laterZones: zones } : {}

/** The CNAME leads to the platform by way of another name, once certificates are issued. */
export const indirect = later(
  instead(docs, `${docs} CNAME all.farm.test`, `all.farm.test CNAME ${platformHost}`),
)

type Leaf = Parameters<NonNullable<PublishingVariant['leaf']>>[1]

/** The certificate of one host is issued otherwise. */
export const leaf = (change: Partial<Leaf>): PublishingVariant => ({
  leaf: (host, honest) => (host === docs ? { ...honest, ...change } : null),
})

const daysFromNow = (days: number) => new Date(Date.now() + days * 24 * 3600_000)

/** From one day to another, counted from now. */
export const days = (from: number, to: number): Pick<Leaf, 'notBefore' | 'notAfter'> => ({
  notBefore: daysFromNow(from),
  notAfter: daysFromNow(to),
})

/** One host is presented the platform's own certificate. */
export const uncertified: PublishingVariant = {
  credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
}

export const noSite = page(404, 'no such site')

/** Other responses over HTTPS to one host. */
export const at = (
  host: string,
  answer: (request: EdgeRequest) => EdgeAnswer,
): PublishingVariant => ({
  answer: (honest, request) =>
    request.host === host && request.scheme === 'https' ? answer(request) : honest(request),
})

/** Another domains file. */
export const file = (redirects?: unknown, own: unknown = primary): Change => ({
  domains: { domains: { primary: own, redirects } },
})
