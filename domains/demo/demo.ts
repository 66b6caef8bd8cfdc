// The demonstration: model, DNS, authority and edge together on loopback, one project published.
import type { Plan } from '../../spec/plans.ts'
import { type Authority, type Credentials, createAuthority, type LeafOptions } from './authority.ts'
import { type DnsServerOptions, startDnsServer } from './dns-server.ts'
import { type EdgeRequest, type EdgeResponse, startEdge } from './edge.ts'
import {
  type Button,
  type DnsFacts,
  type HostResponse,
  PublishingModel,
  type Reply,
} from './model.ts'
import {
  authorityName,
  customerZones,
  customHosts,
  edgeResponse,
  platformHost,
  primary,
  redirects,
  siteHost,
} from './site.ts'
import { addressesOf, caaAllows, recordsAt, type ZoneRecord, type Zones } from './zones.ts'

type Records = readonly ZoneRecord[]

/** How a faulty or a legal variant differs from the usual demonstration. */
export interface PublishingVariant extends DnsServerOptions {
  /** The zones from the beginning: before Verify. */
  readonly zones?: (records: Records) => Records
  /** The zones once all certificates are issued. */
  readonly laterZones?: (records: Records) => Records
  /** Names at which further zones begin. */
  readonly apexes?: readonly string[]
  readonly addresses?: readonly string[]
  readonly leaf?: (host: string, honest: LeafOptions) => LeafOptions
  readonly credentials?: (
    honest: Credentials,
    sni: string,
    address: string,
    fallback: Credentials,
  ) => Credentials | null
  readonly respond?: (
    honest: (request: EdgeRequest) => EdgeResponse,
    request: EdgeRequest,
    /** What an attached host returned before the removal. */
    formerly: (request: EdgeRequest) => EdgeResponse,
  ) => EdgeResponse
  readonly onPlan?: Exclude<Plan, 'free'>
}

export type Demo = Awaited<ReturnType<typeof startDemo>>

const dayMs = 24 * 3600_000
const issueMs = 120_000

const leafFor = (names: readonly string[]): LeafOptions => ({
  names,
  notBefore: new Date(Date.now() - 10 * dayMs),
  notAfter: new Date(Date.now() + 80 * dayMs),
  signedBy: 'intermediate',
  withChain: true,
})

const dnsFactsOf = (zones: Zones, host: string): DnsFacts => {
  const dataOf = (type: 'CNAME' | 'A' | 'AAAA') =>
    recordsAt(zones, host, type).map(({ data }) => data)
  return {
    cnames: dataOf('CNAME'),
    addresses: [...dataOf('A'), ...dataOf('AAAA')],
    platformAddresses: addressesOf(zones, platformHost),
  }
}

/** The model with the certificates that it has had issued, as the edge sees both. */
class PublishedProject {
  readonly #variant: PublishingVariant
  readonly #authority: Authority
  readonly #model: PublishingModel
  readonly #credentials = new Map<string, Credentials>()
  /** What the domains responded before the last Remove. */
  #former = new Map<string, HostResponse>()

  constructor(variant: PublishingVariant, authority: Authority, zones: Zones) {
    this.#variant = variant
    this.#authority = authority
    this.#model = new PublishingModel({
      host: platformHost,
      siteHost,
      plan: variant.onPlan ?? 'pro',
      dns: (host) => dnsFactsOf(zones, host),
      caaAllows: (host) => caaAllows(zones, host, authorityName),
    })
  }

  async publish(): Promise<void> {
    this.#model.deploy(true)
    for (const host of customHosts) this.#model.press('add', host)
    for (const host of customHosts) this.#model.press('verify', host)
    this.#model.configure(primary, redirects)
    await this.#issue()
    this.#remember()
  }

  async press(button: Button, host: string): Promise<Reply> {
    if (button === 'remove') this.#remember()
    const reply = this.#model.press(button, host)
    await this.#issue()
    return reply
  }

  credentials(sni: string, address: string, fallback: Credentials): Credentials | null {
    const own = this.#model.hasCertificate(sni) ? this.#credentials.get(sni) : undefined
    const honest = own ?? fallback
    const { credentials } = this.#variant
    return credentials ? credentials(honest, sni, address, fallback) : honest
  }

  respond(request: EdgeRequest): EdgeResponse {
    const honest = (each: EdgeRequest) => edgeResponse(this.#model.respond(each.host), each)
    const formerly = (each: EdgeRequest) => {
      const former = this.#former.get(each.host)
      return former ? edgeResponse(former, each) : honest(each)
    }
    return this.#variant.respond?.(honest, request, formerly) ?? honest(request)
  }

  #remember(): void {
    this.#former = new Map(customHosts.map((host) => [host, this.#model.respond(host)]))
  }

  /** The minutes pass in which certificates are issued. */
  async #issue(): Promise<void> {
    this.#model.pass(issueMs)
    for (const host of customHosts) {
      if (!this.#model.hasCertificate(host) || this.#credentials.has(host)) continue
      const leaf = leafFor([host])
      const issued = await this.#authority.issue(this.#variant.leaf?.(host, leaf) ?? leaf)
      this.#credentials.set(host, issued)
    }
  }
}

/**
 * Starts all parts on loopback, at ports of the system's choice.
 * @param given null: an authority of its own, which takes a tenth of a second to make
 */
export const startDemo = async (variant: PublishingVariant, given: Authority | null) => {
  const addresses = variant.addresses ?? ['127.0.0.1']
  const authority = given ?? (await createAuthority())
  const zones = customerZones(addresses)
  zones.records = variant.zones?.(zones.records) ?? zones.records
  zones.apexes = [...(variant.apexes ?? []), ...zones.apexes]
  const project = new PublishedProject(variant, authority, zones)
  await project.publish()
  zones.records = variant.laterZones?.(zones.records) ?? zones.records
  // Sent without a chain: one of the default context would be sent with every other leaf.
  const own = { ...leafFor([siteHost, platformHost]), signedBy: 'root', withChain: false } as const
  const fallback = await authority.issue(own)
  const dns = await startDnsServer(zones, variant)
  const edge = await startEdge({
    addresses,
    fallback,
    credentials: (sni, address) => project.credentials(sni, address, fallback),
    respond: (request) => project.respond(request),
  })
  return {
    /** Address and port of the authoritative DNS server. */
    dns: dns.address,
    httpsPort: edge.httpsPort,
    httpPort: edge.httpPort,
    rootPem: authority.rootPem,
    /** Presses a button of the dashboard, and lets the minutes pass that it takes. */
    press: (button: Button, host: string) => project.press(button, host),
    close: async (): Promise<void> => {
      await Promise.all([dns.close(), edge.close()])
    },
  }
}
