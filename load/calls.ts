// The calls of a load as the laws of the limiter take them: the first ones whole, of the others
// when they were sent and answered, their status and the headers about the quota.

import { type AnsweredExchange, type Exchange, get, isAnswered } from '../history/exchange.ts'
import { type History, type Lost, lostIn } from '../history/history.ts'
import type { Sample } from './connection.ts'

/** A short response. */
export const loadRequest = get('/pets?limit=1')

/** Exchanges that are kept whole; a million would fill a disk. */
export const maxRecorded = 3_000

/** Calls of a key that are judged without a rest: twice the largest minute of a burst, and more. */
export const maxCalls = 25_000

const noBytes = new Uint8Array()

const ofLimiter = new Set([
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'date',
])

/** What the limiter needs of a request: a few hundred bytes. */
export const compact = (sample: Sample): Sample => {
  const { response } = sample
  if (response === null) return sample
  const headers = response.headers.filter(([name]) => ofLimiter.has(name.toLowerCase()))
  const { status } = response
  return { ...sample, response: { status, headers, bytes: noBytes, cut: true } }
}

/**
 * A key's calls up to a number: what is sent later is not judged until the key has rested for two
 * windows, after which nothing that was sent before counts any more. So memory is bounded, and what
 * is kept of a key has no gap.
 */
export class Calls {
  readonly #byKey = new Map<string | null, AnsweredExchange[]>()
  readonly #full = new Set<string | null>()
  readonly #lost: Lost[] = []
  /** Keys of which calls were left out. */
  readonly cut = new Set<string>()

  /** Whether another call of a key is kept, after so many more that are not there yet. */
  hasRoom(key: string | null, more = 0): boolean {
    return !this.#full.has(key) && (this.#byKey.get(key)?.length ?? 0) + more < maxCalls
  }

  add(exchange: Exchange): void {
    const { key } = exchange
    this.addLost(lostIn(exchange))
    if (!isAnswered(exchange)) return
    const own = this.#byKey.get(key)
    if (!this.hasRoom(key)) this.leaveOut(key)
    else if (own) own.push(exchange)
    else this.#byKey.set(key, [exchange])
  }

  addLost(lost: readonly Lost[]): void {
    this.#lost.push(...lost)
  }

  /** A call is not kept, and none of its key from now on. @param isJudged whether laws miss it */
  leaveOut(key: string | null, isJudged = true): void {
    this.#full.add(key)
    if (key !== null && isJudged) this.cut.add(key)
  }

  /** A key has sent nothing for two windows. */
  rested(key: string): void {
    if (this.#full.delete(key)) this.#byKey.delete(key)
  }

  /** The history of a run, with the calls as they are now. */
  historyOf(run: History): History {
    return { ...run, exchanges: [...this.#byKey.values()].flat(), lost: [...this.#lost] }
  }
}
