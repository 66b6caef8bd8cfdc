// Judges what workers sent as one history, with the verdicts of the scenarios.
import type { LoadScenarioFigures, RunFile } from '../../engine/check/run-file.ts'
import { recordClauses } from '../../engine/run/judge-clauses.ts'
import { plainTarget, type RunOptions, type RunSink } from '../../engine/run/run-options.ts'
import { addNote, type RunState } from '../../engine/run/run-state.ts'
import { Session } from '../../engine/run/session.ts'
import { chooseRoot, type Exchange, isAnswered, memoized } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { retryAfterMs } from '../../history/rate-headers.ts'
import type { Clause } from '../../model/clause.ts'
import { createFates, loadRequest, maxRecorded } from '../load-sample.ts'
import { Meter } from '../meter.ts'
import type { Gathered } from '../phases.ts'
import { finishLoad } from '../run-load.ts'
import { judgeScenario } from '../run-scenario.ts'
import type { LoadPlan, Scenario } from '../scenario.ts'
import type { Thresholds } from '../thresholds.ts'
import { alignWorkers } from './clocks.ts'
import { inOrder, type LocustPlan, optionsOf, settingsOf } from './plan.ts'
import type { Samples, WorkerSample } from './samples.ts'

interface Given extends Pick<RunOptions, 'strict' | 'command' | 'seed'> {
  readonly thresholds: Thresholds | null
  readonly clauses: readonly Clause[]
}

const sessionFor = ({ input }: LocustPlan, early: boolean, given: Given, sink: RunSink) => {
  const options: RunOptions = {
    ...plainTarget,
    ...given,
    baseUrl: input.baseUrl,
    keys: optionsOf(input),
    allow: input.allow,
    shared: input.shared,
    maxRequests: Number.POSITIVE_INFINITY,
    responseTimeoutMs: input.timeoutSeconds * 1_000,
    signal: early ? AbortSignal.abort() : new AbortController().signal,
  }
  return new Session(options, sink)
}

/** Makes exchanges of samples, whose times are those since the common start. */
const createExchanges = (session: Session, plan: LocustPlan, startsAtMs: number) => {
  const url = `${chooseRoot(session.baseUrl, 'base')}${loadRequest.path}`
  return memoized((sample: WorkerSample): Exchange => {
    const key = session.keys.find(({ label }) => label === sample.key)
    const authorization = ['Authorization', `Bearer ${key?.key}`] as const
    return {
      ...sample,
      seq: session.nextSeq(),
      at: new Date(startsAtMs + sample.sentMs).toISOString(),
      check: plan.phases[sample.place]?.scenario ?? '',
      movedMs: 0,
      ...(key && { quota: key.quota }),
      apiRequest: loadRequest,
      request: { method: 'GET', url, headers: [authorization, ...plan.headers], body: null },
    }
  })
}

/** What the workers sent of a scenario, in the order in which it ended. */
const gather = (
  { phases }: LocustPlan,
  id: string,
  samples: readonly WorkerSample[],
  exchangeOf: (sample: WorkerSample) => Exchange,
) => {
  const total = new Meter()
  const parts = new Map<string, Meter>()
  const workers = new Map<string, Meter>()
  const meterOf = (all: Map<string, Meter>, name: string) => {
    const own = all.get(name) ?? new Meter()
    all.set(name, own)
    return own
  }
  const fateOf = createFates((sample) => retryAfterMs(exchangeOf(sample as WorkerSample)))
  const partOf = ({ place }: WorkerSample) => phases[place]?.part ?? ''
  for (const sample of samples) {
    const fate = fateOf(sample)
    const own = [total, meterOf(parts, partOf(sample)), meterOf(workers, `worker ${sample.worker}`)]
    const { receivedMs, dueMs, sentMs } = sample
    for (const meter of own) meter.take(sample, fate, receivedMs, dueMs ?? sentMs)
  }
  const of = (part: string, label?: string) =>
    samples.filter((one) => partOf(one) === part && one.key === (label ?? one.key))
  const responses = (part: string, label?: string) =>
    of(part, label).map(exchangeOf).filter(isAnswered)
  const planned = phases.filter(({ scenario, upTo }) => scenario === id && !upTo)
  const missing = (part: string, label: string) =>
    planned
      .filter((phase) => phase.part === part && phase.key === label)
      .reduce((sum, { requests }) => sum + requests, 0) - responses(part, label).length
  total.neverSent =
    planned.reduce((sum, { requests }) => sum + requests, 0) -
    samples.filter(({ place }) => !phases[place]?.upTo).length
  const gathered: Gathered = {
    responses,
    figures: (part) => (part === undefined ? total : meterOf(parts, part)).figures(),
    latestMs: () => Math.max(0, ...samples.map(({ sentMs, dueMs }) => sentMs - (dueMs ?? sentMs))),
    round: (part, key) => {
      const { label } = key
      const probes = responses(`${part}-probe`, label)
      const burst = responses(part, label)
      if (burst.length === 0) throw new Untested('ambiguous', `no response to a burst of ${label}`)
      const beganMs = Math.min(...of(part, label).map(({ sentMs }) => sentMs))
      // What a probe announced in the middle of the burst is not what was left before it.
      const isBefore = ({ receivedMs }: Exchange) => receivedMs <= beganMs
      return {
        key,
        probes: probes.filter(isBefore),
        burst: [...probes.filter((one) => !isBefore(one)), ...burst],
        lost: missing(part, label) + missing(`${part}-probe`, label),
      }
    },
  }
  const byWorker = [...workers].map(([name, meter]) => [name, meter.figures()] as const)
  const ownFigures = byWorker
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([name, { sent, neverSent, counts, latency }]) => {
      return [name, { sent, neverSent, counts, latency }] as const
    })
  return { gathered, figures: { ...total.figures(), workers: Object.fromEntries(ownFigures) } }
}

type Judged = ReturnType<typeof gather>

/** @throws Untested where too little is known of what was sent */
const see = (scenario: Scenario, { gathered, figures }: Judged, plan: LoadPlan, gap?: Untested) => {
  if (gap) throw gap
  if (figures.sent === 0) throw new Untested('interrupted', 'nothing of it was sent')
  return scenario.distributed?.see(gathered, plan)
}

/** @returns the run file of the load that the workers sent */
export const judgeSamples = async (
  { plan, files, gaps }: Samples,
  given: Given,
  sink: RunSink,
): Promise<RunFile> => {
  const early = files.some((file) => file.early)
  let lines = 0
  const exchange = (line: string) => {
    lines += 1
    sink.exchange?.(line)
  }
  const session = sessionFor(plan, early, given, { ...sink, exchange })
  const state: RunState = { session, results: [], notes: [], impossible: null }
  const { samples, notes, startsAtMs } = alignWorkers(files)
  for (const note of [...gaps, ...notes]) addNote(state, note)
  const gap = gaps.length > 0 ? new Untested('blocked', gaps.join('; ')) : undefined
  const exchangeOf = createExchanges(session, plan, startsAtMs)
  const settings = settingsOf(plan.input)
  const scenarios = inOrder(plan.input.scenarios)
  const load: LoadScenarioFigures[] = []
  for (const scenario of scenarios) {
    const { id, says } = scenario
    const own = samples.filter(({ place }) => plan.phases[place]?.scenario === id)
    for (const _ of own) session.budget.count(id)
    for (const sample of own.slice(0, maxRecorded)) session.record(exchangeOf(sample))
    const judged = gather(plan, id, own, exchangeOf)
    const held = { plan: settings, figures: judged.figures }
    judgeScenario(state, scenario, held, () => see(scenario, judged, settings, gap))
    const connections = Math.max(...settings.connections)
    load.push({ id, says, connections, columns: { target: judged.figures } })
  }
  const applicable = given.clauses.filter(({ applies }) => session.trace.some(applies))
  recordClauses(state, applicable)
  await session.close()
  const unsent = load.reduce((sum, { columns }) => sum + (columns.target?.neverSent ?? 0), 0)
  if (unsent > 0) addNote(state, `${unsent} requests of the plan were not sent`)
  const durationMs = Math.max(0, ...samples.map(({ receivedMs }) => receivedMs))
  const run = { scenarios, target: session.options, thresholds: given.thresholds }
  return finishLoad(state, run, { startedAt: new Date(startsAtMs), durationMs, lines, load }, gap)
}
