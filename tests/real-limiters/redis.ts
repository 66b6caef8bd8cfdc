// A Redis of its own for a test: on a Unix socket in a new folder, keeping nothing.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Every 20 ms, so often. */
const maxTries = 100

export interface Redis {
  readonly socket: string
  readonly stop: () => Promise<void>
}

export const startRedis = async (): Promise<Redis> => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-redis-'))
  const socket = join(folder, 'redis.sock')
  const options = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', '']
  const server = spawn('redis-server', options, { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const stop = async () => {
    server.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const failure = new Error('redis-server did not start')
  const reconnectStrategy = (tries: number) => (tries < maxTries ? 20 : failure)
  const client = createClient({ socket: { path: socket, tls: false, reconnectStrategy } })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.close()
  } catch (error) {
    await stop()
    throw error
  }
  return { socket, stop }
}
