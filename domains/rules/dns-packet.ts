// The DNS on the wire (RFC 1035, RFC 8659), and the door of dns-packet: queries and responses.
import { createRequire } from 'node:module'
import type * as DnsPacket from 'dns-packet'
import type { Answer, CaaData, RecordType } from 'dns-packet'

/** Loaded when used: only the commands of domains need it, and npm may not have installed it. */
const dnsPacket = (): typeof DnsPacket => createRequire(import.meta.url)('dns-packet')

export const dnsTypes = ['A', 'AAAA', 'CNAME', 'CAA', 'SOA', 'TXT', 'MX'] as const
export type DnsType = (typeof dnsTypes)[number]

export interface DnsRecord {
  /** In lower case, without the final dot. */
  readonly name: string
  readonly ttl: number
  readonly type: DnsType
  /**
   * An address, a name or a text; of SOA the primary server, of MX the exchange, of CAA its three
   * parts as a zone file has them: `0 issue "ca.example"`.
   */
  readonly data: string
}

export interface DnsQuestion {
  readonly name: string
  readonly type: DnsType
}

/** Each at its number (RFC 1035, 4.1.1). */
export const rcodes = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const
export type Rcode = (typeof rcodes)[number]

export interface DnsAnswer {
  readonly rcode: Rcode
  readonly authoritative: boolean
  readonly truncated: boolean
  readonly answers: readonly DnsRecord[]
}

/** Names are compared in this form (RFC 4343). */
export const plainName = (name: string): string => name.replace(/\.$/, '').toLowerCase()

/** The parts of a CAA record's data. */
export const caaPartsOf = (data: string): { flags: number; tag: string; value: string } => {
  const [, flags = '0', tag = '', value = ''] = /^(\d+) (\S*) "(.*)"$/s.exec(data) ?? []
  return { flags: Number(flags), tag, value }
}

/** Responses over UDP up to this length reach a client uncut (RFC 6891). */
const maxUdpBytes = 1232
const option = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }

export const encodeQuestion = (id: number, { name, type }: DnsQuestion): Uint8Array =>
  dnsPacket().encode({
    type: 'query',
    id,
    flags: dnsPacket().RECURSION_DESIRED,
    questions: [{ name, type }],
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: maxUdpBytes, ...option }],
  })

const codeOf = (flags: number): Rcode => rcodes[flags & 0xf] ?? 'SERVFAIL'

/**
 * Reads a response. Records of other types are left out.
 * @throws Error if the bytes are no response, or respond to another question
 */
export const decodeAnswer = (bytes: Uint8Array, id: number, sent: DnsQuestion): DnsAnswer => {
  const packet = dnsPacket().decode(Buffer.from(bytes))
  const [question] = packet.questions ?? []
  const flags = packet.flags ?? 0
  const isAnswer = packet.type === 'response' && packet.id === id
  const isSame = question?.type === sent.type && plainName(question.name) === sent.name
  // A server that fails may leave the question out.
  if (!isAnswer || (question ? !isSame : codeOf(flags) === 'NOERROR')) {
    throw new Error('this responds to another question')
  }
  return {
    rcode: codeOf(flags),
    authoritative: packet.flag_aa,
    truncated: packet.flag_tc,
    answers: (packet.answers ?? []).flatMap(recordOf),
  }
}

const recordOf = (answer: Answer): DnsRecord[] => {
  if (!('ttl' in answer)) return []
  const named = { name: plainName(answer.name), ttl: answer.ttl ?? 0 }
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return [{ ...named, type: answer.type, data: answer.data.toLowerCase() }]
    case 'CNAME':
      return [{ ...named, type: answer.type, data: plainName(answer.data) }]
    case 'SOA':
      return [{ ...named, type: answer.type, data: plainName(answer.data.mname) }]
    case 'MX':
      return [{ ...named, type: answer.type, data: plainName(answer.data.exchange) }]
    case 'TXT':
      return [{ ...named, type: answer.type, data: String([answer.data].flat()) }]
    case 'CAA': {
      const { flags = 0, tag, value } = answer.data
      return [{ ...named, type: answer.type, data: `${flags} ${tag} "${value}"` }]
    }
    default:
      return []
  }
}

export interface ReceivedQuestion {
  readonly id: number
  /** As it was spelt; the response repeats it. */
  readonly name: string
  readonly type: string
  readonly udpBytes: number
}

/** @throws Error if the bytes are no query */
export const decodeQuestion = (bytes: Uint8Array): ReceivedQuestion => {
  const packet = dnsPacket().decode(Buffer.from(bytes))
  const [question] = packet.questions ?? []
  if (!question || packet.type !== 'query') throw new Error('this is no query')
  const edns = (packet.additionals ?? []).find((each) => each.type === 'OPT')
  const udpBytes = edns?.type === 'OPT' ? Math.max(512, edns.udpPayloadSize) : 512
  return { id: packet.id ?? 0, name: question.name, type: question.type, udpBytes }
}

export const encodeAnswer = (
  { id, name, type }: ReceivedQuestion,
  { rcode, authoritative, truncated, answers }: DnsAnswer,
  authorities: readonly DnsRecord[] = [],
): Uint8Array => {
  const { AUTHORITATIVE_ANSWER, encode, RECURSION_DESIRED, TRUNCATED_RESPONSE } = dnsPacket()
  return encode({
    type: 'response',
    id,
    flags:
      rcodes.indexOf(rcode) |
      (authoritative ? AUTHORITATIVE_ANSWER : 0) |
      (truncated ? TRUNCATED_RESPONSE : 0) |
      RECURSION_DESIRED,
    questions: [{ name, type: type as RecordType }],
    answers: answers.map(toWire),
    authorities: authorities.map(toWire),
  })
}

const toWire = ({ name, ttl, type, data }: DnsRecord): Answer => {
  switch (type) {
    case 'CAA':
      // The library names three tags; there are more.
      return { name, ttl, type, data: caaPartsOf(data) as CaaData }
    case 'SOA':
      return { name, ttl, type, data: { mname: data, rname: `admin.${name}` } }
    case 'MX':
      return { name, ttl, type, data: { preference: 10, exchange: data } }
    case 'TXT':
      return { name, ttl, type, data }
    default:
      return { name, ttl, type, data }
  }
}

/** Over TCP the length of a packet goes in front of it (RFC 1035, 4.2.2). */
export const framed = (packet: Uint8Array): Uint8Array => {
  const head = Buffer.alloc(2)
  head.writeUInt16BE(packet.length)
  return Buffer.concat([head, packet])
}

/** The first packet that came over TCP; null while it is incomplete. */
export const unframed = (bytes: Buffer): Buffer | null => {
  if (bytes.length < 2 || bytes.length < 2 + bytes.readUInt16BE(0)) return null
  return bytes.subarray(2, 2 + bytes.readUInt16BE(0))
}
