// How a target is reached: whom to trust, who one is, by which way.
import { getCACertificates, type SecureContextOptions } from 'node:tls'

export interface HttpProxy {
  /** Without credentials: `http://proxy.example:3128`. */
  readonly origin: string
  /** What named it: a flag, or a variable of the environment. */
  readonly name: string
  /** The value of Proxy-Authorization. */
  readonly authorization: string | null
}

export interface Reach {
  /** Certificates (PEM) that are trusted besides the system's. */
  readonly ca: string | null
  /** The client certificate and its key. */
  readonly identity: Pick<SecureContextOptions, 'cert' | 'key' | 'pfx' | 'passphrase'> | null
  /** Whether any certificate of the target will do. */
  readonly insecure: boolean
  /** The proxy by which an address is reached. */
  readonly proxyOf: (address: URL) => HttpProxy | null
  /** Options of curl by which it reaches the target too, as a shell takes them. */
  readonly curl: readonly string[]
  /** What more a reader of the run must know of it. */
  readonly notes?: readonly string[]
}

/** Needs no more than an address. */
export const direct: Reach = {
  ca: null,
  identity: null,
  insecure: false,
  proxyOf: () => null,
  curl: [],
}

/** What another address than the target's is reached by: its own host alone is trusted blindly. */
export const reachBeside = (reach: Reach, target: URL, other: URL): Reach =>
  target.hostname === other.hostname ? reach : { ...reach, identity: null, insecure: false }

/** For a TLS connection to the target. */
export const tlsOptionsOf = ({ ca, identity, insecure }: Reach) => ({
  // To name certificates replaces those of the system, so these are named too.
  ...(ca !== null && { ca: [...getCACertificates('default'), ca] }),
  ...identity,
  rejectUnauthorized: !insecure,
})

/** What a reader of a run must know of how its target was reached. */
export const reachNotes = ({ insecure, proxyOf, notes }: Reach, baseUrl: string): string[] => {
  const isPlain = baseUrl.startsWith('http:')
  const proxy = proxyOf(new URL(baseUrl))
  return [
    ...(insecure && !isPlain ? ["the target's certificate was not verified (--insecure)"] : []),
    ...(proxy === null
      ? []
      : [`all requests went through the proxy ${proxy.origin} (${proxy.name})`]),
    ...(proxy !== null && isPlain
      ? ['the proxy reads the keys, and may alter requests and answers: the target is plain http']
      : []),
    ...(notes ?? []),
  ]
}
