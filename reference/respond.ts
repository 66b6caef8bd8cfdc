// Writing a response: the ordinary way, and straight to a socket where HTTP itself went wrong.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiResponse } from './message.ts'

export const send = (response: ServerResponse, answer: ApiResponse, last: boolean): void => {
  const { headers, body, encoding = 'utf8' } = answer
  const bytes = Buffer.byteLength(body, encoding)
  const lines = ['Content-Length', String(bytes)]
  for (const name in headers) lines.push(name, headers[name] ?? '')
  if (last) lines.push('Connection', 'close')
  response.sendDate = false
  response.writeHead(answer.status, lines)
  // Most answers are ASCII, which is written faster without encoding it.
  response.end(body, bytes === body.length ? 'latin1' : encoding)
}

/** How long a client may take to read its answer before the connection is cut. */
const lingerMs = 2_000

export const sendLast = (socket: Duplex, answer: ApiResponse): void => {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const length = String(Buffer.byteLength(answer.body))
  const headers = { ...answer.headers, 'Content-Length': length, Connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const reason = STATUS_CODES[answer.status] ?? ''
  socket.end(`HTTP/1.1 ${answer.status} ${reason}\r\n${lines.join('')}\r\n${answer.body}`)
  // Cutting at once would reset the connection, and the client might never see the answer.
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(cut))
}
