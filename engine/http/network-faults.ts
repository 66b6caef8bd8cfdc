// What an error of a connection means, and what a user can do about it.
import type { NoAnswer } from '../../history/exchange.ts'
import { EndOfRun } from '../../history/outcome.ts'

export interface WireFault {
  readonly noResponse: NoAnswer
  readonly why?: string | undefined
}

export class WireError extends Error {
  readonly fault: WireFault

  constructor(fault: WireFault) {
    super(fault.why ?? fault.noResponse)
    this.fault = fault
  }
}

export const timedOut = new WireError({ noResponse: 'timeout' })
export const endless = new WireError({ noResponse: 'endless' })

const localCodes = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']

/** This machine could not send a request: the target is not at fault, and the run ends. */
export const readLocalFault = (code: string | undefined): EndOfRun | undefined => {
  if (code === undefined || !localCodes.includes(code)) return undefined
  const limit = 'raise the limit (ulimit -n), or send from a machine that has more'
  return new EndOfRun(`this machine has no room for another connection (${code}): ${limit}`)
}

const codes: Record<string, NoAnswer> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'not-connected',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ERR_BUFFER_TOO_LARGE: 'endless',
}

const certificateCode = /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/
const untrustedCode = /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

const onlyHttp2 = 'the server speaks only HTTP/2; petvet uses HTTP/1.1'

/** Errors of OpenSSL, most of them alerts with which a server rejects a client. */
const handshakeFaults: readonly (readonly [RegExp, string])[] = [
  [
    /WRONG_VERSION|PACKET_LENGTH/,
    'the server does not speak TLS on this port; did you mean http://?',
  ],
  [/NO_APPLICATION_PROTOCOL/, onlyHttp2],
  [
    /CERTIFICATE/,
    'it refuses the client certificate, or requires one: --cert FILE --cert-key FILE',
  ],
  [/ALERT/, 'it refuses the handshake; it may require a client certificate: --cert'],
]

const incompleteChain =
  'its certificate chain is incomplete: the server has to send its intermediates too; ' +
  'if none is missing, name its authority with --ca FILE; for a test there is --insecure'

const tlsFault = (code: string, message = ''): WireFault | undefined => {
  if (certificateCode.test(code)) {
    // Node adds advice of its own after a semicolon.
    const [fault] = message.split(';')
    if (code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
      return { noResponse: 'tls', why: incompleteChain }
    const trust = untrustedCode.test(code) ? 'name its authority with --ca FILE, or ' : ''
    return { noResponse: 'tls', why: `${fault}; ${trust}for a test there is --insecure` }
  }
  if (!/^(?:ERR_TLS|ERR_SSL|EPROTO)/.test(code)) return undefined
  const why = handshakeFaults.find(([pattern]) => pattern.test(code))?.[1]
  return { noResponse: 'tls', why }
}

/** Whether a text that is not HTTP begins like a TLS alert. */
const isAlert = (text = ''): boolean => text.charCodeAt(0) === 0x15 && text.charCodeAt(1) === 3

/** Whether a text that is not HTTP/1.1 begins with SETTINGS, the first frame of HTTP/2. */
const isSettings = (text = ''): boolean =>
  text.startsWith('\0\0') && text.startsWith('\x04\0\0\0\0\0', 3)

const headWhy = ({ message, data }: { message?: string; data?: string }): string | undefined => {
  if (isAlert(data)) return 'the server speaks TLS on this port; did you mean https://?'
  if (isSettings(data)) return onlyHttp2
  return /\((.{1,80})\)$/.exec(message ?? '')?.[1]
}

const continued = 'it begins with 100 Continue, which was not requested'
const mismatch = 'its head is faulty at Content-Length, or behind it'

/** By code, where its message is like this. */
const undiciFaults: Readonly<Record<string, readonly [RegExp, NoAnswer, why: string]>> = {
  UND_ERR_HEADERS_OVERFLOW: [/./, 'unread', 'its head is longer than 64 KiB'],
  UND_ERR_SOCKET: [/^bad response$/, 'unread', continued],
  ERR_ASSERTION: [/statusCode/, 'not-http', 'its status is below 100'],
  // Of a body that is too long, or too short, the parser says more.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [/./, 'unread', mismatch],
}

/** What an error of a connection means; an unknown one is a closed connection. */
export const readWireFault = (error: unknown): WireFault => {
  if (error instanceof WireError) return error.fault
  const { code, name, message } = error as { code?: string; name?: string; message?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return { noResponse: 'timeout' }
  if (name === 'HTTPParserError' || code?.startsWith('HPE_')) {
    return { noResponse: 'not-http', why: headWhy(error as Error) }
  }
  const [words, noResponse = 'reset', why] = undiciFaults[code ?? ''] ?? []
  if (words?.test(message ?? '')) return { noResponse, why }
  return tlsFault(code ?? '', message) ?? { noResponse: codes[code ?? ''] ?? 'reset' }
}

/** Whether a connection was closed before a byte was received, as far as the error shows. */
export const noBytesReceived = (error: unknown): boolean => {
  const { socket } = error as { socket?: { bytesRead?: number } }
  return (socket?.bytesRead ?? 0) === 0
}

const ownFaults = [
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]

/** Whether a request could not be sent as it was requested: the target is not at fault. */
export const isOwnFault = (error: unknown): boolean =>
  error instanceof TypeError || ownFaults.includes((error as { code?: string }).code ?? '')
