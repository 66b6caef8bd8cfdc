// The files of workers as Locust writes them, made up: each phase of a plan is answered by a
// server of a few lines, so that what `--from` makes of them does not depend on the machine.
import type { LocustPlan, Phase } from '../../load/locust/plan.ts'

/** What a server decides: a status and what remains, or null for no response. */
export type Serve = (sent: {
  readonly phase: Phase
  /** Since the common start, by the clock of the server. */
  readonly atMs: number
  readonly worker: number
}) => {
  readonly status: number
  readonly remaining: number
  /** When its window ends, if not with the minute of the clock. */
  readonly resetMs?: number
} | null

interface Faked {
  readonly workers?: number
  readonly run?: string
  readonly serve?: Serve
  /** How far the clock of each worker is ahead; by default all are on the machine of the master. */
  readonly aheadMs?: readonly number[]
  /** How much later than the others each worker began. */
  readonly lateMs?: readonly number[]
}

/** The common start, by the clock of the server. */
export const epochMs = Date.UTC(2026, 10, 27, 8, 0, 5)
const windowMs = 60_000

/** Counts each key per minute of the target's clock. */
export const counting = (plan: LocustPlan, more = 0): Serve => {
  const used = new Map<string, number>()
  return ({ phase, atMs }) => {
    if (phase.key === '') return { status: 401, remaining: 0 }
    const name = `${phase.key} ${Math.floor((epochMs + atMs) / windowMs)}`
    const before = used.get(name) ?? 0
    const limit = limitOf(plan, phase.key)
    if (before >= limit + more) return { status: 429, remaining: 0 }
    used.set(name, before + 1)
    return { status: 200, remaining: Math.max(0, limit - before - 1) }
  }
}

export const limitOf = ({ keys }: LocustPlan, label: string): number =>
  keys.find((key) => key.label === label)?.quota.perMinute ?? 60

const headersOf = (
  limit: number,
  { status, remaining, resetMs: given }: NonNullable<ReturnType<Serve>>,
  atMs: number,
) => {
  const nowMs = epochMs + atMs
  const resetMs = given ?? (Math.floor(nowMs / windowMs) + 1) * windowMs
  return [
    ['X-RateLimit-Limit', `${limit}`],
    ['X-RateLimit-Remaining', `${remaining}`],
    ['X-RateLimit-Reset', `${Math.ceil(resetMs / 1_000)}`],
    ['Date', new Date(nowMs).toUTCString()],
    ...(status === 429 ? [['Retry-After', `${Math.ceil((resetMs - nowMs) / 1_000)}`]] : []),
  ]
}

const lost = 'HTTPConnectionClosed: connection closed.'

/** How long each request takes, and how soon the next one of a burst follows. */
const [takesMs, followsMs] = [4, 0.5]

/** @returns the lines of each worker, by the name of its file */
export const fakeWorkers = (plan: LocustPlan, faked: Faked = {}): Map<string, string[]> => {
  const { workers = 4, run = 'aaaa', serve = counting(plan), aheadMs = [], lateMs = [] } = faked
  const requests = plan.phases.flatMap((phase, place) =>
    Array.from({ length: phase.requests }, (_, number) => {
      const sentMs = phase.atMs + number * (phase.everyMs || followsMs)
      const worker = (phase.first + (number % phase.users)) % workers
      return { phase, place, number, sentMs, atMs: sentMs + (lateMs[worker] ?? 0), worker }
    }),
  )
  const files = Array.from({ length: workers }, (_, worker) => {
    const startsAtMs = epochMs + (aheadMs[worker] ?? 0) + (lateMs[worker] ?? 0)
    const hasMasterClock = aheadMs.length === 0
    return [JSON.stringify({ worker, startsAtMs, run, workers, hasMasterClock, plan })]
  })
  requests.sort((a, b) => a.atMs - b.atMs)
  for (const { phase, place, number, sentMs, atMs, worker } of requests) {
    const response = serve({ phase, atMs, worker })
    const headers = response ? headersOf(limitOf(plan, phase.key), response, atMs) : []
    const line = {
      ...{ phase: place, number, sentMs, receivedMs: sentMs + takesMs },
      response: response && { status: response.status, headers, size: 2 },
      noAnswerWhy: response ? '' : lost,
    }
    files[worker]?.push(JSON.stringify(line))
  }
  return new Map(
    files.map((lines, worker) => {
      const end = JSON.stringify({ end: true, early: false })
      return [`samples-${run}-${worker}.ndjson`, [...lines, end]]
    }),
  )
}
