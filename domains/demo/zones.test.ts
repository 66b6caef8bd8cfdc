// How an authoritative server responds from zones, over UDP and TCP.
import { Resolver } from 'node:dns/promises'
import { expect, onTestFinished, test } from 'vitest'

import { startDnsServer } from './dns-server.ts'
import { record, resolveAddresses, respondFrom, type Zones } from './zones.ts'

const zones: Zones = {
  apexes: ['publish.test', 'zoo.test'],
  records: [
    record('sites.publish.test A 127.0.0.1'),
    record('sites.publish.test A 127.0.0.2'),
    record('zoo.test ALIAS sites.publish.test'),
    record('www.zoo.test CNAME sites.publish.test'),
    record('a.b.zoo.test A 127.0.0.3'),
    record('loop.zoo.test CNAME loop.zoo.test'),
    ...Array.from({ length: 60 }, (_, index) => record(`long.zoo.test TXT ${index} text`)),
  ],
}

const query = (name: string, type: string) => {
  const { rcode, answers } = respondFrom(zones, name, type)
  return [rcode, ...answers.map((each) => `${each.name} ${each.type}`)]
}

test('ALIAS gives the addresses of its target, at its own name', () => {
  expect(query('zoo.test', 'A')).toEqual(['NOERROR', 'zoo.test A', 'zoo.test A'])
  expect(query('zoo.test', 'AAAA')).toEqual(['NOERROR'])
  expect(resolveAddresses(zones, 'zoo.test')).toEqual(['127.0.0.1', '127.0.0.2'])
})

test('a CNAME is followed, and not beyond its end', () => {
  expect(query('www.zoo.test', 'A').slice(0, 2)).toEqual(['NOERROR', 'www.zoo.test CNAME'])
  expect(query('www.zoo.test', 'CNAME')).toEqual(['NOERROR', 'www.zoo.test CNAME'])
  expect(query('loop.zoo.test', 'A')[0]).toBe('NOERROR')
})

test('a name without records, one that is not there, and one of another zone', () => {
  expect(query('b.zoo.test', 'A')).toEqual(['NOERROR'])
  expect(query('none.zoo.test', 'A')).toEqual(['NXDOMAIN'])
  expect(query('zoo.example', 'A')).toEqual(['REFUSED'])
  expect(query('zoo.test', 'SOA')).toEqual(['NOERROR', 'zoo.test SOA'])
})

test('the resolver of Node understands the server', async () => {
  const server = await startDnsServer(zones, {})
  onTestFinished(server.close)
  const resolver = new Resolver()
  resolver.setServers([server.address])
  expect(await resolver.resolve4('zoo.test')).toEqual(['127.0.0.1', '127.0.0.2'])
  expect(await resolver.resolveCname('www.zoo.test')).toEqual(['sites.publish.test'])
  expect(await resolver.resolveTxt('long.zoo.test')).toHaveLength(60)
  await expect(resolver.resolve4('none.zoo.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  await expect(resolver.resolve4('zoo.example')).rejects.toMatchObject({ code: 'EREFUSED' })
})
