// One run's connection to its target: everything that its checks share, and a context for each.

import type { Ask } from './asker.ts'
import type { Context } from './context.ts'
import { createContexts } from './contexts.ts'
import type { Answered, Exchange } from './exchange.ts'
import { isAnswered } from './exchange.ts'
import type { Herd } from './herd.ts'
import { createHerd } from './herd.ts'
import type { Journal } from './past/journal.ts'
import { createJournal } from './past/journal.ts'
import type { Retelling } from './past/retell.ts'
import type { ToldTime } from './past/told-time.ts'
import { createToldTime } from './past/told-time.ts'
import type { RestAddress } from './quota/address-rest.ts'
import { createRestAddress } from './quota/address-rest.ts'
import type { Budget } from './quota/budget.ts'
import { createBudget } from './quota/budget.ts'
import type { Governor } from './quota/governor.ts'
import { createGovernor } from './quota/governor.ts'
import { mostByCheckFor } from './quota/limits.ts'
import type { Pace } from './quota/pace.ts'
import { write } from './quote.ts'
import { createEvidence, type EvidenceOf, lineOf } from './record.ts'
import type { Redactor } from './redact.ts'
import { createRedactor } from './redact.ts'
import type { KeyOption, RunOptions, RunSink } from './run-options.ts'
import { createSending, type Sending } from './sending.ts'
import { type Connections, createConnections } from './wire/connections.ts'
import type { TargetClock } from './wire/target-clock.ts'
import type { Wires } from './wire/wires.ts'
import type { Withdrawals } from './withdrawn.ts'

/** A key of the run, named by plan and position. */
export interface LabelledKey extends KeyOption {
  readonly label: string
}

export interface Session {
  readonly ask: Ask
  readonly budget: Budget
  readonly governor: Governor
  readonly pace: Pace
  readonly herd: Herd
  readonly redactor: Redactor
  readonly evidenceOf: EvidenceOf
  readonly clock: TargetClock | null
  readonly wallMs: () => number
  readonly restAddress: RestAddress
  /** Told before each wait, with its length and its reason. */
  readonly waiting: (ms: number, why: string) => void
  /** Whole answers, in the order in which they came. */
  readonly trace: readonly Answered[]
  /** The number of the next exchange, for what another client sends. */
  readonly nextSeq: () => number
  /** Writes an exchange down, and remembers it. */
  readonly record: (exchange: Exchange) => void
  readonly contextOf: (id: string) => Context
  readonly journal: Journal
  /** The run as it was before it was broken off, while it is told. */
  readonly retelling: Retelling
  readonly time: ToldTime
  readonly withdrawals: Withdrawals
  readonly connections: Connections
  readonly news: Sending['news']
  readonly close: () => Promise<void>
}

export const labelKeys = (keys: readonly KeyOption[]): LabelledKey[] => {
  const met = new Map<string, number>()
  return keys.map((key) => {
    const position = (met.get(key.plan) ?? 0) + 1
    met.set(key.plan, position)
    return { ...key, label: `${key.plan}-${position}` }
  })
}

/** @param keys those that the run uses; the first one is what forgeries are made of */
export const openSession = (
  options: RunOptions,
  keys: readonly LabelledKey[],
  runId: string,
  sink: RunSink,
  base: Wires,
): Session => {
  const past = options.past ?? null
  const journal = createJournal(sink.journal ?? null)
  const time = createToldTime(base, past !== null, {
    latest: () => retelling.latest(),
    hasMore: () => retelling.hasMore(),
    noted: journal.add,
  })
  const { client, clock, pace, wallMs, close } = time.wires
  const redactor = createRedactor()
  for (const { key } of keys) redactor.hideKey(key)
  for (const { text, name } of options.secrets) redactor.hideForgery(text, `$${name}`)
  const evidenceOf = createEvidence(redactor, options.reach.curl)
  const maxRequestsByCheck = options.maxRequestsByCheck ?? mostByCheckFor(keys)
  const budget = createBudget({ ...options, maxRequestsByCheck })
  const { herd, learn } = createHerd()
  const trace: Answered[] = []
  const waiting = (ms: number, why: string) => {
    if (!time.isTelling()) sink.event({ kind: 'waiting', ms, why: write(why, redactor) })
  }
  const governor = createGovernor(
    keys,
    pace,
    waiting,
    options.allow.includes('day'),
    options.carried,
  )
  const restAddress = createRestAddress(pace, waiting)
  const connections = createConnections()

  const record = (exchange: Exchange) => {
    if (!time.isTelling()) {
      journal.answered(exchange)
      sink.exchange(lineOf(exchange, redactor))
    }
    sink.event({ kind: 'request', sent: budget.sent() })
    if (!isAnswered(exchange)) return
    trace.push(exchange)
    budget.keep(exchange.response.bytes.length)
    learn(exchange)
  }

  const { ask, withdrawals, news, retelling, nextSeq } = createSending({
    ...{ options, keys, client, governor, budget, pace, wallMs, redactor, journal, time },
    ...{ record, trace, connections },
  })

  const contextOf = createContexts({
    ...{ options, keys, runId, ask, governor, pace, wallMs, herd, redactor, clock, trace },
    brokenAt: retelling.brokenAt,
  })

  const shared = { ask, budget, governor, pace, herd, clock, wallMs, trace }
  const told = { redactor, evidenceOf, journal, retelling, time, withdrawals, connections, news }
  return { ...shared, ...told, nextSeq, record, restAddress, waiting, contextOf, close }
}
