// The facts of a removal: connections are opened before it, kept open, and used again after it.
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { platformAddressesOf } from '../dns-view.ts'
import { emptyFacts, type Facts, hostsOf, type Probe } from '../facts.ts'
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
  const addresses = platformAddressesOf(await acquireTables(options), settings)
  const held = addresses.slice(0, maxAddresses).map((address) => ({
    agent: new OneConnection(),
    page: pageOrder(settings, removed, address),
  }))
  const others = hostsOf(config).filter((host) => host !== removed)
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
    const removedAt = new Date().toISOString()
    const after = await Promise.all([...held.flatMap(resend), ...sendOthers()])
    return {
      ...emptyFacts(settings, config),
      at: removedAt,
      durationMs: Math.round(performance.now() - startMs),
      dns: await acquireTables(options),
      removal: { host: removed, removedAt, before, after },
    }
  } finally {
    for (const { agent } of held) agent.destroy()
  }
}
