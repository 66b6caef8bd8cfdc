// The facts of a removal: connections are opened before it, kept open, and used again after it.
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { emptyFacts, type Facts, hostsOf, type ProbeOrder } from '../facts.ts'
import { platformAddressesOf } from '../scene.ts'
import { type AcquireOptions, acquireTables, pageOrder } from './acquire.ts'
import { probe } from './probe.ts'

/** One connection is held for each address. */
const maxAddresses = 4

class OneConnection extends HttpsAgent {
  /** A TLS session of it that could be resumed. */
  session: Buffer | undefined
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
    const socket = super.createConnection(...given)
    socket?.on('session', (session: Buffer) => {
      this.session = session
    })
    return socket
  }

  /** The connection is used again even if the server announced a shorter keep-alive. */
  override keepSocketAlive(socket: Socket): boolean {
    socket.setKeepAlive(true)
    return true
  }
}

/** Opens the connections to hold before a domain is removed, and requests the others. */
export const watchRemoval = async (options: AcquireOptions, removed: string) => {
  const { settings, config } = options
  const startMs = performance.now()
  const addresses = platformAddressesOf(await acquireTables(options), settings)
  const held = addresses.slice(0, maxAddresses).map((address) => ({
    agent: new OneConnection(),
    page: pageOrder(settings, removed, address),
  }))
  const others = hostsOf(config).filter((host) => host !== removed)
  const otherPages = others.flatMap((host) =>
    held.map(({ page }) => pageOrder(settings, host, page.address)),
  )
  const sendAll = (orders: readonly ProbeOrder[]) => orders.map((order) => probe(order, options))
  const before = await Promise.all([
    ...held.map(({ agent, page }) => probe(page, options, { agent })),
    ...sendAll(otherPages),
  ])
  const resend = () =>
    held.flatMap(({ agent, page }) => {
      const { session } = agent
      const resumed = { ...page, purpose: 'resumed' } as const
      const [other] = others
      return [
        probe({ ...page, purpose: 'held' }, options, { agent }),
        ...(session ? [probe(resumed, options, { agent: false, session })] : []),
        ...sendAll([
          page,
          { ...page, purpose: 'plain', scheme: 'http', port: settings.httpPort },
          ...(other ? [{ ...page, purpose: 'other-sni', sni: other } as const] : []),
        ]),
      ]
    })
  return {
    before,
    /** Sends everything again, once the domain has been removed. */
    after: async (): Promise<Facts> => {
      const removedAt = new Date().toISOString()
      const after = await Promise.all([...resend(), ...sendAll(otherPages)])
      return {
        ...emptyFacts(settings, config),
        at: removedAt,
        durationMs: Math.round(performance.now() - startMs),
        dns: await acquireTables(options),
        removal: { host: removed, removedAt, before, after },
      }
    },
    close: () => {
      for (const { agent } of held) agent.destroy()
    },
  }
}
