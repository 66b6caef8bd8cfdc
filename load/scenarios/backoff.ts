// The scenario `backoff`: clients of one key that obey Retry-After, and double their waits without
// one. All complete in the time that the quota allows, and none starves.

import { type AnsweredExchange, isAnswered, statusCode } from '../../history/exchange.ts'
import { Suspicion, Untested, Violation } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import {
  fromMs,
  isRefused,
  isServed,
  isShutOut,
  minuteMs,
  retryAfterMs,
  toMs,
} from '../../history/rate-headers.ts'
import { describeResponse } from '../../model/clause.ts'
import { noneForBursts } from '../burst-rounds.ts'
import {
  cheapest,
  type Held,
  type Lane,
  type LoadPlan,
  type Observed,
  scenario,
} from '../scenario.ts'

/** Clients that sent after a wait, while nobody else had sent with the key. */
interface Wake {
  readonly served: number
  /** Whether a Retry-After was stated to each of them. */
  readonly isStated: boolean
  /** Whether the wait was that of a ban, which may have any length. */
  readonly isBanned: boolean
  /** The last of their responses. */
  readonly latest: AnsweredExchange
}

/** Rounding of the network; a wait begins when the response is received. */
const graceMs = 50
/** Clients that are due within this time send together. */
const togetherMs = 1_500
/** No wait of the quota is longer than two windows. */
const longMs = 2 * minuteMs + 1_000

/** @param refusals what these clients had got before their wait */
const describeWake = (
  responses: readonly AnsweredExchange[],
  refusals: readonly AnsweredExchange[],
): Wake => {
  const waits = refusals.map((one) => retryAfterMs(one) ?? 0)
  return {
    served: responses.filter(isServed).length,
    isStated: waits.every((ms) => ms > 0),
    isBanned: refusals.some((one) => !isRefused(one)) || waits.some((ms) => ms > longMs),
    latest: responses.at(-1) as AnsweredExchange,
  }
}

interface Client {
  left: number
  /** When it sends next, in the target's time. */
  dueMs: number
  /** Its latest response, if that was a refusal. */
  refusal: AnsweredExchange | null
  misses: number
}

interface Seen {
  readonly wakes: readonly Wake[]
  /** All responses to the key, in order. */
  readonly responses: readonly AnsweredExchange[]
  readonly starved: number
  readonly lastedMs: number
}

/** Without a Retry-After. */
const doubling = { firstMs: 1_000, maxMs: 64_000 }
/** A longer wait is not obeyed in real time. */
const maxWaitMs = 150_000
const maxMisses = 40
const send = async (lane: Lane, label: string, client: Client): Promise<AnsweredExchange> => {
  const exchange = await lane.call(label, null)
  if (!isAnswered(exchange)) {
    throw new Untested('ambiguous', `a request got no response: ${exchange.noResponse}`, [exchange])
  }
  if (isServed(exchange)) {
    client.left -= 1
    Object.assign(client, { dueMs: lane.nowMs(), refusal: null, misses: 0 })
    return exchange
  }
  if (!isShutOut(exchange)) {
    throw new Untested('ambiguous', `a request was answered ${statusCode(exchange)}`, [exchange])
  }
  const doubledMs = Math.min(doubling.maxMs, doubling.firstMs * 2 ** client.misses)
  client.misses += 1
  client.refusal = exchange
  client.dueMs = lane.nowMs() + (retryAfterMs(exchange) || doubledMs) + graceMs
  return exchange
}

/** Waits until clients are due, including those that are due soon after the first. */
const waitForClients = async (lane: Lane, waiting: readonly Client[]): Promise<boolean> => {
  const dues = waiting.map(({ dueMs }) => dueMs)
  const first = Math.min(...dues)
  if (first <= lane.nowMs()) return false
  const waitMs = Math.max(...dues.filter((due) => due <= first + togetherMs)) - lane.nowMs()
  if (waitMs > maxWaitMs && !lane.plan.instant) {
    throw new Untested('blocked', `the key has to wait ${duration(waitMs)}`)
  }
  await lane.pass(waitMs)
  return true
}

/** Times the quota, so that the clients need more than one window. */
const share = 1.5

/** Refusals of several clients at once are repeated requests: only if a ban is permitted. */
const clientsOf = ({ allow }: LoadPlan): number => (allow.includes('ban') ? 6 : 1)

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const key = cheapest(lane.plan.keys)
  const { label, quota } = key
  const count = clientsOf(lane.plan)
  const each = Math.ceil((quota.perMinute * share) / count)
  await lane.ensureDay(key, 2 * count * each)
  await lane.waitForFullQuota(label)
  const startMs = lane.nowMs()
  const clients = Array.from({ length: count }, (): Client => {
    return { left: each, dueMs: startMs, refusal: null, misses: 0 }
  })
  const wakes: Wake[] = []
  const responses: AnsweredExchange[] = []
  let lastSentMs = startMs
  for (;;) {
    const waiting = clients.filter(({ left, misses }) => left > 0 && misses < maxMisses)
    if (waiting.length === 0) break
    const hasWaited = await waitForClients(lane, waiting)
    const due = waiting.filter(({ dueMs }) => dueMs <= lane.nowMs())
    const refusals = due.flatMap(({ refusal }) => refusal ?? [])
    const isAlone = refusals.every((one) => toMs(one) >= lastSentMs)
    const sentMs = lane.nowMs()
    const received = await Promise.all(due.map((client) => send(lane, label, client)))
    // All were waiting, and nothing was sent since the last of them was refused: then the stated
    // wait has to be true for at least one of them.
    if (hasWaited && refusals.length === waiting.length && isAlone) {
      wakes.push(describeWake(received, refusals))
    }
    responses.push(...received)
    lastSentMs = sentMs
    if (hasWaited) yield
  }
  const starved = clients.filter(({ left }) => left > 0).length
  return { wakes, responses, starved, lastedMs: lane.nowMs() - startMs }
}

const unlessWaited = ({ wakes, responses }: Seen): void => {
  if (wakes.length > 0) return
  const isRefused = responses.some((response) => !isServed(response))
  const why = isRefused ? 'the stated waits of the clients differ' : 'nothing was refused'
  throw new Untested('ambiguous', why, responses.slice(-1))
}

/**
 * A client that waited as stated, while nobody sent with the key, is served; of several that wake
 * together, at least one is. Only two in a row count, as another client may have been faster once.
 */
const expectTrue = (seen: Seen, { plan }: Held): void => {
  const { wakes } = seen
  unlessWaited(seen)
  const stated = wakes.filter(({ isStated }) => isStated)
  const at = stated.findIndex(
    ({ served }, index) => served === 0 && stated[index + 1]?.served === 0,
  )
  const [first, second] = [stated[at], stated[at + 1]]
  if (!first || !second) return
  const evidence = [first.latest, second.latest]
  if (!plan.instant) throw new Suspicion('another client may have been faster, twice', evidence)
  const actual = `refused twice, with no other requests: ${describeResponse(second.latest)}`
  throw new Violation('a client that obeyed Retry-After is served', actual, evidence)
}

/** With fewer calls than its quota in the last two windows a key is not refused (ruling 17). */
const expectEnds = (seen: Seen, { plan }: Held): void => {
  const { responses, wakes } = seen
  const { perMinute } = cheapest(plan.keys).quota
  unlessWaited(seen)
  if (wakes.some(({ isBanned }) => isBanned)) return
  for (const { latest } of wakes.filter(({ served }) => served === 0)) {
    const atMs = fromMs(latest)
    const recent = responses.filter((one) => {
      return fromMs(one) > atMs - 2 * minuteMs && fromMs(one) < atMs
    })
    if (recent.length >= perMinute) continue
    const response = describeResponse(latest)
    const actual = `refused after ${recent.length} in the last two minutes: ${response}`
    if (!plan.instant) throw new Suspicion(actual, [latest])
    throw new Violation(`served with fewer than ${perMinute} calls`, actual, [latest])
  }
}

const describe = ({ responses, starved, lastedMs, wakes }: Seen, { plan }: Held): Observed => {
  const seconds = Math.round(lastedMs / 1000)
  const text =
    `${responses.length} requests of ${clientsOf(plan)} clients in ${seconds} s of the target, ` +
    `${wakes.length} waits`
  return starved === 0 ? text : { warn: `${text}; ${starved} clients did not complete` }
}

const cost = (plan: LoadPlan) => {
  const { label, quota } = cheapest(plan.keys)
  const requests = Math.ceil(quota.perMinute * share) + 20 * clientsOf(plan)
  const does = `exhausts ${label}, and obeys Retry-After`
  return { requests, seconds: plan.instant ? 2 : 245, does }
}

export const backoff = scenario<Seen>({
  id: 'backoff',
  says: 'Clients that obey Retry-After all complete, as fast as the quota allows.',
  needs: { allow: ['exhaust'], key: true, quota: noneForBursts },
  baselines: ['reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-backoff-retry-true',
      requirement: 'retry-after.true',
      sends:
        'Requests for one and a half minutes of quota from clients of one key, each of which ' +
        'sends nothing until the Retry-After of its refusal has elapsed.',
      fails:
        'Twice in a row no client that obeyed Retry-After is served. A fail only with the test ' +
        'clock.',
      inconclusive: 'nothing was refused, or another client may have been faster (ambiguous)',
      judge: expectTrue,
    },
    {
      id: 'load-backoff-window-ends',
      requirement: 'limits.window-ends',
      sends: 'The same requests.',
      fails:
        'A refusal with fewer calls in the last two minutes than the quota of one. A fail only ' +
        'with the test clock.',
      inconclusive: 'a ban was seen, or another client may have used the key',
      judge: expectEnds,
    },
    {
      id: 'load-backoff-through',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records:
        'How long they took and how often they waited; a client that does not complete is a ' +
        'warning.',
      observe: describe,
    },
  ],
})
