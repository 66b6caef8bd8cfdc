// The facts of a published project as plain data: what was requested, and what was returned.
import type { Plan } from '../../spec/plans.ts'
import type { DnsResponse, DnsType } from '../rules/dns-records.ts'
import type { DomainsConfig } from '../rules/lint.ts'

/** What the checks need to know in addition to the facts; times are ISO 8601. */
export interface DomainSettings {
  readonly platformHost: string
  /** Further addresses of the platform, which its host does not resolve to. */
  readonly platformAddresses: readonly string[]
  /** The project's subdomain of the platform. */
  readonly site: string | null
  /** A text on the project's page and on no other. */
  readonly marker: string | null
  readonly path: string
  /** The plan that the project has been on since the domain was added. */
  readonly plan: Plan | null
  /** How CAA records name the platform's authority. */
  readonly authorities: readonly string[]
  /** When the DNS was changed last. */
  readonly since: string | null
  /** When Verify succeeded. */
  readonly verifiedAt: string | null
  /** Whether a proxy of the customer may be in front of the platform. */
  readonly allowProxy: boolean
  readonly httpsPort: number
  readonly httpPort: number
}

type NoServer = 'no server' | 'unreachable'
export interface DnsFailed {
  readonly failed: NoServer | 'timeout' | 'malformed' | 'too many questions' | 'not sent'
}

/** `isBogus`: it fails, and not with DNSSEC checking disabled. */
export type DnsReply = (
  | (Omit<DnsResponse, 'truncated'> & { readonly isBogus?: true })
  | DnsFailed
) & { readonly ms?: number }

export interface DnsTable {
  /** Its address and port: `192.0.2.53:53`, `[2001:db8::53]:53`. */
  readonly resolver: string
  /** Of an authoritative server that was found: its name. */
  readonly nameServer?: string
  /** By name and type: `www.example.com CNAME`. */
  readonly replies: Record<string, DnsReply>
}

/** What the given resolvers replied: the servers that were found are compared to them. */
export const givenIn = (dns: readonly DnsTable[]): DnsTable[] =>
  dns.filter(({ nameServer }) => nameServer === undefined)

export const questionKey = (name: string, type: DnsType): string => `${name} ${type}`

export const resolverParts = (resolver: string): { address: string; port: number } => {
  const { hostname, port } = new URL(`dns://${resolver}`)
  return { address: hostname.replace(/[[\]]/g, ''), port: Number(port) }
}

/** A resolver without the usual port; an authoritative server that was found by its name. */
export const serverOf = ({ resolver, nameServer }: DnsTable): string =>
  nameServer ? `${nameServer} (${resolverParts(resolver).address})` : resolver.replace(/:53$/, '')

export interface TlsFacts
  extends Readonly<Record<'validFrom' | 'validTo' | 'subject' | 'issuer', string>> {
  /** Why the chain is not trusted, as OpenSSL names it; null if it is. */
  readonly error: string | null
  readonly names: readonly string[]
  readonly namesHost: boolean
}

export interface HttpFacts {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  readonly cut: boolean
}

/** Requested at each redirect, to see whether it keeps path and query. */
export const longerPath = '/petvet-path?petvet=1'

export type Purpose = 'page' | 'path' | 'head' | 'plain' | 'held' | 'resumed' | 'other-sni'

export interface ProbeOrder extends Readonly<Record<'host' | 'sni' | 'path' | 'address', string>> {
  readonly purpose: Purpose
  readonly scheme: 'http' | 'https'
  readonly method: 'GET' | 'HEAD'
  readonly port: number
}

export const pageOrder = (
  { httpsPort: port, path }: DomainSettings,
  host: string,
  address: string,
): ProbeOrder => ({
  ...{ purpose: 'page', scheme: 'https', method: 'GET' },
  ...{ host, sni: host, path, address, port },
})

/** The host, with its port unless that is the usual one. */
export const hostAndPort = ({ scheme, host, port }: ProbeOrder): string =>
  port === (scheme === 'https' ? 443 : 80) ? host : `${host}:${port}`

export interface Probe extends ProbeOrder {
  readonly at: string
  readonly ms: number
  readonly tls: TlsFacts | null
  readonly response: HttpFacts | null
  readonly failed: { readonly stage: 'connect' | 'tls' | 'http'; readonly code: string } | null
}

export interface Facts {
  readonly at: string
  readonly durationMs: number
  readonly settings: DomainSettings
  readonly config: DomainsConfig
  /** Of the given resolvers the first that knows is judged; the others are compared to it. */
  readonly dns: readonly DnsTable[]
  readonly probes: readonly Probe[]
  /** A domain that was removed at `at`: the requests before that; the others came after it. */
  readonly removal: { readonly host: string; readonly before: readonly Probe[] } | null
  /** When a certificate was first seen, by host, if that was watched for. */
  readonly certificateSeen: Readonly<Record<string, string>>
}

export const emptyFacts = (settings: DomainSettings, config: DomainsConfig): Facts => ({
  ...{ at: new Date().toISOString(), durationMs: 0, settings, config },
  ...{ dns: [], probes: [], removal: null, certificateSeen: {} },
})

/** No connection, or silence: a closed connection or a refused handshake is a response. */
export const isLost = ({ failed }: Probe): boolean =>
  failed !== null && (failed.stage === 'connect' || failed.code === 'ETIMEDOUT')

/** Every domain of the configuration once, the primary first. */
export const listHosts = ({ primary, redirects }: DomainsConfig): string[] => [
  ...new Set([primary, ...redirects.map(({ from }) => from)]),
]
