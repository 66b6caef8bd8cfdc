// The demonstration: one project published on loopback, by DNS, authority and edge together.
import type { RedirectConfig } from '../rules/lint.ts'
import { type Authority, type Credentials, createAuthority, type LeafOptions } from './authority.ts'
import { type DnsServerOptions, startDnsServer } from './dns-server.ts'
import { type EdgeRequest, type EdgeResponse, startEdge } from './edge-server.ts'
import { record, type ZoneRecord, type Zones } from './zones.ts'

const platformZone = 'publish.test'
export const platformHost = `sites.${platformZone}`
export const siteHost = `menagerie.${platformZone}`
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
const customerZones = (addresses: readonly string[]): Zones => ({
  apexes: [platformZone, 'animals.test', 'farm.test', 'test'],
  records: [
    ...addresses.flatMap((address) =>
      [platformHost, siteHost].map((name) => record(`${name} A ${address}`, 60)),
    ),
    ...customHosts.map((host) =>
      record(`${host} ${host === 'animals.test' ? 'ALIAS' : 'CNAME'} ${platformHost}`),
    ),
  ],
})

export const page = (status: number, body: string): EdgeResponse => ({ status, headers: {}, body })

export const redirectTo = (status: number, location: string): EdgeResponse => ({
  ...page(status, ''),
  headers: { location },
})

const titled = (status: number, title: string, more = '') => {
  const head = `<head><title>${title}</title>${more}</head>`
  return page(status, `<!doctype html><html lang="en">${head}</html>\n`)
}

const projectPage = titled(200, 'Menagerie', `<meta name="petvet" content="${marker}">`)

export type Respond = (request: EdgeRequest) => EdgeResponse

/** What a host responds that was never removed: its redirect, or the project. */
export const attached: Respond = ({ scheme, host, path }) => {
  if (scheme === 'http') return redirectTo(308, `https://${host}${path}`)
  const redirect: RedirectConfig | undefined = redirects.find(({ from }) => from === host)
  if (redirect) return redirectTo(redirect.status, `https://${redirect.to}${path}`)
  return path.split('?')[0] === '/' ? projectPage : titled(404, 'No such page')
}

type Change<T> = (usual: T) => T

/** How a faulty or a legal variant differs from the usual demonstration. */
export interface PublishingVariant extends DnsServerOptions {
  readonly zones?: Change<readonly ZoneRecord[]>
  /** Names at which further zones begin. */
  readonly apexes?: readonly string[]
  readonly addresses?: readonly string[]
  /** A second authoritative server, at the second address, and how it differs. */
  readonly secondary?: DnsServerOptions & { readonly zones?: Change<readonly ZoneRecord[]> }
  /** Whether the records of a domain are removed with it. */
  readonly dropsRecords?: boolean
  readonly leaf?: (host: string, honest: LeafOptions) => LeafOptions
  readonly credentials?: (
    honest: Credentials,
    sni: string,
    address: string,
    fallback: Credentials,
  ) => Credentials | null
  readonly respond?: (honest: Respond, request: EdgeRequest) => EdgeResponse
}

const usualLeaf = { days: [-10, 80], signedBy: 'intermediate', withChain: true } as const

/** What the edge serves: each domain with a certificate of its own, until it is removed. */
const publish = async (variant: PublishingVariant, authority: Authority) => {
  const issued = new Map<string, Credentials>()
  for (const host of customHosts) {
    const leaf = { names: [host], ...usualLeaf }
    issued.set(host, await authority.issue(variant.leaf?.(host, leaf) ?? leaf))
  }
  // Sent without a chain: one of the default context would be sent with every other leaf.
  const own = { ...usualLeaf, signedBy: 'root', withChain: false } as const
  const fallback = await authority.issue({ names: [siteHost, platformHost], ...own })
  const honest: Respond = (request) =>
    request.host === siteHost || issued.has(request.host)
      ? attached(request)
      : titled(404, 'Not found')
  return {
    fallback,
    /** @returns whether it was attached */
    remove: (host: string): boolean => issued.delete(host),
    credentials: (sni: string, address: string): Credentials | null => {
      const usual = issued.get(sni) ?? fallback
      return variant.credentials ? variant.credentials(usual, sni, address, fallback) : usual
    },
    respond: (request: EdgeRequest) => variant.respond?.(honest, request) ?? honest(request),
  }
}

export type Demo = Awaited<ReturnType<typeof startDemo>>

/** @param given null: an authority of its own, which takes a tenth of a second to make */
export const startDemo = async (variant: PublishingVariant, given: Authority | null) => {
  const addresses = variant.addresses ?? ['127.0.0.1']
  const authority = given ?? (await createAuthority())
  const { apexes, records } = customerZones(addresses)
  const zones = {
    apexes: [...(variant.apexes ?? []), ...apexes],
    records: variant.zones?.(records) ?? records,
  }
  const { remove, ...served } = await publish(variant, authority)
  const { secondary, dropsRecords = false } = variant
  // First, as a machine may lack a second address, and then nothing may be left open.
  const { close, ...ports } = await startEdge({ addresses, ...served })
  const dns = await startDnsServer(zones, variant)
  const second = { ...zones, records: secondary?.zones?.(zones.records) ?? zones.records }
  const at = { address: addresses[1] ?? '', port: dns.port }
  const servers = [dns, ...(secondary ? [await startDnsServer(second, secondary, at)] : [])]
  return {
    dns: `127.0.0.1:${dns.port}`,
    ...{ dnsPort: dns.port, ...ports },
    rootPem: authority.rootPem,
    remove: (host: string): boolean => {
      if (dropsRecords) zones.records = zones.records.filter(({ name }) => name !== host)
      return remove(host)
    },
    close: async (): Promise<void> => {
      await Promise.all([...servers.map((each) => each.close()), close()])
    },
  }
}
