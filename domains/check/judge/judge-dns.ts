// The DNS of each domain: CNAME, apex, conflicts, TTL, and whether resolvers agree.
import type { DnsType } from '../../rules/dns-records.ts'
import {
  ambiguous,
  blocked,
  blockedBy,
  breach,
  declared,
  type HostScene,
  inapplicable,
  list,
  observed,
  pass,
  type Result,
} from '../scene.ts'
import { foreignIn, recordChange, unknownIn, type View, wrongRecords } from './record-change.ts'

const hourMs = 3600_000
/** How long a change may take to be seen. */
const propagationMs = 48 * hourMs

/** The DNS at the host's own name. */
const groundsOf =
  (...types: readonly DnsType[]) =>
  ({ host }: HostScene) =>
    types.map((type) => ({ name: host, type }))

/** The type of the wrong record comes last, as the evidence that shows it. */
const groundsOfWrong = (scene: HostScene) => {
  const wrong = wrongRecords(scene, scene.dns).slice(0, 1)
  const types = new Set<DnsType>(['CNAME', 'AAAA', 'A'])
  for (const [type] of wrong) types.delete(type)
  return groundsOf(...types, ...wrong.map(([type]) => type))(scene)
}

/** A mismatch after a recent change may disappear by itself. */
const breachUnlessRecent = (
  { settings: { since }, atMs }: HostScene,
  expected: string,
  actual: string,
): Result => {
  const ageMs = since === null ? propagationMs : atMs - Date.parse(since)
  if (ageMs >= propagationMs) return breach(expected, actual)
  const hours = (ageMs / hourMs).toFixed(1)
  return blocked(`${actual}; ${hours} h after the change, and DNS may take 48 h: check again later`)
}

/** With the change that the given DNS servers need. */
const withFix = (result: Result, host: HostScene, ...views: readonly View[]): Result => {
  const fixes = views.flatMap((view) => recordChange(host, view) ?? [])
  // A recent change needs time, and no other one.
  const isDue = result.because !== 'blocked' && fixes.length > 0
  return isDue ? { ...result, fix: fixes.join('; ') } : result
}

/** What servers may not differ in: the CNAMEs; of addresses, those that are not the platform's. */
const recordIn = (host: HostScene, dns: View): string => {
  if (dns.cnames.length > 0) return `CNAME ${list(dns.cnames.toSorted())}`
  const foreign = host.settings.allowProxy ? [] : foreignIn(host, dns).toSorted()
  if (foreign.length > 0) return list(foreign)
  return dns.own.length > 0 ? "the platform's addresses" : 'no record'
}

/** A server that knows its own zones alone knows the first names of a chain. */
const sameView = (host: HostScene, a: View, b: View): boolean => {
  const hops = Math.min(a.chain.length, b.chain.length)
  const isSameChain = list(a.chain.slice(1, hops)) === list(b.chain.slice(1, hops))
  return recordIn(host, a) === recordIn(host, b) && (isSameChain || a.cnames.length > 1)
}

/** A mismatch in DNS with a legal explanation is not a breach. */
const breachUnlessExplained = (host: HostScene, expected: string, actual: string): Result => {
  const { allowProxy, since } = host.settings
  if (allowProxy && foreignIn(host).length > 0) {
    return ambiguous(`${actual}; a proxy may hide the CNAME (--allow-proxy)`)
  }
  // If resolvers differ, a change is still spreading, unless it is known to be old.
  const other = host.elsewhere.find((one) => one.trouble === null && !sameView(host, one, host.dns))
  if (!other || since !== null) {
    return withFix(breachUnlessRecent(host, expected, actual), host, host.dns)
  }
  const why = `${other.server} returns ${recordIn(host, other)}: give the change time with --since`
  return ambiguous(`${actual}; ${why}`)
}

const inconclusive =
  'DNS failed or returned nothing (blocked), the change is less than 48 hours old (--since), ' +
  'resolvers differ, or a proxy may be in front (ambiguous)'

const cnameActual = ({ settings: { platformHost }, host, dns, isDoubled }: HostScene): string => {
  const [target] = dns.cnames
  if (dns.loops) return `CNAMEs that loop: ${[host, ...dns.chain].join(' -> ')}`
  if (target?.startsWith(`${platformHost}.`)) return `CNAME ${target}: the final dot is missing`
  if (target) return `CNAME ${list(dns.cnames)}`
  if (isDoubled) return 'no CNAME: the name of the record has its zone twice'
  return dns.own.length > 0 ? `no CNAME, but the address ${list(dns.own)}` : 'no record'
}

const judgeCname = (host: HostScene): Result => {
  const { platformHost } = host.settings
  const { isApex, cnameTrouble, cnames, loops, chain } = host.dns
  if (isApex) return inapplicable('an apex')
  // The platform host itself needs not be followed.
  if (cnames.includes(platformHost) || (!loops && chain.includes(platformHost))) {
    return pass(`CNAME ${list(cnames)}`)
  }
  if (cnameTrouble) {
    // An authoritative server knows only its own zones.
    const how = host.dns.authoritative ? ': a recursive --resolver can follow it' : ''
    return blocked(cnames.length === 0 ? cnameTrouble : `CNAME ${cnames[0]}; ${cnameTrouble}${how}`)
  }
  return breachUnlessExplained(host, `CNAME ${platformHost}`, cnameActual(host))
}

/** The platform host may not return all of its addresses in one response. */
const more = 'add others with --platform-address'

const judgeApex = (host: HostScene): Result => {
  const { dns, platform, platformTrouble } = host
  if (!dns.isApex) return inapplicable('a subdomain')
  const trouble = dns.recordTrouble ?? platformTrouble
  if (trouble) return blocked(trouble)
  const expected = `addresses of the platform host (${list(platform)}; ${more}), and no CNAME`
  const [cname] = dns.cnames
  const addresses = dns.own.length === 0 ? 'no address' : `addresses ${list(dns.own)}`
  const isOfPlatform = dns.own.some((address) => platform.includes(address))
  if (cname === undefined && isOfPlatform) return pass(addresses)
  const actual = cname === undefined ? addresses : `a CNAME at an apex: ${cname}`
  if (cname === undefined && dns.own.length > foreignIn(host).length) {
    return ambiguous(`${addresses}, which may be others of the platform: ${more}`)
  }
  return breachUnlessExplained(host, expected, actual)
}

const conflictOf = (host: HostScene): string | null => {
  const { cnames, beside, isApex, own } = host.dns
  if (cnames.length > 1) return `${cnames.length} CNAMEs: ${list(cnames)}`
  if (beside.length > 0) return `${list(beside)} next to the CNAME`
  const foreign = foreignIn(host)
  const isWhole = isApex && foreign.length === own.length
  return foreign.length > 0 && !isWhole
    ? `the address ${list(foreign)}, not the platform's (${more})`
    : null
}

const judgeConflict = (host: HostScene): Result => {
  const { dns } = host
  const platformTrouble = dns.own.length > 0 ? host.platformTrouble : null
  const trouble = dns.recordTrouble ?? dns.addressTrouble ?? platformTrouble
  const found = conflictOf(host)
  // Two CNAMEs, or an address next to one, are a conflict even if the rest is not known.
  if (trouble && (dns.cnames.length === 0 || found === null)) return blocked(trouble)
  const unknown = found === null && dns.isApex ? unknownIn(host, dns) : []
  if (unknown.length > 0 && unknown.length < dns.own.length) {
    return ambiguous(`${list(unknown)} may be others of the platform: ${more}`)
  }
  if (found === null) return pass('no other record')
  return breachUnlessExplained(host, 'the record that the dashboard shows, alone', found)
}

const recordKindOf = (host: HostScene): Result['kind'] =>
  (host.dns.isApex ? judgeApex : judgeCname)(host).kind

/** What is blocked by DNS that does not verify. */
export const blockedByDns = (host: HostScene): Result => {
  const isRecord = recordKindOf(host) === 'breach'
  const record = host.dns.isApex ? 'domain-apex' : 'domain-cname'
  return blockedBy(isRecord ? record : 'domain-conflict', 'the DNS does not verify')
}

/** Whether the DNS of a domain verifies; null if that is not known. */
export const verifies = (host: HostScene): boolean | null => {
  const kinds = [recordKindOf(host), judgeConflict(host).kind]
  if (kinds.includes('breach')) return false
  return kinds.every((kind) => kind === 'pass') ? true : null
}

const judgePropagation = (host: HostScene): Result => {
  const { dns, settings, elsewhere } = host
  // Where none of them responds, it is this machine that cannot ask them.
  const canAsk = elsewhere.some(({ isNameServer, isSilent }) => isNameServer && !isSilent)
  const servers = elsewhere.filter(({ isNameServer }) => !isNameServer || canAsk)
  if (dns.recordTrouble) return blocked(dns.recordTrouble)
  const shown = [...Map.groupBy(servers, (one) => one.trouble ?? recordIn(host, one))]
    .map(([what, all]) => `${what} at ${list(all.map(({ server }) => server))}`)
    .join('; ')
  const differs = servers.some((one) =>
    one.trouble === null ? !sameView(host, one, dns) : one.isNameServer && !one.isSilent,
  )
  if (differs) {
    const found =
      settings.since === null
        ? ambiguous(`${shown}: give the time of the change with --since`)
        : breachUnlessRecent(host, 'the same record at every server', shown)
    // A record is changed at the authoritative servers; the others cache it.
    const changeable = servers.filter(({ isNameServer }) => isNameServer || !canAsk)
    return withFix(found, host, ...changeable.filter(({ trouble }) => trouble === null))
  }
  const failed = servers.filter(({ trouble }) => trouble !== null)
  if (failed.length > 0) {
    return blocked(failed.map(({ trouble, server }) => `${trouble} at ${server}`).join('; '))
  }
  const isRight = recordKindOf(host) === 'pass'
  if (isRight && servers.length > 1) {
    return pass(`the same at ${list(servers.map(({ server }) => server))}`)
  }
  if (isRight && settings.since !== null) return pass('the change is there')
  return ambiguous('needs a second --resolver, or --since')
}

export const dnsChecks = declared({
  'domain-cname': {
    requirement: 'publishing.cname',
    sends: 'DNS queries for the CNAME of a subdomain, followed to its end.',
    fails: 'It does not end at the platform host: none, another name, a loop, an address instead.',
    inconclusive,
    judge: judgeCname,
    grounds: groundsOf('CNAME'),
  },
  'domain-cname-direct': {
    requirement: 'publishing.cname-direct',
    sends: 'The same DNS queries.',
    fails: 'The CNAME ends at the platform host through another name.',
    inconclusive: 'no CNAME ends there (blocked)',
    judge: (host) => {
      const { dns, settings } = host
      const { platformHost } = settings
      if (dns.isApex) return inapplicable('an apex')
      if (dns.cnames.includes(platformHost)) return pass('CNAME of the platform host itself')
      if (dns.cnameTrouble) return blocked(dns.cnameTrouble)
      if (!dns.chain.includes(platformHost)) return blocked('no CNAME ends there')
      const found = breach(`CNAME ${platformHost}`, `through ${dns.chain[0]}`)
      return withFix(found, host, host.dns)
    },
    grounds: groundsOf('CNAME'),
  },
  'domain-apex': {
    requirement: 'publishing.apex',
    sends: 'DNS queries for CNAME, A and AAAA of an apex domain.',
    fails: 'A CNAME, no address, or none of the addresses of the platform host.',
    inconclusive,
    judge: judgeApex,
    grounds: groundsOfWrong,
  },
  'domain-conflict': {
    requirement: 'publishing.no-conflict',
    sends: 'DNS queries for CNAME, A, AAAA, MX and TXT at the name.',
    fails:
      'Another record next to the one that the dashboard shows: a second CNAME, an address or a ' +
      "mail record, or an address that is not the platform's.",
    inconclusive,
    judge: judgeConflict,
    grounds: groundsOfWrong,
  },
  'domain-ttl': {
    requirement: 'publishing.ttl',
    sends: 'The same DNS queries.',
    fails: 'The TTL of the record, which a recursive resolver counts down.',
    inconclusive: 'there is no record (blocked)',
    judge: ({ dns }) => {
      if (dns.ttl === undefined) return blocked('no record')
      const left = dns.authoritative ? '' : ' left at the resolver'
      return observed(`${dns.ttl} s${left}; 3600 is suggested`)
    },
    grounds: groundsOf('CNAME'),
  },
  'domain-propagation': {
    requirement: 'publishing.propagation',
    sends:
      'The same DNS queries to every --resolver, and to each authoritative server of the domain: ' +
      'those that the zone above delegates to.',
    fails: 'Two of them still differ 48 hours after the change (--since), or one is lame.',
    inconclusive:
      '--since is not given (ambiguous), a server is silent (blocked), or only one was asked',
    judge: judgePropagation,
    // The servers that differ come last, as the evidence.
    grounds: (host) => {
      const type = host.dns.isApex ? 'A' : 'CNAME'
      const rank = (one: View) => Number(sameView(host, one, host.dns))
      return host.elsewhere
        .toSorted((a, b) => rank(b) - rank(a))
        .map(({ server }) => ({ name: host.host, type, server }))
    },
  },
})
