// What a check of domains judges: the facts by host.
import { lookIn, tableFor, troubleIn, viewDns, viewDomain, viewPlatform } from './dns-view.ts'
import type { DnsTable, Facts, Probe, Purpose } from './facts.ts'
import { givenIn, isLost, listHosts, questionKey, serverOf } from './facts.ts'

/** The project as a whole. */
export type ProjectScene = ReturnType<typeof buildScene>

/** One domain of the project. */
export type HostScene = ProjectScene['hosts'][number]

/** What one server returns for a host. */
const viewAt = (table: DnsTable, host: string) => {
  const { nameServer, replies } = table
  const view = viewDns(lookIn([table]), host)
  const reply = replies[questionKey(host, 'CNAME')]
  // A server that is delegated to and has no authority is lame.
  const lame = nameServer && !view.authoritative ? 'no authoritative response' : null
  const trouble = troubleIn(reply) ?? view.recordTrouble ?? lame
  const isSilent = !reply || 'failed' in reply
  const isNameServer = nameServer !== undefined
  return { ...view, server: serverOf(table), isNameServer, isSilent, trouble }
}

/** The addresses that did not respond while others did, each with the reason. */
const lostIn = (probes: readonly Probe[]): ReadonlyMap<string, string> => {
  const encrypted = probes.filter(({ scheme }) => scheme === 'https')
  const all = [...Map.groupBy(encrypted, ({ address }) => address)]
  const lost = all.filter(([, own]) => own.every(isLost))
  const some = lost.length === all.length ? [] : lost
  return new Map(some.map(([address, own]) => [address, own.at(-1)?.failed?.code ?? '']))
}

export const buildScene = (facts: Facts) => {
  const { settings, config, dns } = facts
  const given = givenIn(dns)
  const look = lookIn(given)
  const platform = viewPlatform(given, settings)
  const { cnameTrouble, endTrouble } = viewDns(look, settings.platformHost)
  const unknown = cnameTrouble ?? endTrouble
  const none = unknown
    ? `${unknown}: give a recursive --resolver, or --platform-address`
    : `${settings.platformHost} has no address`
  /** Why the platform's addresses are not known. */
  const platformTrouble = platform.platform.length === 0 ? none : null
  const before = facts.removal?.before ?? []
  const lost = lostIn([...before, ...facts.probes])
  const atMs = Date.parse(facts.at)
  const scene = { ...settings, config, ...platform, platformTrouble, lost, atMs }
  // The lost ones are one finding about the platform, and decide nothing about its domains.
  const to = (of: string | null) => (probe: Probe) => probe.host === of && !lost.has(probe.address)
  const hosts = listHosts(config).map((host) => ({
    ...scene,
    host,
    /** Undefined: it is the primary domain. */
    redirect: config.redirects.find(({ from }) => from === host),
    /** According to the first resolver that knows. */
    ...viewDomain(look, host),
    dns: { ...viewDns(look, host), server: serverOf(tableFor(given, host, 'CNAME')) },
    /** According to each server that was asked. */
    elsewhere: dns
      .filter(({ nameServer, replies }) => !nameServer || questionKey(host, 'CNAME') in replies)
      .map((table) => viewAt(table, host)),
    /** When its certificate was first seen, if that was watched for. */
    certificateSeen: facts.certificateSeen[host],
    /** Those before the removal of a domain are separate. */
    probes: facts.probes.filter(to(host)),
    before: before.filter(to(host)),
  }))
  return { ...scene, hosts, probes: facts.probes.filter(to(settings.site)) }
}

export const probesFor = ({ probes }: HostScene, ...purposes: readonly Purpose[]): Probe[] =>
  purposes.flatMap((purpose) => probes.filter((each) => each.purpose === purpose))

export const firstFor = (what: Purpose) => (host: HostScene) => probesFor(host, what).slice(0, 1)

export const list = (values: readonly string[]): string => values.join(', ') || 'none'
