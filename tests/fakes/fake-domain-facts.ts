// Facts made by hand, without a network: DNS from records, and pages.

import { viewDns, viewDomain } from '../../domains/check/dns-view.ts'
import {
  type DnsReply,
  type DnsTable,
  type DomainSettings,
  emptyFacts,
  type Facts,
  type HttpFacts,
  type Probe,
  pageOrder,
  questionKey,
  type TlsFacts,
} from '../../domains/check/facts.ts'
import { record, respondFrom, type ZoneRecord } from '../../domains/demo/zones.ts'
import type { DnsType } from '../../domains/rules/dns-records.ts'

export const platformHost = 'sites.publish.example'
export const siteHost = 'slug.publish.example'
export const platformAddress = '198.51.100.1'
export const host = 'www.zoo.example'

export const platformRecord = record(`${platformHost} A ${platformAddress}`)
export const goodRecords = [platformRecord, record(`${host} CNAME ${platformHost}`)]

/** The responses of a server with these records to all questions of the checks. */
export const makeTable = (
  records: readonly ZoneRecord[],
  failing: (name: string, type: DnsType) => DnsReply | undefined = () => undefined,
): DnsTable => {
  const replies: Record<string, DnsReply> = {}
  const look = (name: string, type: DnsType): DnsReply => {
    const zones = { apexes: ['example'], records }
    const { rcode, authoritative, answers } = respondFrom(zones, name, type)
    const reply = failing(name, type) ?? { rcode, authoritative, answers }
    replies[questionKey(name, type)] = reply
    return reply
  }
  for (const name of [platformHost, siteHost]) viewDns(look, name)
  viewDomain(look, host)
  return { resolver: '192.0.2.53:53', replies }
}

const settings: DomainSettings = {
  platformHost,
  platformAddresses: [],
  site: null,
  marker: 'the-marker',
  path: '/',
  plan: null,
  authorities: ['ca.example'],
  since: null,
  verifiedAt: null,
  allowProxy: false,
  httpsPort: 443,
  httpPort: 80,
}

export const makeFacts = (
  dns: readonly DnsTable[],
  probes: readonly Probe[],
  more: Partial<DomainSettings> = {},
  config: Facts['config'] = { primary: host, redirects: [] },
): Facts => ({ ...emptyFacts({ ...settings, ...more }, config), dns, probes })

const goodTls: TlsFacts = {
  error: null,
  names: [host],
  namesHost: true,
  validFrom: '2020-01-01T00:00:00.000Z',
  validTo: '2090-01-01T00:00:00.000Z',
  subject: `CN=${host}`,
  issuer: 'C=XX\nCN=Some Intermediate',
}

type Parts = Partial<Pick<Probe, 'address' | 'failed'> & Omit<HttpFacts, 'headers'>> & {
  readonly location?: string
  readonly tls?: Partial<TlsFacts> | null
}

export const makeProbe = (parts: Parts): Probe => ({
  ...pageOrder(settings, host, parts.address ?? platformAddress),
  at: new Date().toISOString(),
  ms: 1,
  tls: parts.tls === null ? null : { ...goodTls, ...parts.tls },
  response: parts.failed
    ? null
    : {
        status: parts.status ?? 200,
        headers: parts.location === undefined ? [] : [['location', parts.location]],
        body: parts.body ?? '',
        cut: parts.cut ?? false,
      },
  failed: parts.failed ?? null,
})
