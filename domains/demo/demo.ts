// The demonstration: model, DNS, authority and edge together on loopback, one project published.

import { createModel } from '../model/model.ts'
import { rules } from '../model/rules.ts'
import {
  type DnsFacts,
  type Platform,
  type Policy,
  type PublishingEvent,
  type Reply,
  type Surroundings,
  usualPolicy,
} from '../model/state.ts'
import { type Authority, type Credentials, createAuthority } from './authority.ts'
import {
  authorityName,
  customerZones,
  customHosts,
  platformHost,
  platformZone,
  primary,
  redirects,
  siteHost,
  slug,
} from './customers.ts'
import { startDnsServer } from './dns-server.ts'
import { type EdgeRequest, startEdge } from './edge.ts'
import type { PublishingVariant } from './variant.ts'
import { websiteAnswer } from './website.ts'
import { addressesOf, caaAllows, recordsAt, type Zones } from './zones.ts'

export interface Demo {
  /** Address and port of the authoritative DNS server. */
  readonly dns: string
  readonly httpsPort: number
  readonly httpPort: number
  readonly rootPem: string
  /** Presses a button of the dashboard, and lets the minutes pass that it takes. */
  readonly press: (kind: Button, host: string) => Promise<Reply>
  readonly close: () => Promise<void>
}

export const buttons = ['add', 'verify', 're-verify', 'remove'] as const
export type Button = (typeof buttons)[number]

const loopback = ['127.0.0.1']
const dayMs = 24 * 3600_000
const issueMs = 120_000

const leafOf = (names: readonly string[]) => ({
  names,
  notBefore: new Date(Date.now() - 10 * dayMs),
  notAfter: new Date(Date.now() + 80 * dayMs),
  signedBy: 'intermediate' as const,
  withChain: true,
})

const factsOf = (zones: Zones, host: string): DnsFacts => {
  const dataOf = (type: 'CNAME' | 'A' | 'AAAA') =>
    recordsAt(zones, host, type).map(({ data }) => data)
  return {
    cnames: dataOf('CNAME'),
    addresses: [...dataOf('A'), ...dataOf('AAAA')],
    platformAddresses: addressesOf(zones, platformHost),
  }
}

const emptyPlatform = (policy: Policy, plan: 'pro' | 'business' | 'enterprise'): Platform => ({
  nowMs: 0,
  host: platformHost,
  zone: platformZone,
  policy,
  projects: [{ slug, plan, deploys: [], domains: [], primary: null, redirects: [] }],
})

interface PlannedExperiment {
  platform: Platform
  /** As it was before the last Remove. */
  former: Platform
  readonly credentials: Map<string, Credentials>
}

const model = createModel(rules)

/**
 * Starts all parts on loopback, at ports of the system's choice.
 * @param authority null: one of its own, which takes a tenth of a second to make
 */
export const startDemo = async (
  variant: PublishingVariant,
  given: Authority | null,
): Promise<Demo> => {
  const addresses = variant.addresses ?? loopback
  const authority = given ?? (await createAuthority())
  const zones = customerZones(addresses)
  zones.records = variant.zones?.(zones.records) ?? zones.records
  zones.apexes = [...(variant.apexes ?? []), ...zones.apexes]
  const policy = { ...usualPolicy, ...variant.policy }
  const start = emptyPlatform(policy, variant.onPlan ?? 'pro')
  const held: PlannedExperiment = { platform: start, former: start, credentials: new Map() }
  const act = actor(held, variant, authority, {
    dns: (host) => factsOf(zones, host),
    caaAllows: (host) => caaAllows(zones, host, authorityName),
  })
  await publish(act)
  held.former = held.platform
  zones.records = variant.laterZones?.(zones.records) ?? zones.records
  // Sent without a chain: one of the default context would be sent along with every other leaf.
  const own = { ...leafOf([siteHost, platformHost]), signedBy: 'root', withChain: false } as const
  const fallback = await authority.issue(own)
  const dns = await startDnsServer(zones, variant)
  const site = siteOf(held, variant, fallback)
  const edge = await startEdge({ addresses, fallback, site })
  return {
    dns: dns.address,
    httpsPort: edge.httpsPort,
    httpPort: edge.httpPort,
    rootPem: authority.rootPem,
    press: async (kind, host) => {
      if (kind === 'remove') held.former = held.platform
      const reply = await act({ kind, slug, host })
      await act({ kind: 'pass', ms: issueMs })
      return reply
    },
    close: async () => {
      await Promise.all([dns.close(), edge.close()])
    },
  }
}

type Act = (event: PublishingEvent) => Promise<Reply>

/** Issues the certificates that the model has now, before any response. */
const actor =
  (
    held: PlannedExperiment,
    variant: PublishingVariant,
    authority: Authority,
    surroundings: Surroundings,
  ): Act =>
  async (event) => {
    const { platform, reply } = model.step(held.platform, event, surroundings)
    for (const { host, certificate } of platform.projects.flatMap(({ domains }) => domains)) {
      if (certificate === null || held.credentials.has(host)) continue
      const leaf = leafOf(certificate)
      const options = variant.leaf?.(host, leaf) ?? leaf
      held.credentials.set(host, await authority.issue(options))
    }
    held.platform = platform
    return reply
  }

const publish = async (act: Act): Promise<void> => {
  await act({ kind: 'deploy', slug, ok: true })
  for (const host of customHosts) await act({ kind: 'add', slug, host })
  for (const host of customHosts) await act({ kind: 'verify', slug, host })
  await act({ kind: 'pass', ms: issueMs })
  await act({ kind: 'configure', slug, primary, redirects })
}

const siteOf = (held: PlannedExperiment, variant: PublishingVariant, fallback: Credentials) => {
  const answerAt = (platform: Platform) => (request: EdgeRequest) =>
    websiteAnswer(model.answer(platform, request.host), platform.policy, request)
  const honestCredentials = (sni: string): Credentials | null => {
    const own = model.certificate(held.platform, sni) && held.credentials.get(sni)
    const refuses = held.platform.policy.removedAnswer === 'no-handshake'
    return own ?? (refuses && customHosts.includes(sni) ? null : fallback)
  }
  return {
    credentials: (sni: string, address: string) => {
      const honest = honestCredentials(sni)
      return variant.credentials ? variant.credentials(honest, sni, address, fallback) : honest
    },
    answer: (request: EdgeRequest) => {
      const honest = answerAt(held.platform)
      if (!variant.answer) return honest(request)
      return variant.answer(honest, request, answerAt(held.former))
    },
  }
}
