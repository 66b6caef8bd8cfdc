// The facts of a removal: connections are opened before it, kept open, and used again after it.
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { emptyFacts, type Facts, hostsOf, type Probe, type ProbeOrder } from '../facts.ts'
import { platformAddressesOf } from '../scene.ts'
import { type AcquireOptions, acquireTables, pageOrder } from './acquire.ts'
import { probe } from './probe.ts'

/** One connection is held for each address. */
const maxAddresses = 4

/** Keeps one connection open, and opens no second one. */
class OneConnection extends HttpsAgent {
  #made = false

  constructor() {
    super({ keepAlive: true, maxSockets: 1, maxCachedSessions: 0 })
  }

  /** Requests that differ only in their options would otherwise get other connections. */
  override getName(): string {
    return 'held'
  }

  override createConnection(...given: Parameters<HttpsAgent['createConnection']>) {
    if (this.#made) throw Object.assign(new Error('it was closed'), { code: 'ECLOSED' })
    this.#made = true
    return super.createConnection(...given)
  }

  /** The connection is used again even if the server announced a shorter keep-alive. */
  override keepSocketAlive(socket: Socket): boolean {
    socket.setKeepAlive(true)
    return true
  }
}

/** A connection that is held, and the TLS session that could be resumed. */
interface Kept {
  readonly agent: OneConnection
  readonly page: ProbeOrder
  readonly before: Probe
  readonly session?: Buffer
}

export interface RemovalWatch {
  readonly before: readonly Probe[]
  /** Sends everything again, once the domain has been removed. */
  readonly after: () => Promise<Facts>
  readonly close: () => void
}

const keep = async (page: ProbeOrder, options: AcquireOptions): Promise<Kept> => {
  const agent = new OneConnection()
  const kept: { session?: Buffer } = {}
  const onSecure = (socket: TLSSocket) => {
    socket.on('session', (session) => Object.assign(kept, { session }))
  }
  return Object.assign(kept, {
    agent,
    page,
    before: await probe(page, options, { agent, onSecure }),
  })
}

/** The removed domain on held and on new connections, and the pages of the others. */
const probesAfter = (
  kept: readonly Kept[],
  options: AcquireOptions,
  others: readonly string[],
): Promise<Probe[]> => {
  const [other] = others
  const held = kept.flatMap(({ page, agent, session }) => [
    probe({ ...page, purpose: 'held' }, options, { agent }),
    ...(session
      ? [probe({ ...page, purpose: 'resumed' }, options, { agent: false, session })]
      : []),
  ])
  const fresh = kept.flatMap(({ page }): ProbeOrder[] => [
    page,
    { ...page, purpose: 'plain', scheme: 'http', port: options.settings.httpPort },
    ...(other ? [{ ...page, purpose: 'other-sni', sni: other } as const] : []),
    ...others.map((host) => pageOrder(options.settings, host, page.address)),
  ])
  return Promise.all([...held, ...fresh.map((order) => probe(order, options))])
}

/** Opens the connections to hold before a domain is removed, and requests the others. */
export const watchRemoval = async (
  options: AcquireOptions,
  removed: string,
): Promise<RemovalWatch> => {
  const { settings, config } = options
  const startMs = performance.now()
  const addresses = platformAddressesOf(await acquireTables(options), settings).slice(
    0,
    maxAddresses,
  )
  const kept = await Promise.all(
    addresses.map((address) => keep(pageOrder(options.settings, removed, address), options)),
  )
  const others = hostsOf(config).filter((host) => host !== removed)
  const otherPages = others.flatMap((host) =>
    addresses.map((address) => probe(pageOrder(options.settings, host, address), options)),
  )
  const before = [...kept.map((each) => each.before), ...(await Promise.all(otherPages))]
  return {
    before,
    after: async () => {
      const removedAt = new Date().toISOString()
      const after = await probesAfter(kept, options, others)
      return {
        ...emptyFacts(settings, config),
        at: removedAt,
        durationMs: Math.round(performance.now() - startMs),
        dns: await acquireTables(options),
        removal: { host: removed, removedAt, before, after },
      }
    },
    close: () => {
      for (const { agent } of kept) agent.destroy()
    },
  }
}
