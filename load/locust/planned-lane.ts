// A lane that sends nothing: what a scenario would send is noted with its time, as the plan of
// several machines. Single requests are taken to be served, bursts to spend what a key has.
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
  /** From when on what is sent next is due, if its key is not busy: keys may be used together. */
  #fromMs = 0
  readonly #latest = new Map<string, { readonly phase: Phase; readonly endMs: number }>()
  /** Keys that are to be silent before they are used again. */
  readonly #refused = new Set<string>()

  constructor(plan: LoadPlan) {
    this.plan = plan
    this.#users = Math.max(...plan.connections)
  }

  /** Notes all that a scenario sends. @throws Error where it would last too long */
  async take(scenario: Scenario): Promise<void> {
    this.#scenario = scenario.id
    for await (const _slice of scenario.run(this));
  }

  /** When all that was sent has ended. */
  readonly nowMs = () =>
    Math.max(this.#fromMs, ...[...this.#latest.values()].map(({ endMs }) => endMs))
  readonly pass = async (ms: number): Promise<void> => {
    this.#fromMs = this.nowMs() + ms
  }
  readonly sleep = this.pass
  readonly pause = this.pass

  /** A window may end with each minute of the clock, and the start is in the first half of one. */
  readonly waitForFullQuota: Lane['waitForFullQuota'] = async (label) => {
    const usedMs = this.#latest.get(label)?.endMs ?? -restMs
    this.#fromMs = Math.ceil(Math.max(this.nowMs(), usedMs + restMs) / minuteMs) * minuteMs
  }

  readonly waitForRetryAfter: Lane['waitForRetryAfter'] = async (label) => {
    this.#refused.add(label)
  }

  readonly drive: Lane['drive'] = async ({ key, amount, durationMs, newConnections, ...load }) => {
    const isStep = durationMs !== null
    const most = newConnections ? this.#users : load.connections
    const everyMs = newConnections ? Math.min(freshEveryMs, maxFreshMs / amount) : 0
    const takesMs = isStep ? durationMs + endMs : amount * (everyMs || eachMs)
    const part = isStep ? 'step' : 'burst'
    const shape = { key, part, requests: amount, users: Math.min(most, amount), everyMs } as const
    this.#send({ ...shape, forMs: durationMs ?? maxLateMs, fresh: newConnections }, takesMs)
    const counts = { ...zeroCounts(), [isStep ? 'served' : 'refused']: amount }
    const rest = { neverSent: 0, ended: 'done', why: null, latency: null } as const
    return { sent: amount, durationMs: takesMs, counts, ...rest }
  }

  readonly keepPace: Lane['keepPace'] = async (key, perSecond, amount) => {
    const everyMs = 1_000 / perSecond
    const last = this.phases.at(-1)
    // Slices in a row are one phase.
    const isSame = last?.part === 'pace' && last.scenario === this.#scenario
    if (isSame) this.phases.pop()
    const requests = amount + (isSame ? last.requests : 0)
    const users = Math.min(this.#users, requests)
    const atMs = isSame ? last.atMs : this.#fromMs
    const forMs = requests * everyMs + maxLateMs
    const pace = { part: 'pace', key, requests, users, everyMs, atMs, forMs } as const
    this.#send(pace, Math.max(0, amount - 1) * everyMs)
    return { lateMs: 0 }
  }

  readonly ask: Lane['ask'] = async (key) => {
    const isTry = this.#refused.delete(key)
    const trying = { part: 'try', forMs: maxBanMs } as const
    this.#send({ key, ...(isTry ? trying : { part: 'request' }) }, requestMs)
    const bytes = new Uint8Array()
    return {
      ...{ seq: 0, at: '', check: this.#scenario, key, sentMs: 0, receivedMs: 0, movedMs: 0 },
      ...{ apiRequest: loadRequest, noResponse: null },
      request: { method: 'GET', url: '', headers: [], body: null },
      response: { status: isTry ? 429 : 200, headers: [], bytes, cut: true },
    }
  }
  readonly call = this.ask

  #send(given: Partial<Phase> & Pick<Phase, 'key'>, takesMs: number): void {
    const atMs = Math.max(this.#fromMs, this.#latest.get(given.key)?.endMs ?? 0)
    if (atMs > maxPlanMs) throw new Error('the plan takes more than eight days')
    const busy = [...this.#latest.values()].filter(({ endMs }) => endMs > atMs)
    const first = Math.max(0, ...busy.map(({ phase }) => phase.first + phase.users))
    const phase = { ...control, scenario: this.#scenario, atMs, first, ...given }
    this.phases.push(phase)
    this.#latest.set(phase.key, { phase, endMs: atMs + takesMs })
  }
}
