// Where the DNS of a host leads, and which CAA records count for it. `acquire` follows the same
// names to find out which questions to send.
import type { DnsRecord, DnsType } from '../rules/dns-records.ts'
import { registrableDomain } from '../rules/host-name.ts'
import { type DnsReply, type DnsTable, type DomainSettings, questionKey } from './facts.ts'

/** The response to a question; undefined, and treated as an empty one: it has not been sent. */
type Look = (name: string, type: DnsType) => DnsReply | undefined

/** Looks in what was gathered; an interrupted run has not sent every question. */
export const lookIn =
  ({ replies }: DnsTable): Look =>
  (name, type) =>
    replies[questionKey(name, type)] ?? { failed: 'not sent' }

const maxAliases = 8

/** The records at the name itself: a response includes those of alias targets. */
const recordsAt = (look: Look, name: string, ...types: readonly DnsType[]): DnsRecord[] =>
  types.flatMap((type) => {
    const reply = look(name, type)
    if (!reply || 'failed' in reply) return []
    return reply.answers.filter((record) => record.name === name && record.type === type)
  })

const dataAt = (look: Look, name: string, ...types: readonly DnsType[]): string[] =>
  recordsAt(look, name, ...types).map(({ data }) => data)

/** Why records are not known; null if they are, or were not looked up yet. */
const troubleOf = (look: Look, names: readonly string[], ...types: readonly DnsType[]) => {
  const troubles = names.flatMap((name) =>
    types.flatMap((type) => {
      const reply = look(name, type) ?? { rcode: 'NOERROR' }
      const failed = 'failed' in reply ? reply.failed : reply.rcode
      const why =
        'isBogus' in reply ? ' for DNSSEC: with checking disabled (dig +cd) it responds' : ''
      return ['NOERROR', 'NXDOMAIN'].includes(failed) ? [] : [`${name} ${type}: ${failed}${why}`]
    }),
  )
  return troubles[0] ?? null
}

const follow = (look: Look, host: string) => {
  const chain: string[] = []
  let end = host
  while (chain.length < maxAliases) {
    const [alias] = dataAt(look, end, 'CNAME')
    if (alias === undefined) return { chain, end, loops: false }
    if (alias === host || chain.includes(alias)) break
    chain.push(alias)
    end = alias
  }
  return { chain, end, loops: true }
}

export const viewDns = (look: Look, host: string) => {
  const { chain, end, loops } = follow(look, host)
  const cnames = recordsAt(look, host, 'CNAME')
  const own = recordsAt(look, host, 'A', 'AAAA')
  const reply = look(host, 'CNAME')
  const isApex = registrableDomain(host) === host || recordsAt(look, host, 'SOA').length > 0
  const isAlias = cnames.length > 0
  const [other] = isAlias && !isApex ? recordsAt(look, host, 'MX', 'TXT') : []
  const addresses = own.map(({ type, data }) => `${type} ${data}`)
  const besides = other && own.length === 0 ? [other.type] : addresses
  return {
    isApex,
    /** The targets of its CNAMEs: more than one is a conflict. */
    cnames: cnames.map(({ data }) => data),
    /** A and AAAA at the name itself. */
    own: own.map(({ data }) => data),
    /** What is next to a CNAME, where nothing may be: `A 192.0.2.1`, or another type. */
    beside: isAlias ? besides : [],
    /** The time to live of the record that the dashboard shows. */
    ttl: (isApex ? own : cnames)[0]?.ttl,
    /** The targets of the CNAMEs, one after the other. */
    chain,
    loops,
    addresses: loops ? [] : dataAt(look, end, 'A', 'AAAA'),
    authoritative: reply !== undefined && 'rcode' in reply && reply.authoritative,
    /** Why the CNAME, or the addresses, are not known. */
    cnameTrouble: troubleOf(look, [host, ...chain], 'CNAME'),
    addressTrouble: troubleOf(look, [host, end], 'A', 'AAAA'),
  }
}

/** The addresses of the platform, from every resolver. */
export const lookUpPlatform = (
  tables: readonly DnsTable[],
  { platformHost, platformAddresses }: DomainSettings,
): string[] => {
  const found = tables.flatMap((table) => viewDns(lookIn(table), platformHost).addresses)
  return [...new Set([...found, ...platformAddresses])]
}

const caaSet = (look: Look, name: string) => {
  const { chain, loops } = follow(look, name)
  for (const at of [name, ...chain]) {
    const trouble = troubleOf(look, [at], 'CAA', 'CNAME')
    const set = dataAt(look, at, 'CAA')
    if (trouble || set.length > 0) return { at, set: trouble ? [] : set, trouble }
  }
  return { at: name, set: [], trouble: loops ? `${name}: more than ${maxAliases} aliases` : null }
}

/**
 * The CAA records that count for a host (RFC 8659, 3): the nearest set that is not empty, from the
 * host up to its top level, and the name that has it, which may be an alias target: the parents of
 * that do not count.
 */
const caaViewOf = (look: Look, host: string) => {
  const labels = host.split('.')
  for (const from of labels.keys()) {
    const found = caaSet(look, labels.slice(from).join('.'))
    if (found.trouble || found.set.length > 0) return found
  }
  return { at: null, set: [], trouble: null }
}

/** Whether there is a CNAME at a name itself: a wildcard would give one to its sibling as well. */
const hasOwnAlias = (look: Look, name: string): boolean => {
  const sibling = name.replace(/^[^.]+/, 'petvet-no-such-name')
  const isWild = () =>
    troubleOf(look, [sibling], 'CNAME') !== null || dataAt(look, sibling, 'CNAME').length > 0
  return dataAt(look, name, 'CNAME').length > 0 && !isWild()
}

/** All that the DNS of a domain is judged by. */
export const viewDomain = (look: Look, host: string) => ({
  dns: viewDns(look, host),
  caa: caaViewOf(look, host),
  /** Whether the record is at the name with its zone written twice. */
  isDoubled: hasOwnAlias(look, `${host}.${registrableDomain(host)}`),
})
