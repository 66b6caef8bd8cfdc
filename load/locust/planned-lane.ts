// A lane that sends nothing: what a scenario would send is noted with its time, as the plan of
// several machines. Single requests are taken to be served, bursts to spend what a key has.
import { setImmediate as turn } from 'node:timers/promises'
import { controlId } from '../../history/exchange.ts'
import { minuteMs } from '../../history/rate-headers.ts'
import { loadRequest } from '../calls.ts'
import { zeroCounts } from '../meter.ts'
import type { Lane, LoadPlan, Scenario } from '../scenario.ts'

/** What some users send, at a time that is fixed beforehand. */
export interface Phase {
  readonly scenario: string
  /** A `step` ends with its time; a `try` waits for the Retry-After of the refusal before it. */
  readonly part: 'control' | 'request' | 'burst' | 'step' | 'pace' | 'try'
  /** The key by plan and position (`free-1`); empty: none is sent. */
  readonly key: string
  readonly requests: number
  /** Since the common start. */
  readonly atMs: number
  /** Users from the number `first` on share the requests: every n-th is sent by one of n. */
  readonly first: number
  readonly users: number
  /** Between two requests of all users; 0: each user sends the next one after a response. */
  readonly everyMs: number
  /** Nothing is sent later than this after `atMs`. */
  readonly forMs: number
  /** Each request has a new connection. */
  readonly fresh: boolean
}

/** Nothing is sent much later than it is due; the end of a ban is waited for. */
const [maxLateMs, maxBanMs] = [30_000, 400_000]

/** A second before: a response of another status shows which headers are the same in all. */
const control: Phase = {
  ...{ scenario: controlId, part: 'control', key: '', requests: 1, atMs: -1_000 },
  ...{ first: 0, users: 1, everyMs: 0, forMs: maxLateMs, fresh: false },
}

/** A key has its full quota after two windows without a request. */
const restMs = 125_000
/** About what a request takes, one of a burst, and to end a step. */
const [requestMs, eachMs, endMs] = [250, 1, 1_000]
/** On new connections one is sent at a time, and all within part of a minute. */
const [freshEveryMs, maxFreshMs] = [10, 20_000]
const maxPlanMs = 8 * 86_400_000

export class PlannedLane implements Lane {
  readonly column = 'target'
  readonly columns = 1
  readonly plan: LoadPlan
  readonly phases = [control]
  readonly ensureDay = async () => {}
  readonly #users: number
  #scenario = ''
  #nowMs = 0
  readonly #waiting: { readonly untilMs: number; readonly wake: () => void }[] = []
  /** Their users are busy. */
  readonly #running = new Set<Phase>()
  readonly #usedMs = new Map<string, number>()
  /** Keys that are to be silent before they are used again. */
  readonly #refused = new Set<string>()

  constructor(plan: LoadPlan) {
    this.plan = plan
    this.#users = Math.max(...plan.connections)
  }

  /** Notes all that a scenario sends. @throws Error where it would last too long */
  async take(scenario: Scenario): Promise<void> {
    this.#scenario = scenario.id
    let isOver = false
    const send = async () => {
      for await (const _slice of scenario.run(this));
    }
    const all = send().finally(() => {
      isOver = true
    })
    all.catch(() => {})
    while (!isOver) {
      const next = this.#waiting.sort((a, b) => a.untilMs - b.untilMs).shift()
      this.#nowMs = next?.untilMs ?? this.#nowMs
      next?.wake()
      if (this.#nowMs > maxPlanMs) throw new Error('the plan takes more than eight days')
      await turn()
    }
    await all
  }

  readonly pass = (ms: number): Promise<void> =>
    new Promise((wake) => this.#waiting.push({ untilMs: this.#nowMs + ms, wake }))
  readonly sleep = this.pass
  readonly pause = this.pass
  readonly nowMs = () => this.#nowMs

  /** A window may end with each minute of the clock, and the start is in the first half of one. */
  readonly waitForFullQuota: Lane['waitForFullQuota'] = (label) => {
    const readyMs = Math.max(this.#nowMs, (this.#usedMs.get(label) ?? -restMs) + restMs)
    return this.pass(Math.ceil(readyMs / minuteMs) * minuteMs - this.#nowMs)
  }

  readonly waitForRetryAfter: Lane['waitForRetryAfter'] = async (label) => {
    this.#refused.add(label)
  }

  readonly drive: Lane['drive'] = async ({ key, amount, durationMs, newConnections, ...load }) => {
    const isStep = durationMs !== null
    const most = newConnections ? this.#users : load.connections
    const everyMs = newConnections ? Math.min(freshEveryMs, maxFreshMs / amount) : 0
    const takesMs = durationMs ?? amount * (everyMs || eachMs)
    const burst = { key, requests: amount, users: Math.min(most, amount), everyMs }
    await this.#send(
      {
        ...burst,
        part: isStep ? 'step' : 'burst',
        forMs: durationMs ?? maxLateMs,
        fresh: newConnections,
      },
      isStep ? takesMs + endMs : takesMs,
    )
    const counts = { ...zeroCounts(), [isStep ? 'served' : 'refused']: amount }
    const sent = {
      sent: amount,
      neverSent: 0,
      durationMs: takesMs,
      ended: 'done',
      why: null,
    } as const
    return { ...sent, counts, latency: null }
  }

  readonly keepPace: Lane['keepPace'] = async (key, perSecond, amount) => {
    const everyMs = 1_000 / perSecond
    const last = this.phases.at(-1)
    // Slices in a row are one phase.
    const isSame = last?.part === 'pace' && last.scenario === this.#scenario
    if (isSame) this.phases.pop()
    const requests = amount + (isSame ? last.requests : 0)
    const users = Math.min(this.#users, requests)
    const forMs = requests * everyMs + maxLateMs
    const atMs = isSame ? last.atMs : this.#nowMs
    await this.#send({ part: 'pace', key, requests, users, everyMs, forMs, atMs }, amount * everyMs)
    return { lateMs: 0 }
  }

  readonly ask: Lane['ask'] = async (key) => {
    const isTry = this.#refused.delete(key)
    const [part, forMs] = isTry ? (['try', maxBanMs] as const) : (['request', maxLateMs] as const)
    await this.#send({ part, key, requests: 1, forMs }, requestMs)
    const bytes = new Uint8Array()
    return {
      ...{ seq: 0, at: '', check: this.#scenario, key, sentMs: 0, receivedMs: 0, movedMs: 0 },
      ...{ apiRequest: loadRequest, noResponse: null },
      request: { method: 'GET', url: '', headers: [], body: null },
      response: { status: isTry ? 429 : 200, headers: [], bytes, cut: true },
    }
  }
  readonly call = this.ask

  async #send(given: Partial<Phase> & Pick<Phase, 'key'>, takesMs: number): Promise<void> {
    const first = Math.max(0, ...[...this.#running].map((each) => each.first + each.users))
    const usual = { ...control, scenario: this.#scenario, atMs: this.#nowMs, first }
    const phase = { ...usual, ...given }
    this.phases.push(phase)
    this.#running.add(phase)
    await this.pass(takesMs)
    this.#running.delete(phase)
    this.#usedMs.set(given.key, this.#nowMs)
  }
}
