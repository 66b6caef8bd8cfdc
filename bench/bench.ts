// `npm run bench`: how fast, always as a ratio of two things measured in turn within one run. A
// part alone: `npm run bench -- latency`.

import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { createClient } from '../engine/http/client.ts'
import { direct } from '../engine/http/connection-options.ts'
import { printLine } from '../engine/http/recorder.ts'
import { Redactor } from '../engine/http/redact.ts'
import { judgeClauses } from '../engine/run/judge-clauses.ts'
import type { AnsweredExchange } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { PetIndex } from '../history/known-pets.ts'
import { minuteMs } from '../history/rate-headers.ts'
import type { Load } from '../load/connection.ts'
import { drive } from '../load/driver.ts'
import { Histogram } from '../load/meter.ts'
import { keepPace } from '../load/pace.ts'
import { judge } from '../model/judge.ts'
import { limiterClauses } from '../model/limiter/relation.ts'
import { openLines } from '../reports/run-folder.ts'
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { fakeExchange, fakeTrace } from '../tests/fakes/fake-exchange.ts'
import { vetVariant } from '../tests/virtual/vet.ts'

/** The key of the servers that this process starts. */
const key = 'petvet-bench-key'

/** Runs a function with the addresses of servers that are processes of their own. */
const withServers = async (names: readonly string[], run: (...urls: string[]) => Promise<void>) => {
  const path = new URL('servers.ts', import.meta.url)
  const children = names.map((name) => fork(path, [name, key]))
  try {
    const starting = children.map((child) =>
      Promise.race([once(child, 'message'), once(child, 'exit')]),
    )
    const urls = (await Promise.all(starting)).map(([url]) => url)
    if (urls.some((url) => typeof url !== 'string')) throw new Error('a server did not start')
    await run(...urls)
  } finally {
    for (const child of children) child.kill()
  }
}

/** Prints the median of the rounds and their range, and whether it is within the goal. */
const report = (name: string, ratios: readonly number[], least: number, most = Infinity): void => {
  const sorted = ratios.toSorted((a, b) => a - b)
  const ratio = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const goal = most === Infinity ? `at least ${least}` : `${least} to ${most}`
  const spread = `${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)}, ${ratios.length} rounds`
  const end = ratio >= least && ratio <= most ? '' : ' NOT MET'
  process.stdout.write(`${name}: ${ratio.toFixed(2)} (goal: ${goal}; ${spread})${end}\n`)
}

const repeat = async <T>(rounds: number, measure: (round: number) => Promise<T>): Promise<T[]> => {
  const all: T[] = []
  for (let round = 0; round < rounds; round += 1) all.push(await measure(round))
  return all
}

const start = async (): Promise<void> => {
  const timeOf = (...args: string[]) => {
    const startMs = performance.now()
    execFileSync(process.execPath, args, { stdio: 'ignore' })
    return performance.now() - startMs
  }
  const help = [fileURLToPath(new URL('../bin/petvet.js', import.meta.url)), '--help']
  timeOf(...help) // Fills the compile cache, as any earlier use does.
  const ratios = await repeat(9, async () => timeOf(...help) / timeOf('-e', '0'))
  report('start, petvet --help to node -e 0', ratios, 0, 4)
}

/** How much petvet itself could send to a target without latency. */
const suites = async (): Promise<void> => {
  const around = { skewMs: 0, hasClock: true, foreign: null, shared: false } as const
  // It passes in virtual time, which costs nothing.
  const latency = { minMs: 1, maxMs: 1, seed: 1 }
  const world = { ...around, latency, startMs: Date.UTC(2026, 10, 20, 12) }
  const keys = [{ plan: 'business', key, quota: plans.business }] as const
  const rateOfRun = async () => {
    const startMs = performance.now()
    const { run } = await vetVariant({}, keys, world, catalogue)
    if (run.verdict === 'not-conformant') throw new Error('a check failed at the reference')
    return (run.requests * 1_000) / (performance.now() - startMs)
  }
  await rateOfRun()
  const ratios = await repeat(3, async () => (await rateOfRun()) / (plans.business.perMinute / 60))
  report('requests/s, suites without latency to a Business quota', ratios, 10)
}

const lists = '/pets?limit=20'
const roundSeconds = 1

/** Requests per second by raw autocannon. */
const rawRate = async (url: string): Promise<number> => {
  const headers = { authorization: `Bearer ${key}` }
  const load = { url: `${url}${lists}`, headers, connections: 10, duration: roundSeconds }
  const result = await autocannon(load)
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: requests failed`)
  return result['2xx'] / result.duration
}

type Size = Pick<Load, 'amount' | 'durationMs' | 'newConnections' | 'connections'>

/** Sends a load by the driver, and returns requests per second. */
const driven = async (url: string, path: string, size: Size, latencies: Histogram) => {
  const signal = new AbortController().signal
  const bounds = { responseTimeoutMs: 10_000, reach: direct, signal }
  const headers = [['Authorization', `Bearer ${key}`]] as const
  const target = { ...bounds, request: { url: `${url}${path}`, headers } }
  const load = { ...size, key: 'bench', overallMs: 60_000, keep: 0 }
  let served = 0
  const { durationMs, sent } = await drive(target, load, ({ response, sentMs, receivedMs }) => {
    if (response?.status === 200) served += 1
    latencies.record(receivedMs - sentMs)
  })
  if (served < sent) throw new Error(`${url}: ${sent - served} of ${sent} requests were not served`)
  return (served * 1_000) / durationMs
}

const byTime = { amount: 10_000_000 }

const driver = (): Promise<void> =>
  withServers(['bare', 'reference'], async (url = '', reference = '') => {
    const size = { ...byTime, connections: 10, durationMs: roundSeconds * 1_000 }
    const rateAt = (base: string) => driven(base, lists, size, new Histogram())
    const drivenRate = () => rateAt(url)
    // Both are compiled while they run, and the driver has more to compile.
    await repeat(3, async () => [await rawRate(url), await drivenRate()])
    const ratios = await repeat(5, async (round) => {
      // The second one has a warmer machine, so they take turns.
      const early = round % 2 === 0 ? await drivenRate() : null
      const raw = await rawRate(url)
      return (early ?? (await drivenRate())) / raw
    })
    // Each request is written and parsed twice: by autocannon to the gate, by undici to the target.
    report('requests/s, through the gate to raw autocannon', ratios, 0.25)
    const minutes = await repeat(5, async () => (await rateAt(reference)) / 1_000)
    report('Business minutes a second, through the gate at the reference', minutes, 5)
  })

/** Requests by the client of the suites at an even pace, timed from when each was due. */
const paced = async (url: string, amount: number, latencies: Histogram): Promise<void> => {
  const signal = new AbortController().signal
  const client = createClient({ origin: new URL(url), timeoutMs: 10_000, reach: direct, signal })
  const get = { method: 'GET', path: '/pets', headers: [], body: null } as const
  const send = async (dueMs: number): Promise<undefined> => {
    const { receivedMs } = await client.send({ ...get, connection: 'separate' })
    latencies.record(receivedMs - dueMs)
  }
  await keepPace({ perSecond: 50, amount, send, sleep })
  await client.close()
}

/** Whether the percentiles of each way to send are those that the server itself has seen. */
const latency = (): Promise<void> =>
  withServers(['delaying'], async (url = '') => {
    const percents = [50, 90, 99, 100]
    const figures = ['p50Ms', 'p90Ms', 'p99Ms', 'maxMs'] as const
    const some = { amount: 300, durationMs: null, connections: 20 }
    const crowd = (size: Size) => (latencies: Histogram) => driven(url, '/pets', size, latencies)
    const modes = {
      'a crowd, by amount': crowd(some),
      'a crowd, by time': crowd({ ...byTime, durationMs: 1_000, connections: 20 }),
      'a crowd, on new connections': crowd({ ...some, newConnections: true }),
      'an even pace': (latencies: Histogram) => paced(new URL(url).origin, 200, latencies),
    }
    const ownPercentiles = async (): Promise<number[]> =>
      (await fetch(`${url}/delays?percents=${percents.join()}`)).json() as Promise<number[]>
    for (const [name, mode] of Object.entries(modes)) {
      const rounds = await repeat(3, async () => {
        await ownPercentiles()
        const latencies = new Histogram()
        await mode(latencies)
        const own = await ownPercentiles()
        const latency = latencies.latency()
        return figures.map((figure, at) => (latency?.[figure] ?? 0) / (own[at] ?? NaN))
      })
      for (const [at, percent] of percents.entries()) {
        const ratios = rounds.map((ratio) => ratio[at] ?? NaN)
        report(`latency, ${name}, p${percent} to the server's own`, ratios, 0.98, 1.02)
      }
    }
  })

const clauses = catalogue.filter((check) => check.kind === 'clause')
const startMs = Date.UTC(2026, 10, 20, 12)
/** Of a plan whose day does not end. */
const quota = { perMinute: 60, perDay: 1_000_000 }

const pets = Array.from({ length: 20 }, (_, at) => ({
  ...{ id: at + 1, name: `Rex ${at}`, categoryId: 1, status: 'available' },
}))
const body = Buffer.from(JSON.stringify(pets))

/** A list on a Free key, as a correct server responds: a whole minute each minute. */
const listAt = (place: number): AnsweredExchange => {
  const inMinute = place % quota.perMinute
  const windowMs = Math.floor(place / quota.perMinute) * minuteMs
  const sentMs = windowMs + inMinute * 100
  const headers = {
    Date: new Date(startMs + sentMs).toUTCString(),
    'X-RateLimit-Remaining': `${quota.perMinute - inMinute - 1}`,
    'X-RateLimit-Reset': `${(startMs + windowMs + minuteMs) / 1_000}`,
  }
  return {
    ...fakeExchange('/pets?limit=20', { status: 200, body, headers, seq: place + 1 }),
    at: new Date(startMs + sentMs).toISOString(),
    ...{ quota, sentMs, receivedMs: sentMs + 5 },
  }
}

const traceOf = (count: number): History =>
  fakeTrace(...Array.from({ length: count }, (_, place) => listAt(place)))

/** What each of so many exchanges costs to be judged by all clauses. */
const judging = (count: number): number => {
  const trace = traceOf(count)
  const began = process.cpuUsage()
  judgeClauses(clauses, trace)
  return process.cpuUsage(began).user / count
}

/** What each of so many exchanges costs to be written, and its pets to be remembered. */
const recording = (count: number): number => {
  const { exchanges } = traceOf(count)
  const folder = mkdtempSync(join(tmpdir(), 'petvet-bench-'))
  const lines = openLines(folder, 'exchanges.ndjson', false)
  const redactor = new Redactor()
  redactor.hideKey(key)
  const knownPets = new PetIndex()
  try {
    const began = process.cpuUsage()
    for (const exchange of exchanges) {
      lines.append(printLine(exchange, redactor))
      knownPets.learn(exchange)
    }
    return process.cpuUsage(began).user / count
  } finally {
    lines.close()
    rmSync(folder, { recursive: true })
  }
}

/** Whether an exchange costs the same in a long run as in a short one. */
const growth = async (): Promise<void> => {
  const goals = { judging: [judging, 1.5], recording: [recording, 1.2] } as const
  for (const [name, [cost, most]] of Object.entries(goals)) {
    cost(20_000)
    const ratios = await repeat(5, async () => cost(20_000) / cost(1_000))
    report(`${name} each of 20,000 exchanges to each of 1,000`, ratios, 0, most)
  }
}

/** So many exchanges are timed. */
const timed = 1_000

/** Whether the laws of the limiter, asked after each exchange, cost the same late in a run. */
const asking = async (): Promise<void> => {
  const askAll = () => {
    const exchanges: AnsweredExchange[] = []
    const history: History = { ...fakeTrace(), exchanges, inFlight: [] }
    const askUntil = (count: number) => {
      const all = Array.from({ length: count - exchanges.length }, (_, at) =>
        listAt(exchanges.length + at),
      )
      // Other processes may take turns with this one.
      const began = process.cpuUsage()
      for (const exchange of all) {
        exchanges.push(exchange)
        for (const clause of limiterClauses) judge(clause, exchange, history)
      }
      return process.cpuUsage(began).user
    }
    askUntil(1_000 - timed / 2)
    const early = askUntil(1_000 + timed / 2)
    askUntil(20_000 - timed / 2)
    return askUntil(20_000 + timed / 2) / early
  }
  askAll()
  const ratios = await repeat(5, async () => askAll())
  report('asking the laws of the limiter at the 20,000th exchange to the 1,000th', ratios, 0, 1.2)
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  ...{ start, suites, driver, latency, growth, asking },
}
const wanted = process.argv.slice(2)
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const part = parts[name]
  if (part === undefined) throw new Error(`no part "${name}": ${Object.keys(parts).join(', ')}`)
  await part()
}
