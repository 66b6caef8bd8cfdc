// Runs of the command that are killed and resumed, against a server that counts requests.
import { appendFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type Ended, type Started, start } from '../e2e/petvet.ts'
import { forked } from '../forked.ts'
import { type Counts, keys, type Order, type Ready } from './orders.ts'

/** @param mutant of the reference; null: it is honest */
export const serveCounted = async (mutant: string | null, hasClock: boolean) => {
  const program = new URL('counted-server.ts', import.meta.url)
  const { next, ask, kill } = forked(program, [mutant ?? 'none', hasClock ? 'clock' : 'real'])
  onTestFinished(kill)
  const ready = await next<Ready>()
  const counts = () => ask<Counts>('counts')
  const order = (given: Order) => ask<Counts>(given)
  return { ...ready, counts, order, close: kill }
}

export type CountedServer = Awaited<ReturnType<typeof serveCounted>>

const keyFlags = keys.flatMap(({ plan, key }) => ['--key', `${plan}=${key}`])

const started = (args: readonly string[]): Started =>
  start(['check', ...args, ...keyFlags, '--no-config', '--quiet'], { folder: tmpdir() })

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

export const whole = (
  server: CountedServer,
  folder: string,
  runArguments: RunArguments,
): Promise<Ended> => started(argsOf(server, folder, runArguments)).ended

/** A run that is stopped at its request of this number; `interrupt` lets it continue to its end. */
export const stoppedAt = async (
  server: CountedServer,
  folder: string,
  runArguments: RunArguments,
  at: number,
) => {
  const run = started(argsOf(server, folder, runArguments))
  const { all: before } = await server.order({
    at,
    afterMs: null,
    pid: run.pid ?? 0,
    signal: 'SIGSTOP',
  })
  while ((await server.counts()).all < before + at) await sleep(10)
  const interrupt = () => {
    run.interrupt('SIGINT')
    run.interrupt('SIGCONT')
  }
  return { ...run, interrupt }
}

/** A run that is killed when this request of it comes, or so long after its response. */
export const killed = async (
  server: CountedServer,
  folder: string,
  runArguments: RunArguments,
  moment: Moment,
): Promise<Ended> => {
  const run = started(argsOf(server, folder, runArguments))
  await server.order({ ...moment, pid: run.pid ?? 0, signal: 'SIGKILL' })
  return run.ended
}

export const resumed = (folder: string): Promise<Ended> => started(['--resume', folder]).ended

/** What a kill in the midst of a line leaves behind. */
export const tear = (folder: string, file: 'journal' | 'exchanges'): void => {
  const begun =
    file === 'journal' ? '{"kind":"sending","seq":77,"check":"list-' : '{"seq":9999999,"at":"20'
  appendFileSync(join(folder, `${file}.ndjson`), begun)
}

export const linesIn = (folder: string, name: string): readonly string[] =>
  readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
