// The flags of a look at domains, and the options that they make.
import { getServers } from 'node:dns'
import { isIP, SocketAddress } from 'node:net'
import type { AcquireOptions } from '../../../domains/check/acquire/acquire.ts'
import type { Resolver } from '../../../domains/check/acquire/dns-client.ts'
import { usualLimits } from '../../../domains/check/acquire/probe.ts'
import type { LookSettings } from '../../../domains/check/facts.ts'
import { hostFault, plainHost } from '../../../domains/rules/host-name.ts'
import type { DomainsConfig } from '../../../domains/rules/lint.ts'
import { type Plan, planNames } from '../../../spec/plans.ts'
import { type Given, text, texts, toggle } from '../../command.ts'
import { portBounds, wholeNumber } from '../../config/values.ts'
import { type OutputFlags, outputFlags } from '../../flags.ts'
import { UsageError } from '../../usage-error.ts'
import { readText } from './files.ts'

export const domainsFlag = text('file of the domains: primary and redirects, in YAML or JSON')
export const platformFlag = text('where domains point to: the {platform_host} of the interface')

const settingsFlags = {
  domains: domainsFlag,
  'platform-host': platformFlag,
  'platform-address': texts(
    'an address of the platform that its host does not resolve to, repeatable',
  ),
  site: text('subdomain of the platform, such as https://slug.platform.example'),
  marker: text("a text on the project's page and on no other"),
  path: text('path of that page [/]'),
  plan: text('plan of the project since the domain was added: free, pro, business, enterprise'),
  ca: texts("name of the platform's authority in CAA records, repeatable"),
  since: text('when the DNS was changed, ISO 8601: for 48 hours a mismatch is no failure'),
  'verified-at': text(
    'when Verify succeeded, ISO 8601 [long ago]: a certificate may take 30 minutes',
  ),
  'allow-proxy': toggle('a proxy of yours may be in front: what it hides is not failed'),
  resolver: texts("DNS server as IP or IP:PORT, repeatable [the system's]"),
  'ca-file': text('certificate authority to trust in addition to the usual ones, in PEM'),
  'https-port': text('port of HTTPS [443]'),
  'http-port': text('port of plain HTTP [80]'),
} as const

/** The flags of `check`, `watch` and `removed`. */
export const lookFlags = {
  ...settingsFlags,
  attest: text('file of what a person saw in the dashboard'),
  ...outputFlags,
} as const

export type SettingsFlags = Readonly<Partial<Given<typeof settingsFlags>>>
export type LookFlags = SettingsFlags & { readonly attest?: string | undefined } & OutputFlags

const dnsTimeoutMs = 2_000
const dnsPort = 53

export const hostOf = (flag: string, text: string | undefined): string => {
  if (text === undefined) throw new UsageError(`${flag} is required; see --help`)
  const fault = hostFault(text)
  if (fault !== null) throw new UsageError(`${flag} "${text}" ${fault}`)
  return plainHost(text)
}

const siteOf = (text: string | undefined): string | null => {
  if (text === undefined) return null
  const host = URL.canParse(text) ? new URL(text).hostname : text
  return hostOf('--site', host)
}

const timeOf = (flag: string, text: string | undefined): string | null => {
  if (text === undefined) return null
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  if (!isDate || Number.isNaN(Date.parse(text))) {
    throw new UsageError(`${flag} takes a time such as 2026-11-20T12:00:00Z, not "${text}"`)
  }
  return new Date(text).toISOString()
}

const planOf = (text: string | undefined): Plan | null => {
  if (text === undefined) return null
  const plan = planNames.find((name) => name === text.toLowerCase())
  if (plan) return plan
  throw new UsageError(`--plan takes ${planNames.join(', ')}, not "${text}"`)
}

const pathOf = (text: string | undefined): string => {
  if (text === undefined) return '/'
  if (/^\/[\x21-\x7e]*$/.test(text) && !text.startsWith('//')) return text
  throw new UsageError(`--path takes a path such as /docs, not "${text}"`)
}

const addressesOf = (texts: readonly string[] | undefined): string[] =>
  (texts ?? []).map((text) => {
    if (isIP(text) === 0) throw new UsageError(`--platform-address takes an IP, not "${text}"`)
    // IPv6 has many spellings of an address, and DNS responses use the shortest.
    return isIP(text) === 6 ? new SocketAddress({ address: text, family: 'ipv6' }).address : text
  })

const markerOf = (text: string | undefined): string | null => {
  if (text !== undefined && text.trim() === '') {
    throw new UsageError('--marker is empty: give a text of the page')
  }
  return text ?? null
}

const portOf = (flag: string, text: string | undefined, byDefault: number): number =>
  text === undefined ? byDefault : wholeNumber(flag, text, { ...portBounds, min: 1 })

export const settingsOf = (flags: SettingsFlags): LookSettings => ({
  platformHost: hostOf('--platform-host', flags['platform-host']),
  platformAddresses: addressesOf(flags['platform-address']),
  site: siteOf(flags.site),
  marker: markerOf(flags.marker),
  path: pathOf(flags.path),
  plan: planOf(flags.plan),
  authorities: (flags.ca ?? []).map((name) => hostOf('--ca', name)),
  since: timeOf('--since', flags.since),
  verifiedAt: timeOf('--verified-at', flags['verified-at']),
  allowProxy: flags['allow-proxy'] ?? false,
  httpsPort: portOf('--https-port', flags['https-port'], 443),
  httpPort: portOf('--http-port', flags['http-port'], 80),
})

const resolverOf = (text: string): Resolver => {
  const [, bare = text, port] = /^(\[[^\]]*\]|[^:]+):(\d+)$/.exec(text) ?? []
  const address = bare.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) throw new UsageError(`--resolver takes IP or IP:PORT, not "${text}"`)
  return { address, port: portOf('--resolver', port, dnsPort) }
}

const maxResolvers = 8

const resolversOf = (texts: readonly string[] | undefined): Resolver[] => {
  const given = texts ?? getServers().slice(0, 1)
  if (given.length === 0)
    throw new UsageError('this system has no DNS server configured: give --resolver')
  if (given.length > maxResolvers) throw new UsageError(`at most ${maxResolvers} --resolver`)
  return given.map(resolverOf)
}

const caOf = (file: string | undefined): string | null => {
  if (file === undefined) return null
  const text = readText('--ca-file', file)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new UsageError(`--ca-file ${file} holds no certificate in PEM`)
}

export const acquireOptions = (
  flags: SettingsFlags,
  config: DomainsConfig,
  signal: AbortSignal,
): AcquireOptions => ({
  settings: settingsOf(flags),
  config,
  resolvers: resolversOf(flags.resolver),
  dnsTimeoutMs,
  ca: caOf(flags['ca-file']),
  limits: usualLimits,
  signal,
})
