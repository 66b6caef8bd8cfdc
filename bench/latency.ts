// Whether latencies are true: at a server that writes down its own delays, every percentile is to
// be that of the server, in each way in which a load is sent.
import { drive } from '../load/driver.ts'
import { createHistogram, type Histogram } from '../load/histogram.ts'
import type { Load } from '../load/load-form.ts'
import { keepPace, realTime } from '../load/paced.ts'
import { createClient } from '../suites/kit/wire/client.ts'
import { direct } from '../suites/kit/wire/reach.ts'
import { benchKey, type Server, startServer, told } from './measure.ts'

const rounds = 5
const requests = 400
const percents = [50, 90, 99, 100]
const figures = ['p50Ms', 'p90Ms', 'p99Ms', 'maxMs'] as const

type Mode = (server: Server, latencies: Histogram) => Promise<void>

const driven =
  (size: Pick<Load, 'amount' | 'durationMs' | 'newConnections'>): Mode =>
  async ({ url }, latencies) => {
    await drive(
      {
        baseUrl: url,
        path: '/pets',
        keyOf: () => benchKey,
        headers: [],
        reach: direct,
        addresses: [],
        answerTimeoutMs: 10_000,
        signal: new AbortController().signal,
      },
      {
        ...size,
        connections: 20,
        key: 'bench',
        overallMs: 120_000,
        keep: 0,
      },
      ({ ms }) => latencies.record(ms),
    )
  }

/** By the suites' own client, at an even pace, from when each request was due. */
const paced: Mode = async ({ url }, latencies) => {
  const client = createClient({
    origin: new URL(url).origin,
    timeoutMs: 10_000,
    reach: direct,
    signal: new AbortController().signal,
  })
  const send = async (dueMs: number) => {
    const { receivedMs } = await client.send({
      method: 'GET',
      path: '/pets',
      headers: [],
      body: null,
      connection: 'own',
    })
    latencies.record(receivedMs - dueMs)
  }
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const pace = { perSecond: 50, amount: requests, underWayMost: 1_000, skipped: () => {} }
  await keepPace({ ...pace, send, time: realTime(sleep) })
  await client.close()
}

const modes: Readonly<Record<string, Mode>> = {
  'a crowd, by amount': driven({ amount: requests, durationMs: null, newConnections: false }),
  'a crowd, by time': driven({ amount: null, durationMs: 1_500, newConnections: false }),
  'a crowd, on new connections': driven({
    amount: requests,
    durationMs: null,
    newConnections: true,
  }),
  'an even pace': paced,
}

/** The server's own percentiles since they were last asked for. */
const ownPercentiles = async ({ url }: Server): Promise<number[]> => {
  const answer = await fetch(`${url}/delays?percents=${percents.join()}`)
  return (await answer.json()) as number[]
}

/** How many times the server's own percentiles those of a mode are. */
const ratiosOf = async (server: Server, mode: Mode): Promise<number[]> => {
  await ownPercentiles(server)
  const latencies = createHistogram()
  await mode(server, latencies)
  const own = await ownPercentiles(server)
  const latency = latencies.latency()
  return figures.map((figure, index) => (latency?.[figure] ?? 0) / (own[index] ?? Number.NaN))
}

export const benchLatency = async (): Promise<void> => {
  const server = await startServer('delaying')
  const seen = new Map<string, number[][]>()
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, mode] of Object.entries(modes)) {
        seen.set(name, [...(seen.get(name) ?? []), await ratiosOf(server, mode)])
      }
    }
  } finally {
    server.process.kill()
  }
  for (const [name, ratios] of seen) {
    for (const [index, percent] of percents.entries()) {
      const own = ratios.map((row) => row[index] ?? Number.NaN)
      const goal = '0.95 to 1.05'
      told(`latency, ${name}, p${percent} to the server's own`, own, goal, (ratio) => {
        return Math.abs(ratio - 1) <= 0.05
      })
    }
  }
}
