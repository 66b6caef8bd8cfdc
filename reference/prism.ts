// The Prism mock of the OpenAPI document, a baseline: Prism's command in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire, getCompileCacheDir } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openapiFile } from '../spec/openapi.ts'

export interface Mock {
  /** Without a version prefix: Prism serves the paths as the document has them. */
  readonly url: string
  readonly close: () => Promise<void>
}

const host = '127.0.0.1'

/** Some requests end Prism. After the last restart it stays down. */
const maxRestarts = 20

const maxStartMs = 30_000
const pollMs = 20

const require = createRequire(import.meta.url)

const prismCommand = async (): Promise<string> => {
  const manifest = await import('@stoplight/prism-cli/package.json', { with: { type: 'json' } })
  const folder = dirname(require.resolve('@stoplight/prism-cli/package.json'))
  return join(folder, manifest.default.bin.prism)
}

/** Ends Prism when its standard input closes, which it does however our own process ends. */
const endWithParent =
  "data:text/javascript,process.stdin.resume().once('close', () => process.exit())"

const spawnPrism = (command: string, port: number): ChildProcess => {
  const options = ['--host', host, '--port', `${port}`, '--no-cors', '--no-multiprocess']
  const words = [command, 'mock', openapiFile, ...options, '--verboseLevel', 'silent']
  const NODE_COMPILE_CACHE = getCompileCacheDir()
  return spawn(process.execPath, ['--import', endWithParent, ...words], {
    // Keys of other targets may be in our own environment.
    env: { PATH: process.env.PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

/** @throws an error with a code where the port is taken or not allowed */
const freePort = async (wanted: number): Promise<number> => {
  const server = createServer().listen(wanted, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The first responses of Prism are slow, so that it is ready once it has sent one. */
const responds = async (url: string, signal: AbortSignal): Promise<boolean> => {
  const headers = { Authorization: 'Bearer ready' }
  try {
    const response = await fetch(`${url}/pets`, { headers, signal })
    await response.arrayBuffer()
    return true
  } catch {
    return false
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

const untilReady = async (child: ChildProcess, url: string): Promise<void> => {
  const signal = AbortSignal.timeout(maxStartMs)
  while (!(await responds(url, signal))) {
    if (hasEnded(child)) {
      throw new Error(`Prism ended before it listened: ${child.spawnargs.join(' ')}`)
    }
    if (signal.aborted) throw new Error(`Prism did not listen in ${maxStartMs} ms`)
    await sleep(pollMs)
  }
}

/** Takes any bearer token as a key. It is stateless, and responds with the document's examples. */
export const startPrism = async (wanted: number): Promise<Mock> => {
  const command = await prismCommand()
  const port = await freePort(wanted)
  const url = `http://${host}:${port}`
  let restarts = 0
  let child = spawnPrism(command, port)
  await once(child, 'spawn')
  const restart = () => {
    restarts += 1
    if (restarts > maxRestarts) return
    child = spawnPrism(command, port).once('exit', restart)
  }
  const close = async () => {
    child.off('exit', restart)
    if (hasEnded(child)) return
    const exit = once(child, 'exit')
    child.kill()
    await exit
  }
  try {
    await untilReady(child, url)
  } catch (error) {
    await close()
    throw error
  }
  child.once('exit', restart)
  return { url, close }
}
