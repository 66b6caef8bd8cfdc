// The DNS of each domain: CNAME, apex, conflicts, TTL, and whether resolvers agree; and the change
// of records that puts a domain right, in the words of the dashboards of DNS hosts.
import { isIPv6 } from 'node:net'
import { duration } from '../../../history/quote.ts'
import type { DnsType } from '../../rules/dns-records.ts'
import { recordToSet } from '../../rules/host-name.ts'
import * as is from '../result.ts'
import { type HostScene, list } from '../scene.ts'

/** What one DNS server has. */
type View = HostScene['dns']

/** The addresses at the name that are not known as the platform's. */
const unknownIn = ({ platform }: HostScene, { own }: View): string[] =>
  own.filter((address) => !platform.includes(address))

/** Of these, the ones that are none of its pool either; an ALIAS may return any of the pool. */
const foreignIn = (host: HostScene, dns = host.dns): string[] => {
  const unknown = unknownIn(host, dns)
  return dns.isApex && host.mayBeOfPool(unknown) ? [] : unknown
}

/** The records that have to go, the CNAMEs first. */
const wrongRecords = (scene: HostScene, view: View) => {
  const { isApex, cnames, own, beside } = view
  const aliases = cnames.filter((target) => isApex || target !== scene.platformHost)
  const addresses = isApex ? foreignIn(scene, view) : own
  return [
    ...aliases.map((target) => ['CNAME', target] as const),
    ...addresses.map((address) => [isIPv6(address) ? 'AAAA' : 'A', address] as const),
    ...(own.length > 0 ? [] : beside.map((type) => [type as DnsType, ''] as const)),
  ]
}

/** As `remove A 203.0.113.9 of www; add CNAME www sites.platform.example (seen at 192.0.2.53)`. */
const recordChange = (scene: HostScene, view: View): string | null => {
  const { host, isDoubled, platformHost } = scene
  const isSet = view.isApex
    ? view.own.length > foreignIn(scene, view).length
    : view.cnames.includes(platformHost)
  const name = view.isApex ? '@' : recordToSet(host, platformHost).name
  const wrong = wrongRecords(scene, view).map((record) => record.join(' ').trim())
  // A dashboard adds the zone to a name or value that does not end in a dot.
  const lacksDot = view.cnames.some((target) => target.startsWith(`${platformHost}.`))
  const value = lacksDot ? `${platformHost}. (with its final dot)` : platformHost
  const steps = [
    ...(wrong.length > 0 ? [`remove ${wrong.join(', ')} of ${name}`] : []),
    ...(isDoubled && !isSet ? [`remove the CNAME whose name is ${host}`] : []),
    ...(isSet ? [] : [`add ${view.isApex ? 'ALIAS or ANAME' : 'CNAME'} ${name} ${value}`]),
  ]
  return steps.length === 0 ? null : `${steps.join('; ')} (seen at ${view.server})`
}

/** How long a change may take to be seen. */
const propagationMs = 48 * 3_600_000

/** The DNS at the host's own name. */
const groundsOf =
  (...types: readonly DnsType[]) =>
  ({ host }: HostScene) =>
    types.map((type) => ({ name: host, type }))

/** The type of the wrong record comes last, as the evidence that shows it. */
const groundsOfWrong = (scene: HostScene) => {
  const [wrong = 'A'] = wrongRecords(scene, scene.dns).map(([type]) => type)
  const others = (['CNAME', 'AAAA', 'A'] as const).filter((type) => type !== wrong)
  return groundsOf(...others, wrong)(scene)
}

/** The change that these DNS servers need. */
const changeAt = (host: HostScene, views: readonly View[] = [host.dns]) => {
  const fixes = views.flatMap((view) => recordChange(host, view) ?? [])
  return fixes.length > 0 ? { fix: fixes.join('; ') } : {}
}

/** A mismatch after a recent change may disappear by itself. */
const breachUnlessRecent = (host: HostScene, expected: string, actual: string, views?: View[]) => {
  const ageMs = host.since === null ? propagationMs : host.atMs - Date.parse(host.since)
  if (ageMs >= propagationMs) return is.breach(expected, actual, changeAt(host, views))
  const why = `${duration(ageMs)} after the change, and DNS may take 48 h: check again later`
  return is.blocked(`${actual}; ${why}`)
}

/** What servers may not differ in: the CNAMEs; of addresses, those that are not the platform's. */
const recordIn = (host: HostScene, dns: View): string => {
  if (dns.cnames.length > 0) return `CNAME ${list(dns.cnames.toSorted())}`
  const foreign = host.allowProxy ? [] : foreignIn(host, dns).toSorted()
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
const breachUnlessExplained = (host: HostScene, expected: string, actual: string): is.Result => {
  if (host.allowProxy && foreignIn(host).length > 0) {
    return is.ambiguous(`${actual}; a proxy may hide the CNAME (--allow-proxy)`)
  }
  // If resolvers differ, a change is still spreading, unless it is known to be old.
  const other = host.elsewhere.find((one) => one.trouble === null && !sameView(host, one, host.dns))
  if (!other || host.since !== null) return breachUnlessRecent(host, expected, actual)
  const why = `${other.server} returns ${recordIn(host, other)}: give the change time with --since`
  return is.ambiguous(`${actual}; ${why}`)
}

const inconclusive =
  'DNS failed, or changed less than 48 hours ago (--since); resolvers differ; a proxy may hide it'

const cnameActual = ({ platformHost, host, dns, isDoubled }: HostScene): string => {
  const [target] = dns.cnames
  if (dns.loops) return `CNAMEs that loop: ${[host, ...dns.chain].join(' -> ')}`
  if (target?.startsWith(`${platformHost}.`)) return `CNAME ${target}: the final dot is missing`
  if (target) return `CNAME ${list(dns.cnames)}`
  if (isDoubled) return 'no CNAME: the name of the record has its zone twice'
  return dns.own.length > 0 ? `no CNAME, but the address ${list(dns.own)}` : 'no record'
}

const judgeCname = (host: HostScene): is.Result => {
  const { platformHost } = host
  const { isApex, cnameTrouble, cnames, loops, chain } = host.dns
  if (isApex) return is.inapplicable('an apex')
  // The platform host itself needs not be followed.
  if (cnames.includes(platformHost) || (!loops && chain.includes(platformHost))) {
    return is.pass(`CNAME ${list(cnames)}`)
  }
  if (cnameTrouble) {
    // An authoritative server knows only its own zones.
    const how = host.dns.authoritative ? ': a recursive --resolver can follow it' : ''
    const [first] = cnames
    return is.blocked(first === undefined ? cnameTrouble : `CNAME ${first}; ${cnameTrouble}${how}`)
  }
  return breachUnlessExplained(host, `CNAME ${platformHost}`, cnameActual(host))
}

/** The platform host may not return all of its addresses in one response. */
const more = 'add others with --platform-address'

const judgeApex = (host: HostScene): is.Result => {
  const { dns, platform, platformTrouble } = host
  if (!dns.isApex) return is.inapplicable('a subdomain')
  const trouble = dns.recordTrouble ?? platformTrouble
  if (trouble) return is.blocked(trouble)
  const expected = `addresses of the platform host (${list(platform)}; ${more}), and no CNAME`
  const addresses = dns.own.length === 0 ? 'no address' : `addresses ${list(dns.own)}`
  if (dns.cnames.length > 0) {
    return breachUnlessExplained(host, expected, `a CNAME at an apex: ${list(dns.cnames)}`)
  }
  if (dns.own.some((address) => platform.includes(address))) return is.pass(addresses)
  return dns.own.length > foreignIn(host).length
    ? is.ambiguous(`${addresses}, which may be others of the platform: ${more}`)
    : breachUnlessExplained(host, expected, addresses)
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

const judgeConflict = (host: HostScene): is.Result => {
  const { dns } = host
  const platformTrouble = dns.own.length > 0 ? host.platformTrouble : null
  const trouble = dns.recordTrouble ?? dns.addressTrouble ?? platformTrouble
  const found = conflictOf(host)
  // Two CNAMEs, or an address next to one, are a conflict even if the rest is not known.
  if (trouble && (dns.cnames.length === 0 || found === null)) return is.blocked(trouble)
  const unknown = found === null && dns.isApex ? unknownIn(host, dns) : []
  if (unknown.length > 0 && unknown.length < dns.own.length) {
    return is.ambiguous(`${list(unknown)} may be others of the platform: ${more}`)
  }
  if (found === null) return is.pass('no other record')
  return breachUnlessExplained(host, 'the record that the dashboard shows, alone', found)
}

const recordKindOf = (host: HostScene): is.Result['kind'] =>
  (host.dns.isApex ? judgeApex : judgeCname)(host).kind

/** What is blocked by DNS that does not verify. */
export const blockedByDns = (host: HostScene): is.Result => {
  const isRecord = recordKindOf(host) === 'breach'
  const record = host.dns.isApex ? 'domain-apex' : 'domain-cname'
  return is.blockedBy(isRecord ? record : 'domain-conflict', 'the DNS does not verify')
}

/** Whether the DNS of a domain verifies; null if that is not known. */
export const verifies = (host: HostScene): boolean | null => {
  const kinds = [recordKindOf(host), judgeConflict(host).kind]
  if (kinds.includes('breach')) return false
  return kinds.every((kind) => kind === 'pass') ? true : null
}

const judgePropagation = (host: HostScene): is.Result => {
  const { dns, since, elsewhere } = host
  // Where none of them responds, it is this machine that cannot ask them.
  const canAsk = elsewhere.some(({ isNameServer, isSilent }) => isNameServer && !isSilent)
  const servers = elsewhere.filter(({ isNameServer }) => !isNameServer || canAsk)
  if (dns.recordTrouble) return is.blocked(dns.recordTrouble)
  const shown = [...Map.groupBy(servers, (one) => one.trouble ?? recordIn(host, one))]
    .map(([what, all]) => `${what} at ${list(all.map(({ server }) => server))}`)
    .join('; ')
  const differs = servers.some((one) =>
    one.trouble === null ? !sameView(host, one, dns) : one.isNameServer && !one.isSilent,
  )
  if (differs) {
    // A record is changed at the authoritative servers; the others cache it.
    const changeable = servers.filter(
      ({ isNameServer, trouble }) => trouble === null && (isNameServer || !canAsk),
    )
    if (since !== null) {
      return breachUnlessRecent(host, 'the same record at every server', shown, changeable)
    }
    const why = `${shown}: give the time of the change with --since`
    return { ...is.ambiguous(why), ...changeAt(host, changeable) }
  }
  const failed = servers.filter(({ trouble }) => trouble !== null)
  if (failed.length > 0) {
    return is.blocked(failed.map(({ trouble, server }) => `${trouble} at ${server}`).join('; '))
  }
  const isRight = recordKindOf(host) === 'pass'
  if (isRight && servers.length > 1) {
    return is.pass(`the same at ${list(servers.map(({ server }) => server))}`)
  }
  if (isRight && since !== null) return is.pass('the change is there')
  return is.ambiguous('needs a second --resolver, or --since')
}

export const dnsChecks = [
  is.check('domain-cname', 'publishing.cname', {
    sends: 'DNS queries for the CNAME of a subdomain, followed to its end.',
    fails: 'It does not end at the platform host: none, another name, a loop, an address instead.',
    inconclusive,
    judge: judgeCname,
    grounds: groundsOf('CNAME'),
  }),
  is.check('domain-cname-direct', 'publishing.cname-direct', {
    sends: 'The same DNS queries.',
    fails: 'The CNAME ends at the platform host through another name.',
    inconclusive: 'no CNAME ends there (blocked)',
    judge: (host) => {
      const { dns, platformHost } = host
      if (dns.isApex) return is.inapplicable('an apex')
      if (dns.cnames.includes(platformHost)) return is.pass('CNAME of the platform host itself')
      if (dns.cnameTrouble) return is.blocked(dns.cnameTrouble)
      if (!dns.chain.includes(platformHost)) return is.blocked('no CNAME ends there')
      return is.breach(`CNAME ${platformHost}`, `through ${dns.chain[0]}`, changeAt(host))
    },
    grounds: groundsOf('CNAME'),
  }),
  is.check('domain-apex', 'publishing.apex', {
    sends: 'DNS queries for CNAME, A and AAAA of an apex domain.',
    fails: 'A CNAME, no address, or none of the addresses of the platform host.',
    inconclusive,
    judge: judgeApex,
    grounds: groundsOfWrong,
  }),
  is.check('domain-conflict', 'publishing.no-conflict', {
    sends: 'DNS queries for CNAME, A, AAAA, MX and TXT at the name.',
    fails:
      'Another record next to the one that the dashboard shows: a second CNAME, an address or a ' +
      "mail record, or an address that is not the platform's.",
    inconclusive,
    judge: judgeConflict,
    grounds: groundsOfWrong,
  }),
  is.check('domain-ttl', 'publishing.ttl', {
    sends: 'The same DNS queries.',
    fails: 'The TTL of the record, which a recursive resolver counts down.',
    inconclusive: 'there is no record (blocked)',
    judge: ({ dns }) => {
      if (dns.ttl === undefined) return is.blocked('no record')
      const left = dns.authoritative ? '' : ' left at the resolver'
      return is.observed(`${dns.ttl} s${left}; 3600 is suggested`)
    },
    grounds: groundsOf('CNAME'),
  }),
  is.check('domain-propagation', 'publishing.propagation', {
    sends: 'The same to every --resolver, and to each server that the zone above delegates to.',
    fails: 'Two of them still differ 48 hours after the change (--since), or one is lame.',
    inconclusive: '--since is missing (ambiguous), one is silent (blocked), or only one was asked',
    judge: judgePropagation,
    // The servers that differ come last, as the evidence.
    grounds: (host) => {
      const type = host.dns.isApex ? 'A' : 'CNAME'
      const rank = (one: View) => Number(sameView(host, one, host.dns))
      return host.elsewhere
        .toSorted((a, b) => rank(b) - rank(a))
        .map(({ server }) => ({ name: host.host, type, server }))
    },
  }),
]
