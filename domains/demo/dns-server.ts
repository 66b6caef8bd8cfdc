// An authoritative DNS server on loopback, over UDP and TCP on one port.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import {
  type DnsAnswer,
  type DnsRecord,
  decodeQuestion,
  encodeAnswer,
  plainName,
  type Rcode,
  type ReceivedQuestion,
} from '../rules/dns-packet.ts'
import { answerFrom, type Zones } from './zones.ts'

/** A server that fails: silence, an error, or a claim that the answer does not fit. */
export type DnsFailure = 'silent' | 'truncated' | Exclude<Rcode, 'NOERROR'>
export type DnsOverride = (name: string, type: string) => DnsFailure | undefined

const maxPorts = 20
const maxTcpBytes = 65_535

interface DnsServerOptions {
  readonly dns?: DnsOverride | undefined
  /** How names are spelt in answers; by default as the zones have them. */
  readonly spells?: ((name: string) => string) | undefined
}

export const startDnsServer = async (
  zones: Zones,
  options: DnsServerOptions,
): Promise<{ address: string; close: () => Promise<void> }> => {
  const [udp, tcp] = await listen()
  const answer = (bytes: Uint8Array, mostBytes: number | null) =>
    answerBytes(zones, options, bytes, mostBytes)
  udp.on('message', (bytes, from) => {
    const reply = answer(bytes, 0)
    if (reply) udp.send(reply, from.port, from.address)
  })
  udp.on('error', () => {})
  const open = new Set<Socket>()
  tcp.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    serveTcp(socket, (bytes) => answer(bytes, null))
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

/** A port that UDP got may be taken for TCP: then another one is tried. */
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

/** @param mostBytes null: over TCP, where all fits; else over UDP */
const answerBytes = (
  zones: Zones,
  { dns, spells }: DnsServerOptions,
  bytes: Uint8Array,
  mostBytes: number | null,
): Uint8Array | null => {
  const question = read(bytes)
  if (!question) return null
  const name = plainName(question.name)
  const failure = dns?.(name, question.type)
  if (failure === 'silent') return null
  if (failure === 'truncated' && mostBytes !== null) return cut(question)
  if (failure !== undefined && failure !== 'truncated') return failed(question, failure)
  const { authorities, ...found } = answerFrom(zones, name, question.type)
  const answers = spells ? found.answers.map((each) => spelt(each, spells)) : found.answers
  const whole = encodeAnswer(question, { ...found, answers }, authorities)
  return mostBytes !== null && whole.length > question.udpBytes ? cut(question) : whole
}

const spelt = (record: DnsRecord, spell: (name: string) => string): DnsRecord => {
  const name = spell(record.name)
  return record.type === 'CNAME'
    ? { ...record, name, data: spell(record.data) }
    : { ...record, name }
}

const nothing: DnsAnswer = { rcode: 'NOERROR', authoritative: true, truncated: false, answers: [] }

const cut = (question: ReceivedQuestion) =>
  encodeAnswer(question, { ...nothing, truncated: true }, [])

const failed = (question: ReceivedQuestion, rcode: Rcode) =>
  encodeAnswer(question, { ...nothing, authoritative: false, rcode }, [])

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
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const length = received.readUInt16BE(0)
      const reply = answer(received.subarray(2, 2 + length))
      received = received.subarray(2 + length)
      if (reply === null) continue
      const head = Buffer.alloc(2)
      head.writeUInt16BE(reply.length)
      socket.write(Buffer.concat([head, reply]))
    }
    if (received.length > maxTcpBytes + 2) socket.destroy()
  })
}
