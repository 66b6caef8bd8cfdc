// One request over HTTP or HTTPS to one address, for any name, and its outcome.
import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { isIPv6 } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext, type TLSSocket } from 'node:tls'
import type { HttpFacts, Probe, ProbeOrder, TlsFacts } from '../facts.ts'

export interface ProbeLimits {
  /** For the connection, with its handshake. */
  readonly connectMs: number
  readonly answerMs: number
  readonly bodyBytes: number
}

export const usualLimits: ProbeLimits = { connectMs: 2_000, answerMs: 6_000, bodyBytes: 65_536 }

export interface ProbeSettings {
  /** A certificate authority to trust besides the usual ones, in PEM. */
  readonly ca: string | null
  readonly limits: ProbeLimits
}

interface Connection {
  /** False: a new connection for this request alone. */
  readonly agent: Agent | false
  /** A TLS session to resume. */
  readonly session?: Buffer
  readonly onSecure?: (socket: TLSSocket) => void
}

const alone: Connection = { agent: false }

/** Reading all roots takes ten milliseconds, too long for each connection. */
const contexts = new Map<string | null, SecureContext>()

const contextFor = (ca: string | null): SecureContext => {
  const known = contexts.get(ca)
  if (known) return known
  const made = createSecureContext(ca === null ? {} : { ca: [...rootCertificates, ca] })
  contexts.set(ca, made)
  return made
}

const iso = (date: Date): string => (Number.isNaN(date.getTime()) ? '' : date.toISOString())

/** `getPeerCertificate` comes first: otherwise the other returns nothing. */
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
    fingerprint: certificate.fingerprint256,
  }
}

const headersOf = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as [string, string]] : [],
  )

const usualPorts = { http: 80, https: 443 }

const hostHeader = ({ host, port, scheme }: ProbeOrder): string =>
  port === usualPorts[scheme] ? host : `${host}:${port}`

const create = (order: ProbeOrder, { ca }: ProbeSettings, { agent, session }: Connection) => {
  const { scheme, method, path, address, port, sni } = order
  const shared = {
    host: address,
    port,
    family: isIPv6(address) ? 6 : 4,
    method,
    path,
    agent,
    headers: { host: hostHeader(order), accept: '*/*', 'user-agent': 'petvet' },
  }
  if (scheme === 'http') return httpRequest(shared)
  const secure: RequestOptions & { readonly secureContext: SecureContext } = {
    ...shared,
    servername: sni,
    rejectUnauthorized: false,
    // The name is judged separately, as a chain that is not trusted would hide it.
    checkServerIdentity: () => undefined,
    secureContext: contextFor(ca),
    ...(session && { session }),
  }
  return httpsRequest(secure)
}

/** Sends one request and follows no redirect. It never throws: a failure is a fact, too. */
export const probe = async (
  order: ProbeOrder,
  settings: ProbeSettings,
  connection: Connection = alone,
): Promise<Probe> => {
  try {
    return await send(order, settings, connection)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const failed = { stage: 'connect', code: code ?? message } as const
    const at = new Date().toISOString()
    return { ...order, at, ms: 0, tls: null, answer: null, failed }
  }
}

const send = (order: ProbeOrder, settings: ProbeSettings, connection: Connection): Promise<Probe> =>
  new Promise((resolve) => {
    const startMs = performance.now()
    const at = new Date().toISOString()
    let stage: 'connect' | 'tls' | 'http' = 'connect'
    let tls: TlsFacts | null = null
    let ended = false
    const request = create(order, settings, connection)
    const end = (answer: HttpFacts | null, code: string | null) => {
      if (ended) return
      ended = true
      clearTimeout(connecting)
      clearTimeout(answering)
      if (answer === null || connection.agent === false) request.destroy()
      const failed = code === null ? null : { stage, code }
      const ms = Math.round(performance.now() - startMs)
      resolve({ ...order, at, ms, tls, answer, failed })
    }
    const { connectMs, answerMs } = settings.limits
    const connecting = setTimeout(() => end(null, 'ETIMEDOUT'), connectMs)
    const answering = setTimeout(() => end(null, 'ETIMEDOUT'), connectMs + answerMs)
    const connected = (socket: TLSSocket) => {
      clearTimeout(connecting)
      stage = 'http'
      if (order.scheme === 'https') tls = tlsFactsOf(socket, order.sni)
    }
    request.on('error', (error: NodeJS.ErrnoException) => end(null, error.code ?? error.message))
    request.on('socket', (socket) => {
      if (request.reusedSocket || !socket.connecting) return connected(socket as TLSSocket)
      socket.once('connect', () => {
        stage = 'tls'
        if (order.scheme === 'http') connected(socket as TLSSocket)
      })
      socket.once('secureConnect', () => {
        connected(socket as TLSSocket)
        connection.onSecure?.(socket as TLSSocket)
      })
    })
    readAnswer(request, settings.limits.bodyBytes, end)
    request.end()
  })

const readAnswer = (
  request: ClientRequest,
  bodyBytes: number,
  end: (answer: HttpFacts | null, code: string | null) => void,
): void => {
  request.on('response', (response) => {
    const chunks: Buffer[] = []
    let length = 0
    const done = () =>
      end(
        {
          status: response.statusCode ?? 0,
          headers: headersOf(response),
          body: Buffer.concat(chunks).subarray(0, bodyBytes).toString('utf8'),
          cut: length > bodyBytes,
        },
        null,
      )
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > bodyBytes) done()
    })
    response.on('end', done)
    response.on('error', (error: NodeJS.ErrnoException) => end(null, error.code ?? error.message))
    response.on('aborted', () => end(null, 'ECONNRESET'))
  })
}
