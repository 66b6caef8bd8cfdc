// Judges what workers sent as one history, with the verdicts of the scenarios.
import type { Fate, LoadScenarioFigures, RunFile } from '../../engine/check/run-file.ts'
import { openWires } from '../../engine/http/target-clock.ts'
import { recordClauses } from '../../engine/run/judge-clauses.ts'
import { plainTarget, type RunOptions, type RunSink } from '../../engine/run/run-options.ts'
import type { Session } from '../../engine/run/session.ts'
import { controlId } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { givenDateMs } from '../../history/rate-headers.ts'
import type { Clause } from '../../model/clause.ts'
import { openPlace } from '../load-server.ts'
import { Meter } from '../meter.ts'
import { OpenLane } from '../open-lane.ts'
import type { Kept } from '../pace.ts'
import { finishLoad } from '../run-load.ts'
import { judgeScenario } from '../run-scenario.ts'
import type { Thresholds } from '../thresholds.ts'
import { chosenBy, sumOf } from './plan.ts'
import type { Phase } from './planned-lane.ts'
import { gapsIn, type Sent, type WorkerFile, type WorkerFiles } from './samples.ts'

export interface Judging extends Pick<RunOptions, 'strict' | 'command' | 'seed'> {
  readonly thresholds: Thresholds | null
  readonly clauses: readonly Clause[]
}

/** A Date is in whole seconds. */
const maxApartMs = 1_500

/** Compares the clocks and the starts of workers by the target's Date. @returns what is wrong */
const compareStarts = (session: Session, [first, ...others]: WorkerFiles): string[] => {
  /** The time at the target minus that since the start; not finite without a Date. */
  const startOf = ({ sent }: WorkerFile): number =>
    sent.reduce((latestMs, { response, receivedMs }) => {
      const dateMs = givenDateMs({ at: '', response })
      return Math.max(latestMs, (dateMs ?? Number.NEGATIVE_INFINITY) - receivedMs)
    }, Number.NEGATIVE_INFINITY)
  const firstMs = startOf(first)
  const than = `that of worker ${first.worker}, by the target's Date`
  return others.flatMap((file) => {
    const lateMs = startOf(file) - firstMs
    if (!Number.isFinite(lateMs)) return []
    const aheadMs = file.startsAtMs - first.startsAtMs - lateMs
    if (Math.abs(aheadMs) > maxApartMs) {
      const how = `${Math.abs(aheadMs / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
      session.note(`the clock of worker ${file.worker} is about ${how} ${than}: it is not used`)
    }
    const isLate = Math.abs(lateMs) > maxApartMs
    return isLate ? [`the start of worker ${file.worker} was at another time than ${than}`] : []
  })
}

/** What a message of the start is delayed at most, where the clocks do not show it. */
const maxDelayMs = 250

/** Where clocks agree, they show how much later than another a worker began. */
const howFarApart = (files: WorkerFiles): number => {
  const starts = files.map(({ startsAtMs }) => startsAtMs)
  return Math.min(maxDelayMs, Math.max(...starts) - Math.min(...starts))
}

type Ended = readonly { readonly one: Sent; readonly fate: Fate }[]

const metered = (sent: Ended) => {
  const meter = new Meter()
  for (const { one, fate } of sent) meter.take(one, fate, one.receivedMs, one.dueMs)
  return meter.figures()
}

/** Of a step, and of the tries to see the end of a ban, there may be fewer. */
const isExact = ({ part }: Phase): boolean => part !== 'step' && part !== 'try'

/** Counts what was not sent of some phases, and what was step by step. @returns it by worker */
const measure = ({ meter }: OpenLane, phases: readonly Phase[], sent: Ended) => {
  for (const [phase, each] of Map.groupBy(sent, ({ one }) => one.phase)) {
    if (phase.part === 'step') meter.step(phase.users, metered(each))
  }
  meter.neverSent =
    sumOf(phases.filter(isExact)) - sent.filter(({ one }) => isExact(one.phase)).length
  const workers = [...Map.groupBy(sent, ({ one }) => one.worker)].sort(([a], [b]) => a - b)
  // The series of the target is that of all.
  return workers.map(([worker, each]) => {
    return [`worker ${worker}`, { ...metered(each), seconds: [] }] as const
  })
}

/** @returns the run file of the load that the workers sent */
export const judgeSamples = async (
  files: WorkerFiles,
  given: Judging,
  sink: RunSink,
): Promise<RunFile> => {
  const [{ plan, startsAtMs }] = files
  const options: RunOptions = {
    ...{ ...plainTarget, ...plan, ...given, maxRequests: Number.POSITIVE_INFINITY },
    signal: files.some(({ early }) => early) ? AbortSignal.abort() : new AbortController().signal,
  }
  // Times are those since the common start.
  const wires = { ...openWires(options), wallMs: () => startsAtMs + performance.now() }
  const place = openPlace({ column: 'target', options }, [], sink, wires)
  const { session, calls } = place
  const gaps = [...gapsIn(files), ...compareStarts(session, files)]
  for (const note of gaps) session.note(note)
  const gap = gaps.length > 0 ? new Untested('blocked', gaps.join('; ')) : undefined
  const all = files.flatMap(({ sent }) => sent)
  const byScenario = Map.groupBy(all, ({ phase }) => phase.scenario)
  const laneOf = (id: string) => new OpenLane(place, id, plan, 1)
  const apartMs = howFarApart(files)
  laneOf(controlId).take(byScenario.get(controlId) ?? [], apartMs)
  const { chosen: scenarios } = chosenBy(plan)
  const load = scenarios.map((scenario): LoadScenarioFigures => {
    const { id, says } = scenario
    const own = byScenario.get(id) ?? []
    // Those that spend keys begin with the full quota.
    for (const { label } of scenario.repeats ? session.keys : []) calls.rested(label)
    const lane = laneOf(id)
    const phases = plan.phases.filter((phase) => phase.scenario === id)
    const workers = measure(lane, phases, lane.take(own, apartMs))
    const see = (): Kept => {
      if (gap) throw gap
      const [first] = own
      if (!first) throw new Untested('interrupted', 'nothing of it was sent')
      const latestMs = own.reduce((most, { sentMs, dueMs }) => Math.max(most, sentMs - dueMs), 0)
      return { perSecond: 1_000 / first.phase.everyMs, latestMs }
    }
    const target = lane.figures()
    const history = calls.historyOf(session.history)
    const judged = gap ? [] : history.exchanges.filter(({ check }) => check === id)
    judgeScenario(
      session,
      scenario,
      { plan: lane.plan, figures: target, history, own: judged },
      see,
    )
    const columns = { target, ...Object.fromEntries(workers) }
    return { id, says, connections: Math.max(...plan.connections), columns }
  })
  recordClauses(
    session,
    given.clauses.filter(({ applies }) => session.trace.some(applies)),
  )
  await session.close()
  const durationMs = all.reduce((most, { receivedMs }) => Math.max(most, receivedMs), 0)
  const measured = { startedAt: new Date(startsAtMs), durationMs, load }
  return finishLoad(session, { ...given, scenarios, target: options }, measured, gap)
}
