// Gathers the facts of a published project: first DNS, then each domain at each address of the
// platform. It sends few requests, GET and HEAD, follows no redirect and contacts no other address.
import { lookIn, viewDns, viewPlatform } from '../dns-view.ts'
import type { DnsTable, Facts, Probe, ProbeOrder } from '../facts.ts'
import { emptyFacts, givenIn, isLost, listHosts, longerPath, pageOrder } from '../facts.ts'
import { redirectsToItself } from '../response.ts'
import { acquireTables, type DnsOptions } from './dns.ts'
import { eachOf, Reach } from './pace.ts'
import { OneConnection, type ProbeOptions, probe } from './probe.ts'

export interface AcquireOptions extends DnsOptions, Pick<ProbeOptions, 'ca' | 'limits'> {
  /** Called before each request. */
  readonly progress?: (done: number, all: number, host: string) => void
}

/** A platform may have more addresses: the first ones are checked. */
const maxAddresses = 8
const maxConcurrent = 16

/** All that a check sends, for the given addresses; pure, so that a plan can count it. */
export const plannedOrders = (
  { settings, config }: Pick<Facts, 'settings' | 'config'>,
  tables: readonly DnsTable[],
): ProbeOrder[] => {
  const given = givenIn(tables)
  const addresses = viewPlatform(given, settings).platform.slice(0, maxAddresses)
  const sources = config.redirects.map(({ from }) => from)
  const { site, httpPort: port } = settings
  const ofSite = site === null ? [] : viewDns(lookIn(given), site).addresses
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
    ...ofSite
      .filter((address) => addresses.includes(address))
      .map((address) => pageOrder(settings, site ?? '', address)),
  ]
}

/** What may be momentary is retried once; an address that does not respond is left out. */
const probeAll = async (orders: readonly ProbeOrder[], options: AcquireOptions) => {
  const { signal, progress } = options
  const reach = new Reach()
  const probes: Probe[] = []
  const send = async (order: ProbeOrder): Promise<Probe> => {
    const startMs = performance.now()
    const sent = await probe(order, options)
    if (order.scheme === 'https') reach.note(order.address, isLost(sent), startMs)
    return sent
  }
  await eachOf(orders, maxConcurrent, signal, async (order, index) => {
    if (reach.isGivenUp(order.address)) return
    progress?.(index, orders.length, order.host)
    const first = await send(order)
    const isPage = order.purpose === 'page' || order.purpose === 'path'
    const isFailure = first.failed !== null || (first.response?.status ?? 0) >= 500
    const isDoubtful = isPage && (isFailure || redirectsToItself(first))
    const isAgain = isDoubtful && !signal.aborted && !reach.isGivenUp(order.address)
    const last = isAgain ? await send(order) : first
    // What an interruption ended says nothing.
    if (!signal.aborted || last.response) probes[index] = last
  })
  return probes.filter(Boolean)
}

export const acquire = async (options: AcquireOptions): Promise<Facts> => {
  const startMs = performance.now()
  const facts = emptyFacts(options.settings, options.config)
  const dns = await acquireTables(options)
  const probes = await probeAll(plannedOrders(options, dns), options)
  return { ...facts, durationMs: Math.round(performance.now() - startMs), dns, probes }
}

/** One connection is held for each address. */
const maxHeld = 4

/** @returns null if `remove`, which waits until the domain is removed, resolves to false */
export const acquireAround = async (
  options: AcquireOptions,
  removed: string,
  remove: (before: Probe | undefined) => Promise<boolean>,
): Promise<Facts | null> => {
  const { settings, config } = options
  const startMs = performance.now()
  const addresses = viewPlatform(givenIn(await acquireTables(options)), settings).platform
  const held = addresses.slice(0, maxHeld).map((address) => ({
    agent: new OneConnection(),
    page: pageOrder(settings, removed, address),
  }))
  const others = listHosts(config).filter((host) => host !== removed)
  const [other] = others
  // A failure may be momentary, and would be taken for a consequence of the removal.
  const sendTwice = async (order: ProbeOrder): Promise<Probe> => {
    const first = await probe(order, options)
    return first.failed ? probe(order, options) : first
  }
  const sendOthers = () =>
    others.flatMap((host) => held.map(({ page }) => sendTwice({ ...page, host, sni: host })))
  const resend = ({ page, agent, agent: { session } }: (typeof held)[number]) => [
    probe({ ...page, purpose: 'held' }, { ...options, agent }),
    ...(session ? [probe({ ...page, purpose: 'resumed' }, { ...options, session })] : []),
    probe(page, options),
    probe({ ...page, purpose: 'plain', scheme: 'http', port: settings.httpPort }, options),
    ...(other ? [probe({ ...page, purpose: 'other-sni', sni: other }, options)] : []),
  ]
  try {
    const first = held.map(({ agent, page }) => probe(page, { ...options, agent }))
    const before = await Promise.all([...first, ...sendOthers()])
    if (!(await remove(before.find(({ response }) => response) ?? before[0]))) return null
    const at = new Date().toISOString()
    const probes = await Promise.all([...held.flatMap(resend), ...sendOthers()])
    const durationMs = Math.round(performance.now() - startMs)
    const dns = await acquireTables(options)
    const removal = { host: removed, before }
    return { ...emptyFacts(settings, config), at, durationMs, dns, probes, removal }
  } finally {
    for (const { agent } of held) agent.destroy()
  }
}
