// Judges what workers sent as one history, with the verdicts of the scenarios.
import type {
  Fate,
  LoadFigures,
  LoadScenarioFigures,
  RunFile,
} from '../../engine/check/run-file.ts'
import { recordClauses } from '../../engine/run/judge-clauses.ts'
import { plainTarget, type RunOptions, type RunSink } from '../../engine/run/run-options.ts'
import { addNote, type RunState } from '../../engine/run/run-state.ts'
import { Session } from '../../engine/run/session.ts'
import {
  type AnsweredExchange,
  type Exchange,
  isAnswered,
  unauthorized,
} from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { givenDateMs, retryAfterMs } from '../../history/rate-headers.ts'
import type { Clause } from '../../model/clause.ts'
import { createFates, loadRequest, maxRecorded } from '../load-sample.ts'
import { Meter } from '../meter.ts'
import type { Gathered, Phase } from '../phases.ts'
import { finishLoad } from '../run-load.ts'
import { judgeScenario } from '../run-scenario.ts'
import type { Thresholds } from '../thresholds.ts'
import { inOrder, type LocustPlan, optionsOf, settingsOf, sumOf } from './plan.ts'
import { gapsIn, type WorkerFiles } from './samples.ts'

interface Given extends Pick<RunOptions, 'strict' | 'command' | 'seed'> {
  readonly thresholds: Thresholds | null
  readonly clauses: readonly Clause[]
}

interface Sent extends Exchange {
  readonly phase: Phase
  readonly worker: number
  readonly dueMs: number
}

const openSession = (plan: LocustPlan, early: boolean, given: Given, sink: RunSink): Session => {
  const options: RunOptions = {
    ...{ ...plainTarget, ...given, ...plan, keys: optionsOf(plan), secrets: [] },
    maxRequests: Number.POSITIVE_INFINITY,
    responseTimeoutMs: plan.timeoutSeconds * 1_000,
    signal: early ? AbortSignal.abort() : new AbortController().signal,
  }
  return new Session(options, sink)
}

/** The lines of all files as exchanges, whose times are those since the common start. */
const listSent = ({ keys, nextSeq }: Session, files: WorkerFiles): Sent[] => {
  const [{ plan, startsAtMs }] = files
  const commonOf = (label: string) => {
    const key = keys.find((each) => each.label === label)
    const authorization = key ? [['Authorization', `Bearer ${key.key}`] as const] : []
    const headers = [...authorization, ...plan.headers]
    return {
      key: key?.label ?? null,
      ...(key && { quota: key.quota }),
      apiRequest: key ? loadRequest : unauthorized(loadRequest),
      request: { method: 'GET', url: plan.url, headers, body: null },
    }
  }
  const phases = plan.phases.map((phase) => ({ phase, ...commonOf(phase.key) }))
  const lines = files.flatMap((file) => file.lines.map((line) => ({ ...line, file })))
  lines.sort((a, b) => a.received - b.received)
  return lines.map(({ phase, due, sent, received, status, headers, error, file }): Sent => {
    const common = phases[phase] as (typeof phases)[number]
    const noResponse = /timeout|timed out/i.test(error ?? '') ? 'timeout' : 'reset'
    // The body was not kept: the status decides.
    const response = { status, headers, bytes: new Uint8Array(), cut: true }
    return {
      ...common,
      ...(error === null
        ? { response, noResponse: null }
        : { response: null, noResponse, noAnswerWhy: error }),
      seq: nextSeq(),
      at: new Date(startsAtMs + sent).toISOString(),
      check: common.phase.scenario,
      movedMs: 0,
      ...{ worker: file.worker, dueMs: due ?? sent, sentMs: sent, receivedMs: received },
    }
  })
}

/** A Date is in whole seconds, and its text may be a little old. */
const dateMs = 1_500

/** Bounds of the time at the target minus that since the common start. */
const boundsOf = (own: readonly Sent[]) => {
  let [min, max] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const sent of own) {
    const date = givenDateMs(sent)
    if (date === undefined) continue
    min = Math.max(min, date - sent.receivedMs)
    max = Math.min(max, date + dateMs - sent.sentMs)
  }
  return { min, max }
}

/** Workers that began at another time than the first one, by the target's Date. */
const lateIn = (all: readonly Sent[]): string[] => {
  const [first, ...others] = [...Map.groupBy(all, ({ worker }) => worker)]
    .map(([worker, own]) => ({ worker, ...boundsOf(own) }))
    // Where the Dates contradict each other they say nothing of the worker.
    .filter(({ min, max }) => Number.isFinite(min) && min <= max)
  return others
    .filter(({ min, max }) => first && (min > first.max || max < first.min))
    .map(({ worker }) => `worker ${worker} began at another time, by the target's Date`)
}

/** As all began together, what the clocks said then shows how they differ. */
const clockNotes = ([first, ...others]: WorkerFiles): string[] =>
  others.flatMap(({ worker, startsAtMs }) => {
    const aheadMs = startsAtMs - first.startsAtMs
    if (Math.abs(aheadMs) < dateMs) return []
    const by = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
    return [`the clock of worker ${worker} is ${by} that of worker ${first.worker}: it is not used`]
  })

/** What the workers sent of a scenario. @param own in the order in which it ended */
const gather = (phases: readonly Phase[], id: string, own: readonly Sent[]) => {
  const fateOf = createFates((sample) => retryAfterMs(sample as Sent))
  const fates = own.map((sent) => fateOf(sent as Sent & { key: string }))
  const planned = phases.filter(({ scenario, upTo }) => scenario === id && !upTo)
  const figuresOf = (isOf: (sent: Sent) => boolean): LoadFigures => {
    const meter = new Meter()
    for (const [at, sent] of own.entries()) {
      const key = sent.phase.key
      if (isOf(sent)) meter.take({ ...sent, key }, fates[at] as Fate, sent.receivedMs, sent.dueMs)
    }
    return meter.figures()
  }
  const answered = own.filter((sent): sent is Sent & AnsweredExchange => isAnswered(sent))
  const gathered: Gathered = {
    responses: (part) => answered.filter(({ phase }) => phase.part === part),
    figures: (part) => figuresOf(({ phase }) => part === undefined || phase.part === part),
    latestMs: () => own.reduce((most, { sentMs, dueMs }) => Math.max(most, sentMs - dueMs), 0),
    round: (part, key) => {
      const isOf = (phase: Phase) => phase.key === key.label && phase.part.startsWith(part)
      const all = answered.filter(({ phase }) => isOf(phase))
      const began = own.filter(({ phase }) => phase.key === key.label && phase.part === part)
      const beganMs = Math.min(...began.map(({ sentMs }) => sentMs))
      // What a probe announced in the middle of the burst is not what was left before it.
      const burst = all.filter(({ receivedMs }) => receivedMs > beganMs)
      if (burst.length === 0) {
        throw new Untested('ambiguous', `no response to a burst of ${key.label}`)
      }
      const probes = all.filter(({ receivedMs }) => receivedMs <= beganMs)
      return { key, probes, burst, lost: sumOf(planned.filter(isOf)) - all.length }
    },
  }
  const neverSent = sumOf(planned) - own.filter(({ phase }) => !phase.upTo).length
  const workers = [...new Set(own.map(({ worker }) => worker))].sort((a, b) => a - b)
  const columns = {
    target: { ...figuresOf(() => true), neverSent },
    ...Object.fromEntries(
      workers.map((number) => [`worker ${number}`, figuresOf(({ worker }) => worker === number)]),
    ),
  }
  return { gathered, columns }
}

/** @returns the run file of the load that the workers sent */
export const judgeSamples = async (
  files: WorkerFiles,
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
  const session = openSession(plan, early, given, { ...sink, exchange })
  const state: RunState = { session, results: [], notes: [], impossible: null }
  const all = listSent(session, files)
  const gaps = [...gapsIn(files), ...lateIn(all)]
  for (const note of [...gaps, ...clockNotes(files)]) addNote(state, note)
  const gap = gaps.length > 0 ? new Untested('blocked', gaps.join('; ')) : undefined
  const byScenario = Map.groupBy(all, ({ check }) => check)
  for (const [id, own] of byScenario) {
    for (const _ of own) session.budget.count(id)
    for (const sent of own.slice(0, maxRecorded)) session.record(sent)
  }
  const settings = settingsOf(plan)
  const connections = Math.max(...settings.connections)
  const scenarios = inOrder(plan.scenarios)
  const load = scenarios.map((scenario): LoadScenarioFigures => {
    const { id, says, distributed } = scenario
    const { gathered, columns } = gather(plan.phases, id, byScenario.get(id) ?? [])
    const figures = columns.target
    judgeScenario(state, scenario, { plan: settings, figures }, () => {
      if (gap) throw gap
      if (figures.sent === 0) throw new Untested('interrupted', 'nothing of it was sent')
      return distributed?.see(gathered, settings)
    })
    if (figures.neverSent > 0) {
      addNote(state, `${id}: ${figures.neverSent} requests of the plan were not sent`)
    }
    return { id, says, connections, columns }
  })
  recordClauses(
    state,
    given.clauses.filter(({ applies }) => session.trace.some(applies)),
  )
  await session.close()
  const durationMs = all.at(-1)?.receivedMs ?? 0
  const run = { scenarios, target: session.options, thresholds: given.thresholds }
  const measured = { startedAt: new Date(startsAtMs), durationMs, lines, load }
  return finishLoad(state, run, measured, gap)
}
