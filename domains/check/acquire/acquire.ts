// Gathers the facts of a published project: first DNS, then each domain at each address of the
// platform. It sends few requests, GET and HEAD, follows no redirect and contacts no other address.
import type { DnsQuestion, DnsType } from '../../rules/dns.ts'
import {
  caaViewOf,
  dnsViewOf,
  doubledName,
  type Look,
  lookIn,
  platformAddressesOf,
} from '../dns-view.ts'
import {
  type DnsReply,
  type DnsTable,
  type DomainSettings,
  emptyFacts,
  type Facts,
  hostsOf,
  longerPath,
  type Probe,
  type ProbeOrder,
  questionKey,
} from '../facts.ts'
import { queryDns } from './dns-client.ts'
import { probe } from './probe.ts'

export interface AcquireOptions extends Pick<Facts, 'settings' | 'config'> {
  /** Each as address and port. */
  readonly resolvers: readonly string[]
  readonly dnsTimeoutMs: number
  /** A certificate authority to trust in addition to the usual ones, in PEM. */
  readonly ca: string | null
  readonly signal: AbortSignal
}

/** Each round sends the questions that the last responses led to; a hostile zone has no end. */
const maxRounds = 24
const maxQuestions = 2_000

/** Looks at all that the checks will look at, so that every response is there. */
const lookAtAll = (look: Look, { settings, config }: AcquireOptions): void => {
  const { platformHost, site } = settings
  const hosts = hostsOf(config)
  for (const host of [platformHost, ...(site === null ? [] : [site]), ...hosts]) {
    dnsViewOf(look, host)
  }
  for (const host of hosts) {
    look(host, 'SOA')
    look(doubledName(host), 'CNAME')
    caaViewOf(look, host)
  }
}

const acquireTable = async (resolver: string, options: AcquireOptions): Promise<DnsTable> => {
  const replies: Record<string, DnsReply> = {}
  for (let round = 0; round < maxRounds; round++) {
    const missing = new Map<string, DnsQuestion>()
    const look = (name: string, type: DnsType) => {
      const key = questionKey(name, type)
      if (!replies[key]) missing.set(key, { name, type })
      return replies[key]
    }
    lookAtAll(look, options)
    if (missing.size === 0 || options.signal.aborted) break
    const room = maxQuestions - Object.keys(replies).length
    const sent = [...missing].map(async ([key, question], index) => {
      const reply: DnsReply =
        index < room
          ? await queryDns(resolver, question, options.dnsTimeoutMs)
          : { failed: 'too many questions' }
      return [key, reply] as const
    })
    Object.assign(replies, Object.fromEntries(await Promise.all(sent)))
  }
  return { resolver, replies }
}

export const acquireTables = (options: AcquireOptions): Promise<DnsTable[]> =>
  Promise.all(options.resolvers.map((resolver) => acquireTable(resolver, options)))

/** Of a platform with more addresses, the first ones are checked. */
const maxAddresses = 8
const maxConcurrent = 16

export const pageOrder = (
  { httpsPort: port, path }: DomainSettings,
  host: string,
  address: string,
): ProbeOrder => ({
  purpose: 'page',
  scheme: 'https',
  method: 'GET',
  host,
  sni: host,
  path,
  address,
  port,
})

/** All that a check sends, for the given addresses; pure, so that a plan can count it. */
export const plannedOrders = (
  { settings, config }: Pick<Facts, 'settings' | 'config'>,
  tables: readonly DnsTable[],
): ProbeOrder[] => {
  const addresses = platformAddressesOf(tables, settings).slice(0, maxAddresses)
  const sources = config.redirects.map(({ from }) => from)
  const { site, httpPort: port } = settings
  const [first] = tables
  const siteAddresses = site && first ? dnsViewOf(lookIn(first), site).addresses : []
  const ordersOf = (host: string, address: string): ProbeOrder[] => {
    const page = pageOrder(settings, host, address)
    return [
      page,
      ...(sources.includes(host) ? [{ ...page, purpose: 'path', path: longerPath } as const] : []),
      { ...page, purpose: 'head', method: 'HEAD' },
      { ...page, purpose: 'plain', scheme: 'http', port },
    ]
  }
  return [
    ...hostsOf(config).flatMap((host) => addresses.flatMap((address) => ordersOf(host, address))),
    ...siteAddresses
      .filter((address) => addresses.includes(address))
      .map((address) => pageOrder(settings, site ?? '', address)),
  ]
}

/** A failure that may be momentary is retried once: at most six requests for a host. */
const probeWithRetry = async (order: ProbeOrder, options: AcquireOptions): Promise<Probe> => {
  const first = await probe(order, options)
  const isPage = order.purpose === 'page' || order.purpose === 'path'
  const isFailure = first.failed !== null || (first.response?.status ?? 0) >= 500
  return isPage && isFailure ? probe(order, options) : first
}

/** Requests are sent few at a time; an interruption ends it after those in flight. */
export const acquire = async (options: AcquireOptions): Promise<Facts> => {
  const startMs = performance.now()
  const facts = emptyFacts(options.settings, options.config)
  const dns = await acquireTables(options)
  const orders = plannedOrders(options, dns)
  const probes: Probe[] = []
  for (let from = 0; from < orders.length && !options.signal.aborted; from += maxConcurrent) {
    const some = orders.slice(from, from + maxConcurrent)
    probes.push(...(await Promise.all(some.map((order) => probeWithRetry(order, options)))))
  }
  return { ...facts, durationMs: Math.round(performance.now() - startMs), dns, probes }
}
