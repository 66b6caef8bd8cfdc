// A load run from its first request to its run file: scenario by scenario, lanes in turn.
import type { Invariant } from '../engine/check.ts'
import { type Course, note, settle, settleRest } from '../engine/course.ts'
import { settleInvariants } from '../engine/judge-invariants.ts'
import type { LoadScenarioFigures } from '../engine/load-figures.ts'
import { Untested } from '../engine/outcome.ts'
import type { Judged } from '../engine/result.ts'
import type { RunFile } from '../engine/run-file.ts'
import type { RunOptions, RunSink } from '../engine/run-options.ts'
import { settleSmoke } from '../engine/settle-smoke.ts'
import { smoke } from '../engine/smoke.ts'
import { summarise } from '../engine/summary.ts'
import { tellApart } from '../engine/tell-apart.ts'
import { ClockError } from '../engine/wire/target-clock.ts'
import { LocalFault } from '../engine/wire/wire-faults.ts'
import type { LoadSettings } from './lane.ts'
import { countByKey, settleThresholds, uncounted } from './load-results.ts'
import { addressesOf, type LoadServer, openPlace, type Place } from './place.ts'
import { lackOfScenario, planAll, planOf } from './plan.ts'
import { runScenario } from './run-scenario.ts'
import type { LoadPlan, Scenario } from './scenario.ts'
import { lackOfAnimals, stock } from './stock.ts'
import type { Thresholds } from './thresholds.ts'

export interface LoadRun {
  readonly scenarios: readonly Scenario[]
  readonly settings: LoadSettings
  readonly target: RunOptions
  readonly received: (() => number) | null
  readonly beside: readonly LoadServer[]
  /** Why a column that was asked for has no server, where that is so. */
  readonly missing?: readonly string[]
  readonly thresholds: Thresholds | null
  /** What holds for each answer by itself, in a crowd as well. */
  readonly invariants: readonly Invariant[]
}

const silent: RunSink = { exchange: () => {}, event: () => {} }

const judgedOf = (scenarios: readonly Scenario[]): Judged[] =>
  scenarios.flatMap(({ verdicts }) => verdicts)

const tellStart = (course: Course, { scenarios, target }: LoadRun, plan: LoadPlan): void => {
  const costs = planAll(scenarios, plan).map(({ cost }) => cost.requests)
  course.sink.event({
    kind: 'start',
    seed: target.seed,
    questions: judgedOf(scenarios).length,
    requests: costs.reduce((sum, each) => sum + each, target.keys.length),
  })
}

const runAll = async (
  course: Course,
  run: LoadRun,
  places: readonly Place[],
  empty: string | null,
  load: LoadScenarioFigures[],
): Promise<void> => {
  const plan = planOf(run.target, run.settings)
  tellStart(course, run, plan)
  let done = 0
  for (const scenario of run.scenarios) {
    course.sink.event({ kind: 'check', id: scenario.id, done, all: run.scenarios.length })
    done += 1
    const lack = lackOfScenario(scenario, plan) ?? lackOfAnimals(scenario, empty)
    if (lack) {
      for (const verdict of scenario.verdicts) settle(course, verdict, lack)
      continue
    }
    const chosen = places.filter(
      ({ column }) => column === 'target' || scenario.beside.includes(column),
    )
    load.push(await runScenario(course, scenario, run.settings, chosen))
    if (run.target.signal.aborted) break
  }
}

/** A baseline that cannot be used leaves its column empty: it says nothing about the target. */
const isReady = async (course: Course, place: Place): Promise<boolean> => {
  const { session, keys, options, column } = place
  try {
    const found = await smoke(session, keys, new URL(options.baseUrl).origin)
    if (found.kind === 'held') {
      await stock(place, found.first)
      return true
    }
    const why = found.kind === 'astray' ? found.hint : found.why
    note(course, `the column ${column} is empty: ${why}`)
  } catch (error) {
    if (options.signal.aborted) throw error
    note(course, `the column ${column} is empty: ${(error as Error).message}`)
  }
  return false
}

const conduct = async (
  course: Course,
  run: LoadRun,
  all: readonly [Place, ...Place[]],
  load: LoadScenarioFigures[],
): Promise<void> => {
  const [target, ...beside] = all
  const { session, keys } = target
  const found = await smoke(session, keys, new URL(run.target.baseUrl).origin)
  if (!settleSmoke(course, found) || found.kind !== 'held') return
  const empty = await stock(target, found.first)
  for (const why of run.missing ?? []) note(course, why)
  const places = [target]
  for (const place of beside) if (await isReady(course, place)) places.push(place)
  await runAll(course, run, places, empty, load)
  await tellApart(course)
  const { trace } = session
  // Of answers that none was seen of there is nothing to say: a check would ask for them.
  const spokenOf = run.invariants.filter(({ applies }) => trace.some(applies))
  settleInvariants(course, spokenOf)
  for (const place of places) {
    const fault = uncounted(place, load)
    if (fault !== undefined) course.impossible = fault
  }
}

/** What was done is told, also where the run was interrupted or has a fault of its own. */
const endEarly = (course: Course, error: unknown): void => {
  if (course.options.signal.aborted) return
  if (error instanceof Untested || error instanceof ClockError || error instanceof LocalFault) {
    course.impossible = error.message
    return
  }
  course.impossible = `the run itself failed: ${error}`
  note(course, error instanceof Error ? (error.stack ?? '') : '')
}

/** @returns the run file; an interrupted or impossible run has one too */
export const runLoad = async (run: LoadRun, sink: RunSink): Promise<RunFile> => {
  const startedAt = new Date()
  const startMs = performance.now()
  let lines = 0
  const counting: RunSink = {
    event: sink.event,
    exchange: (line) => {
      lines += 1
      sink.exchange(line)
    },
  }
  const target = openPlace(
    { column: 'target', options: run.target, isStateless: false, received: run.received },
    await addressesOf(run.target.baseUrl),
    counting,
  )
  const beside = run.beside.map((each) => openPlace(each, [], silent))
  const places = [target, ...beside] as const
  const { session, keys } = target
  const course: Course = {
    options: run.target,
    keys,
    session,
    sink,
    results: [],
    notes: [],
    impossible: null,
  }
  const load: LoadScenarioFigures[] = []
  try {
    await conduct(course, run, places, load)
  } catch (error) {
    endEarly(course, error)
  } finally {
    await Promise.all(places.map(({ session: each }) => each.close()))
  }
  const [because, why] = run.target.signal.aborted
    ? (['interrupted', 'the run was interrupted'] as const)
    : (['blocked', course.impossible ?? 'the smoke call ended the run'] as const)
  settleRest(course, judgedOf(run.scenarios), () => new Untested(because, why))
  settleThresholds(course, run.scenarios, run.thresholds, load)
  const requests = session.budget.sent()
  if (requests > lines) {
    note(course, `exchanges.ndjson holds ${lines} of ${requests} exchanges, the first of each load`)
  }
  const durationMs = performance.now() - startMs
  const facts = { ...course, startedAt, durationMs, requests, trace: session.trace }
  const requestsByKey = countByKey(course, run.scenarios, load)
  return { ...summarise(run.target, facts), requestsByKey, load }
}
