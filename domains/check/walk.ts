// Walks through DNS responses: from a name to where it leads, and from a name up to its CAA
// records. It is pure: a missing response is noted by `look`, and treated as an empty one.
import type { DnsRecord, DnsType } from '../rules/dns-packet.ts'
import { registrableDomain } from '../rules/host-name.ts'
import { type DnsReply, type DnsTable, type LookSettings, questionKey } from './facts.ts'

/** The response to a question; undefined: it has not been sent. */
export type Look = (name: string, type: DnsType) => DnsReply | undefined

/** Looks in what was gathered; an interrupted run has not sent every question. */
export const lookIn =
  ({ replies }: DnsTable): Look =>
  (name, type) => {
    const key = questionKey(name, type)
    return (Object.hasOwn(replies, key) ? replies[key] : undefined) ?? { failed: 'not asked' }
  }

const maxAliases = 8

/** The records at the name itself: a response includes those of alias targets. */
const recordsAt = (look: Look, name: string, type: DnsType): DnsRecord[] => {
  const reply = look(name, type)
  if (!reply || 'failed' in reply) return []
  return reply.answers.filter((record) => record.name === name && record.type === type)
}

/** Why the records at a name are not known; null if they are. */
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

export interface HostView {
  readonly host: string
  readonly isApex: boolean
  readonly cnames: readonly DnsRecord[]
  /** A and AAAA at the name itself. */
  readonly own: readonly DnsRecord[]
  /** MX and TXT next to a CNAME, which may not be there. */
  readonly others: readonly DnsRecord[]
  /** The names that the CNAMEs lead through, without the host. */
  readonly chain: readonly string[]
  readonly loops: boolean
  /** Where all of it ends. */
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

const addressesAt = (look: Look, name: string) =>
  (['A', 'AAAA'] as const).flatMap((type) => recordsAt(look, name, type))

export const viewOf = (look: Look, host: string): HostView => {
  const { chain, end, loops } = follow(look, host)
  const cnames = recordsAt(look, host, 'CNAME')
  const reply = look(host, 'CNAME')
  const isApex = registrableDomain(host) === host || recordsAt(look, host, 'SOA').length > 0
  const others = cnames.length > 0 && !isApex ? (['MX', 'TXT'] as const) : []
  return {
    host,
    isApex,
    cnames,
    own: addressesAt(look, host),
    others: others.flatMap((type) => recordsAt(look, host, type)),
    chain,
    loops,
    addresses: loops ? [] : addressesAt(look, end).map(({ data }) => data),
    authoritative: reply !== undefined && 'rcode' in reply && reply.authoritative,
    cnameTrouble: firstTrouble(look, [host, ...chain], 'CNAME'),
    addressTrouble: firstTrouble(look, [host, end], 'A', 'AAAA'),
  }
}

/** The addresses of the platform, from every resolver. */
export const platformAddressesOf = (
  tables: readonly DnsTable[],
  { platformHost, platformAddresses }: LookSettings,
): string[] => [
  ...new Set([
    ...tables.flatMap((table) => viewOf(lookIn(table), platformHost).addresses),
    ...platformAddresses,
  ]),
]

/** Where the record is if its zone was written twice. */
export const doubledName = (host: string): string => `${host}.${registrableDomain(host)}`

export interface CaaView {
  /** The name that has the nearest set; null: there is none. */
  readonly at: string | null
  /** The data of its records. */
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
  return { set: [], trouble: `${name}: its aliases do not end` }
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
