// Judges what workers sent as one history, with the verdicts of the scenarios.
import type { LoadScenarioFigures, RunFile } from '../../engine/check/run-file.ts'
import { recordClauses } from '../../engine/run/judge-clauses.ts'
import { plainTarget, type RunOptions, type RunSink } from '../../engine/run/run-options.ts'
import { addNote, type RunState } from '../../engine/run/run-state.ts'
import { Session } from '../../engine/run/session.ts'
import {
  controlId,
  type Exchange,
  isAnswered,
  memoized,
  unauthorized,
} from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { retryAfterMs } from '../../history/rate-headers.ts'
import type { Clause } from '../../model/clause.ts'
import { createFates, loadRequest, maxRecorded } from '../load-sample.ts'
import { Meter } from '../meter.ts'
import type { Gathered, Phase } from '../phases.ts'
import { finishLoad } from '../run-load.ts'
import { judgeScenario } from '../run-scenario.ts'
import type { Thresholds } from '../thresholds.ts'
import { compareClocks } from './clocks.ts'
import { inOrder, type LocustPlan, optionsOf, settingsOf } from './plan.ts'
import { gapsIn, type WorkerFile, type WorkerSample } from './samples.ts'

interface Given extends Pick<RunOptions, 'strict' | 'command' | 'seed'> {
  readonly thresholds: Thresholds | null
  readonly clauses: readonly Clause[]
}

const sessionFor = ({ input }: LocustPlan, early: boolean, given: Given, sink: RunSink) => {
  const options: RunOptions = {
    ...{ ...plainTarget, ...given, ...input, keys: optionsOf(input), secrets: [] },
    maxRequests: Number.POSITIVE_INFINITY,
    responseTimeoutMs: input.timeoutSeconds * 1_000,
    signal: early ? AbortSignal.abort() : new AbortController().signal,
  }
  return new Session(options, sink)
}

/** Makes exchanges of samples, whose times are those since the common start. */
const createExchanges = ({ keys, nextSeq }: Session, plan: LocustPlan, startsAtMs: number) =>
  memoized((sample: WorkerSample): Exchange => {
    const key = keys.find(({ label }) => label === sample.key)
    const authorization = key ? [['Authorization', `Bearer ${key.key}`] as const] : []
    const headers = [...authorization, ...plan.headers]
    return {
      ...sample,
      key: key?.label ?? null,
      seq: nextSeq(),
      at: new Date(startsAtMs + sample.sentMs).toISOString(),
      check: plan.phases[sample.place]?.scenario ?? '',
      movedMs: 0,
      ...(key && { quota: key.quota }),
      apiRequest: key ? loadRequest : unauthorized(loadRequest),
      request: { method: 'GET', url: plan.url, headers, body: null },
    }
  })

type ExchangeOf = ReturnType<typeof createExchanges>

/** Meters by name: each counts what it is given, and the whole scenario counts all. */
const createMeters = () => {
  const meters = new Map<string, Meter>()
  return (name: string): Meter => {
    const own = meters.get(name) ?? new Meter()
    meters.set(name, own)
    return own
  }
}

/** What the workers sent of a scenario. @param own in the order in which it ended */
const gather = (
  phases: readonly Phase[],
  id: string,
  own: readonly WorkerSample[],
  exchangeOf: ExchangeOf,
) => {
  const partOf = ({ place }: WorkerSample) => phases[place]?.part ?? ''
  const meter = createMeters()
  const fateOf = createFates((sample) => retryAfterMs(exchangeOf(sample as WorkerSample)))
  let latestMs = 0
  for (const sample of own) {
    const { receivedMs, sentMs, dueMs, worker } = sample
    const fate = fateOf(sample)
    for (const name of ['', partOf(sample), `worker ${worker}`]) {
      meter(name).take(sample, fate, receivedMs, dueMs ?? sentMs)
    }
    latestMs = Math.max(latestMs, sentMs - (dueMs ?? sentMs))
  }
  const of = (part: string, label?: string) =>
    own.filter((one) => partOf(one) === part && (label ?? one.key) === one.key)
  const responses = (part: string, label?: string) =>
    of(part, label).map(exchangeOf).filter(isAnswered)
  const planned = phases.filter(({ scenario, upTo }) => scenario === id && !upTo)
  const sumOf = (all: readonly Phase[]) => all.reduce((sum, { requests }) => sum + requests, 0)
  const lost = (part: string, label: string) =>
    sumOf(planned.filter((one) => one.part === part && one.key === label)) -
    responses(part, label).length
  meter('').neverSent = sumOf(planned) - own.filter(({ place }) => !phases[place]?.upTo).length
  const gathered: Gathered = {
    responses,
    figures: (part = '') => meter(part).figures(),
    latestMs: () => latestMs,
    round: (part, key) => {
      const { label } = key
      const burst = responses(part, label)
      if (burst.length === 0) throw new Untested('ambiguous', `no response to a burst of ${label}`)
      const beganMs = of(part, label).reduce((ms, { sentMs }) => Math.min(ms, sentMs), Infinity)
      // What a probe announced in the middle of the burst is not what was left before it.
      const isBefore = ({ receivedMs }: Exchange) => receivedMs <= beganMs
      const [probes, during] = [isBefore, (one: Exchange) => !isBefore(one)].map((choose) =>
        responses(`${part}-probe`, label).filter(choose),
      ) as [typeof burst, typeof burst]
      const missing = lost(part, label) + lost(`${part}-probe`, label)
      return { key, probes, burst: [...during, ...burst], lost: missing }
    },
  }
  const numbers = [...new Set(own.map(({ worker }) => worker))].sort((a, b) => a - b)
  const workers = numbers.map((number) => {
    const { sent, neverSent, counts, latency } = meter(`worker ${number}`).figures()
    return [`worker ${number}`, { sent, neverSent, counts, latency }] as const
  })
  return { gathered, figures: { ...meter('').figures(), workers: Object.fromEntries(workers) } }
}

/** @returns the run file of the load that the workers sent */
export const judgeSamples = async (
  files: readonly [WorkerFile, ...WorkerFile[]],
  given: Given,
  sink: RunSink,
): Promise<RunFile> => {
  const [{ plan, startsAtMs }] = files
  let lines = 0
  const exchange = (line: string) => {
    lines += 1
    sink.exchange?.(line)
  }
  const early = files.some((file) => file.early)
  const session = sessionFor(plan, early, given, { ...sink, exchange })
  const state: RunState = { session, results: [], notes: [], impossible: null }
  const { notes, late } = compareClocks(files)
  const gaps = [...gapsIn(files), ...late]
  for (const note of [...gaps, ...notes]) addNote(state, note)
  const gap = gaps.length > 0 ? new Untested('blocked', gaps.join('; ')) : undefined
  const samples = files.flatMap((file) => file.samples)
  samples.sort((a, b) => a.receivedMs - b.receivedMs)
  const exchangeOf = createExchanges(session, plan, startsAtMs)
  const record = (id: string) => {
    const own = samples.filter(({ place }) => plan.phases[place]?.scenario === id)
    for (const _ of own) session.budget.count(id)
    for (const sample of own.slice(0, maxRecorded)) session.record(exchangeOf(sample))
    return own
  }
  const settings = settingsOf(plan.input)
  const connections = Math.max(...settings.connections)
  const scenarios = inOrder(plan.input.scenarios)
  const load = scenarios.map((scenario): LoadScenarioFigures => {
    const { id, says, distributed } = scenario
    const { gathered, figures } = gather(plan.phases, id, record(id), exchangeOf)
    judgeScenario(state, scenario, { plan: settings, figures }, () => {
      if (gap) throw gap
      if (figures.sent === 0) throw new Untested('interrupted', 'nothing of it was sent')
      return distributed?.see(gathered, settings)
    })
    if (figures.neverSent > 0) {
      addNote(state, `${id}: ${figures.neverSent} requests of the plan were not sent`)
    }
    return { id, says, connections, columns: { target: figures } }
  })
  record(controlId)
  const applicable = given.clauses.filter(({ applies }) => session.trace.some(applies))
  recordClauses(state, applicable)
  await session.close()
  const durationMs = samples.at(-1)?.receivedMs ?? 0
  const run = { scenarios, target: session.options, thresholds: given.thresholds }
  const measured = { startedAt: new Date(startsAtMs), durationMs, lines, load }
  return finishLoad(state, run, measured, gap)
}
