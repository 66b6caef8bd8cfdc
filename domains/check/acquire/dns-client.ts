// Sends one question to one DNS server: over UDP, and over TCP if the response was truncated. The
// Resolver of node:dns hides what the checks need: record owners, TTLs of CNAMEs, the AA flag.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import {
  type DnsQuestion,
  type DnsResponse,
  decodeResponse,
  encodeQuery,
  framed,
  unframed,
} from '../../rules/dns-records.ts'
import { type DnsFailed, type DnsReply, resolverParts } from '../facts.ts'

type Reply = DnsResponse | DnsFailed

const ids = 65_536

/**
 * @param resolver its address and port
 * @param timeoutMs for each try
 */
export const queryDns = async (
  resolver: string,
  question: DnsQuestion,
  timeoutMs: number,
): Promise<DnsReply> => {
  let reply = await overUdp(resolver, question, timeoutMs)
  const isTransient = 'failed' in reply ? reply.failed === 'timeout' : reply.rcode === 'SERVFAIL'
  if (isTransient) reply = await overUdp(resolver, question, timeoutMs)
  if ('rcode' in reply && reply.truncated) reply = await overTcp(resolver, question, timeoutMs)
  if ('failed' in reply) return reply
  const { rcode, authoritative, answers } = reply
  const found = { rcode, authoritative, answers }
  if (rcode !== 'SERVFAIL') return found
  const unchecked = await overUdp(resolver, { ...question, isUnchecked: true }, timeoutMs)
  const isBogus = 'rcode' in unchecked && unchecked.rcode !== 'SERVFAIL'
  return isBogus ? { ...found, isBogus } : found
}

const overUdp = (resolver: string, question: DnsQuestion, timeoutMs: number) =>
  new Promise<Reply>((resolve) => {
    const { address, port } = resolverParts(resolver)
    const id = randomInt(ids)
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    // Any packet that does not respond to this question is ignored: it may be forged.
    let isMalformed = false
    const end = (reply: Reply) => {
      clearTimeout(timer)
      socket.close()
      resolve(reply)
    }
    const timer = setTimeout(
      () => end({ failed: isMalformed ? 'malformed' : 'timeout' }),
      timeoutMs,
    )
    socket.once('error', () => end({ failed: 'unreachable' }))
    socket.on('message', (bytes) => {
      const response = decodeResponse(bytes, id, question)
      if (response) end(response)
      else isMalformed = true
    })
    socket.connect(port, address, () => socket.send(encodeQuery(id, question)))
  })

const overTcp = (resolver: string, question: DnsQuestion, timeoutMs: number) =>
  new Promise<Reply>((resolve) => {
    const { address, port } = resolverParts(resolver)
    const id = randomInt(ids)
    const socket = connect(port, address)
    let received = Buffer.alloc(0)
    const end = (reply: Reply) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reply)
    }
    const timer = setTimeout(() => end({ failed: 'timeout' }), timeoutMs)
    socket.on('error', () => end({ failed: 'unreachable' }))
    socket.on('close', () => end({ failed: 'malformed' }))
    socket.on('connect', () => socket.write(framed(encodeQuery(id, question))))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const packet = unframed(received)
      if (packet) end(decodeResponse(packet, id, question) ?? { failed: 'malformed' })
    })
  })
