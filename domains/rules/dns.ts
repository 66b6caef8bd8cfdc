// DNS records, questions and responses as plain data; names are in lower case, without a final dot.

export const dnsTypes = ['A', 'AAAA', 'CNAME', 'CAA', 'SOA', 'TXT', 'MX'] as const
export type DnsType = (typeof dnsTypes)[number]

export interface DnsRecord {
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

export interface DnsResponse {
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
