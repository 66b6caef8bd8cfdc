// DNS as plain data and on the wire (RFC 1035, RFC 8659); names are in lower case, without a final
// dot. The door of the dns-packet package, which is loaded with the first message.
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type * as DnsPacket from 'dns-packet'
import type { Answer, DecodedPacket, RecordType } from 'dns-packet'

export const dnsTypes = ['A', 'AAAA', 'CNAME', 'CAA', 'SOA', 'NS', 'TXT', 'MX'] as const
export type DnsType = (typeof dnsTypes)[number]

export interface DnsRecord {
  readonly name: string
  readonly ttl: number
  readonly type: DnsType
  /** Of SOA the primary server, of MX the exchange, of CAA as in a zone: `0 issue "ca.example"`. */
  readonly data: string
}

export interface DnsQuestion {
  readonly name: string
  readonly type: DnsType
  /** A resolver that validates is to return what it would otherwise refuse (RFC 4035, 3.2.2). */
  readonly isUnchecked?: true
}

/** Each at its number (RFC 1035, 4.1.1). */
export const rcodes = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const
export type Rcode = (typeof rcodes)[number]

export interface DnsResponse {
  readonly rcode: Rcode
  readonly authoritative: boolean
  readonly truncated: boolean
  readonly answers: readonly DnsRecord[]
}

/** Names are compared in this form (RFC 4343). */
export const plainName = (name: string): string => name.replace(/\.$/, '').toLowerCase()

/** The parts of a CAA record's data. */
export const parseCaa = (data: string): { flags: number; tag: string; value: string } => {
  const [, flags = '0', tag = '', value = ''] = /^(\d+) (\S*) "(.*)"$/s.exec(data) ?? []
  return { flags: Number(flags), tag, value }
}

const dnsPacket = (): typeof DnsPacket => createRequire(import.meta.url)('dns-packet')

/** Responses over UDP up to this length reach a client uncut (RFC 6891). */
const maxUdpBytes = 1232
const option = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }

export const encodeQuery = (id: number, { name, type, isUnchecked }: DnsQuestion): Uint8Array =>
  dnsPacket().encode({
    type: 'query',
    id,
    flags: dnsPacket().RECURSION_DESIRED | (isUnchecked ? dnsPacket().CHECKING_DISABLED : 0),
    questions: [{ name, type }],
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: maxUdpBytes, ...option }],
  })

/** Null if the bytes cannot be read: a hostile server may send any. */
const decode = <T>(bytes: Uint8Array, read: (packet: DecodedPacket) => T | null): T | null => {
  try {
    return read(dnsPacket().decode(Buffer.from(bytes)))
  } catch {
    return null
  }
}

/** Null if the bytes do not respond to the question. A referral names the servers of a zone. */
export const decodeResponse = (bytes: Uint8Array, id: number, sent: DnsQuestion) =>
  decode(bytes, (packet) => {
    const { questions, flags = 0 } = packet
    const [question] = questions ?? []
    const rcode = rcodes[flags & 0xf] ?? 'SERVFAIL'
    const isResponse = packet.type === 'response' && packet.id === id
    const isSame = question?.type === sent.type && plainName(question.name) === sent.name
    // A server that fails may leave the question out.
    if (!isResponse || (question ? !isSame : rcode === 'NOERROR')) return null
    const { flag_aa: authoritative, flag_tc: truncated } = packet
    const answers = answersIn(packet, sent)
    const isReferral = answers === null && rcode === 'NOERROR'
    const found = (answers ?? []).flatMap(recordOf)
    return { rcode: isReferral ? 'REFUSED' : rcode, authoritative, truncated, answers: found }
  })

/** Null for a referral to other servers, unless that is what was requested. */
const answersIn = (packet: DecodedPacket, { type }: DnsQuestion): Answer[] | null => {
  const { answers = [], authorities = [], flag_aa: authoritative, flag_ra: isRecursive } = packet
  const servers = authorities.filter((each) => each.type === 'NS')
  if (type === 'NS') return [...answers, ...servers]
  const isReferral = answers.length === 0 && servers.length > 0
  return isReferral && !authoritative && !isRecursive ? null : answers
}

const dataOf = (answer: Answer): string => {
  if (answer.type === 'SOA') return plainName(answer.data.mname)
  if (answer.type === 'MX') return plainName(answer.data.exchange)
  if (answer.type === 'TXT') return String([answer.data].flat())
  if (answer.type !== 'CAA') return 'data' in answer ? plainName(String(answer.data)) : ''
  return `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"`
}

const recordOf = (answer: Answer): DnsRecord[] => {
  const type = dnsTypes.find((each) => each === answer.type)
  if (!type || !('ttl' in answer)) return []
  return [{ name: plainName(answer.name), ttl: answer.ttl ?? 0, type, data: dataOf(answer) }]
}

/** @returns null if the bytes are no query */
export const decodeQuery = (bytes: Uint8Array) =>
  decode(bytes, ({ id = 0, type, questions, additionals = [] }) => {
    const [question] = questions ?? []
    if (!question || type !== 'query') return null
    const edns = additionals.find((each) => each.type === 'OPT')
    const udpBytes = edns?.type === 'OPT' ? Math.max(512, edns.udpPayloadSize) : 512
    return { id, name: question.name, type: question.type, udpBytes }
  })

/** Its name is as it was spelt; the response repeats it. */
export type DnsQuery = NonNullable<ReturnType<typeof decodeQuery>>

export const encodeResponse = (
  { id, name, type }: DnsQuery,
  { rcode, authoritative, truncated, answers }: DnsResponse,
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
  })
}

const wireData = ({ name, type, data }: DnsRecord) => {
  if (type === 'CAA') return parseCaa(data)
  if (type === 'SOA') return { mname: data, rname: `admin.${name}` }
  return type === 'MX' ? { preference: 10, exchange: data } : data
}

/** The package declares only three of the tags that CAA has. */
const toWire = (record: DnsRecord): Answer => ({ ...record, data: wireData(record) }) as Answer

/** Over TCP the length of a packet goes in front of it (RFC 1035, 4.2.2). */
export const framed = (packet: Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.of(packet.length >> 8, packet.length), packet])

/** Uses the first packet that comes over TCP, of at most 64 KiB, once it is complete. */
export const onPacket = (socket: Socket, use: (packet: Buffer) => void): void => {
  let bytes = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    const end = bytes.length < 2 ? Number.POSITIVE_INFINITY : 2 + bytes.readUInt16BE(0)
    if (bytes.length >= end) use(bytes.subarray(2, end))
  })
}
