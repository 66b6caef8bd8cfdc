// Gathers the facts of a published project: first DNS, then each domain at each address of the
// platform. It sends few requests, GET and HEAD, follows no redirect and contacts no other address.
import { lookIn, lookUpPlatform, viewDns } from '../dns-view.ts'
import {
  type DnsTable,
  emptyFacts,
  type Facts,
  listHosts,
  longerPath,
  type Probe,
  type ProbeOrder,
  pageOrder,
} from '../facts.ts'
import { acquireTables, type DnsOptions } from './dns-tables.ts'
import { OneConnection, probe } from './probe.ts'

export interface AcquireOptions extends DnsOptions {
  /** A certificate authority to trust in addition to the usual ones, in PEM. */
  readonly ca: string | null
}

/** A platform may have more addresses: the first ones are checked. */
const maxAddresses = 8
const maxConcurrent = 16

/** All that a check sends, for the given addresses; pure, so that a plan can count it. */
export const plannedOrders = (
  { settings, config }: Pick<Facts, 'settings' | 'config'>,
  tables: readonly DnsTable[],
): ProbeOrder[] => {
  const addresses = lookUpPlatform(tables, settings).slice(0, maxAddresses)
  const sources = config.redirects.map(({ from }) => from)
  const { site, httpPort: port } = settings
  const [first] = tables
  const siteAddresses = site && first ? viewDns(lookIn(first), site).addresses : []
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
    ...listHosts(config).flatMap((host) => addresses.flatMap((address) => ordersOf(host, address))),
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

/** One connection is held for each address. */
const maxHeld = 4

/**
 * Opens connections before a domain is removed, and uses them again after it.
 * @param removal resolves once the domain has been removed; to false if it was not
 * @returns null if it was not removed
 */
export const acquireAround = async (
  options: AcquireOptions,
  removed: string,
  removal: (before: Probe | undefined) => Promise<boolean>,
): Promise<Facts | null> => {
  const { settings, config } = options
  const startMs = performance.now()
  const addresses = lookUpPlatform(await acquireTables(options), settings)
  const held = addresses.slice(0, maxHeld).map((address) => ({
    agent: new OneConnection(),
    page: pageOrder(settings, removed, address),
  }))
  const others = listHosts(config).filter((host) => host !== removed)
  const [other] = others
  const sendOthers = () =>
    others.flatMap((host) =>
      held.map(({ page }) => probe(pageOrder(settings, host, page.address), options)),
    )
  const resend = ({ agent, page }: (typeof held)[number]) => [
    probe({ ...page, purpose: 'held' }, { ...options, agent }),
    ...(agent.session
      ? [probe({ ...page, purpose: 'resumed' }, { ...options, session: agent.session })]
      : []),
    probe(page, options),
    probe({ ...page, purpose: 'plain', scheme: 'http', port: settings.httpPort }, options),
    ...(other ? [probe({ ...page, purpose: 'other-sni', sni: other }, options)] : []),
  ]
  try {
    const first = held.map(({ agent, page }) => probe(page, { ...options, agent }))
    const before = await Promise.all([...first, ...sendOthers()])
    if (!(await removal(before[0]))) return null
    const at = new Date().toISOString()
    const probes = await Promise.all([...held.flatMap(resend), ...sendOthers()])
    return {
      ...emptyFacts(settings, config),
      at,
      durationMs: Math.round(performance.now() - startMs),
      dns: await acquireTables(options),
      probes,
      removal: { host: removed, before },
    }
  } finally {
    for (const { agent } of held) agent.destroy()
  }
}
