// The facts of a removal: connections are opened and kept before it, and looked at again after it.
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { emptyFacts, type Facts, hostsOf, type Probe, type ProbeOrder } from '../facts.ts'
import { platformAddressesOf } from '../walk.ts'
import { type AcquireOptions, acquireTables } from './acquire.ts'
import { probe } from './probe.ts'

/** Held connections are few: one for each address. */
const maxAddresses = 4

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

/** A connection that is held, and the TLS session that could be resumed. */
interface Kept {
  readonly agent: OneConnection
  readonly probe: Probe
  session?: Buffer
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
  const held: { session?: Buffer } = {}
  const onSecure = (socket: TLSSocket) => {
    socket.on('session', (ticket) => {
      held.session = ticket
    })
  }
  return Object.assign(held, { agent, probe: await probe(order, options, { agent, onSecure }) })
}

/** The removed domain on what is held and anew, by every way, and the pages of the others. */
const probesAfter = (
  kept: readonly Kept[],
  options: AcquireOptions,
  removed: string,
  others: readonly string[],
): Promise<Probe[]> => {
  const [other] = others
  const ordered = kept.map((each) => ({
    ...each,
    page: pageOrder(options, removed, each.probe.address),
  }))
  const ofKept = ordered.flatMap(({ page, agent, session }) => [
    probe({ ...page, purpose: 'held' }, options, { agent }),
    ...(session
      ? [probe({ ...page, purpose: 'resumed' }, options, { agent: false, session })]
      : []),
  ])
  const fresh = ordered.flatMap(({ page }): ProbeOrder[] => [
    page,
    { ...page, purpose: 'plain', scheme: 'http', port: options.asked.httpPort },
    ...(other ? [{ ...page, purpose: 'other-sni', sni: other } as const] : []),
    ...others.map((host) => pageOrder(options, host, page.address)),
  ])
  return Promise.all([...ofKept, ...fresh.map((order) => probe(order, options))])
}

/** Opens what is to be held before a domain is removed, and sees what the others answer. */
export const watchRemoval = async (
  options: AcquireOptions,
  removed: string,
): Promise<RemovalWatch> => {
  const { asked, config } = options
  const startMs = performance.now()
  const addresses = platformAddressesOf(await acquireTables(options), asked).slice(0, maxAddresses)
  const kept = await Promise.all(
    addresses.map((address) => keep(pageOrder(options, removed, address), options)),
  )
  const others = hostsOf(config).filter((host) => host !== removed)
  const otherPages = others.flatMap((host) =>
    addresses.map((address) => probe(pageOrder(options, host, address), options)),
  )
  const before = [...kept.map((each) => each.probe), ...(await Promise.all(otherPages))]
  return {
    before,
    after: async () => {
      const removedAt = new Date().toISOString()
      const after = await probesAfter(kept, options, removed, others)
      return {
        ...emptyFacts(asked, config),
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
