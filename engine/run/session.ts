// What a run has and its checks share, and a context for each of them.

import { randomBytes } from 'node:crypto'
import {
  type AnsweredExchange,
  type ApiRequest,
  controlId,
  type Exchange,
  isAnswered,
} from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import type { JsonObject } from '../../history/json.ts'
import { PetIndex } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import { write } from '../../history/quote.ts'
import { DateWatch } from '../../history/target-dates.ts'
import type { Context, Limits, Pace, TargetClock } from '../check/context.ts'
import { createAged, createControls } from '../check/control-request.ts'
import { Categories, createNewPet, deriveSeed, Names, takenFrom } from '../check/naming.ts'
import type { CheckResult, Evidence, Interruption } from '../check/run-file.ts'
import { chooseBanKey, isAmple, usualWalk } from '../check/spendable-keys.ts'
import { type Client, Connections, createQueue } from '../http/client.ts'
import { type Connection, maxInFlight } from '../http/http1.ts'
import { readDescription } from '../http/published-description.ts'
import { createEvidence, printLine } from '../http/recorder.ts'
import { forgeWith, Redactor } from '../http/redact.ts'
import { openWires, type Wires } from '../http/target-clock.ts'
import { Budget } from '../quota/budget.ts'
import { Governor } from '../quota/governor.ts'
import type { Journal } from './journal.ts'
import { Packs } from './packs.ts'
import { type LabelledKey, labelKeys, type RunOptions, type RunSink } from './run-options.ts'
import { type Ask, allEnded, askTogether, createAsk } from './send.ts'
import { Withdrawals } from './withdrawals.ts'

const noClock: TargetClock = {
  now: () => Promise.reject(new Untested('clock', 'the target has no test clock (--clock URL)')),
  advance: () => noClock.now(),
  set: () => noClock.now(),
}

/** With `--no-wait` a pause of a second is no wait yet. */
const maxPauseMs = 1_500

const waitRefused = () => new Untested('budget', 'it would have to wait in real time (--no-wait)')

/** What the rate-limit suites may do that others may not: exhaust a key until it is refused. */
const createLimits = (session: Session): ((check: string) => Limits) => {
  const { ask, governor, budget, pace, keys, options } = session
  const banKey = chooseBanKey(keys)
  return (check) => {
    const send = (label: string, request: ApiRequest, connection?: Connection) =>
      ask(check, { ...request, key: label, insists: true }, connection)
    return {
      keys: keys.filter((key) => key !== banKey),
      banKey,
      instant: pace.instant,
      // A run that follows in this process needs what is left, and so may other clients.
      spare: options.carried || options.shared ? () => 0 : governor.left,
      responsesTo: (label) => session.trace.filter(({ key }) => key === label),
      rest: governor.rest,
      waitForRetryAfter: governor.waitForRetryAfter,
      nowMs: pace.now,
      pass: governor.pass,
      passRealTime: async (ms) => {
        if (options.noWait && !pace.instant && ms > maxPauseMs) throw waitRefused()
        budget.takeTime(ms)
        await pace.sleep(ms)
      },
      flood: (label, requests) =>
        allEnded(requests.map((request) => send(label, request, 'separate'))),
      sendAnyway: (label, request) => send(label, request),
      paced: async (label, request) => {
        await governor.waitForMinute(label)
        return send(label, request)
      },
    }
  }
}

/**
 * The context of the check with an id; all contexts of a run share its knowledge.
 * @param isTogether whether it sends each request on a connection of its own, next to others
 */
type ContextOf = (id: string, isTogether?: boolean) => Context

const createContexts = (session: Session): ContextOf => {
  const { options, keys, names, categories, ask, pace, knownPets, redactor, clock, trace } = session
  const { allow, seed } = options
  const callAs =
    (id: string, isTogether = false): Context['call'] =>
    (request) =>
      isTogether ? session.together(() => ask(id, request, 'together')) : ask(id, request)
  let demanded: JsonObject = {}
  const newPet = createNewPet(names, categories, () => demanded)
  const inAll = { allow, history: session.history, knownPets, names, categories, newPet }
  const demand = (members: JsonObject) => {
    demanded = members
  }
  const control = createControls({ ...inAll, call: callAs(controlId), trace, demand })
  const aged = createAged(knownPets, pace)
  const limitsOf = createLimits(session)
  const isPlenty = isAmple(options)
  let description: Promise<unknown> | undefined
  return (id, isTogether) => ({
    ...inAll,
    control,
    aged,
    call: callAs(id, isTogether),
    packed: (send) => session.packs.run(id, send),
    together: askTogether(session, id),
    ahead: async (makers) => makers.map(() => undefined),
    sample: (all, count) => (isPlenty ? all : takenFrom(all, count, deriveSeed(seed, id))),
    limits: limitsOf(id),
    forge: (make, label) => {
      // Invalid keys are derived from the first one.
      const { key = '', variable } = keys.find((each) => each.label === label) ?? keys[0] ?? {}
      return forgeWith(redactor, key, variable)(make)
    },
    clock: clock ?? noClock,
    description: () => {
      description ??= readDescription(options)
      return description
    },
    seed: deriveSeed(seed, id),
    seedOf: (name) => deriveSeed(seed, name),
    walk: clock ? (options.walk ?? usualWalk) : 0,
  })
}

/** What a run has, and its checks share. */
export class Session {
  readonly options: RunOptions
  readonly sink: RunSink
  readonly client: Client
  readonly clock: TargetClock | null
  readonly pace: Pace
  /** The wall clock of this machine, in Unix milliseconds. */
  readonly wallMs: () => number
  readonly close: () => Promise<void>
  readonly baseUrl: URL
  readonly keys: readonly LabelledKey[]
  /** A few letters and digits, others in every run. */
  readonly runId: string
  readonly names: Names
  readonly redactor = new Redactor()
  readonly evidenceOf: (exchange: Exchange) => Evidence
  readonly budget: Budget
  readonly governor: Governor
  readonly connections = new Connections()
  /** For what is in flight together, each on a connection of its own. */
  readonly together = createQueue(maxInFlight)
  readonly knownPets = new PetIndex()
  readonly categories: Categories
  readonly history: History
  readonly withdrawals: Withdrawals
  readonly contextOf: ContextOf
  /** The valid rows that are left. */
  packs: Packs
  /** When the monotonic time of this process was 0, on the scale of the run: Unix milliseconds. */
  startMs: number
  /** Whether requests wait for the quota of their keys. */
  isPatient = true
  /** Whether each request has a new connection. */
  isFresh = false
  /** Lines of exchanges.ndjson. */
  recorded = 0
  readonly results: CheckResult[] = []
  readonly notes: string[] = []
  /** Why the run could not start, or not run to its end. */
  impossible: string | null = null
  /** From this exchange on nothing is judged: the target is no longer the same. */
  judgedToSeq: number | undefined
  /** Why the checks that are left are untested, if the run ends early and is not impossible. */
  cut: Untested | undefined
  interruptions: readonly Interruption[] | undefined
  /** The check whose failure ended the run (--bail). */
  bailedBy: string | undefined
  /** Nothing is ever removed from it. */
  readonly #trace: AnsweredExchange[] = []
  #valid: { count: number; length: number; trace: readonly AnsweredExchange[] } = {
    ...{ count: 0, length: 0, trace: [] },
  }
  readonly #dates = new DateWatch()
  #seq: number

  /** @param wires sockets and real time, unless a test has others */
  constructor(options: RunOptions, sink: RunSink, wires: Wires = openWires(options)) {
    const { keys, past, reach } = options
    this.options = options
    this.sink = sink
    this.client = wires.client
    this.clock = wires.clock
    this.pace = wires.pace
    this.wallMs = wires.wallMs
    this.startMs = wires.wallMs() + this.pace.movedMs() - this.pace.now()
    this.close = wires.close
    this.baseUrl = new URL(options.baseUrl)
    this.keys = labelKeys(keys)
    this.runId = past?.head.runId ?? options.runId ?? randomBytes(4).toString('hex')
    this.names = new Names(this.runId, past ? past.interruptions.length + 1 : 0)
    this.categories = new Categories(options.categories, this.runId, (free, accepted) =>
      this.journal({ kind: 'categories', free, accepted: accepted.map(String) }),
    )
    this.history = this.#createHistory()
    for (const { key, variable } of this.keys) this.redactor.hideKey(key, `$${variable}`)
    for (const { text, name } of options.secrets) this.redactor.hideKey(text, `$${name}`)
    this.evidenceOf = createEvidence(this.redactor, reach.curl)
    this.budget = new Budget(options)
    this.governor = new Governor(this.keys, this.pace, this.#beforeWait, options)
    this.#seq = past?.seq ?? 0
    const labels = this.keys.map(({ label }) => label)
    const leave = (label: string, why: string) => {
      this.governor.setSelectable(label, false)
      this.note(why)
    }
    this.withdrawals = new Withdrawals(createAsk(this), labels, this.#trace, leave)
    this.contextOf = createContexts(this)
    this.packs = new Packs([], this.contextOf)
  }

  /** Whole responses, in the order in which they came, but those to keys that were withdrawn. */
  get trace(): readonly AnsweredExchange[] {
    const { count, isVoid } = this.withdrawals
    if (count === 0) return this.#trace
    const { length } = this.#trace
    if (this.#valid.count !== count || this.#valid.length !== length) {
      this.#valid = { count, length, trace: this.#trace.filter((one) => !isVoid(one)) }
    }
    return this.#valid.trace
  }

  #createHistory(): History {
    const trace = () => this.trace
    const { knownPets, names, categories, options } = this
    return {
      get exchanges() {
        return trace()
      },
      ...{ knownPets, names, categories, shared: options.shared },
    }
  }

  readonly ask: Ask = (...request) => this.withdrawals.ask(...request)
  readonly nextSeq = (): number => {
    this.#seq += 1
    return this.#seq
  }
  readonly journal: Journal = (entry) => this.sink.journal?.(JSON.stringify(entry))

  /** Adds a note to the run, once, even if a resumed run finds it again. */
  readonly note = (message: string): void => {
    const text = write(message, this.redactor)
    if (this.notes.includes(text)) return
    this.notes.push(text)
    this.journal({ kind: 'note', text })
    this.sink.event({ kind: 'note', text })
  }

  /** Reports a wait. */
  readonly waiting = (ms: number, why: string): void =>
    this.sink.event({ kind: 'waiting', ms, why: write(why, this.redactor) })

  readonly #beforeWait = (ms: number, why: string): void => {
    if (this.options.noWait && !this.pace.instant) throw waitRefused()
    if (!this.isPatient) throw new Untested('budget', 'no key has a call left in its minute')
    if (!this.pace.instant) this.budget.takeTime(ms)
    this.waiting(ms, why)
  }

  /** Unix milliseconds, monotonic over all interruptions; without moves of the target's clock. */
  readonly runMs = (): number => this.pace.now() - this.pace.movedMs() + this.startMs

  /** Marks an exchange whose Date contradicts the time at the target. */
  readonly dated = (exchange: Exchange): Exchange => this.#dates.mark(exchange)

  /** Keeps an exchange for what is judged later; does not touch the quota. */
  readonly learn = (exchange: Exchange): void => {
    if (!isAnswered(exchange)) return
    this.#trace.push(exchange)
    this.budget.keep(exchange.response.bytes.length)
    this.knownPets.learn(exchange)
  }

  readonly record = (exchange: Exchange): void => {
    this.recorded += 1
    this.sink.exchange?.(printLine(exchange, this.redactor, this.startMs))
    this.sink.event({ kind: 'request', sent: this.budget.sent() })
    this.learn(exchange)
  }
}
