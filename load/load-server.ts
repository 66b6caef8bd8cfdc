// A server under load: its keys, what is left of their days, and the run's session; and its calls
// as the laws of the limiter take them: the first ones whole, of the others when they were sent and
// answered, their status and the headers about the quota.
import type { Wires } from '../engine/http/target-clock.ts'
import { dayReserve } from '../engine/quota/ledger.ts'
import type { RunOptions, RunSink } from '../engine/run/run-options.ts'
import { Session } from '../engine/run/session.ts'
import { type AnsweredExchange, type Exchange, get, isAnswered } from '../history/exchange.ts'
import { type History, type Lost, lostIn } from '../history/history.ts'
import { Untested } from '../history/outcome.ts'
import { daySaid } from '../history/rate-headers.ts'
import type { Sample } from './connection.ts'
import type { Lane } from './scenario.ts'

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
class Calls {
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

/** The target, or a baseline. */
export interface LoadServer {
  readonly column: Lane['column']
  readonly options: RunOptions
}

export interface Place extends LoadServer {
  readonly session: Session
  readonly ensureDay: Lane['ensureDay']
  readonly calls: Calls
}

/** @param wires where nothing is sent */
export const openPlace = (given: LoadServer, sink: RunSink, wires?: Wires): Place => {
  const session = new Session(given.options, sink, wires)
  return { ...given, session, ensureDay: dayEnsured(session), calls: new Calls() }
}

/** A day may end 24 h after its first call; an hour more is for rounding. */
const untilNextDayMs = 25 * 3_600_000

const dayEnsured = (session: Session): Lane['ensureDay'] => {
  const { options, pace, budget, trace } = session
  /** What each key had sent before its day began. */
  let before = new Map<string, number>()
  return async ({ label, quota }, requests) => {
    const whole = quota.perDay - (options.allow.includes('day') ? 0 : dayReserve(quota))
    const last = trace.findLast(({ key }) => key === label)
    const said = last && daySaid(last)
    // By our own count, or less if the headers say so.
    const sent = budget.sentWith(label) - (before.get(label) ?? 0)
    const used = Math.max(sent, quota.perDay - (said?.remaining ?? quota.perDay))
    if (whole - used >= requests) return
    if (!pace.instant || requests > whole) {
      const message = `the daily quota of ${label} has fewer than ${requests} requests left`
      throw new Untested('blocked', message)
    }
    await pace.pass(untilNextDayMs)
    before = new Map(session.keys.map((key) => [key.label, budget.sentWith(key.label)]))
  }
}
