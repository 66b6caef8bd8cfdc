// The DNS of each domain: CNAME, apex, conflicts, TTL, and whether resolvers agree.
import {
  ambiguous,
  blocked,
  breach,
  dnsGrounds,
  type HostCheck,
  inapplicable,
  observed,
  pass,
  type Result,
} from '../declare.ts'
import type { DnsView } from '../scene.ts'
import { type HostScene, list, type Scene } from '../scene.ts'

const hourMs = 3600_000
/** How long a change may take to be seen. */
const propagationMs = 48 * hourMs

const foreignIn = ({ platform }: Scene, { own }: DnsView): string[] =>
  own.map(({ data }) => data).filter((address) => !platform.includes(address))

/** A mismatch after a recent change may disappear by itself. */
const unlessRecent = (scene: Scene, result: Result): Result => {
  const { since } = scene.facts.settings
  if (result.kind !== 'breach' || since === null) return result
  const ageMs = scene.atMs - Date.parse(since)
  if (ageMs >= propagationMs) return result
  const hours = (ageMs / hourMs).toFixed(1)
  return blocked(
    `${result.actual}; ${hours} h after the change, and DNS may take 48 h: check again later`,
  )
}

const sameView = (a: DnsView, b: DnsView): boolean =>
  list(a.chain) === list(b.chain) &&
  list(a.cnames.map(({ data }) => data)) === list(b.cnames.map(({ data }) => data))

/** A mismatch in DNS with a legal explanation is not a breach. */
const unlessExplained = (scene: Scene, host: HostScene, result: Result): Result => {
  if (result.kind !== 'breach') return result
  const { allowProxy, since } = scene.facts.settings
  if (allowProxy && foreignIn(scene, host.dns).length > 0) {
    return ambiguous(`${result.actual}; a proxy may hide the CNAME (--allow-proxy)`)
  }
  // If resolvers differ, a change is still spreading, unless it is known to be old.
  const other = host.elsewhere.find(
    (view) => view.cnameTrouble === null && !sameView(view, host.dns),
  )
  if (!other || since !== null) return unlessRecent(scene, result)
  const why = `another resolver returns ${list(other.chain)}: give the change time with --since`
  return ambiguous(`${result.actual}; ${why}`)
}

const inconclusive =
  'DNS failed or returned nothing (blocked), the change is less than 48 hours old (--since), ' +
  'resolvers differ, or a proxy may be in front (ambiguous)'

const namesOf = ({ cnames }: DnsView) => list(cnames.map(({ data }) => data))

const cnameActual = (scene: Scene, { dns, doubled }: HostScene): string => {
  const { platformHost } = scene.facts.settings
  const [target] = dns.cnames
  if (dns.loops) return `CNAMEs that loop: ${[dns.host, ...dns.chain].join(' -> ')}`
  if (target?.data.startsWith(`${platformHost}.`)) {
    return `CNAME ${target.data}: the final dot is missing`
  }
  if (target) return `CNAME ${namesOf(dns)}`
  if (doubled) return 'no CNAME: the name of the record has its zone twice'
  if (dns.own.length > 0) return `no CNAME, but the address ${list(dns.own.map((a) => a.data))}`
  return 'no record'
}

/** An authoritative server knows only its own zones. */
const unknownTarget = (dns: DnsView): string =>
  dns.cnames.length === 0
    ? `${dns.cnameTrouble}`
    : `CNAME ${dns.cnames[0]?.data}; ${dns.cnameTrouble}: a recursive --resolver can follow it`

const cname: HostCheck = {
  id: 'domain-cname',
  requirement: 'publishing.cname',
  sends: 'DNS queries for the CNAME of a subdomain, followed to its end.',
  fails: 'It does not end at the platform host: none, another name, a loop, an address instead.',
  inconclusive,
  judge: (scene, host) => {
    const { dns } = host
    const { platformHost } = scene.facts.settings
    if (dns.isApex) return inapplicable('an apex')
    if (dns.cnameTrouble) return blocked(unknownTarget(dns))
    const leads = dns.cnames.some(({ data }) => data === platformHost)
    if (leads || (!dns.loops && dns.chain.includes(platformHost))) {
      return pass(`CNAME ${namesOf(dns)}`)
    }
    return unlessExplained(scene, host, breach(`CNAME ${platformHost}`, cnameActual(scene, host)))
  },
  grounds: dnsGrounds('CNAME'),
}

const cnameDirect: HostCheck = {
  id: 'domain-cname-direct',
  requirement: 'publishing.cname-direct',
  sends: 'The same DNS queries.',
  fails: 'The CNAME ends at the platform host through another name.',
  inconclusive: 'no CNAME ends there (blocked)',
  judge: (scene, { dns }) => {
    const { platformHost } = scene.facts.settings
    if (dns.isApex) return inapplicable('an apex')
    if (dns.cnameTrouble) return blocked(dns.cnameTrouble)
    if (dns.cnames.some(({ data }) => data === platformHost))
      return pass('CNAME of the platform host itself')
    if (!dns.chain.includes(platformHost)) return blocked('no CNAME ends there')
    return breach(`CNAME ${platformHost}`, `through ${dns.chain[0]}`)
  },
  grounds: dnsGrounds('CNAME'),
}

/** The platform host may not return all of its addresses in one response. */
const more = 'add others with --platform-address'

const apexActual = ({ platform }: Scene, { cnames, own }: DnsView): string | null => {
  const addresses = own.map(({ data }) => data)
  if (cnames.length > 0) return `a CNAME at an apex: ${cnames[0]?.data}`
  if (addresses.length === 0) return 'no address'
  const isThere = addresses.some((address) => platform.includes(address))
  return isThere ? null : `addresses ${list(addresses)}`
}

const apex: HostCheck = {
  id: 'domain-apex',
  requirement: 'publishing.apex',
  sends: 'DNS queries for CNAME, A and AAAA of an apex domain.',
  fails: 'A CNAME, no address, or none of the addresses of the platform host.',
  inconclusive,
  judge: (scene, host) => {
    const { dns } = host
    const { platform, platformTrouble } = scene
    if (!dns.isApex) return inapplicable('a subdomain')
    const trouble = dns.cnameTrouble ?? dns.addressTrouble ?? platformTrouble
    if (trouble) return blocked(trouble)
    const actual = apexActual(scene, dns)
    if (actual === null) return pass(`addresses ${list(dns.own.map(({ data }) => data))}`)
    const expected = `addresses of the platform host (${list(platform)}; ${more}), and no CNAME`
    return unlessExplained(scene, host, breach(expected, actual))
  },
  grounds: dnsGrounds('CNAME', 'AAAA', 'A'),
}

const conflictOf = (scene: Scene, { dns }: HostScene): string | null => {
  const own = dns.own.map(({ type, data }) => `${type} ${data}`)
  if (dns.cnames.length > 1) return `${dns.cnames.length} CNAMEs: ${namesOf(dns)}`
  if (dns.cnames.length > 0 && own.length > 0) return `${list(own)} next to the CNAME`
  const [other] = dns.others
  if (other) return `${other.type} next to the CNAME`
  const foreign = foreignIn(scene, dns)
  const isWhole = dns.isApex && foreign.length === dns.own.length
  return foreign.length > 0 && !isWhole
    ? `the address ${list(foreign)}, not the platform's (${more})`
    : null
}

const conflict: HostCheck = {
  id: 'domain-conflict',
  requirement: 'publishing.no-conflict',
  sends: 'DNS queries for CNAME, A, AAAA, MX and TXT at the name.',
  fails:
    'Another record next to the one that the dashboard shows: a second CNAME, an address or a ' +
    "mail record, or an address that is not the platform's.",
  inconclusive,
  judge: (scene, host) => {
    const { dns } = host
    const trouble = dns.cnameTrouble ?? dns.addressTrouble ?? scene.platformTrouble
    const found = conflictOf(scene, host)
    // Two CNAMEs, or an address next to one, are a conflict even if the rest is not known.
    if (trouble && (dns.cnames.length === 0 || found === null)) return blocked(trouble)
    if (found === null) return pass('no other record')
    const expected = 'the record that the dashboard shows, alone'
    return unlessExplained(scene, host, breach(expected, found))
  },
  grounds: dnsGrounds('CNAME', 'AAAA', 'A'),
}

const ttl: HostCheck = {
  id: 'domain-ttl',
  requirement: 'publishing.ttl',
  sends: 'The same DNS queries.',
  fails: 'The TTL of the record, which a recursive resolver counts down.',
  inconclusive: 'there is no record (blocked)',
  judge: (_scene, { dns }) => {
    const [record] = dns.isApex ? dns.own : dns.cnames
    if (!record) return blocked('no record')
    const left = dns.authoritative ? '' : ' left at the resolver'
    return observed(`${record.ttl} s${left}; 3600 is suggested`)
  },
  grounds: dnsGrounds('CNAME'),
}

const recordCheckOf = ({ dns }: HostScene): HostCheck => (dns.isApex ? apex : cname)

/** Whether the DNS of a domain verifies; null if that is not known. */
export const verifies = (scene: Scene, host: HostScene): boolean | null => {
  const kinds = [recordCheckOf(host), conflict].map((check) => check.judge(scene, host).kind)
  if (kinds.includes('breach')) return false
  return kinds.every((kind) => kind === 'pass') ? true : null
}

export const propagation: HostCheck = {
  id: 'domain-propagation',
  requirement: 'publishing.propagation',
  sends: 'The same DNS queries to every --resolver.',
  fails: 'Two of them still differ 48 hours after the change (--since).',
  inconclusive: 'there is only one resolver, and no --since (ambiguous)',
  judge: (scene, host) => {
    const { dns, elsewhere } = host
    const { since } = scene.facts.settings
    const trouble = [dns, ...elsewhere].find(({ cnameTrouble }) => cnameTrouble)?.cnameTrouble
    if (trouble) return blocked(trouble)
    if (!elsewhere.every((view) => sameView(view, dns))) {
      const others = elsewhere.map(({ chain }) => list(chain)).join(' and ')
      const actual = `${list(dns.chain)} at one, ${others} at another`
      return since === null
        ? ambiguous(`${actual}: give the time of the change with --since`)
        : unlessRecent(scene, breach('the same records at every resolver', actual))
    }
    const isRight = recordCheckOf(host).judge(scene, host).kind === 'pass'
    if (isRight && elsewhere.length > 0) return pass('every resolver agrees')
    if (isRight && since !== null) return pass('the change is there')
    return ambiguous('needs a second --resolver, or --since')
  },
  grounds: (scene, host) => dnsGrounds(host.dns.isApex ? 'A' : 'CNAME')(scene, host),
}

export const dnsChecks: readonly HostCheck[] = [cname, cnameDirect, apex, conflict, ttl]
