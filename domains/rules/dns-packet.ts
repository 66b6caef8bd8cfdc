// The DNS on the wire (RFC 1035, RFC 8659), and the door of dns-packet: questions and answers.
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  type CaaData,
  decode,
  encode,
  RECURSION_DESIRED,
  type RecordType,
  TRUNCATED_RESPONSE,
} from 'dns-packet'

export const dnsTypes = ['A', 'AAAA', 'CNAME', 'CAA', 'SOA', 'TXT', 'MX'] as const
export type DnsType = (typeof dnsTypes)[number]

interface Named {
  /** In lower case, without the final dot. */
  readonly name: string
  readonly ttl: number
}

export interface CaaRecord extends Named {
  readonly type: 'CAA'
  readonly flags: number
  readonly tag: string
  readonly value: string
}

export interface PlainRecord extends Named {
  readonly type: Exclude<DnsType, 'CAA'>
  /** An address or a name; of SOA the primary server, of MX the exchange. */
  readonly data: string
}

export type DnsRecord = PlainRecord | CaaRecord

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

/** What an answer over UDP may hold (RFC 6891), without being cut on its way. */
const udpMostBytes = 1232

export const encodeQuestion = (id: number, { name, type }: DnsQuestion): Uint8Array =>
  encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name, type }],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: udpMostBytes,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  })

const codeOf = (flags: number): Rcode => rcodes[flags & 0xf] ?? 'SERVFAIL'

/**
 * Reads an answer. Records of other types are left out.
 * @throws Error where the bytes are no answer, or not to this question
 */
export const decodeAnswer = (bytes: Uint8Array, id: number, asked: DnsQuestion): DnsAnswer => {
  const packet = decode(Buffer.from(bytes))
  const [question] = packet.questions ?? []
  const flags = packet.flags ?? 0
  const isAnswer = packet.type === 'response' && packet.id === id
  const isAsked = question?.type === asked.type && plainName(question.name) === asked.name
  // A server that fails may leave the question out.
  if (!isAnswer || (question ? !isAsked : codeOf(flags) === 'NOERROR')) {
    throw new Error('this answers another question')
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
      return [{ ...named, type: answer.type, data: String(answer.data).toLowerCase() }]
    case 'CNAME':
      return [{ ...named, type: answer.type, data: plainName(answer.data) }]
    case 'SOA':
      return [{ ...named, type: 'SOA', data: plainName(answer.data.mname) }]
    case 'MX':
      return [{ ...named, type: 'MX', data: plainName(answer.data.exchange) }]
    case 'TXT':
      return [{ ...named, type: 'TXT', data: String([answer.data].flat()) }]
    case 'CAA': {
      const { flags = 0, tag, value } = answer.data
      return [{ ...named, type: 'CAA', flags, tag, value }]
    }
    default:
      return []
  }
}

export interface ReceivedQuestion {
  readonly id: number
  /** The name as it was spelt, to be answered likewise. */
  readonly name: string
  readonly type: string
  readonly udpBytes: number
}

/** @throws Error where the bytes are no question */
export const decodeQuestion = (bytes: Uint8Array): ReceivedQuestion => {
  const packet = decode(Buffer.from(bytes))
  const [question] = packet.questions ?? []
  if (!question || packet.type !== 'query') throw new Error('this is no question')
  const option = (packet.additionals ?? []).find((each) => each.type === 'OPT')
  const udpBytes = option?.type === 'OPT' ? Math.max(512, option.udpPayloadSize) : 512
  return { id: packet.id ?? 0, name: question.name, type: question.type, udpBytes }
}

export const encodeAnswer = (
  { id, name, type }: ReceivedQuestion,
  { rcode, authoritative, truncated, answers }: DnsAnswer,
  authorities: readonly DnsRecord[],
): Uint8Array =>
  encode({
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

const toWire = (record: DnsRecord): Answer => {
  const { name, ttl } = record
  switch (record.type) {
    case 'CAA': {
      const { flags, tag, value } = record
      // The library names three tags; there are more.
      return { name, ttl, type: 'CAA', data: { flags, tag: tag as CaaData['tag'], value } }
    }
    case 'SOA':
      return { name, ttl, type: 'SOA', data: { mname: record.data, rname: `admin.${name}` } }
    case 'MX':
      return { name, ttl, type: 'MX', data: { preference: 10, exchange: record.data } }
    case 'TXT':
      return { name, ttl, type: 'TXT', data: record.data }
    default:
      return { name, ttl, type: record.type, data: record.data }
  }
}
