// The checks on facts made by hand: CAA, pages, redirects, several resolvers, proxies.
import { describe, expect, test } from 'vitest'
import {
  goodRecords,
  host,
  makeFacts,
  makeProbe,
  makeTable,
  platformHost,
  platformRecord,
} from '../../../tests/fake-domain-facts.ts'
import { record } from '../../demo/zones.ts'
import type { DnsReply, Facts } from '../facts.ts'
import type { Result } from '../result.ts'
import { judge } from './judge-domain.ts'

const resultOf = (facts: Facts, check: string): Result | undefined =>
  judge(facts).find((each) => each.check === check && (each.host ?? host) === host)?.result

const hour = 3600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

describe('CAA, where there is no certificate', () => {
  const none = makeProbe({ tls: { namesHost: false, names: [platformHost] } })
  const zone = 'zoo.example'
  const issue = (value: string, at = zone, flags = 0, tag = 'issue') =>
    record(`${at} CAA ${flags} ${tag} "${value}"`)

  test.for([
    ['no records', [], 'pass'],
    ['the authority', [issue('ca.example')], 'pass'],
    ['with spaces and parameters', [issue(' ca.example ; a=b; c=d')], 'pass'],
    ['in capitals', [issue('CA.Example', zone, 0, 'ISSUE')], 'pass'],
    ['one of several', [issue('other.example'), issue('ca.example')], 'pass'],
    ['iodef alone', [issue('mailto:a@b.example', zone, 0, 'iodef')], 'pass'],
    ['issuewild alone', [issue(';', zone, 0, 'issuewild')], 'pass'],
    ['issuemail alone', [issue(';', zone, 0, 'issuemail')], 'pass'],
    ['unknown, not critical', [issue('x', zone, 0, 'newtag')], 'pass'],
    ['known, critical', [issue('ca.example', zone, 128)], 'pass'],
    ['unknown, with reserved flags', [issue('x', zone, 1, 'newtag')], 'pass'],
    ['nearer than one that forbids', [issue('ca.example', host), issue(';')], 'pass'],
    ['above the alias target alone', [issue(';', 'publish.example')], 'pass'],
    ['unknown, critical', [issue('x', zone, 128, 'newtag')], 'breach'],
    ['another authority', [issue('other.example')], 'breach'],
    ['a part of the name', [issue('example')], 'breach'],
    ['nobody', [issue(';')], 'breach'],
    ['nobody, empty', [issue('')], 'breach'],
    ['malformed', [issue('ca.example%%')], 'breach'],
    ['nobody at the host', [issue(';', host)], 'breach'],
    ['nobody at the top level', [issue(';', 'example')], 'breach'],
    ['nobody at the alias target', [issue(';', platformHost)], 'breach'],
    ['nearer than one that allows', [issue(';', host), issue('ca.example')], 'breach'],
  ] as const)('%s', ([, records, kind]) => {
    const facts = makeFacts([makeTable([...goodRecords, ...records])], [none])
    expect(resultOf(facts, 'domain-caa')?.kind).toBe(kind)
    // One cause fails one check: with CAA in the way the certificate is untested.
    const certificate = resultOf(facts, 'domain-certificate')
    expect(certificate?.kind).toBe(kind === 'breach' ? 'untested' : 'breach')
  })

  test('an error before the first set leaves it untested', () => {
    const failing = (name: string, type: string) =>
      type === 'CAA' && name === host ? ({ failed: 'timeout' } as const) : undefined
    const table = makeTable([...goodRecords, issue(';')], failing)
    expect(resultOf(makeFacts([table], [none]), 'domain-caa')).toMatchObject({
      kind: 'untested',
      because: 'blocked',
    })
  })

  test('without --ca it is untested', () => {
    const table = makeTable([...goodRecords, issue('some.example')])
    const facts = makeFacts([table], [none], { authorities: [] })
    expect(resultOf(facts, 'domain-caa')).toMatchObject({ kind: 'untested', because: 'ambiguous' })
  })
})

test('the evidence is the request that the result is about, whichever address it went to', () => {
  const good = { body: 'the-marker', address: '192.0.2.1' }
  const bad = { status: 404, address: '192.0.2.2' }
  for (const probes of [
    [good, bad],
    [bad, good],
  ] as const) {
    const facts = makeFacts([makeTable(goodRecords)], probes.map(makeProbe))
    const found = judge(facts).find(({ check }) => check === 'domain-primary')
    expect(found).toMatchObject({ result: { kind: 'breach' }, grounds: [{ address: '192.0.2.2' }] })
    expect(found?.result.actual).toBe('404, at 192.0.2.2; right at 192.0.2.1')
  }
})

test('the evidence of a domain on Free is the page of the one that works', () => {
  const other = 'other.example'
  const probes = [
    makeProbe({ status: 404 }),
    { ...makeProbe({ status: 301, location: `https://${host}/` }), host: other },
  ]
  const config = { primary: host, redirects: [{ from: other, to: host, status: 301 }] }
  const records = [...goodRecords, record(`${other} A 192.0.2.1`)]
  const facts = makeFacts([makeTable(records)], probes, { plan: 'free' }, config)
  const found = judge(facts).find(({ check }) => check === 'project-plan')
  expect(found).toMatchObject({ result: { kind: 'breach' }, grounds: [{ host: other }] })
})

describe('the primary domain', () => {
  const on = (...probes: Parameters<typeof makeProbe>) =>
    resultOf(makeFacts([makeTable(goodRecords)], probes.map(makeProbe)), 'domain-primary')?.kind
  const http = (code: string) => ({ failed: { stage: 'http', code } as const })

  test.for([
    ['the marker', { body: 'a the-marker b' }, 'pass'],
    ['no marker', { body: 'nothing' }, 'breach'],
    ['no marker in what was read', { body: 'nothing', cut: true }, 'untested'],
    ['not found', { status: 404 }, 'breach'],
    ['a login', { status: 401 }, 'untested'],
    ['a limit', { status: 429 }, 'untested'],
    ['a page within', { status: 302, location: '/en/' }, 'untested'],
    ['another host', { status: 302, location: '//other.example/' }, 'breach'],
    ['silence', http('ETIMEDOUT'), 'untested'],
    ['a connection cut', http('ECONNRESET'), 'breach'],
  ] as const)('responds with %s', ([, parts, kind]) => {
    expect(on(parts)).toBe(kind)
  })

  test('without a marker only a redirect to the platform fails', () => {
    const without = (parts: Parameters<typeof makeProbe>[0]) =>
      resultOf(
        makeFacts([makeTable(goodRecords)], [makeProbe(parts)], { marker: null }),
        'domain-primary',
      )?.kind
    expect(without({ status: 200 })).toBe('untested')
    expect(without({ status: 404 })).toBe('untested')
    expect(without({ status: 302, location: 'https://login.example/' })).toBe('untested')
    expect(without({ status: 302, location: `https://${platformHost}/` })).toBe('breach')
  })

  test('is checked only if it can be reached', () => {
    const table = [makeTable(goodRecords)]
    const failed = { stage: 'connect', code: 'ENETUNREACH' } as const
    const lost = makeProbe({ failed, tls: null })
    expect(resultOf(makeFacts(table, [lost]), 'domain-primary')?.kind).toBe('untested')
    expect(resultOf(makeFacts(table, [lost]), 'domain-certificate')?.kind).toBe('untested')
  })
})

describe('a redirect', () => {
  const to = 'docs.zoo.example'
  const config = { primary: to, redirects: [{ from: host, to, status: 308 }] }
  const on = (location: string | undefined, status = 308) => {
    const probe = makeProbe({ status, ...(location !== undefined && { location }) })
    return resultOf(makeFacts([makeTable(goodRecords)], [probe], {}, config), 'domain-redirect')
      ?.kind
  }

  test.for([
    `https://${to}/`,
    `HTTPS://${to.toUpperCase()}/a?b`,
    `//${to}`,
    `http://${to}./`,
    `https://${to}:8443/`,
  ])('has the right target: %s', (location) => expect(on(location)).toBe('pass'))

  test.for([
    undefined,
    '',
    '/',
    to,
    `/${to}`,
    `https://${to}.evil.example/`,
    `https://${to}@evil.example/`,
    `ftp://${to}/`,
    `https://${host}/`,
    'https://',
    'http://[',
  ])('has another target: %s', (location) => expect(on(location)).toBe('breach'))

  test('with another status', () => expect(on(`https://${to}/`, 301)).toBe('breach'))
})

describe('a record that is missing', () => {
  const doubled = `${host}.zoo.example`
  const alias = (name: string): DnsReply => ({
    rcode: 'NOERROR',
    authoritative: true,
    answers: [{ name, ttl: 60, type: 'CNAME', data: platformHost }],
  })
  const actual = (failing: Parameters<typeof makeTable>[1]) =>
    resultOf(makeFacts([makeTable([platformRecord], failing)], []), 'domain-cname')?.actual

  test('is at the name with its zone twice, where no wildcard gives one', () => {
    const at = (name: string, type: string) =>
      type === 'CNAME' && name === doubled ? alias(name) : undefined
    expect(actual(at)).toBe('no CNAME: the name of the record has its zone twice')
  })

  test('is not called doubled below a wildcard, nor where that is not known', () => {
    const wild = (name: string, type: string) =>
      type === 'CNAME' && name.endsWith(`.zoo.example`) && name !== host ? alias(name) : undefined
    expect(actual(wild)).toBe('no record')
    const silent = (name: string, type: string) =>
      name === doubled ? wild(name, type) : wild(name, type) && ({ failed: 'timeout' } as const)
    expect(actual(silent)).toBe('no record')
  })
})

describe('several resolvers', () => {
  const wrong = makeTable([platformRecord, record(`${host} CNAME old.example`)])
  const right = makeTable(goodRecords)
  const on = (tables: Parameters<typeof makeFacts>[0], since: string | null) =>
    resultOf(makeFacts(tables, [], { since }), 'domain-propagation')?.kind

  test('agree', () => expect(on([right, right], null)).toBe('pass'))
  test('differ, at an unknown time', () => expect(on([right, wrong], null)).toBe('untested'))
  test('differ after a day', () => expect(on([right, wrong], ago(24 * hour))).toBe('untested'))
  test('differ after three days', () => expect(on([right, wrong], ago(72 * hour))).toBe('breach'))

  test('that differ leave a record untested, whichever is first', () => {
    const cname = (since: string | null) =>
      resultOf(makeFacts([wrong, right], [], { since }), 'domain-cname')?.kind
    expect([cname(null), cname(ago(72 * hour))]).toEqual(['untested', 'breach'])
  })

  test('a mismatch fails only after 48 hours', () => {
    const cname = (hours: number) =>
      resultOf(makeFacts([wrong], [], { since: ago(hours * hour) }), 'domain-cname')?.kind
    expect([47, 49].map(cname)).toEqual(['untested', 'breach'])
  })
})

describe('an address that is not known as the platform', () => {
  const foreign = '203.0.113.9'
  const table = makeTable([platformRecord, record(`${host} A ${foreign}`)])
  const cname = (more: object) => resultOf(makeFacts([table], [], more), 'domain-cname')?.kind

  test('is a breach', () => expect(cname({})).toBe('breach'))
  test('may be a proxy', () => expect(cname({ allowProxy: true })).toBe('untested'))
})

test('an interrupted check fails nothing that it did not request', () => {
  const empty = { resolver: '192.0.2.53:53', replies: {} }
  const platformAlone = makeTable([platformRecord])
  const replies = Object.fromEntries(
    Object.entries(platformAlone.replies).filter(([key]) => key.startsWith(platformHost)),
  )
  for (const tables of [[], [empty], [{ ...empty, replies }]]) {
    const breaches = judge(makeFacts(tables, [])).filter((each) => each.result.kind === 'breach')
    expect(breaches.map(({ check }) => check)).toEqual([])
  }
})
