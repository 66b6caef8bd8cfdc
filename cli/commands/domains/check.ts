// `petvet domains check`, and what `watch` and `removed` share with it: they read flags, gather
// facts, run the checks on them and write the run. `lint` and `plan` use no network: they print the
// file alone, and the DNS records.

import { getServers } from 'node:dns'
import { isIP, isIPv6, SocketAddress } from 'node:net'
import { readText } from '../../../config/config-file.ts'
import { commandGiven } from '../../../config/given-keys.ts'
import { readTrusted } from '../../../config/target-connection.ts'
import { orRefuse, UsageError, wholeNumber } from '../../../config/values.ts'
import {
  type AcquireOptions,
  acquire,
  plannedOrders,
} from '../../../domains/check/acquire/acquire.ts'
import type { DomainSettings } from '../../../domains/check/facts.ts'
import { type Facts, listHosts } from '../../../domains/check/facts.ts'
import { exchangeLines, toRunFile } from '../../../domains/check/judge/domains-run.ts'
import { hostFault, plainHost, recordToSet } from '../../../domains/rules/host-name.ts'
import { type DomainsConfig, lintDomains } from '../../../domains/rules/lint.ts'
import { shownHost } from '../../../reports/domain-table.ts'
import { exchangesName, openLines } from '../../../reports/run-folder.ts'
import { aligned } from '../../../reports/visible.ts'
import { planNames } from '../../../spec/plans.ts'
import { lineIn, parseYaml } from '../../../spec/yaml.ts'
import * as cli from '../../command.ts'
import { type OutputFlags, outputFlags, runFlags } from '../../flags.ts'
import { readOutput } from '../../output/finish.ts'
import { createProgress, say } from '../../output/progress.ts'
import { runInFolder } from '../../run/recorded.ts'

const portBounds = { min: 1, max: 65_535 }

export const readHost = (flag: string, host: string): string => {
  const fault = hostFault(host)
  if (fault !== null) throw new UsageError(`${flag} "${host}" ${fault}`)
  return plainHost(host)
}

/** Clocks of two machines may differ by this much. */
const maxAheadMs = 5 * 60_000

const readTime = (flag: string, time: string): string => {
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(time)
  if (Date.parse(time) > Date.now() + maxAheadMs) {
    throw new UsageError(`${flag} ${time} is in the future: give the past time, with its zone`)
  }
  if (isDate && !Number.isNaN(Date.parse(time))) return new Date(time).toISOString()
  throw new UsageError(`${flag} takes a time such as 2026-11-20T12:00:00Z, not "${time}"`)
}

const readPath = cli.matching(/^\/(?!\/)[\x21-\x7e]*$/, 'a path such as /docs')
const readMarker = cli.matching(/\S/, 'a text of the page')

const readIp = (flag: string, address: string): string => {
  if (isIP(address) === 0) throw new UsageError(`${flag} takes an IP address, not "${address}"`)
  // IPv6 has many spellings of an address, and DNS responses use the shortest.
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address
}

const readResolver = (flag: string, resolver: string): string => {
  const [, bare = resolver, port = '53'] = /^(\[[^\]]*\]|[^:]+):(\d+)$/.exec(resolver) ?? []
  const address = bare.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) throw new UsageError(`${flag} takes IP or IP:PORT, not "${resolver}"`)
  const host = isIPv6(address) ? `[${address}]` : address
  return `${host}:${wholeNumber(flag, port, portBounds)}`
}

/** The name of a host, which has to be given. */
export const aHost = { read: readHost, ...cli.required } as const

const planFlags = {
  domains: cli.text('file of the domains: primary and redirects, in YAML or JSON', cli.required),
  'platform-host': cli.text('host that domains point to, {platform_host} of the interface', aHost),
} as const

const settingsFlags = {
  ...planFlags,
  'platform-address': cli.texts('further address of the platform, if its host does not return it', {
    read: readIp,
  }),
  site: cli.text('subdomain of the platform, such as https://slug.platform.example', {
    read: (flag: string, site: string) =>
      readHost(flag, URL.canParse(site) ? new URL(site).hostname : site),
  }),
  marker: cli.text("text that only the project's page has", { read: readMarker }),
  path: cli.text('path of that page [default: /]', { read: readPath }),
  plan: { choices: planNames, describe: 'plan of the project since the domain was added' },
  ca: cli.texts("name of the platform's authority in CAA records, repeatable", { read: readHost }),
  since: cli.text('time of the DNS change, ISO 8601: for 48 hours a mismatch is no failure', {
    read: readTime,
  }),
  'verified-at': cli.text(
    'time of Verify, ISO 8601 [default: long ago]: a certificate may take 30 minutes after it',
    { read: readTime },
  ),
  'allow-proxy': cli.toggle('a proxy of yours may be in front: what it hides does not fail'),
  resolver: cli.texts("DNS server as IP or IP:PORT, repeatable [default: the system's]", {
    read: readResolver,
  }),
  'ca-file': cli.text('certificate authority to trust in addition to the usual ones, in PEM'),
  'https-port': cli.number('port of HTTPS [default: 443]', portBounds),
  'http-port': cli.number('port of plain HTTP [default: 80]', portBounds),
} as const

/** The flags of `check`, `watch` and `removed`. */
export const checkFlags = { ...settingsFlags, ...outputFlags } as const

type SettingsFlags = Partial<cli.Given<typeof settingsFlags>> & cli.Given<typeof planFlags>
type CheckFlags = SettingsFlags & OutputFlags

/** @throws UsageError with a line for each mistake */
export const readDomains = (file: string): DomainsConfig => {
  const content = readText('the --domains file', file)
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

const readDomainSettings = (flags: SettingsFlags): DomainSettings => ({
  platformHost: flags['platform-host'],
  platformAddresses: flags['platform-address'] ?? [],
  site: flags.site ?? null,
  marker: flags.marker ?? null,
  path: flags.path ?? '/',
  plan: flags.plan ?? null,
  authorities: flags.ca ?? [],
  since: flags.since ?? null,
  verifiedAt: flags['verified-at'] ?? null,
  allowProxy: flags['allow-proxy'] ?? false,
  httpsPort: flags['https-port'] ?? 443,
  httpPort: flags['http-port'] ?? 80,
})

/** @throws UsageError where a domain is the platform's own */
const expectCustom = (config: DomainsConfig, { platformHost, site }: DomainSettings): void => {
  const own = listHosts(config).find((host) => host === platformHost || host === site)
  if (own)
    throw new UsageError(`${own} is the platform's: the file lists the project's own domains`)
}

const maxResolvers = 8

const acquireOptions = (
  flags: SettingsFlags,
  config: DomainsConfig,
): Omit<AcquireOptions, 'signal'> => {
  const ofSystem = getServers().slice(0, 1)
  const resolvers = flags.resolver ?? ofSystem.map((each) => readResolver('--resolver', each))
  if (resolvers.length === 0) {
    throw new UsageError('this system has no DNS server configured: give --resolver')
  }
  if (resolvers.length > maxResolvers) throw new UsageError(`at most ${maxResolvers} --resolver`)
  return {
    settings: readDomainSettings(flags),
    config,
    resolvers,
    dnsTimeoutMs: 2_000,
    ca: flags['ca-file'] === undefined ? null : readTrusted(flags['ca-file']),
  }
}

/**
 * Flags and files are read first, so that a mistake costs nothing.
 * @param gather returns the facts to check; null: nothing could be checked. It prints lines where
 *   no progress is drawn
 * @returns the exit code
 */
export const runChecks = async (
  name: string,
  flags: CheckFlags,
  gather: (options: AcquireOptions, print: (line: string) => void) => Promise<Facts | null>,
): Promise<number> => {
  const output = readOutput(flags)
  const { folder, strict } = output
  const config = readDomains(flags.domains)
  const command = commandGiven(`domains ${name}`, flags, null)
  const options = acquireOptions(flags, config)
  expectCustom(config, options.settings)
  return runInFolder(output, async (signal) => {
    const progress = createProgress(output)
    const ticking = setInterval(progress.tick, 1_000)
    const shown: AcquireOptions['progress'] = (done, all, id) =>
      progress.event({ kind: 'check', done, all, id })
    const work = gather({ ...options, signal, progress: shown }, (line) => {
      progress.clear()
      say(line, output)
    })
    const facts = await work.finally(() => {
      clearInterval(ticking)
      progress.clear()
    })
    if (facts === null) return null
    const lines = openLines(folder, exchangesName, false)
    for (const line of exchangeLines(facts)) lines.append(line)
    lines.close()
    return toRunFile(facts, { strict, interrupted: signal.aborted, command })
  })
}

const timedFlags = { ...checkFlags, 'max-time': runFlags['max-time'] } as const

export const check = cli.command(timedFlags, (flags) =>
  runChecks('check', flags, (options) => {
    const limit = AbortSignal.timeout((flags['max-time'] ?? defaultMaxTimeS) * 1_000)
    return acquire({ ...options, signal: AbortSignal.any([options.signal, limit]) })
  }),
)

const defaultMaxTimeS = 7_200

export const lint = cli.command({ domains: planFlags.domains }, ({ domains }) => {
  const { primary, redirects } = readDomains(domains)
  const lines = [
    `${domains}: valid`,
    `  ${shownHost(primary)} serves`,
    ...redirects.map(
      ({ from, to, status }) => `  ${shownHost(from)} redirects to ${shownHost(to)} with ${status}`,
    ),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
})

/** A placeholder for the addresses of the platform, which are not resolved here. */
const anyAddress = '192.0.2.1'

export const plan = cli.command(planFlags, (flags) => {
  const config = readDomains(flags.domains)
  const settings = readDomainSettings({ ...flags, 'platform-address': [anyAddress] })
  const { platformHost } = settings
  expectCustom(config, settings)
  const orders = plannedOrders({ settings, config }, [])
  const rows = listHosts(config).map((host) => {
    const { zone, name, type, ttl, value } = recordToSet(host, platformHost)
    return [shownHost(host), zone, name, String(ttl), type, value]
  })
  process.stdout.write(
    [
      'DNS records to set, as the dashboard must show them after Add domain:',
      '',
      ...aligned([['domain', 'zone', 'name', 'TTL', 'type', 'value'], ...rows]),
      '',
      `A check sends ${orders.length} requests (GET and HEAD) to each address of ${platformHost}.`,
      'It follows no redirect and connects to no other address.',
      '',
    ].join('\n'),
  )
  return 0
})
