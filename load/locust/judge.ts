// Judges what workers sent as one history, with the verdicts of the scenarios.
import type { Fate, LoadScenarioFigures, RunFile } from '../../engine/check/run-file.ts'
import { openWires } from '../../engine/http/target-clock.ts'
import { plainTarget, type RunOptions, type RunSink } from '../../engine/run/run-options.ts'
import type { Session } from '../../engine/run/session.ts'
import { controlId } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { givenDateMs } from '../../history/rate-headers.ts'
import { rateLimitHeaders } from '../../model/limiter/headers.ts'
import { openPlace } from '../load-server.ts'
import { Meter } from '../meter.ts'
import { OpenLane } from '../open-lane.ts'
import { finishLoad, recordApplicable } from '../run-load.ts'
import { judgeScenario } from '../run-scenario.ts'
import { scenarios as known } from '../scenarios.ts'
import type { Thresholds } from '../thresholds.ts'
import { type Phase, sumOf } from './plan.ts'
import type { Sent, WorkerFile, WorkerFiles } from './samples.ts'

/** How far starts may be apart that a Date, in whole seconds, shows to be less than that apart. */
const maxShownMs = 1_500
const maxApartMs = maxShownMs + 1_000

/** The latest time at the target minus that since the start; not finite without a Date. */
const startOf = ({ sent }: WorkerFile): number =>
  sent.reduce((latestMs, { response, receivedMs }) => {
    const dateMs = givenDateMs({ at: '', response }) ?? Number.NEGATIVE_INFINITY
    return Math.max(latestMs, dateMs - receivedMs)
  }, Number.NEGATIVE_INFINITY)

/** Compares the clocks and the starts of workers by the target's Date. @returns what is wrong */
const compareStarts = (session: Session, [first, ...others]: WorkerFiles): string[] =>
  others.flatMap((file) => {
    const lateMs = startOf(file) - startOf(first)
    const aheadMs = file.startsAtMs - first.startsAtMs - lateMs
    const than = `that of worker ${first.worker}, by the target's Date`
    const isFar = (ms: number) => Number.isFinite(ms) && Math.abs(ms) > maxShownMs
    const ahead = `${(aheadMs / 1_000).toFixed(1)} s ahead of ${than}: it is not used`
    if (isFar(aheadMs)) session.note(`the clock of worker ${file.worker} is about ${ahead}`)
    const late = `the start of worker ${file.worker} was at another time than ${than}`
    return isFar(lateMs) ? [late] : []
  })

type Ended = readonly { readonly one: Sent; readonly fate: Fate }[]

/** From the first request to the end of the last one. */
const lengthOf = (sent: Ended): number => {
  const firstMs = sent.reduce((least, { one }) => Math.min(least, one.sentMs), Infinity)
  return (sent.at(-1)?.one.receivedMs ?? firstMs) - firstMs
}

/** Without a series: that of the target is that of all. */
const metered = (sent: Ended) => {
  const meter = new Meter()
  for (const { one, fate } of sent) meter.take(one, fate, one.receivedMs, one.dueMs)
  meter.activeMs = lengthOf(sent)
  return { ...meter.figures(), seconds: [] }
}

/** Counts what was not sent of some phases, and what was step by step. @returns it by worker */
const measure = ({ meter }: OpenLane, phases: readonly Phase[], sent: Ended) => {
  if (sent.length > 0) meter.activeMs = lengthOf(sent)
  for (const { atMs, users } of phases.filter(({ part }) => part === 'step')) {
    const each = sent.filter(({ one }) => one.phase.atMs === atMs)
    if (each.length > 0) meter.step(users, metered(each))
  }
  // Of a step, and of the tries to see the end of a ban, there may be fewer.
  const isExact = ({ part }: Phase) => part !== 'step' && part !== 'try'
  const exact = sent.filter(({ one }) => isExact(one.phase))
  meter.neverSent = sumOf(phases.filter(isExact)) - exact.length
  const workers = [...Map.groupBy(sent, ({ one }) => one.worker)].sort(([a], [b]) => a - b)
  return workers.map(([worker, each]) => [`worker ${worker}`, metered(each)] as const)
}

/** @returns the run file of the load that the workers sent */
export const judgeSamples = async (
  files: WorkerFiles,
  given: Pick<RunOptions, 'strict' | 'command' | 'seed' | 'explain'> & {
    thresholds: Thresholds | null
  },
  sink: RunSink,
): Promise<RunFile> => {
  const [{ plan, startsAtMs }] = files
  const options: RunOptions = {
    ...{ ...plainTarget, ...plan, ...given, maxRequests: Number.POSITIVE_INFINITY },
    signal: files.some(({ early }) => early) ? AbortSignal.abort() : new AbortController().signal,
  }
  // Times are those since the common start.
  const wires = { ...openWires(options), wallMs: () => startsAtMs + performance.now() }
  const place = openPlace({ column: 'target', options }, sink, wires)
  const { session, calls } = place
  const gaps = [...files.flatMap((file) => file.gaps), ...compareStarts(session, files)]
  for (const note of gaps) session.note(note)
  const gap = gaps.length > 0 ? new Untested('blocked', gaps.join('; ')) : undefined
  const sent = files.flatMap((file) => file.sent)
  // One clock shows how much later than another a worker began; two may hide it.
  const starts = files.map((file) => file.startsAtMs)
  const apartMs = files.every((file) => file.hasMasterClock)
    ? Math.min(maxApartMs, Math.max(...starts) - Math.min(...starts))
    : maxApartMs
  const take = (id: string) => {
    const lane = new OpenLane(place, id, plan, 1)
    const own = sent.filter(({ phase }) => phase.scenario === id)
    return { lane, own, ended: lane.take(own, apartMs) }
  }
  take(controlId)
  const scenarios = known.filter(({ id }) => plan.scenarios.includes(id))
  const load = scenarios.map((scenario): LoadScenarioFigures => {
    const { id, says } = scenario
    // Those that spend keys begin with the full quota.
    for (const { label } of scenario.repeats ? session.keys : []) calls.rested(label)
    const { lane, own, ended } = take(id)
    const phases = plan.phases.filter((phase) => phase.scenario === id)
    const workers = measure(lane, phases, ended)
    const unsent = new Untested('interrupted', 'nothing of it was sent')
    const error = gap ?? (own.length === 0 ? unsent : undefined)
    const latestMs = own.reduce((most, { sentMs, dueMs }) => Math.max(most, sentMs - dueMs), 0)
    const target = lane.meter.figures()
    const history = calls.historyOf(session.history)
    const judged = gap ? [] : history.exchanges.filter(({ check }) => check === id)
    const held = { plan: lane.plan, figures: target, history, own: judged, latestMs, error }
    judgeScenario(session, scenario, held)
    const columns = { target, ...Object.fromEntries(workers) }
    return { id, says, connections: Math.max(...plan.connections), columns }
  })
  // The workers kept no bodies: clauses about them have nothing to judge.
  recordApplicable(session, rateLimitHeaders)
  await session.close()
  const durationMs = sent.reduce((most, { receivedMs }) => Math.max(most, receivedMs), 0)
  const measured = { startedAt: new Date(startsAtMs), durationMs, load }
  return finishLoad(session, { ...given, scenarios, target: options }, measured, gap)
}
