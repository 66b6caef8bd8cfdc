// A process with one server of a library in it, and a time of its own.
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { IssuedKey } from '../../reference/issued-keys.ts'
import { createLimitlessApi, type Mount } from './api.ts'
import { type MountName, mounts } from './mounts.ts'
import { moveDate, serveClock } from './time.ts'

export interface Order {
  readonly name: MountName
  readonly keys: readonly IssuedKey[]
  /** The Unix socket of Redis, or nothing. */
  readonly redisSocket: string
  readonly hasClock: boolean
}

const listen = async (server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const open = async ({ name, keys, redisSocket, hasClock }: Order) => {
  const clock = hasClock ? moveDate() : undefined
  // Loaded only now, so that no library has taken hold of the real Date.
  const mount: Mount = await mounts[name]()
  const server = await mount(createLimitlessApi(keys), redisSocket)
  // The Date that Node writes is that of the machine.
  server.prependListener('request', (_request, response) => {
    response.setHeader('Date', new Date().toUTCString())
  })
  const url = `${await listen(server)}/v1`
  if (!clock) return { url, clockUrl: null }
  return { url, clockUrl: `${await listen(await serveClock(clock, redisSocket))}/clock` }
}

// It ends with the test.
process.once('disconnect', () => process.exit())
process.once('message', async (order: Order) => process.send?.(await open(order)))
