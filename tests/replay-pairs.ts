// Replays the pairs of a run: each condition that a headline names has a request that fails and one
// that passes, which get the same statuses again at a new server.
import type { RunFile } from '../engine/check/run-file.ts'
import { type Condition, runAt } from '../proof/conditions.ts'
import { compose } from '../reference/api.ts'
import { clockWindow, createLimiter, usualBan, withBans } from '../reference/limiter.ts'
import type { ApiRequest } from '../reference/message.ts'
import { memoryStore } from '../reference/store.ts'
import type { Mutant, Parts, Variant } from '../reference/variant.ts'
import { catalogue } from '../suites/index.ts'

interface Sent {
  readonly request: ApiRequest
  readonly status: number
  readonly movedMs: number
}

/** Keeps each request as it arrives, in the order of sending. */
const keeping = (server: Variant, sent: ApiRequest[], keep: (parts: Parts) => void): Variant => ({
  ...server,
  handle: (honest, parts) => {
    keep(parts)
    const handle = server.handle?.(honest, parts) ?? honest
    return (request) => {
      sent.push(request)
      return handle(request)
    }
  },
})

/** After so many requests the clock is moved beyond the minute of each key. */
const perMinute = 20
const startMs = Date.UTC(2026, 10, 20, 10)

/** The status of each in turn at a new server, once it has the pets that were created before. */
const replay = async (
  server: Variant,
  keys: Parts['keys'],
  before: readonly Sent[],
  asked: readonly Sent[],
): Promise<readonly number[]> => {
  let movedMs = 0
  const move = (ms: number) => {
    movedMs += ms
  }
  const limiter = withBans(createLimiter(clockWindow), usualBan)
  const clock = { now: () => startMs + movedMs }
  const target = compose({ clock, keys, limiter, store: memoryStore() }, server)
  const statuses: number[] = []
  const connections = new Map<object, object>()
  // What was sent on one connection is again.
  const connected = (request: ApiRequest): ApiRequest => {
    const connection = connections.get(request.connection) ?? {}
    connections.set(request.connection, connection)
    return { ...request, connection }
  }
  for (const [at, { request }] of before.entries()) {
    if (at % perMinute === 0) move(75_000)
    await target.handle(connected(request))
  }
  for (const { request, movedMs: atMs } of asked) {
    move(Math.max(75_000, atMs - movedMs))
    statuses.push((await target.handle(connected(request))).status)
  }
  return statuses
}

/** What the first headlines of a run say under a condition, and whether a pair shows it. */
export interface Pairs {
  readonly run: RunFile
  /** Findings that are shown with a condition, and those of them that have a pair. */
  readonly named: number
  readonly paired: number
  /** The headlines whose pair does not hold, with what it got. */
  readonly broken: readonly string[]
}

/** The findings that headlines show, and the last exchange of their checks. */
export const shownIn = ({ causes = [], checks }: RunFile) =>
  causes.flatMap(({ show, finding = 0, observed }) => {
    const check = checks.find(({ id }) => id === show)
    const shown = check?.findings?.[finding]
    return shown ? [{ observed, shown, evidence: check?.evidence.at(-1) }] : []
  })

export const replayPairs = async (
  server: Pick<Mutant, 'parts' | 'handle' | 'basePath' | 'categories'>,
  condition: Condition,
  seed: number,
  checks = catalogue,
): Promise<Pairs> => {
  const requests: ApiRequest[] = []
  let keys: Parts['keys'] | undefined
  const keep = (parts: Parts) => {
    keys = parts.keys
  }
  const sent = new Map<number, Sent>()
  const onExchange = (line: string) => {
    const { seq, response, movedMs = 0 } = JSON.parse(line)
    const request = requests[seq - 1]
    if (request) sent.set(seq, { request, status: response?.status ?? 0, movedMs })
  }
  const watched = { ...server, ...keeping(server, requests, keep) }
  const run = await runAt(watched, condition, seed, { onExchange }, checks)
  const ofStatus = shownIn(run).filter(
    ({ shown: { aspect, conditions, chance, after } }) =>
      aspect === 'status' && conditions.length > 0 && (chance ?? after) === undefined,
  )
  const paired = ofStatus.filter(({ shown }) => shown.passing)
  const broken: string[] = []
  for (const { observed, shown } of paired) {
    const [first = 0] = shown.exchanges
    const asked = [...(shown.passing ?? []), first].flatMap((seq) => sent.get(seq) ?? [])
    const isBefore = ([seq, { request, status }]: readonly [number, Sent]) =>
      seq < first && request.method === 'POST' && status === 201 && !shown.passing?.includes(seq)
    const before = [...sent].filter(isBefore).map(([, each]) => each)
    const got = await replay(server, keys as unknown as Parts['keys'], before, asked)
    if (got.join() !== asked.map(({ status }) => status).join()) broken.push(`${observed}: ${got}`)
  }
  return { run, named: ofStatus.length, paired: paired.length, broken }
}
