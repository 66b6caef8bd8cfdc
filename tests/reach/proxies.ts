// A proxy of the tests: it opens tunnels, refuses plain requests, and records both. Every host is
// on loopback for it.
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listening } from '../raw-server.ts'

interface TestProxy {
  readonly origin: string
  readonly port: string
  /** The address of each tunnel that was requested. */
  readonly tunnels: readonly string[]
  /** The whole address of each plain request. */
  readonly plain: readonly string[]
  /** All bytes that clients sent through tunnels. */
  readonly seen: () => string
}

interface ProxyOptions {
  /** The credentials that it requires, or null. */
  readonly wants: string | null
  /** Its own response in place of a tunnel, or null. */
  readonly status: number | null
}

export const openProxy = async ({ wants, status }: ProxyOptions): Promise<TestProxy> => {
  const tunnels: string[] = []
  const plain: string[] = []
  const tunnelled = new Set<Socket>()
  let seen = ''

  const wanted = wants === null ? null : `Basic ${Buffer.from(wants).toString('base64')}`
  const isLetIn = ({ headers }: IncomingMessage): boolean =>
    wanted === null || headers['proxy-authorization'] === wanted

  const server = createServer((incoming, outgoing) => {
    plain.push(incoming.url ?? '')
    outgoing.writeHead(405).end()
  })
  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    tunnels.push(incoming.url ?? '')
    const refusal = isLetIn(incoming) ? status : 407
    if (refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal} Of the proxy\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    const port = Number((incoming.url ?? '').split(':')[1])
    const other = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      other.write(head)
      socket.on('data', (chunk: Buffer) => {
        seen += chunk.toString('latin1')
      })
      socket.pipe(other).pipe(socket)
    })
    tunnelled.add(other)
    other.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'))
  })
  const origin = await listening(server)
  onTestFinished(() => {
    for (const socket of tunnelled) socket.destroy()
  })
  return { origin, port: new URL(origin).port, tunnels, plain, seen: () => seen }
}
