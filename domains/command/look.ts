// One look at a variant of a published project, as `petvet domains` looks: the run it comes to.

import type { RunFile } from '../../suites/kit/run-file.ts'
import { type AcquireOptions, acquire } from '../check/acquire/acquire.ts'
import { usualLimits } from '../check/acquire/probe.ts'
import { watchRemoval } from '../check/acquire/removal.ts'
import type { Asked, Facts } from '../check/facts.ts'
import { judge } from '../check/judge/judge.ts'
import { runOf } from '../check/run-of.ts'
import type { Authority } from '../demo/authority.ts'
import {
  authorityName,
  marker,
  platformHost,
  primary,
  redirects,
  siteHost,
} from '../demo/customers.ts'
import { type Demo, startDemo } from '../demo/demo.ts'
import type { Looked, PublishingVariant } from '../demo/variant.ts'
import { type DomainsConfig, lintDomains } from '../rules/lint.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dnsTimeoutMs = 2_000

const ago = (ms: number | undefined) =>
  ms === undefined ? null : new Date(Date.now() - ms).toISOString()

const askedFor = (demo: Demo, looked: Looked): Asked => ({
  platformHost,
  platformAddresses: [],
  site: siteHost,
  marker,
  path: '/',
  plan: looked.plan ?? 'pro',
  authorities: looked.authorities ?? [authorityName],
  since: ago(looked.sinceHours && looked.sinceHours * hourMs),
  verifiedAt: ago(looked.verifiedMinutes && looked.verifiedMinutes * minuteMs),
  allowProxy: looked.allowProxy ?? false,
  probeForeign: false,
  httpsPort: demo.httpsPort,
  httpPort: demo.httpPort,
})

const optionsFor = (demo: Demo, looked: Looked, config: DomainsConfig): AcquireOptions => {
  const [address = '', port = ''] = demo.dns.split(':')
  return {
    asked: askedFor(demo, looked),
    config,
    resolvers: [{ address, port: Number(port) }],
    dnsTimeoutMs: looked.dnsTimeoutMs ?? dnsTimeoutMs,
    ca: demo.rootPem,
    limits: usualLimits,
    signal: new AbortController().signal,
  }
}

const gather = async (demo: Demo, options: AcquireOptions, remove: string | undefined) => {
  if (remove === undefined) return acquire(options)
  const watch = await watchRemoval(options, remove)
  try {
    await demo.press('remove', remove)
    return await watch.after()
  } finally {
    watch.close()
  }
}

export interface DomainLook {
  /** What is wrong with the file of the domains, by the sentences; then nothing was asked. */
  readonly lint: readonly string[]
  readonly facts: Facts | null
  readonly run: RunFile | null
}

/** The file as it would be read: JSON knows no member without a value. */
const fileOf = ({ domains }: Looked): unknown =>
  JSON.parse(JSON.stringify(domains ?? { domains: { primary, redirects } }))

export const lookAt = async (
  variant: PublishingVariant & Looked,
  authority: Authority,
): Promise<DomainLook> => {
  const { faults, config } = lintDomains(fileOf(variant))
  if (!config) return { lint: faults.map(({ requirement }) => requirement), facts: null, run: null }
  const demo = await startDemo(variant, authority)
  try {
    const facts = await gather(demo, optionsFor(demo, variant, config), variant.remove)
    const notes = { attestations: [], notes: [], strict: false, interrupted: false, again: null }
    return { lint: [], facts, run: runOf(facts, judge(facts), notes) }
  } finally {
    await demo.close()
  }
}
