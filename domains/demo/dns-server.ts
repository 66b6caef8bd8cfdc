// An authoritative DNS server on loopback, over UDP and TCP on one port.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import {
  decodeQuery,
  encodeResponse,
  framed,
  plainName,
  type Rcode,
  unframed,
} from '../rules/dns-records.ts'
import { respondFrom, type Zones } from './zones.ts'

export interface DnsServerOptions {
  /** A server that fails: silence, an error, or a claim that the response does not fit. */
  readonly dns?: (
    name: string,
    type: string,
  ) => 'silent' | 'truncated' | Exclude<Rcode, 'NOERROR'> | undefined
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
    const found = respondFrom(zones, name, query.type)
    const answers = found.answers.map((each) => ({
      ...each,
      name: spells(each.name),
      data: each.type === 'CNAME' ? spells(each.data) : each.data,
    }))
    const whole = encodeResponse(query, { ...found, answers })
    return over === 'udp' && whole.length > query.udpBytes ? cut : whole
  }

const idleMs = 2_000

/** One response ends a connection. */
const serveTcp = (socket: Socket, respond: Respond): void => {
  let received = Buffer.alloc(0)
  socket.setTimeout(idleMs, () => socket.destroy())
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    const packet = unframed(received)
    const response = packet && respond(packet, 'tcp')
    if (response) socket.end(framed(response))
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
  tcp.on('connection', (socket) => serveTcp(socket, respond))
  return {
    address: `127.0.0.1:${udp.address().port}`,
    close: async (): Promise<void> => {
      const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')])
      udp.close()
      tcp.close()
      await closed
    },
  }
}
