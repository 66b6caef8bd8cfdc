// One address in front of several replicas: each connection goes to the next of them, byte by byte.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Served } from './serve.ts'

export interface SpreadOptions {
  host: string
  port: number
  /** The ports of the replicas that are up, asked anew for each connection. */
  ports: () => readonly number[]
  connections: number
  /** How long a close waits for connections that the replicas are to end. */
  closeMs: number
}

export const spread = async (options: SpreadOptions): Promise<Omit<Served, 'received'>> => {
  const { host, ports } = options
  const clients = new Set<Socket>()
  let turn = 0
  // Either side may end its half first: a client that has sent everything still listens.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    const up = ports()
    const port = up[turn++ % up.length]
    if (port === undefined) client.destroy()
    else join(client, connect({ host, port, allowHalfOpen: true, noDelay: true }))
  })
  server.maxConnections = options.connections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        const deadline = setTimeout(() => {
          for (const client of clients) client.destroy()
        }, options.closeMs)
        server.close(() => {
          clearTimeout(deadline)
          resolve()
        })
      }),
  }
}

const join = (client: Socket, replica: Socket): void => {
  client.pipe(replica)
  replica.pipe(client)
  client.on('error', () => replica.destroy())
  client.on('close', () => replica.destroy())
  // A close follows; what the replica wrote before goes out first.
  replica.on('error', () => {})
  replica.on('close', () => client.destroySoon())
}
