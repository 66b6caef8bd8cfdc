// One run's connection to its target: everything that its checks share, and a context for each.
import type { RestAddress } from './address-rest.ts'
import { createRestAddress } from './address-rest.ts'
import type { Ask } from './asker.ts'
import { createAsker } from './asker.ts'
import type { Budget } from './budget.ts'
import { checkMost, createBudget } from './budget.ts'
import type { Context, TargetClock } from './context.ts'
import { createContexts } from './contexts.ts'
import type { Answered, Exchange } from './exchange.ts'
import { isAnswered } from './exchange.ts'
import type { Governor } from './governor.ts'
import { createGovernor } from './governor.ts'
import type { Herd } from './herd.ts'
import { createHerd } from './herd.ts'
import type { Notes } from './notes.ts'
import { createNotes } from './notes.ts'
import type { Pace } from './pace.ts'
import { lineOf } from './record.ts'
import type { Redactor } from './redact.ts'
import { createRedactor } from './redact.ts'
import type { KeyOption, RunOptions, RunSink } from './run-options.ts'
import type { Wires } from './wires.ts'

/** A key of the run, named by plan and position. */
export interface LabelledKey extends KeyOption {
  readonly label: string
}

export interface Session {
  readonly ask: Ask
  readonly budget: Budget
  readonly governor: Governor
  readonly pace: Pace
  readonly notes: Notes
  readonly herd: Herd
  readonly redactor: Redactor
  readonly clock: TargetClock | null
  readonly wallMs: () => number
  readonly restAddress: RestAddress
  /** Whole answers, in the order in which they came. */
  readonly trace: readonly Answered[]
  /** The number of the next exchange, for what another client sends. */
  readonly nextSeq: () => number
  /** Writes an exchange down, and remembers it. */
  readonly record: (exchange: Exchange) => void
  readonly contextOf: (id: string) => Context
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
  wires: Wires,
): Session => {
  const { client, clock, pace, wallMs, close } = wires
  const redactor = createRedactor()
  for (const { key } of keys) redactor.hideKey(key)
  for (const { text, name } of options.secrets) redactor.hideForgery(text, `$${name}`)
  const budget = createBudget(options.maxRequests, options.maxRequestsByCheck ?? checkMost)
  const { herd, learn } = createHerd()
  const trace: Answered[] = []
  const waiting = (ms: number, why: string) => sink.event({ kind: 'waiting', ms, why })
  const governor = createGovernor(keys, pace, waiting)
  const restAddress = createRestAddress(pace, waiting)
  // By the test clock days pass of which the notebook of real ones knows nothing.
  const notebook = clock === null ? (options.notebook ?? null) : null
  const notes: Notes = createNotes(notebook, options.baseUrl, keys)

  const record = (exchange: Exchange) => {
    notes.hear(exchange)
    sink.exchange(lineOf(exchange, redactor))
    sink.event({ kind: 'request', sent: budget.sent() })
    if (!isAnswered(exchange)) return
    trace.push(exchange)
    budget.keep(exchange.response.bytes.length)
    learn(exchange)
  }

  let seq = 0
  const nextSeq = () => {
    seq += 1
    return seq
  }
  const ask = createAsker({
    baseUrl: new URL(options.baseUrl),
    client,
    governor,
    budget,
    notes,
    nextSeq,
    keyOf: (label) => keys.find((key) => key.label === label)?.key ?? '',
    headers: options.headers,
    signal: options.signal,
    movedMs: pace.movedMs,
    wallMs,
    record,
  })

  const contextOf = createContexts({
    options,
    keys,
    runId,
    ask,
    governor,
    pace,
    notes,
    wallMs,
    herd,
    redactor,
    clock,
    trace,
  })

  const shared = { ask, budget, governor, pace, notes, herd, redactor, clock, wallMs, trace }
  const end = async () => {
    notes.save()
    await close()
  }
  return { ...shared, nextSeq, record, restAddress, contextOf, close: end }
}
