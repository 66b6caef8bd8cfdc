// The plan of a load from several machines, as data: what is sent when, by how many users, with
// which keys; and the folder that it lies in, with the program that reads it. A lane that sends
// nothing notes what the scenarios would send: single requests are taken to be served, bursts to
// spend what a key has.
import { readFileSync } from 'node:fs'
import { KeyHandle } from '../../engine/check/key-handle.ts'
import { dayReserve } from '../../engine/quota/ledger.ts'
import { type LabelledKey, labelKeys, type RunOptions } from '../../engine/run/run-options.ts'
import { type AnsweredExchange, chooseRoot, controlId } from '../../history/exchange.ts'
import { minuteMs } from '../../history/rate-headers.ts'
import { loadRequest } from '../load-server.ts'
import { zeroCounts } from '../meter.ts'
import {
  type Lane,
  type LoadPlan,
  type LoadSettings,
  planAll,
  planLoad,
  type Scenario,
} from '../scenario.ts'
import { scenarios } from '../scenarios.ts'

/** What some users send, at a time that is fixed beforehand. */
export interface Phase {
  readonly scenario: string
  /** `fresh`: on new connections; `step`: until its time is over; `try`: after a Retry-After. */
  readonly part: 'request' | 'burst' | 'fresh' | 'step' | 'pace' | 'try'
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
}

/** Nothing is sent much later than it is due; the end of a ban is waited for. */
const [maxLateMs, maxBanMs] = [30_000, 400_000]

/** A second before: a response of another status shows which headers are the same in all. */
const control: Phase = {
  ...{ scenario: controlId, part: 'request', key: '', requests: 1, atMs: -1_000 },
  ...{ first: 0, users: 1, everyMs: 0, forMs: maxLateMs },
}

/** A key has its full quota after two windows without a request. */
const restMs = 125_000
/** About what a request takes, one of a burst, and to end a step. */
const [requestMs, eachMs, endMs] = [250, 1, 1_000]
/** On new connections one is sent at a time, and all within part of a minute. */
const [freshEveryMs, maxFreshMs] = [10, 20_000]

const atOnce = async () => {}

class PlannedLane implements Lane {
  readonly column = 'target'
  readonly plan: LoadPlan
  readonly phases = [control]
  #scenario = ''
  /** From when on what is sent next is due, if its key is not busy: keys may be used together. */
  #fromMs = 0
  readonly #latest = new Map<string, { readonly phase: Phase; readonly endMs: number }>()

  constructor(plan: LoadPlan) {
    this.plan = plan
  }

  /** Notes all that a scenario sends. @throws Error where a day of a key does not suffice */
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
  readonly #rest = (label: string): void => {
    const usedMs = this.#latest.get(label)?.endMs ?? -restMs
    this.#fromMs = Math.ceil(Math.max(this.nowMs(), usedMs + restMs) / minuteMs) * minuteMs
  }

  /** A key that may be used is one whose day has so many left. */
  readonly ensureDay: Lane['ensureDay'] = async ({ label, quota }, requests) => {
    const left = quota.perDay - (this.plan.allow.includes('day') ? 0 : dayReserve(quota))
    if (requests + sumOf(this.phases.filter(({ key }) => key === label)) <= left) return
    throw new Error(`the daily quota of ${label} has fewer than ${requests} requests left`)
  }

  readonly drive: Lane['drive'] = async (load) => {
    const { key, amount, durationMs, newConnections } = load
    const burst = newConnections ? 'fresh' : 'burst'
    const part = durationMs === null ? burst : 'step'
    const everyMs = newConnections ? Math.min(freshEveryMs, maxFreshMs / amount) : 0
    const takesMs = durationMs === null ? amount * (everyMs || eachMs) : durationMs + endMs
    const most = newConnections ? Math.max(...this.plan.connections) : load.connections
    const shape = { key, part, requests: amount, users: Math.min(most, amount), everyMs } as const
    this.#send({ ...shape, forMs: durationMs ?? maxLateMs }, takesMs)
    const counts = { ...zeroCounts(), [durationMs === null ? 'refused' : 'served']: amount }
    return { sent: amount, ended: 'done', counts }
  }

  readonly keepPace: Lane['keepPace'] = async (key, perSecond, amount) => {
    const everyMs = 1_000 / perSecond
    // All slices are one phase.
    const before = this.phases.at(-1)?.scenario === this.#scenario ? this.phases.pop() : undefined
    const requests = amount + (before?.requests ?? 0)
    const [users = 1] = this.plan.connections
    const pace = { part: 'pace', key, requests, users, everyMs } as const
    const when = { atMs: before?.atMs ?? this.#fromMs, forMs: requests * everyMs + maxLateMs }
    this.#send({ ...pace, ...when }, Math.max(0, amount - 1) * everyMs)
    return undefined
  }

  /** Its requests are noted, and taken to be served. */
  readonly handleOf: Lane['handleOf'] = (key) => {
    const send = async () => this.#call(key.label)
    return new KeyHandle(key, {
      ...{ call: send, insist: send, insistApart: send, spare: () => 0, responses: () => [] },
      rest: async () => this.#rest(key.label),
      ...{ waitForRetryAfter: atOnce, waitForMinute: atOnce, pass: this.pass },
      ...{ instant: false, clockMs: async () => this.nowMs() },
    })
  }

  #call(key: string): AnsweredExchange {
    const last = this.#latest.get(key)?.phase
    // After its burst a key is refused.
    const isTry = last?.scenario === this.#scenario && last.part !== 'request'
    this.#send({ key, ...(isTry && ({ part: 'try', forMs: maxBanMs } as const)) }, requestMs)
    const bytes = new Uint8Array()
    return {
      ...{ seq: 0, at: '', check: this.#scenario, key, sentMs: 0, receivedMs: 0, movedMs: 0 },
      ...{ apiRequest: loadRequest, noResponse: null },
      request: { method: 'GET', url: '', headers: [], body: null },
      response: { status: isTry ? 429 : 200, headers: [], bytes, cut: true },
    }
  }

  #send(given: Partial<Phase> & Pick<Phase, 'key'>, takesMs: number): void {
    const atMs = Math.max(this.#fromMs, this.#latest.get(given.key)?.endMs ?? 0)
    const busy = [...this.#latest.values()].filter(({ endMs }) => endMs > atMs)
    const first = Math.max(0, ...busy.map(({ phase }) => phase.first + phase.users))
    const phase = { ...control, scenario: this.#scenario, atMs, first, ...given }
    this.phases.push(phase)
    this.#latest.set(phase.key, { phase, endMs: atMs + takesMs })
  }
}

export const sumOf = (phases: readonly Phase[]): number =>
  phases.reduce((sum, { requests }) => sum + requests, 0)

/** The last members are computed from the others: a reader need not believe them. */
export interface LocustPlan
  extends LoadSettings,
    Pick<RunOptions, 'baseUrl' | 'allow' | 'shared' | 'headers' | 'responseTimeoutMs'> {
  /** In place of its text, which only the environment of the workers has, a key is `$NAME`. */
  readonly keys: readonly LabelledKey[]
  /** What the environment has. */
  readonly variables: readonly string[]
  readonly scenarios: readonly string[]
  readonly url: string
  readonly users: number
  readonly requests: number
  readonly seconds: number
  readonly phases: readonly Phase[]
}

/** @throws Error of one line where the plan would exceed a limit */
export const makePlan = async (
  input: Omit<LocustPlan, 'url' | 'users' | 'requests' | 'seconds' | 'phases'>,
): Promise<LocustPlan> => {
  const lane = new PlannedLane(planLoad({ ...input, clockUrl: null }, input))
  const chosen = scenarios.filter(({ id }) => input.scenarios.includes(id))
  for (const each of chosen) await lane.take(each)
  // A user takes its phases in this order.
  const phases = lane.phases.toSorted((a, b) => a.atMs - b.atMs)
  const most = (of: (phase: Phase) => number) => Math.max(...phases.map(of))
  return {
    ...{ ...input, requests: sumOf(phases), phases },
    url: `${chooseRoot(new URL(input.baseUrl), 'base')}${loadRequest.path}`,
    users: most(({ first, users }) => first + users),
    seconds: Math.ceil(most(({ atMs, forMs }) => atMs + forMs) / 1_000),
  }
}

const alone = 'it sends single requests, which one machine does: leave out --to'

/** @throws Error of one line where there can be no such plan */
export const filesForLocust = async (
  given: Omit<RunOptions, 'seed' | 'strict' | 'signal'> & {
    readonly scenarios: readonly Scenario[]
    readonly load: LoadSettings
  },
) => {
  const { reach, baseUrl, allow, shared, responseTimeoutMs, secrets } = given
  if (reach.insecure || reach.identity) throw new Error('of TLS options --to locust has only --ca')
  const keys = labelKeys(given.keys)
  if (keys.some(({ key }) => baseUrl.includes(key))) throw new Error('the base URL has a key in it')
  const load = { ...given.load, connections: [Math.max(...given.load.connections)] }
  const all = planAll(given.scenarios, planLoad(given, load))
  const lackOf = ({ scenario, lack }: (typeof all)[number]) =>
    scenario.adapts ? alone : lack?.message
  const leftOut = all.filter(lackOf).map((one) => `${one.scenario.id} is left out: ${lackOf(one)}`)
  if (leftOut.length === all.length) throw new Error(`no scenario: ${leftOut[0]}`)
  const hidden = [...secrets, ...keys.map(({ key, variable }) => ({ text: key, name: variable }))]
  /** With names in place of secrets, which the workers fill in. */
  const nameSecrets = (value: string) =>
    hidden.reduce((all, { text, name }) => all.replaceAll(text, () => `\${${name}}`), value)
  const plan = await makePlan({
    ...{ ...load, baseUrl, allow, shared, responseTimeoutMs },
    keys: keys.map((key) => ({ ...key, key: `$${key.variable}` })),
    variables: [...new Set(hidden.map(({ name }) => name))],
    headers: given.headers.map(([name, value]) => [name, nameSecrets(value)]),
    scenarios: all.filter((one) => !lackOf(one)).map(({ scenario }) => scenario.id),
  })
  if (plan.requests > given.maxRequests) {
    throw new Error(`${plan.requests} requests are more than --max-requests ${given.maxRequests}`)
  }
  const copied = ['locustfile.py', 'requirements.txt', 'README.md'].map((name) => {
    return [name, readFileSync(new URL(name, import.meta.url), 'utf8')] as const
  })
  const files = [...copied, ['plan.json', `${JSON.stringify(plan, null, 2)}\n`] as const]
  return { files: reach.ca ? [...files, ['ca.pem', reach.ca] as const] : files, plan, leftOut }
}
