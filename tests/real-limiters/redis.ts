// A Redis of its own for a test: on a Unix socket in a new folder, keeping nothing.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

const maxTries = 100

const isUp = async (path: string): Promise<boolean> => {
  const client = createClient({ socket: { path, reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.close()
    return true
  } catch {
    return false
  }
}

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
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (await isUp(socket)) return { socket, stop }
    await sleep(20)
  }
  await stop()
  throw new Error('redis-server did not start')
}
