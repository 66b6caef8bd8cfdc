// Asks one DNS server one question: over UDP, and over TCP where the answer was cut. The Resolver
// of node:dns hides what is judged: the owners of records, TTLs of CNAMEs, the authoritative flag.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import {
  type DnsAnswer,
  type DnsQuestion,
  decodeAnswer,
  encodeQuestion,
} from '../../rules/dns-packet.ts'
import type { DnsFailed, DnsReply } from '../facts.ts'

export interface Resolver {
  readonly address: string
  readonly port: number
}

export const resolverName = ({ address, port }: Resolver): string =>
  isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`

/** A lost datagram is sent once more. */
const triesMost = 2
const tcpMostBytes = 65_535 + 2
const highestId = 65_536

/** @param timeoutMs for each try */
export const askDns = async (
  resolver: Resolver,
  question: DnsQuestion,
  timeoutMs: number,
): Promise<DnsReply> => {
  let reply: DnsAnswer | DnsFailed = { failed: 'timeout' }
  for (let tried = 0; tried < triesMost; tried++) {
    reply = await overUdp(resolver, question, timeoutMs)
    const again = 'failed' in reply ? reply.failed === 'timeout' : reply.rcode === 'SERVFAIL'
    if (!again) break
  }
  if ('rcode' in reply && reply.truncated) reply = await overTcp(resolver, question, timeoutMs)
  if ('failed' in reply) return reply
  const { rcode, authoritative, answers } = reply
  return { rcode, authoritative, answers }
}

const tryDecode = (bytes: Uint8Array, id: number, question: DnsQuestion) => {
  try {
    return decodeAnswer(bytes, id, question)
  } catch {
    return null
  }
}

const overUdp = (
  { address, port }: Resolver,
  question: DnsQuestion,
  timeoutMs: number,
): Promise<DnsAnswer | DnsFailed> =>
  new Promise((resolve) => {
    const id = randomInt(highestId)
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    // What is not an answer to this question is passed over: it may be forged.
    let strayed = false
    const end = (reply: DnsAnswer | DnsFailed) => {
      clearTimeout(timer)
      socket.close()
      resolve(reply)
    }
    const timer = setTimeout(() => end({ failed: strayed ? 'malformed' : 'timeout' }), timeoutMs)
    socket.once('error', () => end({ failed: 'unreachable' }))
    socket.on('message', (bytes) => {
      const answer = tryDecode(bytes, id, question)
      if (answer) end(answer)
      else strayed = true
    })
    socket.connect(port, address, () => socket.send(encodeQuestion(id, question)))
  })

const overTcp = (
  { address, port }: Resolver,
  question: DnsQuestion,
  timeoutMs: number,
): Promise<DnsAnswer | DnsFailed> =>
  new Promise((resolve) => {
    const id = randomInt(highestId)
    const socket = connect(port, address)
    let received = Buffer.alloc(0)
    const end = (reply: DnsAnswer | DnsFailed) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reply)
    }
    const timer = setTimeout(() => end({ failed: 'timeout' }), timeoutMs)
    socket.on('error', () => end({ failed: 'unreachable' }))
    socket.on('close', () => end({ failed: 'malformed' }))
    socket.on('connect', () => {
      const query = encodeQuestion(id, question)
      const head = Buffer.alloc(2)
      head.writeUInt16BE(query.length)
      socket.write(Buffer.concat([head, query]))
    })
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const whole = received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)
      if (whole) end(tryDecode(received.subarray(2), id, question) ?? { failed: 'malformed' })
      else if (received.length > tcpMostBytes) end({ failed: 'malformed' })
    })
  })
