// The facts of a removal: connections are opened and kept before it, and looked at again after it.
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { emptyFacts, type Facts, hostsOf, type Probe, type ProbeOrder } from '../facts.ts'
import { platformAddressesOf } from '../walk.ts'
import type { AcquireOptions } from './acquire.ts'
import { probe } from './probe.ts'
import { acquireDns } from './questions.ts'

/** Held connections are few: one for each address. */
const addressesMost = 4

/** Keeps one connection open, and opens no second one. */
class OneConnection extends HttpsAgent {
  #made = false

  constructor() {
    super({ keepAlive: true, maxSockets: 1, maxCachedSessions: 0 })
  }

  /** Requests that differ in their options alone would be given connections of their own. */
  override getName(): string {
    return 'held'
  }

  override createConnection(...given: Parameters<HttpsAgent['createConnection']>) {
    if (this.#made) throw Object.assign(new Error('it was closed'), { code: 'ECLOSED' })
    this.#made = true
    return super.createConnection(...given)
  }

  /** The server's word on how long it keeps a connection is not taken: it is tried. */
  override keepSocketAlive(socket: Socket): boolean {
    socket.setKeepAlive(true)
    return true
  }
}

interface Kept {
  readonly order: ProbeOrder
  readonly agent: OneConnection
  readonly probe: Probe
  readonly session: Buffer | null
}

export interface RemovalWatch {
  readonly before: readonly Probe[]
  /** Looks at everything again, once the domain has been removed. */
  readonly after: () => Promise<Facts>
  readonly close: () => void
}

const pageOrder = ({ asked }: AcquireOptions, host: string, address: string): ProbeOrder => ({
  purpose: 'page',
  scheme: 'https',
  method: 'GET',
  host,
  sni: host,
  path: asked.path,
  address,
  port: asked.httpsPort,
})

const keep = async (order: ProbeOrder, options: AcquireOptions): Promise<Kept> => {
  const agent = new OneConnection()
  let session: Buffer | null = null
  const made = await probe(order, options, {
    agent,
    onSecure: (socket) => {
      socket.on('session', (ticket) => {
        session = ticket
      })
    },
  })
  return {
    order,
    agent,
    probe: made,
    get session() {
      return session
    },
  }
}

const probesAfter = async (
  kept: readonly Kept[],
  options: AcquireOptions,
  hosts: readonly string[],
  removed: string,
): Promise<Probe[]> => {
  const other = hosts.find((host) => host !== removed)
  const ofKept = kept.flatMap(({ order, agent, session }) => [
    probe({ ...order, purpose: 'held' }, options, { agent }),
    ...(session
      ? [probe({ ...order, purpose: 'resumed' }, options, { agent: false, session })]
      : []),
  ])
  const addresses = kept.map(({ order }) => order.address)
  const fresh = addresses.flatMap((address) => {
    const page = pageOrder(options, removed, address)
    const port = options.asked.httpPort
    return [
      page,
      { ...page, purpose: 'plain', scheme: 'http', port } as const,
      ...(other ? [{ ...page, purpose: 'other-sni', sni: other } as const] : []),
      ...hosts.filter((host) => host !== removed).map((host) => pageOrder(options, host, address)),
    ]
  })
  return Promise.all([...ofKept, ...fresh.map((order) => probe(order, options))])
}

/** Opens what is to be held before a domain is removed, and sees what the others answer. */
export const watchRemoval = async (
  options: AcquireOptions,
  removed: string,
): Promise<RemovalWatch> => {
  const { asked, config, resolvers, dnsTimeoutMs } = options
  const hosts = hostsOf(config)
  const startMs = performance.now()
  const order = { asked, hosts, timeoutMs: dnsTimeoutMs, signal: options.signal }
  const askAll = () => Promise.all(resolvers.map((each) => acquireDns(each, order)))
  const addresses = platformAddressesOf(await askAll(), asked).slice(0, addressesMost)
  const kept = await Promise.all(
    addresses.map((address) => keep(pageOrder(options, removed, address), options)),
  )
  const others = hosts.filter((host) => host !== removed)
  const otherPages = others.flatMap((host) =>
    addresses.map((address) => probe(pageOrder(options, host, address), options)),
  )
  const before = [...kept.map((each) => each.probe), ...(await Promise.all(otherPages))]
  const after = async (): Promise<Facts> => {
    const removedAt = new Date().toISOString()
    const probes = await probesAfter(kept, options, hosts, removed)
    return {
      ...emptyFacts(asked, config),
      at: removedAt,
      durationMs: Math.round(performance.now() - startMs),
      dns: await askAll(),
      removal: { host: removed, removedAt, before, after: probes },
    }
  }
  const close = () => {
    for (const { agent } of kept) agent.destroy()
  }
  return { before, after, close }
}
