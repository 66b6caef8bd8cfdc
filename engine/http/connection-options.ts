// How a target is reached: whom to trust, as whom to connect, through which proxy: always in a
// tunnel, which passes the bytes unchanged.
import { lookup } from 'node:dns'
import type { LookupFunction, Socket } from 'node:net'
import { getCACertificates, type SecureContextOptions } from 'node:tls'
import { noAnswerWords } from '../../history/exchange.ts'
import { readWireFault, timedOut, WireError } from './network-faults.ts'

export interface HttpProxy {
  /** Without credentials: `http://proxy.example:3128`. */
  readonly origin: string
  /** Where it was configured: a flag, or an environment variable. */
  readonly name: string
  readonly authorization: string | null
}

export interface Reach {
  /** Certificates (PEM) that are trusted in addition to the system's. */
  readonly ca: string | null
  readonly identity: Pick<SecureContextOptions, 'cert' | 'key' | 'pfx' | 'passphrase'> | null
  readonly insecure: boolean
  readonly proxyOf: (address: URL) => HttpProxy | null
  /** Options with which curl reaches the target too, quoted for a shell. */
  readonly curl: readonly string[]
  /** What else a reader of the run must know of it. */
  readonly notes?: readonly string[]
}

export const direct: Reach = {
  ca: null,
  identity: null,
  insecure: false,
  proxyOf: () => null,
  curl: [],
}

/** What is between petvet and its target, and what is not verified. */
export const reachNotes = (reach: Reach, baseUrl: string): readonly string[] => {
  const proxy = reach.proxyOf(new URL(baseUrl))
  const isSecure = baseUrl.startsWith('https:')
  return [
    ...(isSecure && reach.insecure
      ? ["the target's certificate is not verified (--insecure)"]
      : []),
    ...(proxy ? [`all requests go through the proxy ${proxy.origin} (${proxy.name})`] : []),
    ...(proxy && !isSecure ? ['the proxy can read the keys: the target is plain http'] : []),
    ...(reach.notes ?? []),
  ]
}

/** How another address than the target's is reached: `insecure` covers the target's host alone. */
export const chooseReach = (reach: Reach, target: URL, other: URL): Reach =>
  target.hostname === other.hostname ? reach : { ...reach, identity: null, insecure: false }

export const tlsOptions = ({ ca, identity, insecure }: Reach) => ({
  // `ca` replaces the certificates of the system, so they are included.
  ...(ca !== null && { ca: [...getCACertificates('default'), ca] }),
  ...identity,
  rejectUnauthorized: !insecure,
})

const loopback = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const

/** `localhost` is both addresses, whichever of them the system knows; they are tried in turn. */
export const lookupFor = ({ hostname }: URL): { readonly lookup?: LookupFunction } =>
  hostname !== 'localhost'
    ? {}
    : {
        lookup: (host, options, done) =>
          lookup(host, { ...options, all: true }, (_, known = []) => {
            const others = loopback.filter(
              ({ address }) => !known.some((one) => one.address === address),
            )
            done(null, [...known, ...others])
          }),
      }

/** What a run connects to, and how. */
export interface Target {
  /** The base address, with or without a slash at its end. */
  readonly baseUrl: string
  readonly clockUrl: string | null
  /** Address of the published OpenAPI document. */
  readonly descriptionUrl: string | null
  readonly responseTimeoutMs: number
  readonly reach: Reach
  /** Ends the run early; results so far are reported. */
  readonly signal: AbortSignal
}

/** A server, and how requests are sent to it. */
export interface Destination {
  readonly origin: URL
  readonly reach: Reach
  /** For the whole response, from sending to the last byte. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80))

const needsTunnel =
  'petvet needs a proxy that opens a tunnel (CONNECT) to the host and port of the target'

const refusedBy = ({ origin }: HttpProxy, status: number): WireError => {
  const hint = `: ${status === 407 ? 'it wants a user and password in its address' : needsTunnel}`
  return new WireError({ noResponse: 'proxy', why: `${origin} answered ${status}${hint}` })
}

const lostBy = ({ origin, name }: HttpProxy, error: unknown): WireError => {
  const { noResponse, why } = readWireFault(error)
  const hint = noResponse === 'reset' ? `: ${needsTunnel}` : ''
  const said = `${why ?? noAnswerWords[noResponse]}${hint}`
  return new WireError({ noResponse: 'proxy', why: `${origin} (${name}): ${said}` })
}

// An import would load all that these export, WebSockets too, with each command.
const builtin = process.getBuiltinModule

/** Opens a tunnel through a proxy. @throws WireError */
export const openTunnel = (proxy: HttpProxy, to: Destination): Promise<Socket> => {
  const { origin, reach } = to
  const signal = AbortSignal.any([to.signal, AbortSignal.timeout(to.timeoutMs)])
  const address = `${origin.hostname}:${portOf(origin)}`
  const { authorization } = proxy
  const headers = { Host: address, ...(authorization && { 'Proxy-Authorization': authorization }) }
  const options = { method: 'CONNECT', path: address, headers, agent: false, signal }
  // The proxy is not the target: its certificate is verified, and it sees no client certificate.
  const trust = tlsOptions({ ...reach, identity: null, insecure: false })
  const request = proxy.origin.startsWith('https:')
    ? builtin('node:https').request(proxy.origin, { ...options, ...trust })
    : builtin('node:http').request(proxy.origin, options)
  return new Promise((resolve, reject) => {
    request.on('connect', (response, socket, head) => {
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head)
        resolve(socket as Socket)
        return
      }
      socket.on('error', () => {}).destroy()
      reject(refusedBy(proxy, response.statusCode ?? 0))
    })
    request.on('error', (error) => reject(signal.aborted ? timedOut : lostBy(proxy, error)))
    request.end()
  })
}
