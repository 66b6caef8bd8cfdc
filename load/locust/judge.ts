// Judges what workers sent as one history, with the verdicts of the scenarios.
import type { LoadFigures, LoadScenarioFigures, RunFile } from '../../engine/check/run-file.ts'
import { recordClauses } from '../../engine/run/judge-clauses.ts'
import { plainTarget, type RunOptions, type RunSink } from '../../engine/run/run-options.ts'
import { addNote, type RunState } from '../../engine/run/run-state.ts'
import { Session } from '../../engine/run/session.ts'
import { type Exchange, unauthorized } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { givenDateMs, retryAfterMs } from '../../history/rate-headers.ts'
import type { Clause } from '../../model/clause.ts'
import { Calls, loadRequest, maxRecorded } from '../calls.ts'
import { createFates, Meter } from '../meter.ts'
import type { Gathered, Phase } from '../phases.ts'
import { finishLoad } from '../run-load.ts'
import { judgeScenario } from '../run-scenario.ts'
import type { Thresholds } from '../thresholds.ts'
import { optionsOf, scenariosOf, settingsOf, sumOf } from './plan.ts'
import { gapsIn, type WorkerFile, type WorkerFiles } from './samples.ts'

export interface Judging extends Pick<RunOptions, 'strict' | 'command' | 'seed'> {
  readonly thresholds: Thresholds | null
  readonly clauses: readonly Clause[]
}

interface Sent extends Exchange {
  readonly phase: Phase
  readonly worker: number
  readonly dueMs: number
}

/** Of a scenario: only the first request of a plan has no key. */
type Keyed = Sent & { readonly key: string }

/** The body was not kept: the status decides. */
const unread = { bytes: new Uint8Array(), cut: true } as const

/** The lines of all files as exchanges, whose times are those since the common start. */
const listSent = ({ keys, nextSeq }: Session, files: WorkerFiles): Sent[] => {
  const [{ plan, startsAtMs }] = files
  const phases = plan.phases.map((phase) => {
    const key = keys.find(({ label }) => label === phase.key)
    const authorization = key ? [['Authorization', `Bearer ${key.key}`] as const] : []
    const headers = [...authorization, ...plan.headers]
    return {
      ...{ phase, check: phase.scenario, key: key?.label ?? null, movedMs: 0 },
      ...(key && { quota: key.quota }),
      apiRequest: key ? loadRequest : unauthorized(loadRequest),
      request: { method: 'GET', url: plan.url, headers, body: null },
    }
  })
  const lines = files.flatMap(({ worker, ...file }) =>
    file.lines.map((one) => ({ ...one, worker })),
  )
  lines.sort((a, b) => a.sentMs - b.sentMs)
  return lines.map(({ phase, response, ...line }) => ({
    ...line,
    ...(phases[phase] as (typeof phases)[number]),
    response: response && { ...response, ...unread },
    seq: nextSeq(),
    at: new Date(startsAtMs + line.sentMs).toISOString(),
  }))
}

/** A Date is in whole seconds. */
const maxApartMs = 1_500

/** Compares the clocks and the starts of workers by the target's Date. @returns what is wrong */
const compareStarts = (state: RunState, [first, ...others]: WorkerFiles, all: readonly Sent[]) => {
  const dated = Map.groupBy(all.filter(givenDateMs), ({ worker }) => worker)
  /** The time at the target minus that since the start; no number without a Date. */
  const startOf = ({ worker }: WorkerFile): number =>
    dated
      .get(worker)
      ?.map((sent) => Number(givenDateMs(sent)) - sent.receivedMs)
      .reduce((a, b) => Math.max(a, b)) ?? Number.NaN
  const firstMs = startOf(first)
  return others.flatMap((file) => {
    const lateMs = startOf(file) - firstMs
    const aheadMs = file.startsAtMs - first.startsAtMs - lateMs
    const than = `that of worker ${first.worker}, by the target's Date`
    if (Math.abs(aheadMs) > maxApartMs) {
      const how = `${Math.abs(aheadMs / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
      addNote(state, `the clock of worker ${file.worker} is about ${how} ${than}: it is not used`)
    }
    const isLate = Math.abs(lateMs) > maxApartMs
    return isLate ? [`the start of worker ${file.worker} was at another time than ${than}`] : []
  })
}

/** What the workers sent of a scenario: in all, by worker, and by part. */
const gather = (phases: readonly Phase[], id: string, own: readonly Keyed[]) => {
  const fateOf = createFates((sample) => retryAfterMs(sample as Keyed))
  const [target, workers, parts] = [new Meter(), new Map<number, Meter>(), new Map<string, Meter>()]
  const inMap = <Name>(meters: Map<Name, Meter>, name: Name): Meter => {
    const meter = meters.get(name) ?? new Meter()
    meters.set(name, meter)
    return meter
  }
  for (const sent of own.toSorted((a, b) => a.receivedMs - b.receivedMs)) {
    const meters = [target, inMap(workers, sent.worker), inMap(parts, sent.phase.part)]
    const fate = fateOf(sent)
    for (const meter of meters) meter.take(sent, fate, sent.receivedMs, sent.dueMs)
  }
  const planned = phases.filter(({ scenario, upTo }) => scenario === id && !upTo)
  target.neverSent = sumOf(planned) - own.filter(({ phase }) => !phase.upTo).length
  const gathered: Gathered = {
    figures: (part) => inMap(parts, part).figures(),
    latestMs: () => own.reduce((most, { sentMs, dueMs }) => Math.max(most, sentMs - dueMs), 0),
  }
  const byWorker = [...workers].sort(([a], [b]) => a - b)
  const columns: Record<string, LoadFigures> = Object.fromEntries(
    // The series of the target is that of all.
    byWorker.map(([worker, meter]) => [`worker ${worker}`, { ...meter.figures(), seconds: [] }]),
  )
  return { gathered, columns: { target: target.figures(), ...columns } }
}

const record = ({ budget, record }: Session, calls: Calls, own: readonly Sent[]): void => {
  for (const [at, sent] of own.entries()) {
    budget.count(sent.check)
    if (at < maxRecorded) record(sent)
    calls.add(sent)
  }
}

/** @returns the run file of the load that the workers sent */
export const judgeSamples = async (
  files: WorkerFiles,
  given: Judging,
  sink: RunSink,
): Promise<RunFile> => {
  const [{ plan, startsAtMs }] = files
  const { baseUrl, allow, shared, headers } = plan
  const target: RunOptions = {
    ...{ ...plainTarget, ...given, baseUrl, allow, shared, headers, keys: optionsOf(plan) },
    maxRequests: Number.POSITIVE_INFINITY,
    responseTimeoutMs: plan.timeoutSeconds * 1_000,
    signal: files.some(({ early }) => early) ? AbortSignal.abort() : new AbortController().signal,
  }
  const session = new Session(target, sink)
  const state: RunState = { session, results: [], notes: [], impossible: null }
  const all = listSent(session, files)
  const gaps = [...gapsIn(files), ...compareStarts(state, files, all)]
  for (const note of gaps) addNote(state, note)
  const gap = gaps.length > 0 ? new Untested('blocked', gaps.join('; ')) : undefined
  const byScenario = Map.groupBy(all, ({ check }) => check)
  const calls = new Calls()
  const scenarios = scenariosOf(plan)
  for (const [id, own] of byScenario) {
    // Those that spend keys begin with the full quota.
    const isRested = scenarios.some((each) => each.id === id && each.repeats)
    for (const { label } of isRested ? session.keys : []) calls.rested(label)
    record(session, calls, own)
  }
  const settings = settingsOf(plan)
  const history = calls.historyOf(session.history)
  const load = scenarios.map((scenario): LoadScenarioFigures => {
    const { id, says, distributed } = scenario
    const { gathered, columns } = gather(plan.phases, id, (byScenario.get(id) ?? []) as Keyed[])
    const { target: figures } = columns
    const see = () => {
      if (gap) throw gap
      if (figures.sent === 0) throw new Untested('interrupted', 'nothing of it was sent')
      return distributed?.see(gathered, settings)
    }
    const own = gap ? [] : history.exchanges.filter(({ check }) => check === id)
    judgeScenario(state, scenario, { plan: settings, figures, history, own }, see)
    return { id, says, connections: Math.max(...plan.connections), columns }
  })
  const applicable = given.clauses.filter(({ applies }) => session.trace.some(applies))
  recordClauses(state, applicable)
  await session.close()
  const measured = {
    startedAt: new Date(startsAtMs),
    durationMs: all.at(-1)?.receivedMs ?? 0,
    load,
  }
  return finishLoad(state, { ...given, scenarios, target }, measured, gap)
}
