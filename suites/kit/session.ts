// One run's connection to its target: everything that its checks share, and a context for each.
import type { Ask } from './asker.ts'
import { createAsker } from './asker.ts'
import type { Budget } from './budget.ts'
import { createBudget } from './budget.ts'
import { seedOf } from './chance.ts'
import type { Client } from './client.ts'
import { createClient } from './client.ts'
import type { Context, TargetClock } from './context.ts'
import { controlId, createControls } from './control.ts'
import { readDescription } from './description.ts'
import type { Answered, Exchange } from './exchange.ts'
import { isAnswered } from './exchange.ts'
import type { Governor } from './governor.ts'
import { createGovernor } from './governor.ts'
import type { Herd } from './herd.ts'
import { createHerd } from './herd.ts'
import type { JsonObject } from './json.ts'
import { createCategories, createNames } from './naming.ts'
import { Untested } from './outcome.ts'
import type { Pace } from './pace.ts'
import { createPace } from './pace.ts'
import { lineOf } from './record.ts'
import type { Redactor } from './redact.ts'
import { createRedactor, forgeWith } from './redact.ts'
import { get } from './request.ts'
import type { KeyOption, RunOptions, RunSink } from './run-options.ts'
import { createSettled } from './settled.ts'
import { createTargetClock } from './target-clock.ts'

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
  readonly clock: TargetClock | null
  /** Whole answers, in the order in which they came. */
  readonly trace: readonly Answered[]
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

const noClock: TargetClock = {
  now: () => Promise.reject(new Untested('clock', 'the target has no test clock (--clock URL)')),
  advance: () => noClock.now(),
  set: () => noClock.now(),
}

interface Wires {
  readonly client: Client
  readonly clock: TargetClock | null
  readonly pace: Pace
  readonly close: () => Promise<void>
}

const openWires = (options: RunOptions): Wires => {
  const { ca, proxy, answerTimeoutMs: timeoutMs, signal } = options
  const client = createClient({ origin: new URL(options.baseUrl).origin, timeoutMs, ca, proxy })
  if (options.clockUrl === null) {
    return { client, clock: null, pace: createPace(null, signal), close: client.close }
  }
  const url = new URL(options.clockUrl)
  const clockClient = createClient({ origin: url.origin, timeoutMs, ca, proxy: null })
  const path = `${url.pathname}${url.search}`
  const clock = createTargetClock(clockClient, path, (ms) => pace.moved(ms))
  const pace: Pace = createPace(clock, signal)
  const close = async () => {
    await Promise.all([client.close(), clockClient.close()])
  }
  return { client, clock, pace, close }
}

/** @param keys those that the run uses; the first one is what forgeries are made of */
export const openSession = (
  options: RunOptions,
  keys: readonly LabelledKey[],
  runId: string,
  sink: RunSink,
): Session => {
  const { client, clock, pace, close } = openWires(options)
  const redactor = createRedactor()
  for (const { key } of keys) redactor.hideKey(key)
  const budget = createBudget(options.maxRequests)
  const { herd, learn } = createHerd()
  const trace: Answered[] = []
  const governor = createGovernor(keys, pace, (ms, why) => sink.event({ kind: 'waiting', ms, why }))

  const record = (exchange: Exchange) => {
    sink.exchange(lineOf(exchange, redactor))
    sink.event({ kind: 'request', sent: budget.sent() })
    if (!isAnswered(exchange)) return
    trace.push(exchange)
    learn(exchange)
  }

  const ask = createAsker({
    baseUrl: new URL(options.baseUrl),
    client,
    governor,
    budget,
    keyOf: (label) => keys.find((key) => key.label === label)?.key ?? '',
    headers: options.headers,
    signal: options.signal,
    record,
  })

  const names = createNames(runId)
  const categories = createCategories(options.categories, runId)
  const newPet = (members: JsonObject = {}): JsonObject => ({
    name: names.fresh(),
    categoryId: categories.any,
    ...members,
  })
  const askAs = (id: string) => (request: Parameters<Context['call']>[0]) => ask(id, request, false)
  const control = createControls({ call: askAs(controlId), newPet, herd, allow: options.allow })

  const together =
    (id: string): Context['together'] =>
    async (requests) => {
      // Past a reset it is not known how many may go at once: one answer tells.
      if (governor.isUnsure()) await askAs(id)(get('/pets?limit=1'))
      return Promise.all(requests.map((request) => ask(id, request, true)))
    }

  const contextOf = (id: string): Context => ({
    call: askAs(id),
    together: together(id),
    control,
    settled: createSettled(herd, pace),
    herd,
    names,
    categories,
    newPet,
    forge: forgeWith(redactor, keys[0]?.key ?? ''),
    clock: clock ?? noClock,
    description: () => readDescription(options),
    seed: seedOf(options.seed, id),
  })

  return { ask, budget, governor, pace, herd, redactor, clock, trace, contextOf, close }
}
