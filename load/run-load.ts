// A load run from its first request to its run file: scenario by scenario.

import type { LoadScenarioFigures, RunFile } from '../engine/check/run-file.ts'
import { recordClauses } from '../engine/run/judge-clauses.ts'
import {
  explainAgain,
  type Judged,
  recordResult,
  skipRemaining,
  summarise,
} from '../engine/run/results.ts'
import type { RunOptions, RunSink } from '../engine/run/run-options.ts'
import type { Session } from '../engine/run/session.ts'
import { probeSecondStatus, recordSmoke, smoke } from '../engine/run/smoke.ts'
import { EndOfRun, Untested, Violation } from '../history/outcome.ts'
import type { Clause } from '../model/clause.ts'
import { formClauses } from '../model/form.ts'
import { rateLimitHeaders } from '../model/limiter/headers.ts'
import { type LoadServer, maxCalls, openPlace, type Place } from './load-server.ts'
import { runScenario } from './run-scenario.ts'
import { type LoadSettings, planAll, planLoad, type Scenario } from './scenario.ts'
import { judgeThresholds, type Thresholds } from './thresholds.ts'

interface LoadRun {
  readonly scenarios: readonly Scenario[]
  readonly settings: LoadSettings
  readonly target: RunOptions
  readonly baselines: readonly LoadServer[]
  readonly missing?: readonly string[]
  readonly thresholds: Thresholds | null
}

const judgedOf = (scenarios: readonly Scenario[]): Judged[] =>
  scenarios.flatMap(({ verdicts }) => verdicts)

const runAll = async (
  session: Session,
  { scenarios, settings, target }: LoadRun,
  [ofTarget, ...others]: readonly [Place, ...Place[]],
  load: LoadScenarioFigures[],
): Promise<void> => {
  const { event } = session.sink
  const planned = planAll(scenarios, planLoad(target, settings))
  const requests = planned.reduce((sum, { cost }) => sum + cost.requests, target.keys.length)
  const leftMs = (from: number) =>
    1_000 * planned.slice(from).reduce((sum, { cost }) => sum + cost.seconds, 0)
  event({ kind: 'start', seed: target.seed, checks: judgedOf(scenarios).length, requests })
  for (const [done, { scenario, lack }] of planned.entries()) {
    const ms = leftMs(done)
    event({ kind: 'check', id: scenario.id, done, all: scenarios.length, leftMs: ms })
    if (lack) {
      skipRemaining(session, scenario.verdicts, lack)
      continue
    }
    const chosen = others.filter(({ column }) => !scenario.needsLimiter || column !== 'prism')
    load.push(await runScenario(session, scenario, settings, [ofTarget, ...chosen], ms))
    if (target.signal.aborted) break
  }
  for (const key of ofTarget.calls.cut) {
    session.note(`the laws of the limiter judge ${maxCalls} calls of ${key} after each rest`)
  }
}

/** A baseline that cannot be used leaves its column empty, and says nothing about the target. */
const isReady = async (session: Session, place: Place): Promise<boolean> => {
  const why = await smoke(place.session).then(
    () => null,
    (error: Error) => {
      if (place.options.signal.aborted) throw error
      return error instanceof Violation ? error.actual : error.message
    },
  )
  if (why !== null) session.note(`the column ${place.column} is empty: ${why}`)
  return why === null
}

const runPhases = async (
  run: LoadRun,
  all: readonly [Place, ...Place[]],
  load: LoadScenarioFigures[],
): Promise<void> => {
  const [target, ...baselines] = all
  const { session } = target
  if (!(await recordSmoke(session, smoke(session)))) return
  for (const why of run.missing ?? []) session.note(why)
  const places: [Place, ...Place[]] = [target]
  for (const place of baselines) if (await isReady(session, place)) places.push(place)
  for (const exchange of session.trace) target.calls.add(exchange)
  target.calls.addLost(session.history.lost)
  await runAll(session, run, places, load)
  await probeSecondStatus(session)
  // Those about single responses: a load does not keep enough to judge responses in a row.
  recordApplicable(session, [...rateLimitHeaders, ...formClauses])
}

/** A load has no responses of some kinds, which only the checks cause; most have no body kept. */
export const recordApplicable = (session: Session, clauses: readonly Clause[]): void => {
  session.judgeBy(clauses)
  session.judge.settle()
  const applicable = clauses.filter((clause) => {
    const { met, violations } = session.judge.of(clause)
    return met > 0 || violations.size > 0
  })
  recordClauses(session, applicable)
}

/** An interrupted run, and one with a fault of petvet, is reported as far as it came. */
const endEarly = (session: Session, error: unknown): void => {
  if (session.options.signal.aborted) return
  if (error instanceof Untested || error instanceof EndOfRun) {
    session.impossible = error.message
    return
  }
  session.impossible = `petvet itself failed: ${error}`
  session.note(error instanceof Error ? (error.stack ?? '') : '')
}

/** @returns the run file; an interrupted or impossible run has one too */
export const runLoad = async (run: LoadRun, sink: RunSink): Promise<RunFile> => {
  const startedAt = new Date()
  const startMs = performance.now()
  const target = openPlace({ column: 'target', options: run.target }, sink)
  const baselines = run.baselines.map((each) => openPlace(each, { event: () => {} }))
  const places = [target, ...baselines] as const
  const { session } = target
  const load: LoadScenarioFigures[] = []
  try {
    await runPhases(run, places, load)
  } catch (error) {
    endEarly(session, error)
  } finally {
    await Promise.all(places.map(({ session: each }) => each.close()))
  }
  return finishLoad(session, run, { startedAt, durationMs: performance.now() - startMs, load })
}

/**
 * The run file of what was sent and judged so far.
 * @param gap why the figures are not those of the whole run: then no threshold is decided
 */
export const finishLoad = (
  session: Session,
  run: Pick<LoadRun, 'scenarios' | 'target' | 'thresholds'>,
  measured: { startedAt: Date; durationMs: number; load: readonly LoadScenarioFigures[] },
  gap?: Untested,
): RunFile => {
  const { load } = measured
  const [because, why] = run.target.signal.aborted
    ? (['interrupted', 'the run was interrupted'] as const)
    : (['blocked', session.impossible ?? 'the smoke call ended the run'] as const)
  skipRemaining(session, judgedOf(run.scenarios), new Untested(because, why))
  judgeThresholds(run.thresholds ?? [], load, run.scenarios, (judged, ending) =>
    recordResult(session, judged, gap ? { kind: 'threw', error: gap } : ending),
  )
  explainAgain(session)
  const requests = session.budget.sent()
  if (requests > session.recorded) {
    const held = `${session.recorded} of ${requests} exchanges`
    session.note(`exchanges.ndjson holds ${held}, the first of each load`)
  }
  const selected = new Set(judgedOf(run.scenarios).map(({ id }) => id))
  return { ...summarise(session, { ...measured, selected }), load }
}
