// Receiving a request from its socket, with a limit on its body.
import type { IncomingMessage } from 'node:http'
import type { ApiRequest } from './message.ts'

const noBody = Buffer.alloc(0)

/** A client that goes on sending past this many times the limit is cut off. */
const patience = 64

/**
 * Hands on the request when its body is complete, or as soon as that is known to be too large. The
 * rest is then read and thrown away, because a client may listen only after it has sent everything.
 */
export const receive = (
  message: IncomingMessage,
  limitBytes: number,
  handOn: (request: ApiRequest) => void,
): void => {
  const header = headerReader(message.rawHeaders)
  const chunks: Buffer[] = []
  let received = 0
  let firstBytes = 0
  const finish = (body: ApiRequest['body']) => {
    const { method = '', url = '', socket } = message
    handOn({ method, target: url, header, body, firstBytes, connection: socket })
  }
  const length = header('content-length')
  if (length === undefined && header('transfer-encoding') === undefined) {
    finish(noBody)
    return
  }

  let tooLarge = Number(length) > limitBytes
  message.on('data', (chunk: Buffer) => {
    if (received === 0) firstBytes = chunk.length
    received += chunk.length
    if (received > limitBytes * patience) message.destroy()
    else if (received <= limitBytes && !tooLarge) chunks.push(chunk)
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
    let found: string | undefined
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = raw[at] ?? ''
      if (name.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue
      found = found === undefined ? raw[at + 1] : `${found}, ${raw[at + 1]}`
    }
    return found
  }
