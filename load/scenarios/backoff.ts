// The scenario `backoff`: clients of one key that obey Retry-After, and double their waits without
// one. All complete in the time that the quota allows, and none starves.

import { statusCode } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import { isServed, isShutOut, retryAfterMs } from '../../history/rate-headers.ts'
import {
  cheapest,
  type Held,
  type Lane,
  type LoadPlan,
  type Observed,
  scenario,
} from '../scenario.ts'
import { noneToSpend } from '../spend.ts'

/** Rounding of the network; a wait begins when the response is received. */
const graceMs = 50
/** Clients that are due within this time send together. */
const togetherMs = 1_500

interface Client {
  left: number
  /** When it sends next, in the target's time. */
  dueMs: number
  misses: number
}

interface Seen {
  readonly waits: number
  readonly starved: number
  readonly lastedMs: number
}

/** Without a Retry-After. */
const doubling = { firstMs: 1_000, maxMs: 64_000 }
/** A longer wait is not obeyed in real time. */
const maxWaitMs = 150_000
const maxMisses = 40

const send = async (lane: Lane, label: string, client: Client): Promise<void> => {
  const exchange = await lane.call(label)
  if (isServed(exchange)) {
    client.left -= 1
    Object.assign(client, { dueMs: lane.nowMs(), misses: 0 })
    return
  }
  if (!isShutOut(exchange)) {
    throw new Untested('ambiguous', `a request was answered ${statusCode(exchange)}`, [exchange])
  }
  const doubledMs = Math.min(doubling.maxMs, doubling.firstMs * 2 ** client.misses)
  client.misses += 1
  client.dueMs = lane.nowMs() + (retryAfterMs(exchange) || doubledMs) + graceMs
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

/** What the clients need, and refusals, at most. */
const requestsOf = (plan: LoadPlan): number =>
  Math.ceil(cheapest(plan.keys).quota.perMinute * share) + maxMisses * clientsOf(plan)

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const key = cheapest(lane.plan.keys)
  const { label, quota } = key
  const count = clientsOf(lane.plan)
  const each = Math.ceil((quota.perMinute * share) / count)
  const max = requestsOf(lane.plan)
  await lane.ensureDay(key, max)
  await lane.waitForFullQuota(label)
  const startMs = lane.nowMs()
  const clients = Array.from({ length: count }, (): Client => {
    return { left: each, dueMs: startMs, misses: 0 }
  })
  let [waits, sent] = [0, 0]
  for (;;) {
    const waiting = clients.filter(({ left, misses }) => left > 0 && misses < maxMisses)
    if (waiting.length === 0) break
    const hasWaited = await waitForClients(lane, waiting)
    const due = waiting.filter(({ dueMs }) => dueMs <= lane.nowMs())
    if (sent + due.length > max) break
    sent += due.length
    await Promise.all(due.map((client) => send(lane, label, client)))
    if (!hasWaited) continue
    waits += 1
    yield
  }
  const starved = clients.filter(({ left }) => left > 0).length
  return { waits, starved, lastedMs: lane.nowMs() - startMs }
}

const describe = ({ starved, lastedMs, waits }: Seen, { plan, figures }: Held): Observed => {
  const seconds = Math.round(lastedMs / 1000)
  const text =
    `${figures.sent} requests of ${clientsOf(plan)} clients in ${seconds} s of the target, ` +
    `${waits} waits`
  return starved === 0 ? text : { warn: `${text}; ${starved} clients did not complete` }
}

const cost = (plan: LoadPlan) => {
  const does = `exhausts ${cheapest(plan.keys).label}, and obeys Retry-After`
  return { requests: requestsOf(plan), seconds: plan.instant ? 2 : 245, does }
}

export const backoff = scenario<Seen>({
  id: 'backoff',
  says: 'Clients that obey Retry-After all complete, as fast as the quota allows.',
  needs: { allow: ['exhaust'], key: true, quota: noneToSpend },
  baselines: ['reference'],
  adapts: true,
  cost,
  run,
  verdicts: [
    {
      id: 'load-backoff-retry-true',
      requirement: 'retry-after.true',
      sends:
        'Requests for one and a half minutes of quota from clients of one key, each of which ' +
        'sends nothing until the Retry-After of its refusal has elapsed.',
      laws: ['retry-after-each-served'],
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
