// The checks of DNS against Knot, a name server of other authors, where it is installed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { emptyFolder } from '../../tests/e2e/petvet.ts'
import { makeFacts, platformAddress, platformHost } from '../../tests/fakes/fake-domain-facts.ts'
import { freePort } from '../../tests/raw-server.ts'
import { acquireTables } from '../check/acquire/dns.ts'
import { queryDns } from '../check/acquire/dns-client.ts'
import { emptyFacts, type Facts, resolverParts } from '../check/facts.ts'
import { judge } from '../check/judge/judge-domain.ts'

/** Lines of each zone, by its name; names in them are absolute. */
type ZoneLines = Readonly<Record<string, readonly string[]>>

const program = 'knotd'

const configuration = (folder: string, port: number): string =>
  [
    `server:\n  rundir: "${folder}"\n  listen: 127.0.0.1@${port}`,
    `database:\n  storage: "${folder}/db"`,
    'template:',
    `  - id: default\n    storage: "${folder}"`,
    '    zonefile-sync: -1\n    journal-content: none',
    'zone:',
    ...Object.keys(zones).map((zone) => `  - domain: ${zone}\n    file: ${zone}.zone`),
    '',
  ].join('\n')

/** The folders of system programs are not on every path. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }

const isMissing = spawnSync(program, ['-h'], { env }).error

const zoneFile = (zone: string, lines: readonly string[]): string =>
  [
    '$TTL 3600',
    `${zone}. IN SOA ns.${zone}. admin.${zone}. 1 3600 600 86400 60`,
    `${zone}. IN NS ns.${zone}.`,
    `ns.${zone}. IN A 127.0.0.1`,
    ...lines,
    '',
  ].join('\n')

/** Starts a server that ends with the test. */
const startProgram = (file: string): void => {
  const child = spawn(program, ['-c', file], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
}

const maxTries = 100
const pollMs = 100

/** Resolves once the server responds. */
const startNameServer = async (): Promise<string> => {
  const folder = emptyFolder()
  const port = await freePort()
  mkdirSync(join(folder, 'db'))
  for (const [zone, lines] of Object.entries(zones)) {
    writeFileSync(join(folder, `${zone}.zone`), zoneFile(zone, lines))
  }
  const file = join(folder, 'server.conf')
  writeFileSync(file, configuration(folder, port))
  startProgram(file)
  const resolver = `127.0.0.1:${port}`
  const [zone = ''] = Object.keys(zones)
  for (let tried = 0; tried < maxTries; tried++) {
    const reply = await queryDns(resolver, { name: zone, type: 'SOA' }, pollMs)
    if ('rcode' in reply && reply.rcode === 'NOERROR') return resolver
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  throw new Error(`${program} did not start`)
}

const long = 'x'.repeat(200)

const zones: ZoneLines = {
  'publish.example': [
    `${platformHost}. IN A ${platformAddress}`,
    'alias.publish.example. IN CNAME sites.publish.example.',
  ],
  'zoo.example': [
    `zoo.example. IN A ${platformAddress}`,
    'zoo.example. IN MX 10 mail.zoo.example.',
    'www.zoo.example. IN CNAME sites.publish.example.',
    'caps.zoo.example. IN CNAME SITES.Publish.Example.',
    'chain.zoo.example. IN CNAME way.zoo.example.',
    'way.zoo.example. IN CNAME sites.publish.example.',
    'old.zoo.example. IN CNAME sites.elsewhere.example.',
    'address.zoo.example. IN A 203.0.113.9',
    'loop.zoo.example. IN CNAME pool.zoo.example.',
    'pool.zoo.example. IN CNAME loop.zoo.example.',
    'forbidden.zoo.example. IN CNAME sites.publish.example.',
    ...Array.from({ length: 20 }, (_, index) => `long.zoo.example. IN TXT "${index}${long}"`),
  ],
  'farm.example': [
    'farm.example. IN A 203.0.113.9',
    'farm.example. IN CAA 0 issue ";"',
    'www.farm.example. IN CNAME sites.publish.example.',
  ],
}

const primary = 'www.zoo.example'
const others = ['caps', 'chain', 'old', 'address', 'loop', 'missing', 'long'].map(
  (label) => `${label}.zoo.example`,
)
const redirects = ['zoo.example', 'farm.example', 'www.farm.example', ...others].map((from) => ({
  from,
  to: primary,
  status: 301,
}))

/** Of each host, the checks of its DNS that fail, and with a ? the inconclusive ones. */
const breachesIn = (facts: Facts): Record<string, string[]> => {
  const found: Record<string, string[]> = {}
  for (const { check, host, result } of judge(facts)) {
    if (host === null || !/-(cname|apex|conflict|caa|direct)$/.test(check)) continue
    found[host] ??= []
    if (result.kind === 'breach') found[host].push(check)
    const isOpen = result.kind === 'untested' && /-(cname|apex|conflict)$/.test(check)
    if (isOpen) found[host].push(`${check}?`)
  }
  return found
}

const expected = {
  'www.zoo.example': [],
  'zoo.example': [],
  'caps.zoo.example': [],
  'chain.zoo.example': ['domain-cname-direct'],
  // The server does not know the zone of the target, which may be another alias.
  'old.zoo.example': ['domain-cname?'],
  'address.zoo.example': ['domain-cname', 'domain-conflict'],
  'loop.zoo.example': ['domain-cname'],
  'missing.zoo.example': ['domain-cname'],
  'long.zoo.example': ['domain-cname'],
  'farm.example': ['domain-apex', 'domain-caa'],
  'www.farm.example': ['domain-caa'],
}

const seconds = 30_000

const title = `a zone that Knot serves${isMissing ? `: ${program} is not installed here` : ''}`

describe.skipIf(isMissing)(title, () => {
  test('is judged like one of our own server', { timeout: seconds }, async () => {
    const config = { primary, redirects }
    const { settings } = makeFacts([], [])
    const server = await startNameServer()
    const dns = await acquireTables({
      settings,
      config,
      resolvers: [server],
      nameServerPort: resolverParts(server).port,
      dnsTimeoutMs: 1_000,
      signal: new AbortController().signal,
    })
    expect(dns.map(({ nameServer }) => nameServer)).toEqual([
      undefined,
      'ns.zoo.example',
      'ns.farm.example',
    ])
    expect(breachesIn({ ...emptyFacts(settings, config), dns })).toEqual(expected)
  })
})
