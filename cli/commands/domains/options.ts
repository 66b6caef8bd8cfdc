// The flags and files of the `domains` commands, and the options that they make.
import { getServers } from 'node:dns'
import { isIP, isIPv6, SocketAddress } from 'node:net'
import { readSmall } from '../../../config/config-file.ts'
import { readTrusted } from '../../../config/target-connection.ts'
import { orRefuse, UsageError, wholeNumber } from '../../../config/values.ts'
import type { AcquireOptions } from '../../../domains/check/acquire/acquire.ts'
import type { DomainSettings } from '../../../domains/check/facts.ts'
import { hostFault, plainHost } from '../../../domains/rules/host-name.ts'
import { type DomainsConfig, lintDomains } from '../../../domains/rules/lint.ts'
import { planNames } from '../../../spec/plans.ts'
import { lineIn, parseYaml } from '../../../spec/yaml.ts'
import { type Given, number, text, texts, toggle } from '../../command.ts'
import { type OutputFlags, outputFlags } from '../../flags.ts'

const portBounds = { min: 1, max: 65_535 }

export const planFlags = {
  domains: text('file of the domains: primary and redirects, in YAML or JSON'),
  'platform-host': text('host that domains point to: the {platform_host} of the interface'),
} as const

const settingsFlags = {
  ...planFlags,
  'platform-address': texts('further address of the platform, if its host does not return it'),
  site: text('subdomain of the platform, such as https://slug.platform.example'),
  marker: text("text that only the project's page has"),
  path: text('path of that page [default: /]'),
  plan: { choices: planNames, describe: 'plan of the project since the domain was added' },
  ca: texts("name of the platform's authority in CAA records, repeatable"),
  since: text('time of the DNS change, ISO 8601: for 48 hours a mismatch is no failure'),
  'verified-at': text(
    'time of Verify, ISO 8601 [default: long ago]: a certificate may take 30 minutes after it',
  ),
  'allow-proxy': toggle('a proxy of yours may be in front: what it hides does not fail'),
  resolver: texts("DNS server as IP or IP:PORT, repeatable [default: the system's]"),
  'ca-file': text('certificate authority to trust in addition to the usual ones, in PEM'),
  'https-port': number('port of HTTPS [default: 443]', portBounds),
  'http-port': number('port of plain HTTP [default: 80]', portBounds),
} as const

/** The flags of `check`, `watch` and `removed`. */
export const checkFlags = { ...settingsFlags, ...outputFlags } as const

type SettingsFlags = Readonly<Partial<Given<typeof settingsFlags>>>
export type CheckFlags = SettingsFlags & OutputFlags

/** @throws UsageError with a line for each mistake */
export const readDomains = (file: string | undefined): DomainsConfig => {
  if (file === undefined) throw new UsageError('missing --domains FILE: the file of the domains')
  const content = readSmall('the --domains file', file).toString()
  const parsed = orRefuse(
    () => parseYaml(content),
    ({ message }) => `--domains ${file}: ${message}`,
  )
  const { faults, config } = lintDomains(parsed)
  if (config) return config
  const lines = faults.map(({ path, says, requirement }) => {
    const line = lineIn(content, path)
    return `${file}${line === undefined ? '' : `, line ${line}`}: ${says} (${requirement})`
  })
  throw new UsageError(lines.join('\npetvet: '))
}

export const readHost = (flag: string, host: string | undefined): string => {
  if (host === undefined) throw new UsageError(`${flag} is required; see --help`)
  const fault = hostFault(host)
  if (fault !== null) throw new UsageError(`${flag} "${host}" ${fault}`)
  return plainHost(host)
}

const siteOf = (site: string | undefined): string | null =>
  site === undefined ? null : readHost('--site', URL.canParse(site) ? new URL(site).hostname : site)

const timeOf = (flag: string, time: string | undefined): string | null => {
  if (time === undefined) return null
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(time)
  if (!isDate || Number.isNaN(Date.parse(time))) {
    throw new UsageError(`${flag} takes a time such as 2026-11-20T12:00:00Z, not "${time}"`)
  }
  return new Date(time).toISOString()
}

const pathOf = (path = '/'): string => {
  if (/^\/[\x21-\x7e]*$/.test(path) && !path.startsWith('//')) return path
  throw new UsageError(`--path takes a path such as /docs, not "${path}"`)
}

const addressOf = (address: string): string => {
  if (isIP(address) === 0) {
    throw new UsageError(`--platform-address takes an IP address, not "${address}"`)
  }
  // IPv6 has many spellings of an address, and DNS responses use the shortest.
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address
}

const markerOf = (marker: string | undefined): string | null => {
  if (marker?.trim() === '') throw new UsageError('--marker is empty: give a text of the page')
  return marker ?? null
}

export const readDomainSettings = (flags: SettingsFlags): DomainSettings => ({
  platformHost: readHost('--platform-host', flags['platform-host']),
  platformAddresses: (flags['platform-address'] ?? []).map(addressOf),
  site: siteOf(flags.site),
  marker: markerOf(flags.marker),
  path: pathOf(flags.path),
  plan: flags.plan ?? null,
  authorities: (flags.ca ?? []).map((name) => readHost('--ca', name)),
  since: timeOf('--since', flags.since),
  verifiedAt: timeOf('--verified-at', flags['verified-at']),
  allowProxy: flags['allow-proxy'] ?? false,
  httpsPort: flags['https-port'] ?? 443,
  httpPort: flags['http-port'] ?? 80,
})

const resolverOf = (resolver: string): string => {
  const [, bare = resolver, port = '53'] = /^(\[[^\]]*\]|[^:]+):(\d+)$/.exec(resolver) ?? []
  const address = bare.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) throw new UsageError(`--resolver takes IP or IP:PORT, not "${resolver}"`)
  const host = isIPv6(address) ? `[${address}]` : address
  return `${host}:${wholeNumber('--resolver', port, portBounds)}`
}

const maxResolvers = 8

const resolversOf = (given = getServers().slice(0, 1)): string[] => {
  if (given.length === 0) {
    throw new UsageError('this system has no DNS server configured: give --resolver')
  }
  if (given.length > maxResolvers) throw new UsageError(`at most ${maxResolvers} --resolver`)
  return given.map(resolverOf)
}

export const acquireOptions = (
  flags: SettingsFlags,
  config: DomainsConfig,
  signal: AbortSignal,
): AcquireOptions => ({
  settings: readDomainSettings(flags),
  config,
  resolvers: resolversOf(flags.resolver),
  dnsTimeoutMs: 2_000,
  ca: flags['ca-file'] === undefined ? null : readTrusted(flags['ca-file']),
  signal,
})
