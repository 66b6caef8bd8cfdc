// What several machines send: phases at times that are fixed beforehand, each by some users; and
// what came of them, as the scenarios need it to judge.

import type { LimitKey } from '../engine/check/context.ts'
import type { LoadFigures } from '../engine/check/run-file.ts'
import type { Round } from '../engine/quota/round.ts'
import type { AnsweredExchange } from '../history/exchange.ts'

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
const probeEveryMs = 3_500
/** The second probe is to be answered when the burst begins; a bucket refills little in it. */
const beforeBurstMs = 250
const burstMs = 30_000
/** A burst of several machines takes about so long for each request, or less. */
const minEveryMs = 1
const pauseMs = 3_000
/** The start is early in a minute of the clock, as a window may end with each; so are bursts. */
const minuteMs = 60_000
const startMs = 5_000

export class Schedule {
  readonly phases: Phase[] = []
  readonly #scenario: string
  readonly #busyUntilMs: Map<string, number>
  #atMs: number

  /** @param before the scenario that is sent before, on the same keys */
  constructor(scenario: string, before?: Schedule) {
    this.#scenario = scenario
    this.#atMs = before?.endMs ?? 0
    this.#busyUntilMs = before ? before.#busyUntilMs : new Map()
  }

  /** When the phases so far are over. */
  get endMs(): number {
    return this.#atMs
  }

  /** Adds the one request without a key, as responses of one status can hide a constant one. */
  addWithoutKey(): void {
    this.add({ label: '' }, { part: 'without key', users: 1, requests: 1, upTo: true }, 0)
  }

  /** Waits until keys have their full quota again. */
  rest(keys: readonly LimitKey[]): void {
    const ready = keys.map(({ label }) => (this.#busyUntilMs.get(label) ?? -restMs) + restMs)
    this.#atMs = Math.max(this.#atMs, ...ready)
  }

  /** Adds a phase `afterMs` after the end of those before; `lastsMs`: until the next one. */
  add({ label }: Pick<LimitKey, 'label'>, planned: Planned, lastsMs: number, afterMs = 0): void {
    const atMs = this.#atMs + afterMs
    const usual = { first: 0, everyMs: 0, forMs: burstMs, upTo: false, fresh: false, obeys: true }
    this.phases.push({ scenario: this.#scenario, key: label, atMs, ...usual, ...planned })
    this.#busyUntilMs.set(label, Math.max(this.#busyUntilMs.get(label) ?? 0, atMs + lastsMs))
    this.#lastsMs = Math.max(this.#lastsMs, afterMs + lastsMs)
  }

  #lastsMs = 0

  /** Lets the phases that were added end. */
  next(): void {
    this.#atMs += this.#lastsMs + pauseMs
    this.#lastsMs = 0
  }

  /** Two probes with each key, then a burst of what is left and more, on all keys at once. */
  bursts(keys: readonly LimitKey[], surplus: number, burst: Omit<Planned, 'requests'>): void {
    const { part, users, everyMs = 0 } = burst
    const afterMs = probeEveryMs + beforeBurstMs
    const longestMs = Math.max(...keys.map(({ quota }) => quota.perMinute * everyMs))
    this.rest(keys)
    const leftMs = minuteMs - ((startMs + this.#atMs) % minuteMs)
    if (leftMs < afterMs + startMs + longestMs) this.#atMs += leftMs + startMs
    for (const [at, key] of keys.entries()) {
      const first = at * users
      const probe = { part: `${part}-probe`, users: 1, requests: 2, everyMs: probeEveryMs, first }
      this.add(key, probe, probeEveryMs)
    }
    for (const [at, key] of keys.entries()) {
      const requests = key.quota.perMinute - 2 + surplus
      const lastsMs = requests * Math.max(everyMs, minEveryMs)
      this.add(key, { requests, first: at * users, ...burst }, lastsMs, afterMs)
    }
    this.next()
  }
}

/** What the workers sent of one scenario. */
export interface Gathered {
  /** A burst with its probes. */
  readonly round: (part: string, key: LimitKey) => Round
  readonly responses: (part: string) => readonly AnsweredExchange[]
  readonly figures: (part?: string) => LoadFigures
  /** How late the latest was sent that was due at a time. */
  readonly latestMs: () => number
}

/** How a scenario is sent from several machines. */
export interface Distributed<Plan, Seen> {
  readonly phases: (plan: Plan, schedule: Schedule) => void
  readonly see: (sent: Gathered, plan: Plan) => Seen
}
