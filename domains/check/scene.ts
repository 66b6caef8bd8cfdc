// The facts as checks look at them, by host: where DNS leads, which CAA records count, and what a
// response shows. It is pure: `acquire` follows the same names to find out which questions to send.
import { domainToASCII } from 'node:url'
import type { DnsRecord, DnsType } from '../rules/dns.ts'
import { registrableDomain } from '../rules/host-name.ts'
import type { RedirectConfig } from '../rules/lint.ts'
import {
  type DnsReply,
  type DnsTable,
  type DomainSettings,
  type Facts,
  type HttpFacts,
  hostsOf,
  type Probe,
  type Purpose,
  questionKey,
} from './facts.ts'

/** The response to a question; undefined, and treated as an empty one: it has not been sent. */
export type Look = (name: string, type: DnsType) => DnsReply | undefined

/** Looks in what was gathered; an interrupted run has not sent every question. */
export const lookIn =
  ({ replies }: DnsTable): Look =>
  (name, type) => {
    const key = questionKey(name, type)
    return (Object.hasOwn(replies, key) ? replies[key] : undefined) ?? { failed: 'not sent' }
  }

const maxAliases = 8

/** The records at the name itself: a response includes those of alias targets. */
const recordsAt = (look: Look, name: string, ...types: readonly DnsType[]): DnsRecord[] =>
  types.flatMap((type) => {
    const reply = look(name, type)
    if (!reply || 'failed' in reply) return []
    return reply.answers.filter((record) => record.name === name && record.type === type)
  })

/** Why the records of a type are not known; null if they are, or were not looked up yet. */
const troubleOf = (look: Look, name: string, type: DnsType): string | null => {
  const reply = look(name, type)
  if (reply === undefined) return null
  if ('failed' in reply) return `${name} ${type}: ${reply.failed}`
  return ['NOERROR', 'NXDOMAIN'].includes(reply.rcode) ? null : `${name} ${type}: ${reply.rcode}`
}

const firstTrouble = (look: Look, names: readonly string[], ...types: readonly DnsType[]) =>
  names
    .flatMap((name) => types.map((type) => troubleOf(look, name, type)))
    .find((each) => each !== null) ?? null

export interface DnsView {
  readonly host: string
  readonly isApex: boolean
  readonly cnames: readonly DnsRecord[]
  /** A and AAAA at the name itself. */
  readonly own: readonly DnsRecord[]
  /** MX and TXT next to a CNAME, which may not be there. */
  readonly others: readonly DnsRecord[]
  /** The targets of the CNAMEs, one after the other. */
  readonly chain: readonly string[]
  readonly loops: boolean
  readonly addresses: readonly string[]
  readonly authoritative: boolean
  /** Why the CNAME, or the addresses, are not known. */
  readonly cnameTrouble: string | null
  readonly addressTrouble: string | null
}

const follow = (look: Look, host: string) => {
  const chain: string[] = []
  let end = host
  for (let hop = 0; hop < maxAliases; hop++) {
    const [alias] = recordsAt(look, end, 'CNAME')
    if (!alias) return { chain, end, loops: false }
    if (alias.data === host || chain.includes(alias.data)) break
    chain.push(alias.data)
    end = alias.data
  }
  return { chain, end, loops: true }
}

export const dnsViewOf = (look: Look, host: string): DnsView => {
  const { chain, end, loops } = follow(look, host)
  const cnames = recordsAt(look, host, 'CNAME')
  const reply = look(host, 'CNAME')
  const isApex = registrableDomain(host) === host || recordsAt(look, host, 'SOA').length > 0
  return {
    host,
    isApex,
    cnames,
    own: recordsAt(look, host, 'A', 'AAAA'),
    others: cnames.length > 0 && !isApex ? recordsAt(look, host, 'MX', 'TXT') : [],
    chain,
    loops,
    addresses: loops ? [] : recordsAt(look, end, 'A', 'AAAA').map(({ data }) => data),
    authoritative: reply !== undefined && 'rcode' in reply && reply.authoritative,
    cnameTrouble: firstTrouble(look, [host, ...chain], 'CNAME'),
    addressTrouble: firstTrouble(look, [host, end], 'A', 'AAAA'),
  }
}

/** The addresses of the platform, from every resolver. */
export const platformAddressesOf = (
  tables: readonly DnsTable[],
  { platformHost, platformAddresses }: DomainSettings,
): string[] => {
  const found = tables.flatMap((table) => dnsViewOf(lookIn(table), platformHost).addresses)
  return [...new Set([...found, ...platformAddresses])]
}

/** The name of the record if its zone was written twice. */
export const doubledName = (host: string): string => `${host}.${registrableDomain(host)}`

interface CaaView {
  /** The name that has the nearest set; null: there is none. */
  readonly at: string | null
  readonly set: readonly string[]
  readonly trouble: string | null
}

const caaSet = (look: Look, name: string): Pick<CaaView, 'set' | 'trouble'> => {
  let current = name
  for (let hop = 0; hop < maxAliases; hop++) {
    const trouble = firstTrouble(look, [current], 'CAA', 'CNAME')
    if (trouble) return { set: [], trouble }
    const set = recordsAt(look, current, 'CAA').map(({ data }) => data)
    const [alias] = recordsAt(look, current, 'CNAME')
    if (set.length > 0 || !alias) return { set, trouble: null }
    current = alias.data
  }
  return { set: [], trouble: `${name}: more than ${maxAliases} aliases` }
}

/**
 * The CAA records that count for a host (RFC 8659, 3): the nearest set that is not empty, from the
 * host up to its top level. An alias is followed; the parents of its target do not count.
 */
export const caaViewOf = (look: Look, host: string): CaaView => {
  const labels = host.split('.')
  for (const from of labels.keys()) {
    const at = labels.slice(from).join('.')
    const found = caaSet(look, at)
    if (found.trouble || found.set.length > 0) return { at, ...found }
  }
  return { at: null, set: [], trouble: null }
}

export interface HostScene {
  readonly host: string
  /** Undefined: it is the primary domain. */
  readonly redirect: RedirectConfig | undefined
  /** According to the first resolver. */
  readonly dns: DnsView
  readonly caa: CaaView
  /** Whether the record is at the name with its zone written twice. */
  readonly doubled: boolean
  /** According to the other resolvers. */
  readonly elsewhere: readonly DnsView[]
  readonly probes: readonly Probe[]
}

export interface Scene {
  readonly facts: Facts
  readonly platform: readonly string[]
  /** Why the platform's addresses are not known. */
  readonly platformTrouble: string | null
  readonly hosts: readonly HostScene[]
  readonly atMs: number
}

export const sceneOf = (facts: Facts): Scene => {
  const { settings, config, dns } = facts
  const [first = { resolver: '', replies: {} }, ...others] = dns
  const look = lookIn(first)
  const hosts = hostsOf(config).map((host) => ({
    host,
    redirect: config.redirects.find(({ from }) => from === host),
    dns: dnsViewOf(look, host),
    caa: caaViewOf(look, host),
    doubled: dnsViewOf(look, doubledName(host)).cnames.length > 0,
    elsewhere: others.map((table) => dnsViewOf(lookIn(table), host)),
    probes: facts.probes.filter((probe) => probe.host === host),
  }))
  const platform = platformAddressesOf(dns, settings)
  const { addressTrouble } = dnsViewOf(look, settings.platformHost)
  const none = addressTrouble ?? `${settings.platformHost} has no address`
  const platformTrouble = platform.length === 0 ? none : null
  return { facts, platform, platformTrouble, hosts, atMs: Date.parse(facts.at) }
}

/** The requests of a purpose, to the platform's addresses alone. */
export const probesOf = (
  { platform }: Scene,
  { probes }: Pick<HostScene, 'probes'>,
  purpose: Purpose,
): Probe[] => probes.filter((each) => each.purpose === purpose && platform.includes(each.address))

export const list = (values: readonly string[]): string => values.join(', ') || 'none'

const locationsOf = ({ headers }: HttpFacts): string[] =>
  headers.filter(([name]) => name === 'location').map(([, value]) => value)

/** The target of a Location, resolved against the request; null: there is none. */
export const targetOf = (probe: Probe): URL | null => {
  const [location, second] = probe.response ? locationsOf(probe.response) : []
  if (location === undefined || second !== undefined) return null
  const target = URL.parse(location, `${probe.scheme}://${probe.host}${probe.path}`)
  return target && ['http:', 'https:'].includes(target.protocol) ? target : null
}

/** The host that a response redirects to, in A-labels; null: it does not redirect to any. */
export const redirectHost = (probe: Probe): string | null => {
  const { status = 0 } = probe.response ?? {}
  const host = status >= 300 && status <= 399 ? targetOf(probe)?.hostname : undefined
  return host === undefined ? null : domainToASCII(host).replace(/\.$/, '')
}

/** Whether it is the project's page; null if the marker may be in what was cut. */
export const showsMarker = ({ response }: Probe, marker: string): boolean | null => {
  if (!response || response.status < 200 || response.status > 299) return false
  return response.body.includes(marker) || (response.cut ? null : false)
}

export const describeResponse = ({ response, failed }: Probe): string => {
  if (!response) return `no response: ${failed?.code ?? 'unknown'}`
  const to = locationsOf(response).map((location) => ` with Location ${location.slice(0, 200)}`)
  return `${response.status}${to.join('')}`
}
