// What several machines send: phases at times that are fixed beforehand, each by some users.

import type { LimitKey } from '../engine/check/context.ts'
import type { LoadFigures } from '../engine/check/run-file.ts'
import { minuteMs } from '../history/rate-headers.ts'

/** The pause between two probes: a bucket refills in it, and Reset shows how a log sets it. */
export const probePauseMs = 3_500
/** Replicas may take a quarter of a second to share a count: after this one count shows. */
export const lagMs = 300

export interface Phase {
  readonly scenario: string
  /** Its name within the scenario; a `try` waits for the Retry-After of the one before. */
  readonly part: string
  /** The key by plan and position (`free-1`); empty: none is sent. */
  readonly key: string
  /** Since the common start. */
  readonly atMs: number
  /** Users from the number `first` on share the requests: every n-th is sent by one of n. */
  readonly first: number
  readonly users: number
  readonly requests: number
  /** Between two requests of all users; 0: each user sends the next one after a response. */
  readonly everyMs: number
  /** Nothing is sent later than this after `atMs`. */
  readonly forMs: number
  /** `requests` is a maximum: one that is not sent in time is not missing. */
  readonly upTo: boolean
  /** Each request has a new connection. */
  readonly fresh: boolean
  /** After a refusal a worker sends nothing with the key until Retry-After has elapsed. */
  readonly obeys: boolean
}

type Planned = Pick<Phase, 'part' | 'users' | 'requests'> & Partial<Phase>

/** A key has its full quota after two windows without a request. */
const restMs = 125_000
/** The second probe is to be answered when the burst begins; a bucket refills little in it. */
const burstAfterMs = probePauseMs + 250
const usualMs = 30_000
/** A burst of several machines takes about so long for each request, or less. */
const minEveryMs = 1
const pauseMs = 3_000

/** When what is sent; each scenario adds its phases after those before. */
export class Schedule {
  readonly phases: Phase[] = []
  scenario = ''
  readonly #busyUntilMs = new Map<string, number>()
  #atMs = 0
  #endMs = 0

  /** Waits until keys have their full quota again. */
  rest(keys: readonly LimitKey[]): void {
    const ready = keys.map(({ label }) => (this.#busyUntilMs.get(label) ?? -restMs) + restMs)
    this.#atMs = Math.max(this.#atMs, ...ready)
  }

  /** Adds a phase `afterMs` after the end of those before; `lastsMs`: until the next one. */
  add({ label }: Pick<LimitKey, 'label'>, planned: Planned, lastsMs: number, afterMs = 0): void {
    const [scenario, atMs] = [this.scenario, this.#atMs + afterMs]
    const usual = { first: 0, everyMs: 0, forMs: usualMs, upTo: false, fresh: false, obeys: true }
    this.phases.push({ scenario, key: label, atMs, ...usual, ...planned })
    this.#endMs = Math.max(this.#endMs, atMs + lastsMs)
    this.#busyUntilMs.set(label, this.#endMs)
  }

  /** Lets the phases that were added end. */
  next(): void {
    this.#atMs = this.#endMs + pauseMs
  }

  /**
   * Two probes with each key, then a burst of what is left and more, on all keys at once; the last
   * calls of the minute together. It begins whole minutes after the start, as a window may end with
   * each minute of the clock.
   */
  bursts(keys: readonly LimitKey[], surplus: number, burst: Omit<Planned, 'requests'>): void {
    const { part, users, everyMs = 0 } = burst
    this.rest(keys)
    this.#atMs = Math.ceil(this.#atMs / minuteMs) * minuteMs
    for (const [at, key] of keys.entries()) {
      const first = at * users
      const probe = { part: `${part}-probe`, users: 1, requests: 2, everyMs: probePauseMs }
      this.add(key, { ...probe, first }, probePauseMs)
      const left = key.quota.perMinute - 2
      const last = Math.min(left, Math.max(1, Math.floor(users / 2)))
      const everyEachMs = Math.max(everyMs, minEveryMs)
      const beginMs = (left - last) * everyEachMs
      const [own, ends] = [
        { ...burst, first },
        { part: `${part}-last`, requests: last + surplus },
      ]
      this.add(key, { ...own, requests: left - last }, beginMs, burstAfterMs)
      const afterMs = burstAfterMs + beginMs + lagMs
      this.add(key, { ...own, ...ends }, ends.requests * everyEachMs, afterMs)
    }
    this.next()
  }
}

/** What the workers sent of a scenario. */
export interface Gathered {
  readonly figures: (part: string) => LoadFigures
  /** How late the latest was sent that was due at a time. */
  readonly latestMs: () => number
}

/** How a scenario is sent from several machines. */
export interface Distributed<Plan, Seen> {
  readonly phases: (plan: Plan, schedule: Schedule) => void
  readonly see: (sent: Gathered, plan: Plan) => Seen
}
