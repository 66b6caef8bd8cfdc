// One request over HTTP or HTTPS to one address, for any name, and its outcome.
import { once } from 'node:events'
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { isIPv6, type Socket } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext, TLSSocket } from 'node:tls'
import { pairs } from '../../../engine/http/http1.ts'
import type { HttpFacts, Probe, ProbeOrder, TlsFacts } from '../facts.ts'
import { hostAndPort } from '../facts.ts'

/** The connection includes its handshake. */
const usualLimits = { connectMs: 2_000, responseMs: 6_000, bodyBytes: 65_536 }

export interface ProbeOptions {
  /** A certificate authority to trust in addition to the usual ones, in PEM. */
  readonly ca: string | null
  /** False or undefined: a new connection for this request alone. */
  readonly agent?: Agent | false
  /** Ends the request. */
  readonly signal?: AbortSignal
  /** A TLS session to resume. */
  readonly session?: Buffer
  readonly limits?: typeof usualLimits
}

/** Parsing all roots takes ten milliseconds, too long for each connection. */
const contexts = new Map<string | null, SecureContext>()

const contextFor = (ca: string | null): SecureContext => {
  const given = ca === null ? {} : { ca: [...rootCertificates, ca] }
  const context = contexts.get(ca) ?? createSecureContext(given)
  contexts.set(ca, context)
  return context
}

const iso = (date: Date): string => (Number.isNaN(date.getTime()) ? '' : date.toISOString())

/** `getPeerCertificate` is called first: without it `getPeerX509Certificate` returns nothing. */
const tlsFactsOf = (socket: TLSSocket, host: string): TlsFacts | null => {
  socket.getPeerCertificate(true)
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return null
  const names = [...(certificate.subjectAltName ?? '').matchAll(/DNS:([^,\s]+)/g)]
  return {
    error: socket.authorizationError ? String(socket.authorizationError) : null,
    names: names.map(([, name = '']) => name).slice(0, 200),
    namesHost: certificate.checkHost(host, { subject: 'never' }) !== undefined,
    validFrom: iso(certificate.validFromDate),
    validTo: iso(certificate.validToDate),
    subject: certificate.subject ?? '',
    issuer: certificate.issuer ?? '',
  }
}

const create = (order: ProbeOrder, { ca, agent = false, session, signal }: ProbeOptions) => {
  const { scheme, method, path, address, port, sni } = order
  const given: RequestOptions & { readonly secureContext: SecureContext } = {
    ...{ host: address, port, family: isIPv6(address) ? 6 : 4, method, path, agent },
    headers: { host: hostAndPort(order), accept: '*/*', 'user-agent': 'petvet' },
    ...{ servername: sni, rejectUnauthorized: false },
    // The name is judged separately: an untrusted chain would hide it.
    checkServerIdentity: () => undefined,
    secureContext: contextFor(ca),
    ...(session && { session }),
    ...(signal && { signal }),
  }
  return scheme === 'http' ? httpRequest(given) : httpsRequest(given)
}

/** An agent of one connection, which is kept open. */
export class OneConnection extends HttpsAgent {
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

/** Sends one request and follows no redirect. It never throws: a failure is a fact as well. */
export const probe = async (order: ProbeOrder, options: ProbeOptions): Promise<Probe> => {
  const startMs = performance.now()
  const at = new Date().toISOString()
  const { connectMs, responseMs, bodyBytes } = options.limits ?? usualLimits
  let stage: NonNullable<Probe['failed']>['stage'] = 'connect'
  let tls: TlsFacts | null = null
  const timeout = new AbortController()
  const connecting = setTimeout(() => timeout.abort(), connectMs)
  const responding = setTimeout(() => timeout.abort(), connectMs + responseMs)
  const ended = (outcome: Pick<Probe, 'response' | 'failed'>): Probe => {
    clearTimeout(connecting)
    clearTimeout(responding)
    return { ...order, at, ms: Math.round(performance.now() - startMs), tls, ...outcome }
  }
  let request: ClientRequest | undefined
  try {
    const sent = create(order, options)
    request = sent
    sent.on('error', () => {})
    sent.on('socket', (socket) => {
      const connected = () => {
        clearTimeout(connecting)
        stage = 'http'
        if (socket instanceof TLSSocket) tls = tlsFactsOf(socket, order.sni)
      }
      // A new socket whose address has no route failed before this event.
      if (sent.reusedSocket) return connected()
      socket.once('connect', () => {
        stage = 'tls'
        if (order.scheme === 'http') connected()
      })
      socket.once('secureConnect', connected)
    })
    request.end()
    const { signal } = timeout
    signal.addEventListener('abort', () => request?.destroy())
    const [message] = (await once(request, 'response', { signal })) as [IncomingMessage]
    const response = await read(message, bodyBytes)
    if (!options.agent) request.destroy()
    return ended({ response, failed: null })
  } catch (error) {
    request?.destroy()
    const { code, message } = error as NodeJS.ErrnoException
    // OpenSSL's reason says more than the code, which may be EPROTO.
    const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1]
    const why = timeout.signal.aborted ? 'ETIMEDOUT' : (reason ?? code ?? message)
    return ended({ response: null, failed: { stage, code: why } })
  }
}

const read = async (response: IncomingMessage, maxBytes: number): Promise<HttpFacts> => {
  const chunks: Buffer[] = []
  let length = 0
  // A held connection must outlive a body that is too long to be read.
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  response.on('error', () => {}).resume()
  return {
    status: response.statusCode ?? 0,
    headers: pairs(response.rawHeaders).map(([name, value]) => [name.toLowerCase(), value]),
    body: Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8'),
    cut: length > maxBytes,
  }
}
