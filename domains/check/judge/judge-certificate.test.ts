// What is said of certificates and CAA records, and the commands that show it.
import { describe, expect, test } from 'vitest'
import {
  goodRecords,
  host,
  makeFacts,
  makeProbe,
  makeTable,
  platformHost,
} from '../../../tests/fakes/fake-domain-facts.ts'
import { record } from '../../demo/zones.ts'
import { toRunFile } from './domains-run.ts'

const none = { tls: null, failed: { stage: 'tls', code: 'tlsv1 unrecognized name' } } as const

type Parts = Parameters<typeof makeProbe>[0]

const resultOf = (
  check: string,
  parts: readonly Parts[],
  records = goodRecords,
  verifiedAt: string | null = null,
) => {
  const made = makeFacts([makeTable(records)], parts.map(makeProbe), { verifiedAt })
  const facts = { ...made, at: '2026-11-20T12:00:00.000Z' }
  const command = { name: 'domains check', arguments: [['--ca-file', 'root.pem']] }
  const run = toRunFile(facts, { strict: false, interrupted: false, command })
  return run.checks.find(({ id }) => id === `${check}@${host}`)
}

describe('a wrong certificate', () => {
  const untrusted = (error: string): Parts => ({ tls: { error } })

  test.for([
    [untrusted('DEPTH_ZERO_SELF_SIGNED_CERT'), 'it is signed by itself'],
    [
      untrusted('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      'a certificate of CN=Some Intermediate that is not trusted: the server sends no intermediate',
    ],
    [untrusted('CERT_REVOKED'), 'CERT_REVOKED'],
    [none, 'no certificate: the server knows no such name'],
    [
      { tls: null, failed: { stage: 'tls', code: 'some reason' } },
      'no certificate: the handshake ended with some reason',
    ],
  ] as const)('%j is described', ([parts, words]) => {
    const { outcome, actual, evidence } = resultOf('domain-certificate', [parts]) ?? {}
    expect(outcome).toBe('fail')
    expect(actual).toContain(words)
    // Without -k, or it would be served.
    expect(evidence?.at(-1)?.curl).toBe(
      `curl -sSi --cacert 'root.pem' --resolve '${host}:443:198.51.100.1' 'https://${host}/'`,
    )
  })

  test('at one of three addresses is named, and that the others are right', () => {
    const at = (address: string): Parts => ({ address })
    const parts = [at('192.0.2.1'), { ...none, address: '192.0.2.2' }, at('192.0.2.3')]
    expect(resultOf('domain-certificate', parts)?.actual).toBe(
      'no certificate: the server knows no such name, at 192.0.2.2; right at 192.0.2.1, 192.0.2.3',
    )
  })

  test('with its name in the CN alone was issued, and curl would accept it', () => {
    const { actual, evidence } = resultOf('domain-certificate', [
      { tls: { names: [], namesHost: false, subject: `C=XX\nCN=${host}` } },
    ]) ?? { evidence: [] }
    expect(actual).toBe(
      'a certificate with the name in its CN only, and not in SAN, at 198.51.100.1',
    )
    expect(evidence.at(-1)?.curl).toMatch(/^openssl s_client -connect '198\.51\.100\.1:443' /)
  })
})

test.for([
  ['zoo.example', '', 'add CAA 0 issue "ca.example" to those of zoo.example'],
  [platformHost, ', which the platform has to change', undefined],
] as const)('CAA records that forbid at %s are reported there', ([name, who, fix]) => {
  const other = '0 issue "other.example"'
  const found = resultOf('domain-caa', [none], [...goodRecords, record(`${name} CAA ${other}`)])
  expect(found?.actual).toBe(`at ${name}${who}: ${other}, and not ca.example`)
  expect(found?.fix).toBe(fix)
  expect(found?.evidence.at(-1)?.curl).toContain(`'${name}' CAA`)
})

test.for([
  ['12:00:30', 'seen 0 s after Verify'],
  ['02:00:00', 'seen 10 h after Verify; petvet domains watch records when it appears'],
] as const)('Verify at %s, by a clock that may be ahead, and now it is 12:00', ([time, words]) => {
  const verifiedAt = `2026-11-20T${time}Z`
  const found = resultOf('domain-certificate-soon', [{}], goodRecords, verifiedAt)
  expect(found?.detail).toBe(words)
})
