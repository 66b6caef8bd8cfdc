// DNS zones, mutable and allowed to be wrong, and what an authoritative server responds from them.
import {
  type DnsRecord,
  type DnsResponse,
  type DnsType,
  dnsTypes,
  parseCaa,
} from '../rules/dns-records.ts'

/** ALIAS (ANAME) never goes over the wire: the server returns the addresses of its target. */
export interface ZoneRecord extends Omit<DnsRecord, 'type'> {
  readonly type: DnsType | 'ALIAS'
}

/** @param line of a zone: `docs.farm.test CNAME sites.publish.test` */
export const record = (line: string, ttl = 3600): ZoneRecord => {
  const [name = '', type = '', ...data] = line.split(' ')
  return { name, type: type as ZoneRecord['type'], ttl, data: data.join(' ') }
}

export interface Zones {
  /** The names at which a zone begins. */
  apexes: readonly string[]
  records: readonly ZoneRecord[]
}

const isBelow = (name: string, above: string): boolean =>
  name === above || name.endsWith(`.${above}`)

const maxAliases = 8

/** The records of a type at the name itself, ALIAS flattened. */
const recordsAt = (zones: Zones, name: string, type: DnsType, hops = 0): DnsRecord[] =>
  zones.records
    .filter((each) => each.name === name)
    .flatMap((each): DnsRecord[] => {
      if (each.type === type) return [{ ...each, type }]
      if (each.type !== 'ALIAS' || (type !== 'A' && type !== 'AAAA') || hops > maxAliases) return []
      const addresses = endOf(zones, each.data, type, hops + 1)
      return addresses.map((one) => ({ ...one, name, ttl: each.ttl }))
    })

export const dataAt = (zones: Zones, name: string, ...types: readonly DnsType[]): string[] =>
  types.flatMap((type) => recordsAt(zones, name, type).map(({ data }) => data))

/** The records of a type at the end of a name's CNAMEs, and these CNAMEs. */
const chase = (zones: Zones, name: string, type: DnsType, hops = 0): DnsRecord[] => {
  const own = recordsAt(zones, name, type, hops)
  const aliases = recordsAt(zones, name, 'CNAME')
  const [alias] = aliases
  if (own.length > 0 || !alias || hops > maxAliases) return own
  return [...aliases, ...chase(zones, alias.data, type, hops + 1)]
}

/** The records of a type at the end of the chain of CNAMEs. */
const endOf = (zones: Zones, name: string, type: DnsType, hops = 0): DnsRecord[] =>
  chase(zones, name, type, hops).filter((each) => each.type === type)

/** The addresses at the end of a name's aliases. */
export const resolveAddresses = (zones: Zones, name: string): string[] =>
  (['A', 'AAAA'] as const).flatMap((type) => endOf(zones, name, type).map(({ data }) => data))

/** Responds like a server that follows a CNAME through all of its zones. */
export const respondFrom = (zones: Zones, name: string, type: string): DnsResponse => {
  const base = { authoritative: true, truncated: false, answers: [] }
  const apex = zones.apexes.find((each) => isBelow(name, each))
  const wanted = dnsTypes.find((each) => each === type)
  if (apex === undefined) return { ...base, authoritative: false, rcode: 'REFUSED' }
  if (wanted === 'SOA' && name === apex) {
    const soa: DnsRecord = { name, type: 'SOA', ttl: 60, data: `ns.${name}` }
    return { ...base, rcode: 'NOERROR', answers: [soa] }
  }
  const answers = wanted === undefined ? [] : chase(zones, name, wanted)
  const exists = zones.records.some((each) => isBelow(each.name, name)) || name === apex
  return { ...base, rcode: exists ? 'NOERROR' : 'NXDOMAIN', answers }
}

const knownTags = ['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail']
const criticalBit = 128

/** Whether CAA records let the platform's authority issue (RFC 8659, 3). */
export const caaAllows = (zones: Zones, host: string, authority: string): boolean => {
  const labels = host.split('.')
  // The set at a name, or at what it is an alias of; parents of an alias target do not count.
  const sets = labels.map((_, from) => endOf(zones, labels.slice(from).join('.'), 'CAA'))
  const set = (sets.find((each) => each.length > 0) ?? []).map(({ data }) => parseCaa(data))
  const tagged = set.map(({ tag, ...rest }) => ({ tag: tag.toLowerCase(), ...rest }))
  if (tagged.some(({ tag, flags }) => flags & criticalBit && !knownTags.includes(tag))) return false
  const issue = tagged.filter(({ tag }) => tag === 'issue')
  if (issue.length === 0) return true
  return issue.some(({ value }) => value.split(';')[0]?.trim().toLowerCase() === authority)
}
