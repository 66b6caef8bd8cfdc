// A Redis or Valkey of the tests' own, on loopback and a free port, gone after the test.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'

const program = ['redis-server', 'valkey-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
)

export const lacksRedis = program === undefined

/** Stands in the name of a group, so that a skipped one says why. */
export const reasonToSkip = lacksRedis ? ': neither redis-server nor valkey-server is here' : ''

export interface RedisServer {
  readonly url: string
  /** Ends it at once, as a crash would. */
  readonly kill: () => Promise<void>
  /** Starts it again at the same address, with the snapshot that it wrote last, if any. */
  readonly restart: () => Promise<void>
  readonly command: (...words: string[]) => Promise<unknown>
}

export const startRedis = async (): Promise<RedisServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let stop = await run(port, folder)
  onTestFinished(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url,
    kill: () => stop(),
    restart: async () => {
      stop = await run(port, folder)
    },
    command: async (...words) => {
      const client = await createClient({ url }).connect()
      try {
        return await client.sendCommand(words)
      } finally {
        client.destroy()
      }
    },
  }
}

/** @returns what kills it */
const run = async (port: number, folder: string): Promise<() => Promise<void>> => {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const child = spawn(program ?? '', [...own, '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    ended.then(() => reject(new Error(`${program} did not start: ${printed}`)))
    child.stdout.on('data', (chunk) => {
      printed += chunk
      if (printed.includes('Ready to accept connections')) resolve()
    })
  })
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}
