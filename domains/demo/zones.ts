// DNS zones, allowed to be wrong, and what an authoritative server responds from them.
import { type DnsRecord, type DnsResponse, type DnsType, dnsTypes } from '../rules/dns-records.ts'

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
  readonly apexes: readonly string[]
  readonly records: readonly ZoneRecord[]
}

const isBelow = (name: string, top: string): boolean => name === top || name.endsWith(`.${top}`)

const maxAliases = 8

/** The records of a type at the name itself, ALIAS flattened. */
const recordsAt = (zones: Zones, name: string, type: DnsType, hops = 0): DnsRecord[] =>
  zones.records
    .filter((each) => each.name === name)
    .flatMap((each): DnsRecord[] => {
      if (each.type === type) return [{ ...each, type }]
      if (each.type !== 'ALIAS' || (type !== 'A' && type !== 'AAAA') || hops > maxAliases) return []
      const addresses = chase(zones, each.data, type, hops + 1).filter((one) => one.type === type)
      return addresses.map((one) => ({ ...one, name, ttl: each.ttl }))
    })

/** The records of a type at the end of a name's CNAMEs, and these CNAMEs. */
const chase = (zones: Zones, name: string, type: DnsType, hops = 0): DnsRecord[] => {
  const own = recordsAt(zones, name, type, hops)
  const aliases = recordsAt(zones, name, 'CNAME')
  const [alias] = aliases
  if (own.length > 0 || !alias || hops > maxAliases) return own
  return [...aliases, ...chase(zones, alias.data, type, hops + 1)]
}

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
