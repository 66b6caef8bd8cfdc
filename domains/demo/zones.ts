// DNS zones, mutable and allowed to be wrong, and what an authoritative server answers from them.
import {
  type CaaRecord,
  type DnsAnswer,
  type DnsRecord,
  type DnsType,
  dnsTypes,
  type PlainRecord,
} from '../rules/dns-packet.ts'

/** ALIAS (ANAME) is on no wire: the server answers with the addresses of its target. */
export type ZoneRecord =
  | DnsRecord
  | { readonly name: string; readonly ttl: number; readonly type: 'ALIAS'; readonly data: string }

export interface Zones {
  /** The names at which a zone begins. */
  apexes: readonly string[]
  records: readonly ZoneRecord[]
}

const isBelow = (name: string, above: string): boolean =>
  name === above || name.endsWith(`.${above}`)

const maxChase = 8

/** What stands at a name, ALIAS flattened. */
const at = ({ records }: Zones, name: string, type: DnsType, hops: number): DnsRecord[] =>
  records
    .filter((record) => record.name === name)
    .flatMap((record): DnsRecord[] => {
      if (record.type !== 'ALIAS') return record.type === type ? [record] : []
      if (type !== 'A' && type !== 'AAAA') return []
      return addressesAt({ records, apexes: [] }, record.data, type, hops + 1).map((each) => ({
        ...each,
        name,
        ttl: record.ttl,
      }))
    })

const addressesAt = (
  zones: Zones,
  name: string,
  type: 'A' | 'AAAA',
  hops: number,
): PlainRecord[] => {
  if (hops > maxChase) return []
  const own = at(zones, name, type, hops).filter((each): each is PlainRecord => each.type === type)
  const [alias] = at(zones, name, 'CNAME', hops)
  if (own.length > 0 || alias?.type !== 'CNAME') return own
  return addressesAt(zones, alias.data, type, hops + 1)
}

/** The addresses that a name comes to, whatever aliases stand in between. */
export const addressesOf = (zones: Zones, name: string): string[] =>
  (['A', 'AAAA'] as const).flatMap((type) =>
    addressesAt(zones, name, type, 0).map(({ data }) => data),
  )

/** The records of a type at the name itself. */
export const recordsAt = (zones: Zones, name: string, type: DnsType): readonly DnsRecord[] =>
  at(zones, name, type, 0)

/** As a server answers that follows a CNAME through all of its zones. */
export const answerFrom = (
  zones: Zones,
  name: string,
  type: string,
): DnsAnswer & { readonly authorities: readonly DnsRecord[] } => {
  const base = { authoritative: true, truncated: false, answers: [], authorities: [] }
  const apex = zones.apexes.find((each) => isBelow(name, each))
  const wanted = dnsTypes.find((each) => each === type)
  if (apex === undefined) return { ...base, authoritative: false, rcode: 'REFUSED' }
  const soa: DnsRecord = { name: apex, type: 'SOA', ttl: 60, data: `ns.${apex}` }
  if (wanted === 'SOA' && name === apex) return { ...base, rcode: 'NOERROR', answers: [soa] }
  const answers = wanted === undefined ? [] : chase(zones, name, wanted)
  const exists = zones.records.some((record) => isBelow(record.name, name)) || name === apex
  const authorities = answers.length === 0 ? [soa] : []
  return { ...base, rcode: exists ? 'NOERROR' : 'NXDOMAIN', answers, authorities }
}

const chase = (zones: Zones, name: string, type: DnsType): DnsRecord[] => {
  const found: DnsRecord[] = []
  let current = name
  for (let hop = 0; hop < maxChase; hop++) {
    const own = at(zones, current, type, 0)
    if (own.length > 0) return [...found, ...own]
    const aliases = at(zones, current, 'CNAME', 0)
    const [alias] = aliases
    if (alias?.type !== 'CNAME') return found
    found.push(...aliases)
    current = alias.data
  }
  return found
}

/** The set at a name, or at what it is an alias of; the parents of an alias target do not count. */
const setAt = (zones: Zones, name: string, hops: number): readonly CaaRecord[] => {
  const own = at(zones, name, 'CAA', 0).filter((each) => each.type === 'CAA')
  const [alias] = at(zones, name, 'CNAME', 0)
  if (own.length > 0 || alias?.type !== 'CNAME' || hops >= maxChase) return own
  return setAt(zones, alias.data, hops + 1)
}

const knownTags = ['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail']
const criticalBit = 128

/** Whether CAA records let the platform's authority issue (RFC 8659, 3). */
export const caaAllows = (zones: Zones, host: string, authority: string): boolean => {
  const labels = host.split('.')
  const sets = labels.map((_, from) => setAt(zones, labels.slice(from).join('.'), 0))
  const set = sets.find((each) => each.length > 0) ?? []
  const tagged = set.map(({ tag, ...rest }) => ({ tag: tag.toLowerCase(), ...rest }))
  if (tagged.some(({ tag, flags }) => flags & criticalBit && !knownTags.includes(tag))) return false
  const issue = tagged.filter(({ tag }) => tag === 'issue')
  if (issue.length === 0) return true
  return issue.some(({ value }) => value.split(';')[0]?.trim().toLowerCase() === authority)
}
