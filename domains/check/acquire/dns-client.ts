// Sends one question to one DNS server, over UDP or TCP. The Resolver of node:dns hides what the
// checks need: record owners, TTLs of CNAMEs, the AA flag.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import type { DnsQuestion, DnsResponse } from '../../rules/dns-records.ts'
import { decodeResponse, encodeQuery, framed, onPacket } from '../../rules/dns-records.ts'
import { type DnsFailed, type DnsReply, resolverParts } from '../facts.ts'

type Reply = DnsResponse | DnsFailed

const ids = 65_536

/** @param timeoutMs for each try */
export const queryDns = async (
  resolver: string,
  question: DnsQuestion,
  timeoutMs: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<DnsReply> => {
  const ask = async (send: typeof overUdp, sent = question): Promise<Reply> => {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const reply = signal.aborted ? null : await send(resolver, sent, ending)
    return signal.aborted || !reply ? { failed: 'not sent' } : reply
  }
  let reply = await ask(overUdp)
  const isTransient = 'failed' in reply ? reply.failed === 'timeout' : reply.rcode === 'SERVFAIL'
  if (isTransient) reply = await ask(overUdp)
  if ('rcode' in reply && reply.truncated) reply = await ask(overTcp)
  if ('failed' in reply) return reply
  const { rcode, authoritative, answers } = reply
  const found = { rcode, authoritative, answers }
  if (rcode !== 'SERVFAIL') return found
  const unchecked = await ask(overUdp, { ...question, isUnchecked: true })
  const isBogus = 'rcode' in unchecked && unchecked.rcode !== 'SERVFAIL'
  return isBogus ? { ...found, isBogus } : found
}

/** A closed port is a fact of the server; that it cannot be reached may be one of this machine. */
const failureOf = ({ code }: NodeJS.ErrnoException): DnsFailed => {
  if (code === 'ABORT_ERR') return { failed: 'timeout' }
  return { failed: code === 'ECONNREFUSED' ? 'no server' : 'unreachable' }
}

/** @param signal ends it, as the time for it does */
const overUdp = (resolver: string, question: DnsQuestion, signal: AbortSignal) =>
  new Promise<Reply>((resolve) => {
    const { address, port } = resolverParts(resolver)
    const id = randomInt(ids)
    const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', signal })
    // Any packet that does not respond to this question is ignored: it may be forged.
    let reply: Reply = { failed: 'timeout' }
    const end = (how: Reply) => {
      reply = how
      socket.close()
    }
    socket.once('close', () => resolve(reply))
    socket.once('error', (error) => end(failureOf(error)))
    socket.on('message', (bytes) => {
      const response = decodeResponse(bytes, id, question)
      if (response) end(response)
      else reply = { failed: 'malformed' }
    })
    socket.once('connect', () => socket.send(encodeQuery(id, question)))
    socket.connect(port, address)
  })

const overTcp: typeof overUdp = (resolver, question, signal) =>
  new Promise((resolve) => {
    const { address: host, port } = resolverParts(resolver)
    const id = randomInt(ids)
    const socket = connect({ port, host, signal })
    const end = (reply: Reply) => {
      socket.destroy()
      resolve(reply)
    }
    socket.on('error', (error) => end(failureOf(error)))
    socket.on('close', () => end({ failed: 'malformed' }))
    socket.on('connect', () => socket.write(framed(encodeQuery(id, question))))
    onPacket(socket, (bytes) => end(decodeResponse(bytes, id, question) ?? { failed: 'malformed' }))
  })
