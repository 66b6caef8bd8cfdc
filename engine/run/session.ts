// What a run has, and its checks share.

import { randomBytes } from 'node:crypto'
import { DateWatch } from '../../history/date-watch.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  type Exchange,
  isAnswered,
  statusCode,
} from '../../history/exchange.ts'
import { RunHistory } from '../../history/history.ts'
import type { PetIndex } from '../../history/known-pets.ts'
import { Categories, Names } from '../../history/naming.ts'
import { Untested, type Violation } from '../../history/outcome.ts'
import { write } from '../../history/quote.ts'
import type { Clause } from '../../model/clause.ts'
import { noteDue } from '../../model/due.ts'
import { Judge } from '../../model/judge.ts'
import { statusDue } from '../../model/status.ts'
import type { Pace, TargetClock } from '../check/context.ts'
import type { Value } from '../check/declare.ts'
import type { PackedOperation } from '../check/parts.ts'
import type { CheckResult, Evidence, Interruption } from '../check/run-file.ts'
import { type Client, Connections } from '../http/client.ts'
import { createEvidence, printLine } from '../http/recorder.ts'
import { Redactor } from '../http/redact.ts'
import { openWires, type Wires } from '../http/target-clock.ts'
import { Budget } from '../quota/budget.ts'
import { Governor } from '../quota/governor.ts'
import type { Draw } from './draw.ts'
import type { Entry } from './journal.ts'
import type { Packs } from './packs.ts'
import { type LabelledKey, labelKeys, type RunOptions, type RunSink } from './run-options.ts'

export const waitRefused = ({ governor }: Session) => {
  const doubt = governor.falseZero()
  const message = 'it would have to wait in real time (--no-wait)'
  return new Untested('budget', doubt ? `${message}: ${doubt}` : message)
}

export class Session {
  readonly options: RunOptions
  readonly sink: RunSink
  readonly client: Client
  readonly clock: TargetClock | null
  readonly pace: Pace
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
  readonly knownPets: PetIndex
  readonly categories: Categories
  readonly history: RunHistory
  /** Whole responses, in the order in which they came. */
  readonly trace: readonly AnsweredExchange[]
  /** Whether it is not known yet if the target is the one that a resumed run began with. */
  isTentative = false
  /** What is being found out about a key that may have been withdrawn. */
  readonly withdrawing = new Map<string, Promise<void>>()
  /** Which values of rows it sends. */
  draw: Draw | undefined
  /** What it sends of a row. */
  readonly valuesOf: Draw['valuesOf'] = (row) => this.draw?.valuesOf(row) ?? row.values ?? []
  /** The valid rows that are left. */
  packs: Packs | undefined
  /** Sends values of the next rows, and packs, several at a time. */
  ahead:
    | {
        readonly responseTo: (value: Value) => Promise<AnsweredExchange | undefined>
        readonly sendPacks: (operation: PackedOperation, status: number) => Promise<void>
      }
    | undefined
  /** What may explain the responses of a group, and was asked for. */
  readonly confirmed = new Set<string>()
  /** By kind, how many odd requests got no response in time, and the last one. */
  readonly silent = new Map<string | undefined, { times: number; last: ApiRequest }>()
  /** Groups of violations of which one was found of a request that was sent alone. */
  readonly failedAlone = new Set<string>()
  /** When the monotonic time of this process was 0, on the scale of the run: Unix milliseconds. */
  startMs: number
  /** The target's time when this run, or its resumption, ran its first check. */
  targetStartMs = 0
  /** By how much its test clock is ahead of this machine without the moves by this run. */
  clockAheadMs: number | undefined
  /** Says that the check that runs is sent again. */
  again: () => void = () => {}
  /** Whether requests wait for the quota of their keys. */
  isPatient = true
  /** Whether each request has a new connection. */
  isFresh = false
  /** Lines of exchanges.ndjson. */
  recorded = 0
  readonly results: CheckResult[] = []
  /** By check, its violation as a result, by what is known when it is called. */
  readonly violated = new Map<string, () => CheckResult>()
  readonly notes: string[] = []
  /** Why the run could not start, or not run to its end. */
  impossible: string | null = null
  /** Why the checks that are left are untested, if the run ends early and is not impossible. */
  cut: Untested | undefined
  interruptions: readonly Interruption[] | undefined
  /** The check whose failure ended the run (--bail). */
  bailedBy: string | undefined
  readonly #dates = new DateWatch()
  #judge: Judge | undefined
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
    const { names, categories } = this
    this.history = new RunHistory({ names, categories, shared: options.shared })
    this.trace = this.history.exchanges
    this.knownPets = this.history.knownPets
    for (const { key, variable } of this.keys) this.redactor.hideKey(key, `$${variable}`)
    for (const { text, name } of options.secrets) this.redactor.hideKey(text, `$${name}`)
    this.evidenceOf = createEvidence(this.redactor, reach.curl)
    this.budget = new Budget(options)
    this.governor = new Governor(this.keys, this.pace, this.#beforeWait, options)
    this.#seq = past?.seq ?? 0
  }

  readonly nextSeq = (): number => {
    this.#seq += 1
    return this.#seq
  }
  /** Writes an entry before the next thing is done. */
  readonly journal = (entry: Entry): void => this.sink.journal?.(JSON.stringify(entry))

  /** Adds a note to the run, once, even if a resumed run finds it again. */
  readonly note = (message: string): void => {
    const text = write(message, this.redactor)
    if (this.notes.includes(text)) return
    this.notes.push(text)
    this.journal({ kind: 'note', text })
    this.sink.event({ kind: 'note', text })
  }

  readonly waiting = (ms: number, why: string): void =>
    this.sink.event({ kind: 'waiting', ms, why: write(why, this.redactor) })

  readonly #beforeWait = (ms: number, why: string): void => {
    if (this.options.noWait && !this.pace.instant) throw waitRefused(this)
    if (!this.isPatient) throw new Untested('budget', 'no key has a call left in its minute')
    if (!this.pace.instant) this.budget.takeTime(ms)
    // A moved clock takes no time.
    if (!this.pace.instant) this.waiting(ms, why)
  }

  /** Unix milliseconds, monotonic over all interruptions; without moves of the target's clock. */
  readonly runMs = (): number => this.pace.now() - this.pace.movedMs() + this.startMs

  /** Marks an exchange whose Date contradicts the time at the target. */
  readonly dated = (exchange: Exchange): Exchange => this.#dates.mark(exchange)

  /** A key was revoked: it is used no more, and its 401s say nothing of the target. */
  readonly withdraw = (label: string): void => {
    const last = this.trace.findLast((one) => one.key === label && statusCode(one) !== 401)
    this.history.voidKey(label, last?.seq ?? 0)
    this.governor.setSelectable(label, false)
  }

  /** That the status of a response is not due. */
  readonly shows = (exchange: Exchange): Violation | undefined =>
    isAnswered(exchange)
      ? this.#judge?.violatedBy(exchange).find(({ clause }) => clause.id === statusDue.id)
          ?.violation
      : undefined

  /** From now on each response is judged when it comes; a load is judged when it has ended. */
  readonly judgeBy = (clauses: readonly Clause[]): void => {
    this.#judge = new Judge(this.history, clauses)
  }

  /** @throws Error before `judgeBy` */
  get judge(): Judge {
    if (!this.#judge) throw new Error('this run judges no response while it sends')
    return this.#judge
  }

  /** Keeps an exchange for what is judged later; does not touch the quota. */
  readonly learn = (exchange: Exchange): void => {
    if (isAnswered(exchange)) {
      noteDue(exchange, this.history)
      this.budget.keep(exchange.response.bytes.length)
    }
    this.history.complete(exchange)
    if (!this.isTentative) this.#judge?.judge()
  }

  readonly record = (exchange: Exchange): void => {
    this.recorded += 1
    this.sink.exchange?.(printLine(exchange, this.redactor, this.startMs))
    this.sink.event({ kind: 'request', sent: this.budget.sent() })
    this.learn(exchange)
  }
}
