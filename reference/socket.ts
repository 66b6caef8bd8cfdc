// Requests and responses on a socket: reading one with a limit on its body, writing one, and the
// response to what is not valid HTTP, which never becomes a request.
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiRequest, ApiResponse, WriteError } from './message.ts'

const noBody = Buffer.alloc(0)

/** A client that goes on sending past this many times the limit is cut off. */
const maxOverrun = 64

/**
 * Passes on the request when its body is complete, or as soon as that is known to be too large. The
 * rest is then read and discarded, because a client may listen only after it has sent everything.
 */
export const receive = (
  message: IncomingMessage,
  maxBodyBytes: number,
  onRequest: (request: ApiRequest) => void,
): void => {
  const header = headerReader(message.rawHeaders)
  const head = message.rawHeaders.join('\n')
  const chunks: Buffer[] = []
  let received = 0
  let firstBytes = 0
  const finish = (body: ApiRequest['body']) => {
    const { method = '', url = '', socket } = message
    onRequest({ method, target: url, header, head, body, firstBytes, connection: socket })
  }
  const length = header('content-length')
  if (length === undefined && header('transfer-encoding') === undefined) {
    finish(noBody)
    return
  }

  let tooLarge = Number(length) > maxBodyBytes
  message.on('data', (chunk: Buffer) => {
    if (received === 0) firstBytes = chunk.length
    received += chunk.length
    if (received > maxBodyBytes * maxOverrun) message.destroy()
    else if (received <= maxBodyBytes && !tooLarge) chunks.push(chunk)
    else if (!tooLarge) {
      tooLarge = true
      chunks.length = 0
      finish('too-large')
    }
  })
  message.on('end', () => {
    if (!tooLarge) finish(Buffer.concat(chunks))
  })
  if (tooLarge) finish('too-large')
}

/** Reads the raw headers, because Node's own view drops the second of two keys. */
const headerReader =
  (raw: readonly string[]): ApiRequest['header'] =>
  (lowerCaseName) => {
    const isValue = (at: number) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === lowerCaseName
    const values = raw.filter((_text, at) => isValue(at))
    return values.length > 0 ? values.join(', ') : undefined
  }

export const send = (to: ServerResponse, response: ApiResponse, isLast: boolean): void => {
  const { headers, body, encoding = 'utf8' } = response
  const bytes = Buffer.byteLength(body, encoding)
  const lines = ['Content-Length', String(bytes)]
  for (const name in headers) lines.push(name, headers[name] ?? '')
  if (isLast) lines.push('Connection', 'close')
  to.sendDate = false
  to.writeHead(response.status, lines)
  // Most bodies are ASCII, which is written faster without encoding it.
  to.end(body, bytes === body.length ? 'latin1' : encoding)
}

/** How long a client may take to read its response before the connection is cut. */
const lingerMs = 2_000

/** Writes a response straight to the socket, and closes it. */
const sendLast = (socket: Duplex, response: ApiResponse): void => {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const length = String(Buffer.byteLength(response.body))
  const headers = { ...response.headers, 'Content-Length': length, Connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const reason = STATUS_CODES[response.status] ?? ''
  socket.end(`HTTP/1.1 ${response.status} ${reason}\r\n${lines.join('')}\r\n${response.body}`)
  // Cutting at once would reset the connection, and the client might never see the response.
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(cut))
}

/**
 * Responds to what is not valid HTTP.
 * @param latest the newest response of each connection
 */
export const respondToMalformed = (
  server: Server,
  refuse: WriteError,
  latest: WeakMap<object, ServerResponse>,
): void => {
  const done = new WeakSet<object>()
  server.on('clientError', (fault: NodeJS.ErrnoException, socket) => {
    // Anything that still arrives on this connection is no better.
    if (done.has(socket)) return
    done.add(socket)
    sendInOrder(socket, responseTo(fault.code, refuse), latest.get(socket))
  })
  server.on('connect', (_message, socket) => {
    sendLast(socket, refuse(405, 'method_not_allowed', 'This service is no proxy.'))
  })
}

const responseTo = (code: string | undefined, refuse: WriteError): ApiResponse => {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return refuse(431, 'headers_too_large', 'The headers are too large.')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return refuse(408, 'request_timeout', 'The request took too long.')
  }
  return refuse(400, 'bad_request', 'The request is not HTTP.')
}

/** Responses keep the order of their requests: this one waits until those before it are sent. */
const sendInOrder = (socket: Duplex, response: ApiResponse, last: ServerResponse | undefined) => {
  if (last === undefined || last.closed) return sendLast(socket, response)
  if (last.req.complete) return last.once('close', () => sendLast(socket, response))
  // The fault lies in the body of the last request, so this is the response to that one.
  return last.headersSent ? socket.destroy() : send(last, response, true)
}
