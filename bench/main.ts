// `npm run bench`: how fast, always as a ratio of two things measured in turn within one run.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'

const rounds = 5
const roundSeconds = 2
const connections = 10
const benchKey = 'petvet-bench-key'

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

interface Server {
  readonly url: string
  readonly process: ChildProcess
}

const startServer = async (name: string): Promise<Server> => {
  const child = spawn(process.execPath, [file('servers.ts'), name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const started = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const url = String(started[0]).trim()
  if (!url.startsWith('http')) throw new Error(`the server ${name} did not start`)
  return { url, process: child }
}

/** Requests per second of one round; anything but a 200 makes the figure worthless. */
const rate = async ({ url }: Server): Promise<number> => {
  const result = await autocannon({
    url: `${url}/pets?limit=20`,
    headers: { authorization: `Bearer ${benchKey}` },
    connections,
    duration: roundSeconds,
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} failed`)
  }
  return result['2xx'] / result.duration
}

const told = (name: string, ratio: number, goal: string, met: boolean) =>
  process.stdout.write(`${name}: ${ratio.toFixed(2)} (goal: ${goal})${met ? '' : ' NOT MET'}\n`)

/** The rates of the servers, round by round, in turn. */
const compareServers = async (): Promise<void> => {
  const names = ['bare', 'reference', 'prism']
  const servers = await Promise.all(names.map(startServer))
  try {
    for (const server of servers) await rate(server)
    const rates: number[][] = []
    for (let round = 0; round < rounds; round += 1) {
      const row: number[] = []
      for (const server of servers) row.push(await rate(server))
      rates.push(row)
    }
    const ratio = (to: number) =>
      median(rates.map((row) => (row[1] ?? Number.NaN) / (row[to] ?? Number.NaN)))
    const [toBare, toPrism] = [ratio(0), ratio(2)]
    told('requests/s, reference to bare node:http', toBare, 'at least 0.8', toBare >= 0.8)
    told('requests/s, reference to the Prism mock', toPrism, 'at least 6', toPrism >= 6)
  } finally {
    for (const server of servers) server.process.kill()
  }
}

/** Milliseconds that a command takes, from outside. */
const timeOf = (args: readonly string[]): number => {
  const startMs = performance.now()
  execFileSync(process.execPath, args, { stdio: 'ignore' })
  return performance.now() - startMs
}

const compareStart = (): void => {
  const help = [file('../bin/petvet.js'), '--help']
  const nothing = ['-e', '0']
  timeOf(help) // Fills the compile cache, as any earlier use does.
  const ratios = Array.from({ length: 15 }, () => timeOf(help) / timeOf(nothing))
  const ratio = median(ratios)
  told('start, petvet --help to node -e 0', ratio, 'at most 6', ratio <= 6)
}

compareStart()
await compareServers()
