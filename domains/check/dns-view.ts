// Where the DNS of a host leads, and which CAA records count: `acquire` asks what this looks at.
import { BlockList, isIPv6 } from 'node:net'
import type { DnsRecord, DnsType } from '../rules/dns-records.ts'
import { registrableDomain } from '../rules/host-name.ts'
import { type DnsReply, type DnsTable, type DomainSettings, questionKey } from './facts.ts'

/** The response to a question; undefined, and treated as an empty one: it has not been sent. */
export type Look = (name: string, type: DnsType) => DnsReply | undefined

const isKnown = (reply: DnsReply | undefined): boolean =>
  reply !== undefined && 'rcode' in reply && ['NOERROR', 'NXDOMAIN'].includes(reply.rcode)

/** Of the first server that knows, else of the first one that was asked. */
export const tableFor = (tables: readonly DnsTable[], name: string, type: DnsType): DnsTable => {
  const key = questionKey(name, type)
  const found =
    tables.find(({ replies }) => isKnown(replies[key])) ??
    tables.find(({ replies }) => key in replies)
  return found ?? tables[0] ?? { resolver: '', replies: {} }
}

/** The reply of the first server that knows; undefined: it was not sent. */
export const replyIn = (tables: readonly DnsTable[], name: string, type: DnsType) =>
  tableFor(tables, name, type).replies[questionKey(name, type)]

/** Looks in what was gathered; an interrupted run has not sent every question. */
export const lookIn =
  (tables: readonly DnsTable[]): Look =>
  (name, type) =>
    replyIn(tables, name, type) ?? { failed: 'not sent' }

/** Longer chains are not followed: resolvers give up at about as many. */
const maxAliases = 16

/** The records at the name itself: a response includes those of alias targets. */
export const recordsAt = (look: Look, name: string, ...types: readonly DnsType[]): DnsRecord[] =>
  types.flatMap((type) => {
    const reply = look(name, type)
    if (!reply || 'failed' in reply) return []
    return reply.answers.filter((record) => record.name === name && record.type === type)
  })

export const dataAt = (look: Look, name: string, ...types: readonly DnsType[]): string[] =>
  recordsAt(look, name, ...types).map(({ data }) => data)

/** Why a reply is of no use; null if it is, or was not looked up yet. */
export const troubleIn = (reply: DnsReply | undefined): string | null => {
  if (reply === undefined || isKnown(reply)) return null
  if ('failed' in reply) return reply.failed
  const why = reply.isBogus ? ' for DNSSEC: with checking disabled (dig +cd) it responds' : ''
  return `${reply.rcode}${why}`
}

const troubleOf = (look: Look, names: readonly string[], ...types: readonly DnsType[]) => {
  const troubles = names.flatMap((name) =>
    types.flatMap((type) => {
      const trouble = troubleIn(look(name, type))
      return trouble === null ? [] : [`${name} ${type}: ${trouble}`]
    }),
  )
  return troubles[0] ?? null
}

const follow = (look: Look, host: string) => {
  const chain: string[] = []
  let end = host
  for (;;) {
    const [alias] = dataAt(look, end, 'CNAME')
    const loops = alias !== undefined && (alias === host || chain.includes(alias))
    const isTooLong = chain.length === maxAliases && !loops
    const trouble = isTooLong ? `${host}: more than ${maxAliases} CNAMEs in a row` : null
    if (alias === undefined || loops || isTooLong) return { chain, end, loops, trouble }
    chain.push(alias)
    end = alias
  }
}

export const viewDns = (look: Look, host: string) => {
  const { chain, end, loops, trouble } = follow(look, host)
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
    /** Why the CNAMEs are not known, up to their end. */
    cnameTrouble: troubleOf(look, [host, ...chain], 'CNAME') ?? trouble,
    /** Why the addresses at the name itself, or at the end of the CNAMEs, are not known. */
    addressTrouble: troubleOf(look, [host], 'A', 'AAAA'),
    endTrouble: troubleOf(look, [end], 'A', 'AAAA'),
    /** Why it is not known which record the name itself has. */
    recordTrouble: troubleOf(look, [host], 'CNAME', ...(isAlias ? [] : (['A', 'AAAA'] as const))),
  }
}

/** The smallest networks that the routes of the internet tell apart. */
const networkBits = { ipv4: 24, ipv6: 48 } as const
const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** All that its host had in any response, which may be a part of a pool if responses differ. */
export const viewPlatform = (tables: readonly DnsTable[], settings: DomainSettings) => {
  const { platformHost, platformAddresses } = settings
  const replies = tables.flatMap((table) => Object.values(table.replies))
  const responses = replies
    .map((reply) => (): DnsReply => reply)
    .map((look) => dataAt(look, follow(look, platformHost).end, 'A', 'AAAA').sort())
    .filter((response) => response.length > 0)
  const { addresses } = viewDns(lookIn(tables), platformHost)
  const all = [...new Set([...addresses, ...responses.flat(), ...platformAddresses])]
  const different = new Set(responses.map((response) => response.join(' ')))
  const families = new Set(responses.map(([address = '']) => familyOf(address)))
  const varies = different.size > families.size
  // Separate, as the list for IPv6 may contain the network of all IPv4 addresses.
  const near = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const address of all) {
    const family = familyOf(address)
    near[family].addSubnet(address, networkBits[family], family)
  }
  const isNear = (address: string) => near[familyOf(address)].check(address, familyOf(address))
  return {
    platform: all,
    /** Whether a name with these addresses may have some of the platform that were not seen. */
    mayBeOfPool: (addresses: readonly string[]) => varies || addresses.some(isNear),
  }
}

/** The nearest set that is not empty, up to the top level (RFC 8659, 3), and its name. */
const caaViewOf = (look: Look, host: string) => {
  const labels = host.split('.')
  for (const from of labels.keys()) {
    const name = labels.slice(from).join('.')
    const { chain, loops, trouble: tooLong } = follow(look, name)
    for (const at of [name, ...chain]) {
      const trouble = troubleOf(look, [at], 'CAA', 'CNAME')
      const set = dataAt(look, at, 'CAA')
      if (trouble || set.length > 0) return { at, set: trouble ? [] : set, trouble }
    }
    const trouble = loops ? `${name}: its CNAMEs loop` : tooLong
    if (trouble) return { at: name, set: [], trouble }
  }
  return { at: null, set: [], trouble: null }
}

/** Whether there is a CNAME at a name itself: a wildcard would give one to its sibling as well. */
const hasOwnAlias = (look: Look, name: string): boolean => {
  const sibling = name.replace(/^[^.]+/, 'petvet-no-such-name')
  if (dataAt(look, name, 'CNAME').length === 0) return false
  return troubleOf(look, [sibling], 'CNAME') === null && dataAt(look, sibling, 'CNAME').length === 0
}

/** All that the DNS of a domain is judged by. */
export const viewDomain = (look: Look, host: string) => ({
  dns: viewDns(look, host),
  caa: caaViewOf(look, host),
  /** Whether the record is at the name with its zone written twice. */
  isDoubled: hasOwnAlias(look, `${host}.${registrableDomain(host)}`),
})
