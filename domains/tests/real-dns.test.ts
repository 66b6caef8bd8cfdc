// The judgement of DNS against name servers of other makers, where they are installed.
import { describe, expect, test } from 'vitest'
import { acquireDns } from '../check/acquire/questions.ts'
import { emptyFacts, type Facts } from '../check/facts.ts'
import { judge } from '../check/judge/judge.ts'
import { factsOf, platformAddress, platformHost } from './facts-of.ts'
import { isInstalled, makers, startNameServer, type ZoneLines } from './name-servers.ts'

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

/** Of each host, the checks of its DNS that are broken, and with a ? those not decided. */
const brokenIn = (facts: Facts): Record<string, string[]> => {
  const told: Record<string, string[]> = {}
  for (const { check, host, said } of judge(facts)) {
    if (host === null || !/-(cname|apex|conflict|caa|direct)$/.test(check)) continue
    told[host] ??= []
    if (said.kind === 'breach') told[host].push(check)
    const isUntold = said.kind === 'untested' && /-(cname|apex|conflict)$/.test(check)
    if (isUntold) told[host].push(`${check}?`)
  }
  return told
}

const expected = {
  'www.zoo.example': [],
  'zoo.example': [],
  'caps.zoo.example': [],
  'chain.zoo.example': ['domain-cname-direct'],
  // Neither server speaks of the zone that it leads to, so that it may lead on.
  'old.zoo.example': ['domain-cname?', 'domain-conflict?'],
  'address.zoo.example': ['domain-cname', 'domain-conflict'],
  'loop.zoo.example': ['domain-cname'],
  'missing.zoo.example': ['domain-cname'],
  'long.zoo.example': ['domain-cname'],
  'farm.example': ['domain-apex', 'domain-caa'],
  'www.farm.example': ['domain-caa'],
}

const seconds = 30_000

for (const [name, maker] of Object.entries(makers)) {
  const lacks = !isInstalled(maker.program)
  const reason = lacks ? `: ${maker.program} is not installed here` : ''
  describe.skipIf(lacks)(`a zone that ${name} serves${reason}`, () => {
    test('is judged as our own server serves it', { timeout: seconds }, async () => {
      const resolver = await startNameServer(maker, zones)
      const config = { primary, redirects }
      const { asked } = factsOf([], [])
      const hosts = [primary, ...redirects.map(({ from }) => from)]
      const table = await acquireDns(resolver, {
        asked,
        hosts,
        timeoutMs: 1_000,
        signal: new AbortController().signal,
      })
      const facts = { ...emptyFacts(asked, config), dns: [table] }
      expect(brokenIn(facts)).toEqual(expected)
    })
  })
}
