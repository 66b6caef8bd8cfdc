// How a bench measures: servers in processes of their own, and ratios with their spread.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const benchKey = 'petvet-bench-key'

export const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export interface Server {
  readonly url: string
  readonly process: ChildProcess
}

export const startServer = async (name: string): Promise<Server> => {
  const child = spawn(process.execPath, [file('servers.ts'), name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const started = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const url = String(started[0]).trim()
  if (!url.startsWith('http')) throw new Error(`the server ${name} did not start`)
  return { url, process: child }
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)

const median = (values: readonly number[]): number =>
  sorted(values)[Math.floor(values.length / 2)] ?? Number.NaN

/** The median of the rounds, their least and their most, and whether the goal is met. */
export const told = (
  name: string,
  rounds: readonly number[],
  goal: string,
  meets: (ratio: number) => boolean,
): void => {
  const ratio = median(rounds)
  const [least = ratio, most = ratio] = [sorted(rounds)[0], sorted(rounds).at(-1)]
  const spread = `${least.toFixed(2)} to ${most.toFixed(2)} in ${rounds.length} rounds`
  const end = meets(ratio) ? '' : ' NOT MET'
  process.stdout.write(`${name}: ${ratio.toFixed(2)} (goal: ${goal}; ${spread})${end}\n`)
}
