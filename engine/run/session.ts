// One run's connection to its target: what connects it to the outside, everything that its checks
// share, and a context for each.

import { randomBytes } from 'node:crypto'
import type { Context, Limits, Pace, TargetClock } from '../check/context.ts'
import { createControls, createSettled } from '../check/control-request.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  controlId,
  type Exchange,
  isAnswered,
  markTogether,
} from '../check/exchange.ts'
import type { JsonObject } from '../check/json.ts'
import { chooseBanKey, furtherExhausted, furtherKeys, maxByCheckFor } from '../check/keys.ts'
import { createKnownPets } from '../check/known-pets.ts'
import { createCategories, createNames, seedOf, takenFrom } from '../check/naming.ts'
import { Untested } from '../check/outcome.ts'
import { write } from '../check/quote.ts'
import { type Client, createClient, createConnections } from '../http/client.ts'
import { reachOf } from '../http/connection-options.ts'
import { readDescription } from '../http/published-description.ts'
import { createEvidence, lineOf } from '../http/recorder.ts'
import { createRedactor, forgeWith } from '../http/redact.ts'
import { createPace, createTargetClock } from '../http/target-clock.ts'
import { createBudget } from '../quota/budget.ts'
import { createDateWatch } from '../quota/dates.ts'
import { isAmple } from '../quota/experiments.ts'
import { Governor } from '../quota/governor.ts'
import type { Journal } from './journal.ts'
import { labelKeys, type RunOptions, type RunSink } from './run-options.ts'
import { allEnded, createAsk, createWithdrawals } from './send.ts'

export interface Wires {
  readonly client: Client
  readonly clock: TargetClock | null
  readonly pace: Pace
  /** The wall clock of this machine, in Unix milliseconds. */
  readonly wallMs: () => number
  readonly close: () => Promise<void>
}

/** A shorter timeout applies to the target alone: without its clock there is no run. */
const minClockTimeoutMs = 5_000

const openWires = (options: RunOptions): Wires => {
  const { reach, responseTimeoutMs: timeoutMs, signal } = options
  const target = new URL(options.baseUrl)
  const client = createClient({ origin: target, timeoutMs, reach, signal })
  const wallMs = Date.now
  if (options.clockUrl === null) {
    return { client, clock: null, pace: createPace(null, signal), wallMs, close: client.close }
  }
  const url = new URL(options.clockUrl)
  // The clock is the implementer's own; a proxy is for the target.
  const toClock = { ...reachOf(reach, target, url), proxyOf: () => null }
  const clockClient = createClient({
    origin: url,
    timeoutMs: Math.max(timeoutMs, minClockTimeoutMs),
    reach: toClock,
    signal,
  })
  const clock = createTargetClock(clockClient, url, (ms) => pace.moved(ms))
  const pace: Pace = createPace(clock, signal)
  const close = async () => {
    await Promise.all([client.close(), clockClient.close()])
  }
  return { client, clock, pace, wallMs, close }
}

const noClock: TargetClock = {
  now: () => Promise.reject(new Untested('clock', 'the target has no test clock (--clock URL)')),
  advance: () => noClock.now(),
  set: () => noClock.now(),
}

const createOnce = (): Context['once'] => {
  const made = new Map<string, Promise<unknown>>()
  const failed = new Set<string>()
  return <T>(name: string, make: () => Promise<T>) => {
    const known = made.get(name) ?? make()
    made.set(name, known)
    known.catch(() => {
      // A check that was blocked is retried, and may then try this again, once.
      if (!failed.has(name)) made.delete(name)
      failed.add(name)
    })
    return known as Promise<T>
  }
}

const askTogether =
  ({ ask, governor }: Shared, id: string): Context['together'] =>
  async (requests) => {
    const keyed = requests.filter(({ authorization }) => authorization === 'valid')
    const labels = new Set(keyed.map(({ key }) => key))
    const [label] = labels.size === 1 ? labels : []
    await governor.waitForRoom(keyed.length, label)
    // After a reset the free quota is unknown until the first response.
    const [first] = governor.isUnsure() ? keyed : []
    const alone = first && (await ask(id, first, false))
    const rest = requests.filter((request) => request !== first)
    const others = await allEnded(rest.map((request) => ask(id, request, true)))
    if (others.length > 1) markTogether(others)
    if (!first || !alone) return others
    return requests.map((request) =>
      request === first ? alone : (others[rest.indexOf(request)] as AnsweredExchange),
    )
  }

/**
 * @param demanded optional members without which the target refuses a creation
 * @param start the same for a check in every run with its seed, whatever others create
 */
const createNewPet = (
  names: Context['names'],
  categories: Context['categories'],
  demanded: () => JsonObject,
  start: number,
) => {
  let made = start
  return (members: JsonObject = {}): JsonObject => {
    const usual = { name: names.fresh(), categoryId: categories.any, ...demanded() }
    const all = { ...usual, ...members }
    made += 1
    // Each member comes first in turn: a server may lose the first one.
    const entries = Object.entries(all)
    const first = made % entries.length
    return Object.fromEntries([...entries.slice(first), ...entries.slice(0, first)])
  }
}

/** With `--no-wait` a pause of a second is no wait yet. */
const maxPauseMs = 1_500

const waitRefused = () => new Untested('budget', 'it would have to wait in real time (--no-wait)')

/** What the rate-limit suites may do that others may not: exhaust a key until it is refused. */
const createLimits = (shared: Shared): ((check: string) => Limits) => {
  const { ask, governor, budget, pace, keys, trace, wallMs, options } = shared
  const banKey = chooseBanKey(keys)
  const further = { all: furtherKeys(keys), exhausted: furtherExhausted(keys, options) }
  return (check) => {
    const send = (label: string, request: ApiRequest, parallel: boolean) =>
      ask(check, { ...request, key: label, insists: true }, parallel)
    return {
      keys: keys.filter((key) => key !== banKey),
      banKey,
      further,
      shared: options.shared,
      instant: pace.instant,
      responsesTo: (label) => trace.filter(({ key }) => key === label),
      rest: governor.rest,
      waitForRetryAfter: governor.waitForRetryAfter,
      nowMs: pace.now,
      pass: governor.pass,
      passRealTime: async (ms) => {
        if (options.noWait && !pace.instant && ms > maxPauseMs) throw waitRefused()
        budget.takeTime(ms)
        await pace.sleep(ms)
      },
      flood: (label, requests) => allEnded(requests.map((request) => send(label, request, true))),
      sendAnyway: (label, request) => send(label, request, false),
      paced: async (label, request) => {
        await governor.waitForMinute(label)
        return send(label, request, false)
      },
      wallMs,
    }
  }
}

/** @returns the context of the check with an id; all contexts of a run share its knowledge */
const createContexts = (shared: Shared): ((id: string) => Context) => {
  const { options, keys, runId, ask, pace, knownPets, redactor, clock, trace } = shared
  const { allow, past, seed } = options
  const names = createNames(runId, past ? past.interruptions.length + 1 : 0)
  const categories = createCategories(options.categories, runId, (free, accepted) =>
    shared.journal({ kind: 'categories', free, accepted: accepted.map(String) }),
  )
  const callAs =
    (id: string): Context['call'] =>
    (request) =>
      ask(id, request, false)
  let demanded: JsonObject = {}
  const newPetOf = (id: string) => createNewPet(names, categories, () => demanded, seedOf(seed, id))
  const inAll = { allow, knownPets, names, categories }
  const ofControl = { newPet: newPetOf(controlId), call: callAs(controlId) }
  const demand = (members: JsonObject) => {
    demanded = members
  }
  const control = createControls({ ...inAll, ...ofControl, trace, demand })
  const once = createOnce()
  const settled = createSettled(knownPets, pace)
  const limitsOf = createLimits(shared)
  const isPlenty = isAmple(options)
  let description: Promise<unknown> | undefined
  return (id) => ({
    ...inAll,
    control,
    once,
    settled,
    newPet: newPetOf(id),
    call: callAs(id),
    together: askTogether(shared, id),
    sample: (all, count) => (isPlenty ? all : takenFrom(all, count, seedOf(seed, id))),
    limits: limitsOf(id),
    forge: (make, label) => {
      // Invalid keys are derived from the first one.
      const { key = '' } = keys.find((each) => each.label === label) ?? keys[0] ?? {}
      return forgeWith(redactor, key)(make)
    },
    clock: clock ?? noClock,
    description: () => {
      description ??= readDescription(options)
      return description
    },
    seed: seedOf(seed, id),
  })
}

const openShared = (
  options: RunOptions,
  sink: RunSink,
  { client, clock, pace, wallMs, close }: Wires,
) => {
  const keys = labelKeys(options.keys)
  /** A few letters and digits, others in every run. */
  const runId = options.past?.head.runId ?? randomBytes(4).toString('hex')
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
    if (!pace.instant) budget.takeTime(ms)
    waiting(ms, why)
  }
  const governor = new Governor(keys, pace, beforeWait, options)
  const connections = createConnections()
  const dated = createDateWatch()
  let seq = options.past?.seq ?? 0
  const nextSeq = () => ++seq

  /** Keeps an exchange for what is judged later; does not touch the quota. */
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

  const sending = { options, client, governor, budget, pace, keys, nextSeq, wallMs, connections }
  const withdrawals = createWithdrawals(
    createAsk({ ...sending, baseUrl: new URL(options.baseUrl), journal, dated, record }),
    keys.map(({ label }) => label),
    trace,
    (label) => governor.setSelectable(label, false),
  )
  return {
    ...{ options, client, keys, sink, budget, governor, pace, knownPets, redactor, clock, wallMs },
    ...{ runId, waiting, nextSeq, record, learn, dated, journal, withdrawals, connections, close },
    /** Whole responses, in the order in which they came. */
    trace: trace as readonly AnsweredExchange[],
    ask: withdrawals.ask,
    evidenceOf: createEvidence(redactor, options.reach.curl, keys),
    /** Notes for the reader of the run since the last call. */
    news: () => [withdrawals, connections].flatMap((each) => each.news()),
  }
}

type Shared = ReturnType<typeof openShared>

export interface Session extends Shared {
  readonly contextOf: (id: string) => Context
}

/** @param wires sockets and real time, unless a test has others */
export const openSession = (
  options: RunOptions,
  sink: RunSink,
  wires: Wires = openWires(options),
): Session => {
  const shared = openShared(options, sink, wires)
  return { ...shared, contextOf: createContexts(shared) }
}
