// Facts made by hand, without a network: DNS from records, and pages.

import {
  type DnsReply,
  type DnsTable,
  emptyFacts,
  type Facts,
  type LookSettings,
  type Probe,
  type Purpose,
  questionKey,
  type TlsFacts,
} from '../check/facts.ts'
import { caaViewOf, doubledName, viewOf } from '../check/walk.ts'
import { answerFrom, record, type ZoneRecord } from '../demo/zones.ts'
import type { DnsType } from '../rules/dns-packet.ts'

export const platformHost = 'sites.publish.example'
export const siteHost = 'slug.publish.example'
export const platformAddress = '198.51.100.1'
export const host = 'www.zoo.example'

export const platformRecord = record(`${platformHost} A ${platformAddress}`)
export const goodRecords = [platformRecord, record(`${host} CNAME ${platformHost}`)]

/** The responses of a server with these records to all that a judgement looks up. */
export const tableOf = (
  records: readonly ZoneRecord[],
  failing: (name: string, type: DnsType) => DnsReply | undefined = () => undefined,
): DnsTable => {
  const replies: Record<string, DnsReply> = {}
  const look = (name: string, type: DnsType): DnsReply => {
    const { rcode, authoritative, answers } = answerFrom(
      { apexes: ['example'], records },
      name,
      type,
    )
    const reply = failing(name, type) ?? { rcode, authoritative, answers }
    replies[questionKey(name, type)] = reply
    return reply
  }
  for (const name of [platformHost, siteHost, host, doubledName(host)]) viewOf(look, name)
  caaViewOf(look, host)
  return { resolver: '192.0.2.53:53', replies }
}

const settings: LookSettings = {
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

export const factsOf = (
  dns: readonly DnsTable[],
  probes: readonly Probe[],
  more: Partial<LookSettings> = {},
  config: Facts['config'] = { primary: host, redirects: [] },
): Facts => ({ ...emptyFacts({ ...settings, ...more }, config), dns, probes })

const goodTls: TlsFacts = {
  error: null,
  names: [host],
  namesHost: true,
  validFrom: '2020-01-01T00:00:00.000Z',
  validTo: '2090-01-01T00:00:00.000Z',
  subject: `CN=${host}`,
  issuer: 'CN=ca',
  fingerprint: 'AA',
}

export interface Answer {
  readonly status?: number
  readonly location?: string
  readonly body?: string
  readonly cut?: boolean
  readonly tls?: Partial<TlsFacts> | null
  readonly address?: string
  readonly purpose?: Purpose
  readonly failed?: Probe['failed']
}

export const probeOf = (answer: Answer): Probe => ({
  purpose: answer.purpose ?? 'page',
  scheme: 'https',
  method: 'GET',
  host,
  sni: host,
  path: '/',
  address: answer.address ?? platformAddress,
  port: 443,
  at: new Date().toISOString(),
  ms: 1,
  tls: answer.tls === null ? null : { ...goodTls, ...answer.tls },
  answer: answer.failed
    ? null
    : {
        status: answer.status ?? 200,
        headers: answer.location === undefined ? [] : [['location', answer.location]],
        body: answer.body ?? '',
        cut: answer.cut ?? false,
      },
  failed: answer.failed ?? null,
})
