// The scenarios `backoff` and `ban`: clients that obey Retry-After, and double their waits without
// one, all complete in the time that the quota allows. Of two clients one ignores it: its ban takes
// effect, does not affect the other, and ends.

import type { LimitKey } from '../../engine/check/context.ts'
import type { KeyHandle } from '../../engine/check/key-handle.ts'
import { statusCode } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import { isServed, isShutOut, retryAfterMs, spanMs } from '../../history/rate-headers.ts'
import {
  cheapest,
  type Held,
  judged,
  type Lane,
  type LoadPlan,
  type Observed,
  type Scenario,
} from '../scenario.ts'
import { noneToSpend, send, spendAll, spendingCost } from '../spend.ts'

/** Rounding of the network; a wait begins when the response is received. */
const graceMs = 50
/** Without a Retry-After. */
const doubling = { firstMs: 1_000, maxMs: 64_000 }
/** A longer wait is not obeyed in real time. */
const maxWaitMs = 150_000
const maxMisses = 40

/** Times the quota, so that the clients need more than one window. */
const share = 1.5

/** Refusals of several clients at once are repeated requests: only if a ban is permitted. */
const clientsOf = ({ allow }: LoadPlan): number => (allow.includes('ban') ? 6 : 1)

const neededOf = ({ keys }: LoadPlan): number => Math.ceil(cheapest(keys).quota.perMinute * share)

/** What the clients need, and refusals, at most. */
const requestsOf = (plan: LoadPlan): number => neededOf(plan) + maxMisses * clientsOf(plan)

/** The clients send together, and wait for the longest Retry-After of their refusals. */
const runBackoff = async function* (lane: Lane): AsyncGenerator<void, void> {
  const key = cheapest(lane.plan.keys)
  const { ask, rest } = lane.handleOf(key)
  const clients = clientsOf(lane.plan)
  const max = requestsOf(lane.plan)
  await lane.ensureDay(key, max)
  await rest()
  let left = neededOf(lane.plan)
  let [sent, misses] = [0, 0]
  while (left > 0 && misses < maxMisses && sent + clients <= max) {
    const together = Math.min(clients, left)
    const responses = await Promise.all(Array.from({ length: together }, () => ask()))
    sent += together
    const refusals = responses.filter(isShutOut)
    left -= responses.filter(isServed).length
    const other = responses.find((each) => !isServed(each) && !isShutOut(each))
    if (other) {
      throw new Untested('ambiguous', `a request was answered ${statusCode(other)}`, [other])
    }
    if (refusals.length === 0) continue
    const doubledMs = Math.min(doubling.maxMs, doubling.firstMs * 2 ** misses)
    misses = refusals.length < together ? 0 : misses + 1
    const waitsMs = refusals.map((each) => retryAfterMs(each) || doubledMs)
    const waitMs = Math.max(...waitsMs) + graceMs
    if (waitMs > maxWaitMs && !lane.plan.instant) {
      throw new Untested('blocked', `the key has to wait ${duration(waitMs)}`)
    }
    await lane.pass(waitMs)
    yield
  }
}

const describeBackoff = ({ plan, own, figures: { sent, counts } }: Held): Observed => {
  const lasted = `${Math.round(spanMs(own) / 1_000)} s of the target, ${counts.refused} refused`
  const text = `${sent} requests of ${clientsOf(plan)} clients in ${lasted}`
  const left = neededOf(plan) - counts.served
  return left <= 0 ? text : { warn: `${text}; ${left} more were not served` }
}

export const backoff: Scenario = {
  id: 'backoff',
  says: 'Clients that obey Retry-After all complete, as fast as the quota allows.',
  needs: { allow: ['exhaust'], quota: noneToSpend },
  needsLimiter: true,
  adapts: true,
  cost: (plan) => ({
    requests: requestsOf(plan),
    seconds: plan.instant ? 2 : 245,
    does: `exhausts ${cheapest(plan.keys).label}, and obeys Retry-After`,
  }),
  run: runBackoff,
  verdicts: [
    judged(
      'load-backoff-retry-true',
      'retry-after.true',
      'Requests for one and a half minutes of quota from clients of one key, each of which ' +
        'sends nothing until the Retry-After of its refusal has elapsed.',
      'retry-after-each-served',
    ),
    {
      id: 'load-backoff-through',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records:
        'How long they took and how many were refused; a request that is never served is a ' +
        'warning.',
      observe: describeBackoff,
    },
  ],
}

/** Requests after the burst, in waves with pauses between them. */
const requestsAfter429 = { waves: 5, each: 12, pauseMs: 60 }
const maxTries = 3
/** The requests of the other client, and never more than half of its quota. */
const obeying = { max: 40, pauseMs: 15 }

/** The other client sends; always as many, so that its refusal comes at the same place again. */
const obey = async (lane: Lane, key: LimitKey): Promise<void> => {
  const { ask, quota } = lane.handleOf(key)
  const inAll = Math.min(obeying.max, Math.floor(quota.perMinute / 2))
  // Before the burst, after it and after each wave.
  const amount = Math.floor(inAll / (requestsAfter429.waves + 2))
  for (let sent = 0; sent < amount; sent += 1) {
    const response = await ask()
    // A client that obeys sends nothing more after a refusal.
    if (isShutOut(response)) return
    await lane.sleep(obeying.pauseMs)
  }
}

const waitOut = async ({ waitForRetryAfter, ask }: KeyHandle): Promise<void> => {
  for (let tries = 0; tries < maxTries; tries += 1) {
    await waitForRetryAfter()
    if (!isShutOut(await ask())) return
  }
}

/** There is one: a scenario that needs it is left out where none is given. */
const banKeyOf = ({ banKey }: LoadPlan): LimitKey => banKey as LimitKey

const runBan = async function* (lane: Lane): AsyncGenerator<void, void> {
  const banKey = banKeyOf(lane.plan)
  const other = cheapest(lane.plan.keys)
  const connections = Math.max(...lane.plan.connections)
  const { waves, each, pauseMs } = requestsAfter429
  await lane.ensureDay(banKey, banKey.quota.perMinute + connections + waves * each)
  await lane.handleOf(other).rest()
  await obey(lane, other)
  await spendAll(lane, [banKey], { connections, surplus: connections })
  await obey(lane, other)
  for (let wave = 0; wave < waves; wave += 1) {
    await lane.sleep(pauseMs)
    await send(lane, banKey, each, { connections })
    await obey(lane, other)
  }
  yield
  if (lane.column === 'target') await waitOut(lane.handleOf(banKey))
}

export const ban: Scenario = {
  id: 'ban',
  says: 'Of two clients one ignores Retry-After: only that one is banned, and the ban ends.',
  needs: { allow: ['exhaust', 'ban'], banKey: true },
  repeats: 'all',
  needsLimiter: true,
  cost: (plan) => {
    const key = banKeyOf(plan)
    const hammered = requestsAfter429.waves * requestsAfter429.each + obeying.max + maxTries
    return {
      requests: spendingCost([key], Math.max(...plan.connections)) + hammered,
      seconds: plan.instant ? 2 : 260,
      does: `sends on with ${key.label} until it is banned`,
    }
  },
  run: runBan,
  verdicts: [
    {
      id: 'load-ban-own-key',
      requirement: 'ban.own-key',
      sends:
        'Five waves of requests with an exhausted key; before, between and after them requests ' +
        'with another key within its quota.',
      laws: ['limit-not-early', 'limit-not-below-quota', 'ban-only-after-refusals'],
      keyOf: ({ keys }) => cheapest(keys).label,
    },
    {
      id: 'load-ban-after-429',
      requirement: 'ban.only-repeated',
      sends: 'The same requests.',
      laws: ['ban-only-after-refusals', 'quota-429-status'],
      keyOf: (plan) => banKeyOf(plan).label,
    },
    {
      id: 'load-ban-ends',
      requirement: 'ban.ends',
      sends:
        'One request with the hammered key when its Retry-After has elapsed; at most three times.',
      laws: ['ban-temporary', 'retry-after-each-served'],
      keyOf: (plan) => banKeyOf(plan).label,
      unless: ({ counts }) => (counts.banned === 0 ? 'no ban was seen' : undefined),
    },
    {
      id: 'load-ban-look',
      requirement: 'gap.ban-look',
      sends: 'The same requests.',
      records: 'After how many refusals the ban came.',
      observe: ({ plan, figures }) => {
        const { banned = 0, refused = 0 } = figures.countsByKey[banKeyOf(plan).label] ?? {}
        return `${banned === 0 ? 'none ' : ''}after ${refused} refusals`
      },
    },
  ],
}
