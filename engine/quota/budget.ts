// How many requests a run may send, and how many were sent by each check and with each key.

import { Untested } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import { steadyMs } from '../http/client.ts'

const mib = 1024 * 1024
/** Once a run has kept so much, longer bodies are cut; a correct target sends a fortieth of it. */
const roomy = { keptBytes: 24 * mib, bodyBytes: 64 * 1024 }
/** The bodies that a run keeps. */
const maxKeptBytes = 48 * mib

const tooManyBytes = 'the target has sent 48 MiB, more than a run can keep'

interface Bounds {
  readonly maxRequests: number
  readonly maxTimeMs?: number
}

export class Budget {
  readonly #bounds: Bounds
  readonly #startedMs = steadyMs()
  readonly #byCheck = new Map<string, number>()
  readonly #byKey = new Map<string | null, number>()
  #sent = 0
  #keptBytes = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** When the run is over, in monotonic milliseconds. */
  get deadlineMs(): number {
    return this.#startedMs + (this.#bounds.maxTimeMs ?? Infinity)
  }

  get leftMs(): number {
    return this.deadlineMs - steadyMs()
  }

  /** Takes one request out. @throws Untested (budget) when none is left. */
  take(check: string, key: string | null): void {
    const { maxRequests } = this.#bounds
    if (this.#sent >= maxRequests) {
      throw new Untested('budget', `the run's ${maxRequests} requests are spent (--max-requests)`)
    }
    const why = this.full()
    if (why !== null) throw new Untested('budget', why)
    this.count(check, key)
  }

  /** @param number 1 for one that was sent before this run was resumed, -1 for an unsent one */
  count(check: string, key: string | null, number: 1 | -1 = 1): void {
    this.#sent += number
    this.#byCheck.set(check, this.sentBy(check) + number)
    this.#byKey.set(key, this.sentWith(key) + number)
  }

  sent(): number {
    return this.#sent
  }

  left(): number {
    return this.#bounds.maxRequests - this.#sent
  }

  sentBy(check: string): number {
    return this.#byCheck.get(check) ?? 0
  }

  sentWith(key: string | null): number {
    return this.#byKey.get(key) ?? 0
  }

  /** Whether a body of so many bytes is read: pets may be long, and yet a run ends. */
  mayRead(bytes: number): boolean {
    return this.#keptBytes < roomy.keptBytes || bytes <= roomy.bodyBytes
  }

  /** Counts the bytes of a body that the run keeps to judge it. */
  keep(bytes: number): void {
    this.#keptBytes += bytes
  }

  /** Why nothing more is sent, however many requests are left; null: more may be sent. */
  full(): string | null {
    const { maxTimeMs } = this.#bounds
    if (this.#keptBytes >= maxKeptBytes) return tooManyBytes
    if (maxTimeMs === undefined || this.leftMs > 0) return null
    return `the run has lasted the ${maxTimeMs / 1_000} s that it may (--max-time)`
  }

  /** Called before a wait in real time. @throws Untested (budget) if it would be too long */
  takeTime(ms: number): void {
    if (ms < this.leftMs) return
    const why = `it would have to wait ${duration(ms)}, which the run may not last`
    throw new Untested('budget', `${why} (--max-time)`)
  }
}
