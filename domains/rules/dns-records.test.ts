// DNS packets: what is written is read again, and any other bytes are none.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type DnsQuery,
  type DnsRecord,
  decodeQuery,
  decodeResponse,
  encodeQuery,
  encodeResponse,
} from './dns-records.ts'

const seed = 7
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/)
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
const ttl = fc.nat(86_400)
const record: fc.Arbitrary<DnsRecord> = fc.oneof(
  fc.record({ name, ttl, type: fc.constant('A' as const), data: fc.ipV4() }),
  fc.record({ name, ttl, type: fc.constant('CNAME' as const), data: name }),
  fc.record({ name, ttl, type: fc.constantFrom('MX' as const, 'TXT' as const), data: name }),
  fc.record({
    name,
    ttl,
    type: fc.constant('CAA' as const),
    data: fc
      .tuple(
        fc.nat(255),
        fc.constantFrom('issue', 'ISSUE', 'newtag'),
        fc.constantFrom('', ';', 'ca.example; a=b', 'a "quoted" value'),
      )
      .map(([flags, tag, value]) => `${flags} ${tag} "${value}"`),
  }),
)

test('a response is read as it was written', () => {
  fc.assert(
    fc.property(fc.nat(65_535), name, fc.array(record, { maxLength: 8 }), (id, owner, answers) => {
      const question = { name: owner, type: 'CAA' } as const
      const received = decodeQuery(encodeQuery(id, question)) as DnsQuery
      expect(received).toMatchObject({ id, ...question, udpBytes: 1232 })
      const response = {
        rcode: 'NXDOMAIN',
        authoritative: true,
        truncated: false,
        answers,
      } as const
      expect(decodeResponse(encodeResponse(received, response), id, question)).toEqual(response)
    }),
    { seed },
  )
})

test('any other bytes, and truncated packets, are no response', () => {
  const question = { name: 'www.example.com', type: 'CNAME' } as const
  const records: DnsRecord[] = [{ ...question, ttl: 60, data: 'sites.example' }]
  const received = decodeQuery(encodeQuery(7, question)) as DnsQuery
  const flags = { rcode: 'NOERROR', authoritative: true, truncated: false } as const
  const whole = encodeResponse(received, { ...flags, answers: records })
  const torn = fc.nat(whole.length - 1).map((length) => whole.subarray(0, length))
  fc.assert(
    fc.property(fc.oneof(torn, fc.uint8Array({ maxLength: 600 })), (bytes) => {
      expect(decodeResponse(bytes, 7, question)).toBeNull()
    }),
    { seed, numRuns: 500 },
  )
})
