// Gathers the facts of a published project: first DNS, then each domain at each address of the
// platform. Only GET and HEAD, no redirect followed, few requests, no foreign address.

import type { DomainsConfig } from '../../rules/lint.ts'
import {
  type Asked,
  askedPath,
  type DnsTable,
  emptyFacts,
  type Facts,
  hostsOf,
  type Probe,
  type ProbeOrder,
} from '../facts.ts'
import { lookIn, platformAddressesOf, viewOf } from '../walk.ts'
import type { Resolver } from './dns-client.ts'
import { type ProbeSettings, probe } from './probe.ts'
import { acquireDns } from './questions.ts'

export interface AcquireOptions extends ProbeSettings {
  readonly asked: Asked
  readonly config: DomainsConfig
  readonly resolvers: readonly Resolver[]
  readonly dnsTimeoutMs: number
  readonly signal: AbortSignal
}

/** A platform of more addresses is looked at on these. */
const addressesMost = 8
/** Requests that are under way together. */
const together = 16

const foreignOf = (table: DnsTable, host: string, own: readonly string[]): readonly string[] =>
  viewOf(lookIn(table), host).addresses.filter((address) => !own.includes(address))

const ordersOf = (
  { httpsPort, httpPort, path }: Asked,
  host: string,
  isRedirect: boolean,
  address: string,
): ProbeOrder[] => {
  const https = { scheme: 'https', host, sni: host, address, port: httpsPort } as const
  const page: ProbeOrder = { ...https, purpose: 'page', method: 'GET', path }
  const pathed: ProbeOrder = { ...https, purpose: 'path', method: 'GET', path: askedPath }
  return [
    page,
    ...(isRedirect ? [pathed] : []),
    { ...https, purpose: 'head', method: 'HEAD', path },
    { ...page, purpose: 'plain', scheme: 'http', port: httpPort },
  ]
}

/** All that a check sends, for the given addresses; pure, so that a plan can count it. */
export const plannedOrders = (
  { asked, config }: Pick<AcquireOptions, 'asked' | 'config'>,
  tables: readonly DnsTable[],
): ProbeOrder[] => {
  const platform = platformAddressesOf(tables, asked).slice(0, addressesMost)
  const [first] = tables
  const addressesFor = (host: string) => {
    const foreign = asked.probeForeign && first ? foreignOf(first, host, platform) : []
    return [...platform, ...foreign.slice(0, addressesMost)]
  }
  const sources = config.redirects.map(({ from }) => from)
  const site = asked.site
  const siteAddresses = site && first ? viewOf(lookIn(first), site).addresses : []
  return [
    ...hostsOf(config).flatMap((host) =>
      addressesFor(host).flatMap((address) =>
        ordersOf(asked, host, sources.includes(host), address),
      ),
    ),
    ...siteAddresses
      .filter((address) => platform.includes(address))
      .flatMap((address) => ordersOf(asked, site ?? '', false, address).slice(0, 1)),
  ]
}

/** What a moment's trouble could explain is asked once more: six requests for a host at most. */
const probeTwice = async (order: ProbeOrder, settings: ProbeSettings): Promise<Probe> => {
  const first = await probe(order, settings)
  const isPage = order.purpose === 'page' || order.purpose === 'path'
  const isTroubled = first.failed !== null || (first.answer?.status ?? 0) >= 500
  return isPage && isTroubled ? probe(order, settings) : first
}

/** Sends the orders, few at a time; an interruption ends it after those under way. */
const probeAll = async (
  orders: readonly ProbeOrder[],
  { signal, ...settings }: AcquireOptions,
): Promise<Probe[]> => {
  const probes: Probe[] = []
  for (let from = 0; from < orders.length && !signal.aborted; from += together) {
    const some = orders.slice(from, from + together)
    probes.push(...(await Promise.all(some.map((order) => probeTwice(order, settings)))))
  }
  return probes
}

/** The DNS answers of each resolver. */
export const acquireTables = (options: AcquireOptions): Promise<DnsTable[]> => {
  const { asked, config, resolvers, dnsTimeoutMs: timeoutMs, signal } = options
  const order = { asked, hosts: hostsOf(config), timeoutMs, signal }
  return Promise.all(resolvers.map((resolver) => acquireDns(resolver, order)))
}

export const acquire = async (options: AcquireOptions): Promise<Facts> => {
  const { asked, config } = options
  const startMs = performance.now()
  const at = new Date().toISOString()
  const dns = await acquireTables(options)
  const probes = await probeAll(plannedOrders(options, dns), options)
  const durationMs = Math.round(performance.now() - startMs)
  return { ...emptyFacts(asked, config), at, durationMs, dns, probes }
}
