// An authoritative DNS server on loopback, over UDP and TCP on one port.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import {
  decodeQuestion,
  encodeAnswer,
  framed,
  plainName,
  type Rcode,
  type ReceivedQuestion,
  unframed,
} from '../rules/dns-packet.ts'
import { answerFrom, type Zones } from './zones.ts'

/** A server that fails: silence, an error, or a claim that the response does not fit. */
type DnsFailure = 'silent' | 'truncated' | Exclude<Rcode, 'NOERROR'>

export interface DnsServerOptions {
  readonly dns?: (name: string, type: string) => DnsFailure | undefined
  /** How names are spelt in responses; by default as the zones have them. */
  readonly spells?: (name: string) => string
}

const maxPorts = 20
const maxTcpBytes = 65_535 + 2

export const startDnsServer = async (
  zones: Zones,
  options: DnsServerOptions,
): Promise<{ address: string; close: () => Promise<void> }> => {
  const [udp, tcp] = await listen()
  udp.on('message', (bytes, from) => {
    const reply = respond(zones, options, bytes, 'udp')
    if (reply) udp.send(reply, from.port, from.address)
  })
  udp.on('error', () => {})
  const open = new Set<Socket>()
  tcp.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    serveTcp(socket, (bytes) => respond(zones, options, bytes, 'tcp'))
  })
  return {
    address: `127.0.0.1:${udp.address().port}`,
    close: async () => {
      for (const socket of open) socket.destroy()
      const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')])
      udp.close()
      tcp.close()
      await closed
    },
  }
}

/** The port that UDP got may be taken for TCP: then another one is tried. */
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

const empty = { rcode: 'NOERROR', authoritative: true, truncated: false, answers: [] } as const

/** @returns null for silence */
const respond = (
  zones: Zones,
  { dns, spells = (name) => name }: DnsServerOptions,
  bytes: Uint8Array,
  over: 'udp' | 'tcp',
): Uint8Array | null => {
  const question = read(bytes)
  if (!question) return null
  const name = plainName(question.name)
  const failure = dns?.(name, question.type)
  if (failure === 'silent') return null
  const cut = encodeAnswer(question, { ...empty, truncated: true })
  if (failure === 'truncated' && over === 'udp') return cut
  if (failure !== undefined && failure !== 'truncated') {
    return encodeAnswer(question, { ...empty, authoritative: false, rcode: failure })
  }
  const { authorities, ...found } = answerFrom(zones, name, question.type)
  const answers = found.answers.map((each) => ({
    ...each,
    name: spells(each.name),
    data: each.type === 'CNAME' ? spells(each.data) : each.data,
  }))
  const whole = encodeAnswer(question, { ...found, answers }, authorities)
  return over === 'udp' && whole.length > question.udpBytes ? cut : whole
}

const read = (bytes: Uint8Array): ReceivedQuestion | null => {
  try {
    return decodeQuestion(bytes)
  } catch {
    return null
  }
}

const serveTcp = (socket: Socket, answer: (bytes: Uint8Array) => Uint8Array | null): void => {
  let received = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    for (let packet = unframed(received); packet; packet = unframed(received)) {
      received = received.subarray(2 + packet.length)
      const reply = answer(packet)
      if (reply) socket.write(framed(reply))
    }
    if (received.length > maxTcpBytes) socket.destroy()
  })
}
