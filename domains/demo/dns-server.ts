// DNS zones, mutable and allowed to be wrong, and an authoritative server that responds from them:
// on loopback, over UDP and TCP on one port.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import {
  caaPartsOf,
  type DnsRecord,
  type DnsResponse,
  type DnsType,
  decodeQuery,
  dnsTypes,
  encodeResponse,
  framed,
  plainName,
  type Rcode,
  unframed,
} from '../rules/dns.ts'

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
export const recordsAt = (zones: Zones, name: string, type: DnsType, hops = 0): DnsRecord[] =>
  zones.records
    .filter((each) => each.name === name)
    .flatMap((each): DnsRecord[] => {
      if (each.type === type) return [{ ...each, type }]
      if (each.type !== 'ALIAS' || (type !== 'A' && type !== 'AAAA') || hops > maxAliases) return []
      const addresses = endOf(zones, each.data, type, hops + 1)
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

/** The same without these CNAMEs. */
const endOf = (zones: Zones, name: string, type: DnsType, hops = 0): DnsRecord[] =>
  chase(zones, name, type, hops).filter((each) => each.type === type)

/** The addresses at the end of a name's aliases. */
export const addressesOf = (zones: Zones, name: string): string[] =>
  (['A', 'AAAA'] as const).flatMap((type) => endOf(zones, name, type).map(({ data }) => data))

/** Responds like a server that follows a CNAME through all of its zones. */
export const respondFrom = (
  zones: Zones,
  name: string,
  type: string,
): DnsResponse & { readonly authorities: readonly DnsRecord[] } => {
  const base = { authoritative: true, truncated: false, answers: [], authorities: [] }
  const apex = zones.apexes.find((each) => isBelow(name, each))
  const wanted = dnsTypes.find((each) => each === type)
  if (apex === undefined) return { ...base, authoritative: false, rcode: 'REFUSED' }
  const soa: DnsRecord = { name: apex, type: 'SOA', ttl: 60, data: `ns.${apex}` }
  if (wanted === 'SOA' && name === apex) return { ...base, rcode: 'NOERROR', answers: [soa] }
  const answers = wanted === undefined ? [] : chase(zones, name, wanted)
  const exists = zones.records.some((each) => isBelow(each.name, name)) || name === apex
  const authorities = answers.length === 0 ? [soa] : []
  return { ...base, rcode: exists ? 'NOERROR' : 'NXDOMAIN', answers, authorities }
}

const knownTags = ['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail']
const criticalBit = 128

/** Whether CAA records let the platform's authority issue (RFC 8659, 3). */
export const caaAllows = (zones: Zones, host: string, authority: string): boolean => {
  const labels = host.split('.')
  // The set at a name, or at what it is an alias of; parents of an alias target do not count.
  const sets = labels.map((_, from) => endOf(zones, labels.slice(from).join('.'), 'CAA'))
  const set = (sets.find((each) => each.length > 0) ?? []).map(({ data }) => caaPartsOf(data))
  const tagged = set.map(({ tag, ...rest }) => ({ tag: tag.toLowerCase(), ...rest }))
  if (tagged.some(({ tag, flags }) => flags & criticalBit && !knownTags.includes(tag))) return false
  const issue = tagged.filter(({ tag }) => tag === 'issue')
  if (issue.length === 0) return true
  return issue.some(({ value }) => value.split(';')[0]?.trim().toLowerCase() === authority)
}

/** A server that fails: silence, an error, or a claim that the response does not fit. */
type DnsFailure = 'silent' | 'truncated' | Exclude<Rcode, 'NOERROR'>

export interface DnsServerOptions {
  readonly dns?: (name: string, type: string) => DnsFailure | undefined
  /** How names are spelt in responses; by default as the zones have them. */
  readonly spells?: (name: string) => string
}

type Respond = (bytes: Uint8Array, over: 'udp' | 'tcp') => Uint8Array | null

const empty = { rcode: 'NOERROR', authoritative: true, truncated: false, answers: [] } as const

/** Null is silence. */
const responder =
  (zones: Zones, { dns, spells = (name) => name }: DnsServerOptions): Respond =>
  (bytes, over) => {
    const query = decodeQuery(bytes)
    if (!query) return null
    const name = plainName(query.name)
    const failure = dns?.(name, query.type)
    if (failure === 'silent') return null
    const cut = encodeResponse(query, { ...empty, truncated: true })
    if (failure === 'truncated' && over === 'udp') return cut
    if (failure !== undefined && failure !== 'truncated') {
      return encodeResponse(query, { ...empty, authoritative: false, rcode: failure })
    }
    const { authorities, ...found } = respondFrom(zones, name, query.type)
    const answers = found.answers.map((each) => ({
      ...each,
      name: spells(each.name),
      data: each.type === 'CNAME' ? spells(each.data) : each.data,
    }))
    const whole = encodeResponse(query, { ...found, answers }, authorities)
    return over === 'udp' && whole.length > query.udpBytes ? cut : whole
  }

const serveTcp = (socket: Socket, respond: Respond): void => {
  let received = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    for (let packet = unframed(received); packet; packet = unframed(received)) {
      received = received.subarray(2 + packet.length)
      const response = respond(packet, 'tcp')
      if (response) socket.write(framed(response))
    }
  })
}

const maxPorts = 20

/** The port of the UDP socket may be taken for TCP: then another one is tried. */
const listen = async (): Promise<[UdpSocket, Server]> => {
  for (let tried = 0; ; tried++) {
    const udp = createSocket('udp4')
    udp.bind(0, '127.0.0.1')
    await once(udp, 'listening')
    const tcp = createServer()
    try {
      tcp.listen(udp.address().port, '127.0.0.1')
      await once(tcp, 'listening')
      return [udp, tcp]
    } catch (error) {
      udp.close()
      if (tried === maxPorts) throw error
    }
  }
}

export const startDnsServer = async (zones: Zones, options: DnsServerOptions) => {
  const [udp, tcp] = await listen()
  const respond = responder(zones, options)
  udp.on('error', () => {})
  udp.on('message', (bytes, from) => {
    const response = respond(bytes, 'udp')
    if (response) udp.send(response, from.port, from.address)
  })
  const open = new Set<Socket>()
  tcp.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    serveTcp(socket, respond)
  })
  return {
    address: `127.0.0.1:${udp.address().port}`,
    close: async (): Promise<void> => {
      for (const socket of open) socket.destroy()
      const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')])
      udp.close()
      tcp.close()
      await closed
    },
  }
}
