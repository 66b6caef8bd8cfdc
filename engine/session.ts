// One run's connection to its target: everything that its checks share, and a context for each.

import { type Connections, createConnections } from './client/client.ts'
import type { Pace } from './client/target-clock.ts'
import type { Wires } from './client/wires.ts'
import type { Context, KnownPets, TargetClock } from './context.ts'
import { createContexts } from './contexts.ts'
import { type AnsweredExchange, type Exchange, isAnswered } from './exchange.ts'
import { createKnownPets } from './pets/known-pets.ts'
import { type Budget, createBudget } from './quota/budget.ts'
import {
  type AddressWait,
  createAddressWait,
  createGovernor,
  type Governor,
} from './quota/governor.ts'
import { maxByCheckFor, waitRefused } from './quota/limits.ts'
import { createDateWatch } from './quota/rate-headers.ts'
import { createEvidence, type EvidenceOf, lineOf } from './record/record.ts'
import { createRedactor, type Redactor } from './record/redact.ts'
import { write } from './record/text.ts'
import type { Journal } from './resume/journal.ts'
import type { KeyOption, RunOptions, RunSink } from './run-options.ts'
import { type Ask, createAsk, createWithdrawals, type Withdrawals } from './send.ts'

/** A key of the run, named by plan and position. */
export interface LabelledKey extends KeyOption {
  readonly label: string
}

export interface Session {
  readonly ask: Ask
  readonly budget: Budget
  readonly governor: Governor
  readonly pace: Pace
  readonly knownPets: KnownPets
  readonly redactor: Redactor
  readonly evidenceOf: EvidenceOf
  readonly clock: TargetClock | null
  readonly wallMs: () => number
  readonly waitForAddress: AddressWait
  /** Called before each wait, with its length and its reason. */
  readonly waiting: (ms: number, why: string) => void
  /** Whole responses, in the order in which they came. */
  readonly trace: readonly AnsweredExchange[]
  /** The number of the next exchange, for what another client sends. */
  readonly nextSeq: () => number
  /** Writes an exchange to the sink, and learns from it. */
  readonly record: (exchange: Exchange) => void
  /** Keeps an exchange for what is judged later; does not touch the quota. */
  readonly learn: (exchange: Exchange) => void
  /** Marks an exchange whose Date does not show the time at the target. */
  readonly dated: (exchange: Exchange) => Exchange
  readonly contextOf: (id: string) => Context
  readonly journal: Journal
  readonly withdrawals: Withdrawals
  readonly connections: Connections
  /** Notes for the reader of the run since the last call. */
  readonly news: () => readonly string[]
  readonly close: () => Promise<void>
}

export const labelKeys = (keys: readonly KeyOption[]): LabelledKey[] => {
  const positions = new Map<string, number>()
  return keys.map((key) => {
    const position = (positions.get(key.plan) ?? 0) + 1
    positions.set(key.plan, position)
    return { ...key, label: `${key.plan}-${position}` }
  })
}

/** @param keys those that the run uses; invalid keys are derived from the first one */
export const openSession = (
  options: RunOptions,
  keys: readonly LabelledKey[],
  runId: string,
  sink: RunSink,
  { client, clock, pace, wallMs, close }: Wires,
): Session => {
  const journal: Journal = (entry) => sink.journal?.(JSON.stringify(entry))
  const redactor = createRedactor()
  for (const { key } of keys) redactor.hideKey(key)
  for (const { text, name } of options.secrets) redactor.hideForgery(text, `$${name}`)
  const maxRequestsByCheck = options.maxRequestsByCheck ?? maxByCheckFor(keys)
  const budget = createBudget({ ...options, maxRequestsByCheck })
  const { knownPets, learn: learnPets } = createKnownPets()
  const trace: AnsweredExchange[] = []
  const waiting = (ms: number, why: string) =>
    sink.event({ kind: 'waiting', ms, why: write(why, redactor) })
  const beforeWait: typeof waiting = (ms, why) => {
    if (options.noWait && !pace.instant) throw waitRefused()
    waiting(ms, why)
  }
  const mayEndDays = options.allow.includes('day')
  const governor = createGovernor(keys, pace, beforeWait, mayEndDays, options.carried)
  const connections = createConnections()
  const dated = createDateWatch()
  let seq = options.past?.seq ?? 0
  const nextSeq = () => ++seq

  const learn = (exchange: Exchange) => {
    if (!isAnswered(exchange)) return
    trace.push(exchange)
    budget.keep(exchange.response.bytes.length)
    learnPets(exchange)
  }
  const record = (exchange: Exchange) => {
    sink.exchange(lineOf(exchange, redactor))
    sink.event({ kind: 'request', sent: budget.sent() })
    learn(exchange)
  }

  const withdrawals = createWithdrawals(
    createAsk({
      ...{ client, governor, budget, pace, keys, nextSeq, wallMs, journal, dated, record },
      baseUrl: new URL(options.baseUrl),
      headers: options.headers,
      isFresh: connections.isFresh,
      signal: options.signal,
    }),
    keys.map(({ label }) => label),
    trace,
    (label) => governor.use(label, false),
  )
  const { ask } = withdrawals
  const shared = { ask, governor, pace, knownPets, clock, wallMs, trace, redactor, journal }
  return {
    ...shared,
    ...{ budget, dated, learn, nextSeq, record, waiting, withdrawals, connections, close },
    evidenceOf: createEvidence(redactor, options.reach.curl),
    waitForAddress: createAddressWait(pace, beforeWait),
    contextOf: createContexts({ ...shared, options, keys, runId }),
    news: () => [withdrawals, connections].flatMap((each) => each.news()),
  }
}
