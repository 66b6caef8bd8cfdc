// Runs one scenario on its lanes, which take turns slice by slice, and judges that of the target.

import { type Ending, Inapplicable, NoResponseError, Untested } from '../engine/outcome.ts'
import { describeCounts, type LoadFigures, type LoadScenarioFigures } from '../engine/run-file.ts'
import type { RunSink } from '../engine/run-options.ts'
import { addNote, type RunState, recordResult } from '../engine/run-state.ts'
import { type OpenLane, openLane } from './open-lane.ts'
import type { Place } from './place.ts'
import type { LoadSettings, Scenario, Verdict } from './scenario.ts'

interface Runner {
  readonly open: OpenLane
  readonly slices: AsyncGenerator<void, unknown>
  figures: LoadFigures | undefined
  seen: unknown
  error: unknown
  isDone: boolean
  /** Without the turns of the other lanes. */
  ownMs: number
}

/** An error caused by the target ends its lane; any other ends the run. */
const isOfTarget = (error: unknown): boolean =>
  error instanceof Untested || error instanceof NoResponseError

const advance = async (runner: Runner): Promise<void> => {
  const beganMs = performance.now()
  const isOver = await isOverAfterTurn(runner)
  runner.ownMs += performance.now() - beganMs
  if (!isOver) return
  runner.isDone = true
  runner.figures = figuresOf(runner)
}

const figuresOf = ({ open, ownMs }: Runner): LoadFigures => ({
  ...open.lane.figures(),
  durationMs: Math.round(ownMs),
})

const isOverAfterTurn = async (runner: Runner): Promise<boolean> => {
  try {
    const { done, value } = await runner.slices.next()
    if (!done) return false
    runner.seen = value
  } catch (error) {
    if (!isOfTarget(error)) throw error
    runner.error = error
  }
  return true
}

const takeTurns = async (runners: readonly Runner[], live: Live) => {
  while (runners.some(({ isDone }) => !isDone)) {
    for (const runner of runners.filter(({ isDone }) => !isDone)) {
      live.turn(runner.open)
      await advance(runner)
    }
  }
}

const untestedBy = (error: unknown): Ending => {
  if (error instanceof NoResponseError) {
    const untested = new Untested('ambiguous', `a request got no response: ${error.message}`, [
      error.exchange,
    ])
    return { kind: 'threw', error: untested }
  }
  return { kind: 'threw', error }
}

/** Judges what a scenario saw. */
export const endingOf = (verdict: Verdict<unknown>, seen: unknown): Ending => {
  try {
    if ('judge' in verdict) {
      verdict.judge(seen)
      return { kind: 'pass' }
    }
    const observed = verdict.observe(seen)
    if (typeof observed === 'string') return { kind: 'observed', value: observed }
    return { kind: 'warned', why: observed.warn }
  } catch (error) {
    if (error instanceof Inapplicable) return { kind: 'inapplicable', why: error.message }
    return { kind: 'threw', error }
  }
}

const noteLeftOut = (state: RunState, { id }: Scenario, { open }: Runner): void => {
  const leftOut = open.meter.leftOut()
  if (leftOut > 0) addNote(state, `${id}: ${leftOut} seconds were left out of its series`)
}

/** @param all the servers, the target first */
export const runScenario = async (
  state: RunState,
  scenario: Scenario,
  settings: LoadSettings,
  all: readonly Place[],
): Promise<LoadScenarioFigures> => {
  const runners = all.map((place): Runner => {
    const open = openLane(place, scenario.id, settings, all.length)
    const slices = scenario.run(open.lane)
    const nothing = { figures: undefined, seen: undefined, error: undefined }
    return { open, slices, ...nothing, isDone: false, ownMs: 0 }
  })
  const live = createLive(scenario.id, state.session.sink, state.session.budget.sent)
  try {
    await takeTurns(runners, live)
  } finally {
    live.end()
  }
  const [target, ...baselines] = runners
  for (const { open, error } of baselines) {
    // An interruption is reported once, for the run.
    if (!isOfTarget(error) || state.session.options.signal.aborted) continue
    const why = (error as Error).message
    addNote(state, `${scenario.id}: the column ${open.lane.column} ended early: ${why}`)
  }
  if (target) {
    const { error, seen } = target
    for (const [at, verdict] of scenario.verdicts.entries()) {
      const ending = error === undefined ? endingOf(verdict, seen) : untestedBy(error)
      recordResult(state, at === 0 ? { ...verdict, sentAs: scenario.id } : verdict, ending)
    }
    noteLeftOut(state, scenario, target)
  }
  return {
    id: scenario.id,
    says: scenario.says,
    connections: Math.max(...settings.connections),
    columns: Object.fromEntries(
      runners.map((runner) => [runner.open.lane.column, runner.figures ?? figuresOf(runner)]),
    ),
  }
}

const reportEveryMs = 1_000
/** A rate over less time says nothing. */
const minMs = 400

/** Reports once a second what a scenario does at which server, and at its end what it did. */
interface Live {
  /** The lane whose turn it is. */
  readonly turn: (open: OpenLane) => void
  readonly end: () => void
}

/** @param sentInAll by the whole run */
const createLive = (scenario: string, sink: RunSink, sentInAll: () => number): Live => {
  const all = new Set<OpenLane>()
  let current: OpenLane | undefined
  let from = { ms: performance.now(), sent: 0 }

  const print = (...parts: readonly string[]) =>
    sink.event({ kind: 'load', text: parts.filter((part) => part !== '').join(', ') })

  const report = () => {
    sink.event({ kind: 'request', sent: sentInAll() })
    const ms = performance.now()
    if (!current || ms - from.ms < minMs) return
    const sent = current.meter.sent()
    // While a key waits, only the wait is reported.
    if (sent === from.sent) return
    const perSecond = Math.round(((sent - from.sent) * 1000) / (ms - from.ms))
    from = { ms, sent }
    const counts = describeCounts(current.meter.counts())
    print(`${scenario} at ${current.lane.column}`, `${perSecond}/s`, counts)
  }
  const timer = setInterval(report, reportEveryMs)
  return {
    turn: (open) => {
      all.add(open)
      if (open !== current) from = { ms: performance.now(), sent: open.meter.sent() }
      current = open
    },
    end: () => {
      clearInterval(timer)
      for (const { lane, meter } of all) {
        const counts = describeCounts(meter.counts())
        print(`${scenario} at ${lane.column}: ${meter.sent()} sent`, counts)
      }
    },
  }
}
