// Runs of the command that are killed and resumed, against a server that counts requests.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { RunFile } from '../../engine/run-file.ts'
import { type Counts, keys, type Order, type Ready } from './orders.ts'

const bin = join(import.meta.dirname, '../../bin/petvet.js')

interface CountedServer extends Ready {
  readonly counts: () => Promise<Counts>
  readonly order: (order: Order) => void
  readonly close: () => void
}

export const serveCounted = async (hasClock: boolean): Promise<CountedServer> => {
  const program = join(import.meta.dirname, 'counted-server.ts')
  const child = fork(program, [hasClock ? 'clock' : 'real'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  const close = () => {
    child.kill('SIGKILL')
  }
  onTestFinished(close)
  const next = async <T>(): Promise<T> => (await once(child, 'message'))[0] as T
  const ready = await next<Ready>()
  const counts = () => {
    child.send('counts')
    return next<Counts>()
  }
  const order = (given: Order) => {
    child.send(given)
  }
  return { ...ready, counts, order, close }
}

const keyFlags = keys.flatMap(({ plan, key }) => ['--key', `${plan}=${key}`])

export interface Ended {
  readonly code: number | null
  readonly stderr: string
}

const endOf = async (child: ChildProcess): Promise<Ended> => {
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stderr }
}

const started = (args: readonly string[]): ChildProcess => {
  const all = [bin, 'check', ...args, ...keyFlags, '--no-config', '--quiet']
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

/** The checks of these runs. */
export interface RunArguments {
  readonly seed: number
  readonly more: readonly string[]
}

const argsOf = ({ url, clockUrl }: Ready, folder: string, { seed, more }: RunArguments) => [
  ...[url, '--out', folder, '--seed', String(seed), ...more],
  ...(clockUrl === null ? [] : ['--clock', clockUrl]),
]

/** When a process is to be killed: at the request of this number, counted from its start. */
export type Moment = Omit<Order, 'pid' | 'signal'>

const killedAt = (server: CountedServer, child: ChildProcess, moment: Moment): Promise<Ended> => {
  server.order({ ...moment, pid: child.pid ?? 0, signal: 'SIGKILL' })
  return endOf(child)
}

export const whole = (
  server: CountedServer,
  folder: string,
  runArguments: RunArguments,
): Promise<Ended> => endOf(started(argsOf(server, folder, runArguments)))

interface Stopped {
  readonly pid: number | undefined
  /** Lets it continue, and interrupts it. */
  readonly interrupt: () => void
  readonly ended: Promise<Ended>
}

/** A run that is stopped at its request of this number. */
export const stoppedAt = async (
  server: CountedServer,
  folder: string,
  runArguments: RunArguments,
  at: number,
): Promise<Stopped> => {
  const child = started(argsOf(server, folder, runArguments))
  const before = (await server.counts()).all
  server.order({ at, afterMs: null, pid: child.pid ?? 0, signal: 'SIGSTOP' })
  while ((await server.counts()).all < before + at) await sleep(10)
  const interrupt = () => {
    child.kill('SIGINT')
    child.kill('SIGCONT')
  }
  return { pid: child.pid, interrupt, ended: endOf(child) }
}

export const killed = (
  server: CountedServer,
  folder: string,
  runArguments: RunArguments,
  moment: Moment,
): Promise<Ended> => killedAt(server, started(argsOf(server, folder, runArguments)), moment)

export const resumed = (folder: string): Promise<Ended> => endOf(started(['--resume', folder]))

export const resumedAndKilled = (
  server: CountedServer,
  folder: string,
  moment: Moment,
): Promise<Ended> => killedAt(server, started(['--resume', folder]), moment)

/** What a kill in the midst of a line leaves behind. */
export const tear = (folder: string, file: 'journal' | 'exchanges'): void => {
  const begun =
    file === 'journal' ? '{"kind":"sending","seq":77,"check":"list-' : '{"seq":9999999,"at":"20'
  appendFileSync(join(folder, `${file}.ndjson`), begun)
}

export const runIn = (folder: string): RunFile =>
  JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))

export const linesIn = (folder: string, name: string): readonly string[] =>
  readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
