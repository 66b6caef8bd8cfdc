// One scenario on its lanes: they take turns slice by slice, and the target's is judged.
import { type Course, note, settle } from '../engine/course.ts'
import type { LoadFigures, LoadScenarioFigures } from '../engine/load-figures.ts'
import { NoAnswerError } from '../engine/no-answer.ts'
import { Inapplicable, Untested } from '../engine/outcome.ts'
import type { Ending } from '../engine/result.ts'
import type { LoadSettings } from './lane.ts'
import { createLive } from './live.ts'
import { type OpenLane, openLane } from './open-lane.ts'
import type { Place } from './place.ts'
import type { Scenario, Verdict } from './scenario.ts'

interface Runner {
  readonly open: OpenLane
  readonly slices: AsyncGenerator<void, unknown>
  figures: LoadFigures | undefined
  seen: unknown
  error: unknown
  isDone: boolean
  /** While the others had their turns its time stood still. */
  ownMs: number
}

/** A fault of ours ends the run; what the target did ends the lane. */
const isOfTarget = (error: unknown): boolean =>
  error instanceof Untested || error instanceof NoAnswerError

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

const takeTurns = async (runners: readonly Runner[], live: ReturnType<typeof createLive>) => {
  while (runners.some(({ isDone }) => !isDone)) {
    for (const runner of runners.filter(({ isDone }) => !isDone)) {
      live.turn(runner.open)
      await advance(runner)
    }
  }
}

const untestedBy = (error: unknown): Ending => {
  if (error instanceof NoAnswerError) {
    const untested = new Untested('ambiguous', `a request got no answer: ${error.message}`, [
      error.exchange,
    ])
    return { kind: 'threw', error: untested }
  }
  return { kind: 'threw', error }
}

const judge = (verdict: Verdict<unknown>, seen: unknown): Ending => {
  try {
    if ('judge' in verdict) {
      verdict.judge(seen)
      return { kind: 'pass' }
    }
    const told = verdict.observe(seen)
    if (typeof told === 'string') return { kind: 'observed', value: told }
    return { kind: 'warned', why: told.warn }
  } catch (error) {
    if (error instanceof Inapplicable) return { kind: 'inapplicable', why: error.message }
    return { kind: 'threw', error }
  }
}

const tellLeftOut = (course: Course, { id }: Scenario, { open }: Runner): void => {
  const leftOut = open.meter.leftOut()
  if (leftOut > 0) note(course, `${id}: ${leftOut} lines of its series were left out`)
}

/** @param all the lanes, that of the target first */
export const runScenario = async (
  course: Course,
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
  const live = createLive(scenario.id, course.sink, course.session.budget.sent)
  try {
    await takeTurns(runners, live)
  } finally {
    live.end()
  }
  const [target, ...beside] = runners
  for (const { open, error } of beside) {
    // That the run was interrupted is told of the run.
    if (!isOfTarget(error) || course.options.signal.aborted) continue
    const why = (error as Error).message
    note(course, `${scenario.id}: the column ${open.lane.column} ended early: ${why}`)
  }
  if (target) {
    const { error, seen } = target
    for (const [at, verdict] of scenario.verdicts.entries()) {
      const ending = error === undefined ? judge(verdict, seen) : untestedBy(error)
      settle(course, at === 0 ? { ...verdict, sentAs: scenario.id } : verdict, ending)
    }
    tellLeftOut(course, scenario, target)
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
