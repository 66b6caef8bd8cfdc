// Clients of one key that obey: each asks, and when it is refused waits as it was told.
import { type Answered, isAnswered } from '../engine/exchange.ts'
import { Untested } from '../engine/outcome.ts'
import { isServed, isShutOut } from '../engine/quota/key-minute.ts'
import { retryAfterMs } from '../engine/quota/rate-headers.ts'
import type { Lane } from './lane.ts'

/** Clients that asked after a wait, while nobody else had asked with the key. */
export interface Wake {
  readonly served: number
  /** Whether each had been told how long to wait. */
  readonly isTold: boolean
  /** Whether the wait was that of a ban, which may be as long as it likes. */
  readonly isBanned: boolean
  /** The last answer that one of them got. */
  readonly latest: Answered
}

interface Client {
  left: number
  /** When it asks next, in the time of the target. */
  dueMs: number
  /** When it was refused the last time, in the time of the target; null: it was not. */
  refusedMs: number | null
  isTold: boolean
  isBanned: boolean
  misses: number
}

export interface Through {
  readonly wakes: readonly Wake[]
  readonly answers: readonly Answered[]
  /** Clients that were still waiting when it was given up. */
  readonly starved: number
}

/** Rounding of a wire; a wait holds from the moment when the answer is received. */
const graceMs = 50
const untold = { firstMs: 1_000, mostMs: 64_000 }
/** A wait longer than this is not obeyed in real time. */
const waitMostMs = 150_000
/** Clients that are due within this wake together. */
const togetherMs = 1_500
const missesMost = 40
/** After two windows no wait is that of the quota. */
const longMs = 121_000

const ask = async (lane: Lane, label: string, client: Client): Promise<Answered> => {
  const exchange = lane.exchangeOf(await lane.call(label, null))
  if (!isAnswered(exchange)) {
    throw new Untested('ambiguous', `a request got no answer: ${exchange.noAnswer}`, [exchange])
  }
  if (isServed(exchange)) {
    client.left -= 1
    Object.assign(client, { dueMs: lane.nowMs(), refusedMs: null, misses: 0 })
    return exchange
  }
  if (!isShutOut(exchange)) {
    throw new Untested('ambiguous', `a request was answered ${exchange.response.status}`, [
      exchange,
    ])
  }
  const toldMs = retryAfterMs(exchange)
  const doubledMs = Math.min(untold.mostMs, untold.firstMs * 2 ** client.misses)
  client.misses += 1
  client.isTold = toldMs !== undefined && toldMs > 0
  client.isBanned = exchange.response.status !== 429 || (toldMs ?? 0) > longMs
  client.refusedMs = lane.nowMs()
  client.dueMs = client.refusedMs + (client.isTold ? (toldMs ?? 0) : doubledMs) + graceMs
  return exchange
}

/**
 * @param woken the clients as they were before they asked
 * @returns what a wake is, where all that wait had woken, and nobody had asked since the last of
 * them was refused: then the wait that was told is true for at least one of them
 */
const wakeOf = (
  woken: readonly Client[],
  waiting: number,
  answers: readonly Answered[],
  lastSentMs: number,
): Wake | undefined => {
  const latest = answers.at(-1)
  const alone = woken.every(({ refusedMs }) => refusedMs !== null && refusedMs >= lastSentMs)
  if (!latest || woken.length < waiting || !alone) return undefined
  return {
    served: answers.filter(isServed).length,
    isTold: woken.every(({ isTold }) => isTold),
    isBanned: woken.some(({ isBanned }) => isBanned),
    latest,
  }
}

/** Waits until clients are due; those that are due soon after the first wake with it. */
const wake = async (lane: Lane, waiting: readonly Client[]): Promise<boolean> => {
  const dues = waiting.map(({ dueMs }) => dueMs)
  const first = Math.min(...dues)
  if (first <= lane.nowMs()) return false
  const waitMs = Math.max(...dues.filter((due) => due <= first + togetherMs)) - lane.nowMs()
  if (waitMs > waitMostMs && !lane.instant) {
    throw new Untested('blocked', `the key is to wait ${Math.ceil(waitMs / 1000)} s`)
  }
  await lane.pass(waitMs)
  return true
}

const startOf = (lane: Lane, each: number): Client => ({
  left: each,
  dueMs: lane.nowMs(),
  refusedMs: null,
  isTold: false,
  isBanned: false,
  misses: 0,
})

/** Each client sends so many requests; yields after each wait. */
export const goThrough = async function* (
  lane: Lane,
  label: string,
  count: number,
  each: number,
): AsyncGenerator<void, Through> {
  const clients = Array.from({ length: count }, () => startOf(lane, each))
  const wakes: Wake[] = []
  const answers: Answered[] = []
  let lastSentMs = lane.nowMs()
  for (;;) {
    const waiting = clients.filter(({ left, misses }) => left > 0 && misses < missesMost)
    if (waiting.length === 0) break
    const hasWaited = await wake(lane, waiting)
    const due = waiting.filter(({ dueMs }) => dueMs <= lane.nowMs())
    const woken = due.map((client) => ({ ...client }))
    const sentMs = lane.nowMs()
    const got = await Promise.all(due.map((client) => ask(lane, label, client)))
    const seen = hasWaited ? wakeOf(woken, waiting.length, got, lastSentMs) : undefined
    if (seen) wakes.push(seen)
    answers.push(...got)
    lastSentMs = sentMs
    if (hasWaited) yield
  }
  return { wakes, answers, starved: clients.filter(({ left }) => left > 0).length }
}
