// What a look at domains is told by its flags, held to be sound before anything is asked.
import { getServers } from 'node:dns'
import { isIP, SocketAddress } from 'node:net'
import { portBounds, wholeNumber } from '../../cli/numbers.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { type Plan, planNames } from '../../spec/plans.ts'
import type { AcquireOptions } from '../check/acquire/acquire.ts'
import type { Resolver } from '../check/acquire/dns-client.ts'
import { usualLimits } from '../check/acquire/probe.ts'
import type { Asked } from '../check/facts.ts'
import { hostFault, plainHost } from '../rules/host-name.ts'
import type { DomainsConfig } from '../rules/lint.ts'
import { readText } from './files.ts'
import type { AskedFlags } from './flags.ts'

const dnsTimeoutMs = 2_000
const dnsPort = 53

export const hostOf = (flag: string, text: string | undefined): string => {
  if (text === undefined) throw new UsageError(`${flag} is needed; add --help to see what it takes`)
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
    // IPv6 has many spellings of an address, and answers have the shortest.
    return isIP(text) === 6 ? new SocketAddress({ address: text, family: 'ipv6' }).address : text
  })

const markerOf = (text: string | undefined): string | null => {
  if (text !== undefined && text.trim() === '') {
    throw new UsageError('--marker is empty: name a text of the page')
  }
  return text ?? null
}

const portOf = (flag: string, text: string | undefined, usual: number): number =>
  text === undefined ? usual : wholeNumber(flag, text, { ...portBounds, least: 1 })

export const askedOf = (flags: AskedFlags): Asked => ({
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
  probeForeign: flags['probe-foreign'] ?? false,
  httpsPort: portOf('--https-port', flags['https-port'], 443),
  httpPort: portOf('--http-port', flags['http-port'], 80),
})

const resolverOf = (text: string): Resolver => {
  const [, bare = text, port] = /^(\[[^\]]*\]|[^:]+):(\d+)$/.exec(text) ?? []
  const address = bare.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) throw new UsageError(`--resolver takes IP or IP:PORT, not "${text}"`)
  return { address, port: portOf('--resolver', port, dnsPort) }
}

const resolversMost = 8

const resolversOf = (texts: readonly string[] | undefined): Resolver[] => {
  const given = texts ?? getServers().slice(0, 1)
  if (given.length === 0) throw new UsageError('this system names no DNS server: give --resolver')
  if (given.length > resolversMost) throw new UsageError(`at most ${resolversMost} --resolver`)
  return given.map(resolverOf)
}

const caOf = (file: string | undefined): string | null => {
  if (file === undefined) return null
  const text = readText('--ca-file', file)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new UsageError(`--ca-file ${file} holds no certificate in PEM`)
}

export const acquireOptions = (
  flags: AskedFlags,
  config: DomainsConfig,
  signal: AbortSignal,
): AcquireOptions => ({
  asked: askedOf(flags),
  config,
  resolvers: resolversOf(flags.resolver),
  dnsTimeoutMs,
  ca: caOf(flags['ca-file']),
  limits: usualLimits,
  signal,
})
