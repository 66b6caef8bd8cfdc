// What is no sound HTTP: it never becomes a request, and is answered here.
import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from './errors.ts'
import type { ApiResponse } from './message.ts'
import { send, sendLast } from './respond.ts'

/** Writes the answer to what is no sound HTTP, or to a fault of ours. */
export type Refuse = (status: number, code: ErrorCode, message: string) => ApiResponse

/** `lastOn` gives the newest response of a connection. */
export const answerMalformed = (
  server: Server,
  refuse: Refuse,
  lastOn: WeakMap<object, ServerResponse>,
): void => {
  const answered = new WeakSet<object>()
  server.on('clientError', (fault: NodeJS.ErrnoException, socket) => {
    // Whatever still comes in on this connection is no better.
    if (answered.has(socket)) return
    answered.add(socket)
    answerFault(socket, answerTo(fault.code, refuse), lastOn.get(socket))
  })
  server.on('connect', (_message, socket) => {
    sendLast(socket, refuse(405, 'method_not_allowed', 'This service is no proxy.'))
  })
}

const answerTo = (code: string | undefined, refuse: Refuse): ApiResponse => {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return refuse(431, 'headers_too_large', 'The headers are too large.')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return refuse(408, 'request_timeout', 'The request took too long.')
  }
  return refuse(400, 'bad_request', 'The request is not HTTP.')
}

/** Answers keep the order of their requests: this one waits until those before it are out. */
const answerFault = (socket: Duplex, answer: ApiResponse, last: ServerResponse | undefined) => {
  if (last === undefined || last.closed) return sendLast(socket, answer)
  if (last.req.complete) return last.once('close', () => sendLast(socket, answer))
  // The fault lies in the body of the last request, so this is the answer to that one.
  return last.headersSent ? socket.destroy() : send(last, answer, true)
}
