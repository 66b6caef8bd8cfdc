// An authoritative DNS server on loopback, over UDP and TCP on one port.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { DnsRecord, Rcode } from '../rules/dns-records.ts'
import { decodeQuery, encodeResponse, framed, onPacket, plainName } from '../rules/dns-records.ts'
import { respondFrom, type Zones } from './zones.ts'

type Failure = 'silent' | 'truncated' | Exclude<Rcode, 'NOERROR'>

export interface DnsServerOptions {
  /** A server that fails: silence, an error, or a claim that the response does not fit. */
  readonly dns?: (name: string, type: string) => Failure | undefined
  /** Whether each response has one of several addresses, the next one each time. */
  readonly rotates?: boolean
  /** How names are spelt in responses; by default as the zones have them. */
  readonly spells?: (name: string) => string
}

type Respond = (bytes: Uint8Array, over: 'udp' | 'tcp') => Uint8Array | null

const empty = { rcode: 'NOERROR', authoritative: true, truncated: false, answers: [] } as const

const oneAddressOf = (answers: readonly DnsRecord[], turn: number): DnsRecord[] => {
  const addresses = answers.filter(({ type }) => type === 'A')
  const shown = addresses[turn % addresses.length]
  return answers.filter((each) => each.type !== 'A' || each === shown)
}

/** Null is silence. */
const responder = (
  zones: Zones,
  { dns, rotates = false, spells = (name) => name }: DnsServerOptions,
): Respond => {
  let turn = 0
  return (bytes, over) => {
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
    const found = respondFrom(zones, name, query.type)
    const shown = rotates ? oneAddressOf(found.answers, turn++) : found.answers
    const answers = shown.map((each) => ({
      ...each,
      name: spells(each.name),
      data: each.type === 'CNAME' ? spells(each.data) : each.data,
    }))
    const whole = encodeResponse(query, { ...found, answers })
    return over === 'udp' && whole.length > query.udpBytes ? cut : whole
  }
}

const idleMs = 2_000

/** One response ends a connection. */
const serveTcp = (socket: Socket, respond: Respond): void => {
  socket.setTimeout(idleMs, () => socket.destroy())
  socket.on('error', () => {})
  onPacket(socket, (packet) => {
    const response = respond(packet, 'tcp')
    if (response) socket.end(framed(response))
  })
}

/** The port of the UDP socket may be taken for TCP: then another one is tried. */
const listen = async (address: string, port: number, more = 20): Promise<[UdpSocket, Server]> => {
  const udp = createSocket('udp4').bind(port, address)
  await once(udp, 'listening')
  try {
    const tcp = createServer().listen(udp.address().port, address)
    await once(tcp, 'listening')
    return [udp, tcp]
  } catch (error) {
    udp.close()
    if (more === 0) throw error
    return listen(address, port, more - 1)
  }
}

export const startDnsServer = async (
  zones: Zones,
  options: DnsServerOptions,
  { address, port } = { address: '127.0.0.1', port: 0 },
) => {
  const [udp, tcp] = await listen(address, port)
  const respond = responder(zones, options)
  udp.on('error', () => {})
  udp.on('message', (bytes, from) => {
    const response = respond(bytes, 'udp')
    if (response) udp.send(response, from.port, from.address)
  })
  tcp.on('connection', (socket) => serveTcp(socket, respond))
  return {
    port: udp.address().port,
    close: async (): Promise<void> => {
      const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')])
      udp.close()
      tcp.close()
      await closed
    },
  }
}
