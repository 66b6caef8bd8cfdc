// Runs one scenario on its lanes, which take turns slice by slice, and judges that of the target.

import { errorIn } from '../engine/check/findings.ts'
import { describeCounts, type LoadScenarioFigures } from '../engine/check/run-file.ts'
import { recordResult } from '../engine/run/results.ts'
import type { Session } from '../engine/run/session.ts'
import { type Ending, Inapplicable, Untested, Violation } from '../history/outcome.ts'
import { Judge } from '../model/judge.ts'
import { clauseOf, whyUntried } from '../model/limiter/relation.ts'
import type { Place } from './load-server.ts'
import { OpenLane } from './open-lane.ts'
import type { Held, JudgedVerdict, LoadSettings, Scenario, Verdict } from './scenario.ts'

interface Runner {
  readonly lane: OpenLane
  readonly slices: AsyncGenerator<void, void>
  readonly isDone: boolean
  readonly error?: unknown
}

const advance = async (runner: Runner): Promise<void> => {
  const beganMs = performance.now()
  try {
    const { done = false } = await runner.slices.next()
    Object.assign(runner, { isDone: done })
  } catch (error) {
    // An error caused by the target ends its lane; any other ends the run.
    if (!(error instanceof Untested)) throw error
    Object.assign(runner, { isDone: true, error })
  }
  runner.lane.meter.activeMs += performance.now() - beganMs
}

const takeTurns = async (runners: readonly Runner[], live: ReturnType<typeof createLive>) => {
  while (runners.some(({ isDone }) => !isDone)) {
    for (const runner of runners.filter(({ isDone }) => !isDone)) {
      live.turn = runner.lane
      await advance(runner)
    }
  }
}

const judgeLaws = ({ laws, keyOf }: JudgedVerdict, { plan, history, own }: Held) => {
  const key = keyOf?.(plan)
  const clauses = laws.map((law) => (typeof law === 'string' ? clauseOf(law) : law))
  const judge = new Judge(history, clauses)
  judge.settle()
  const [check = ''] = own.map((one) => one.check)
  const ids = clauses.map(({ id }) => id)
  const found = judge.about({ check, key }, ids)
  const calls = own.filter((one) => one.key !== null && one.key === (key ?? one.key))
  const error = errorIn(found, calls.length)
  return { doubt: found.doubts[0], error, wasTried: found.isMet }
}

const judgeCalls = (verdict: JudgedVerdict, held: Held): void => {
  const { sent, counts } = held.figures
  const { error, wasTried } = judgeLaws(verdict, held)
  if (error instanceof Violation) throw error
  if (held.error !== undefined) throw held.error
  if (error) throw error
  const why = verdict.unless?.(held.figures)
  if (why !== undefined) throw new Inapplicable(why)
  const lost = counts.timeout + counts.reset
  if (lost > 0) throw new Untested('ambiguous', `${lost} of ${sent} requests got no response`)
  const [law] = verdict.laws
  if (wasTried) return
  throw new Untested('ambiguous', whyUntried(typeof law === 'string' ? law : law.id))
}

const judgeVerdict = (verdict: Verdict, held: Held): Ending => {
  try {
    if ('laws' in verdict) {
      judgeCalls(verdict, held)
      return { kind: 'pass' }
    }
    if (held.error !== undefined) throw held.error
    const observed = verdict.observe(held)
    if (typeof observed === 'string') return { kind: 'observed', value: observed }
    return { kind: 'warned', why: observed.warn }
  } catch (error) {
    return { kind: 'threw', error }
  }
}

/** The keys that a law is in doubt about, which another occasion would decide. */
const keysInDoubt = ({ repeats, verdicts, cost }: Scenario, held: Held): Set<string> => {
  const { plan, figures } = held
  const isOver = held.error !== undefined || figures.sent > cost(plan).requests
  if (!repeats || plan.shared || isOver) return new Set()
  const judged = verdicts.filter((verdict) => 'laws' in verdict)
  const keys = judged.flatMap((verdict) => {
    const { error, doubt } = judgeLaws(verdict, held)
    return error === doubt ? (doubt?.evidence.at(-1)?.key ?? []) : []
  })
  return new Set(keys)
}

/**
 * @param all the servers, the target first
 * @param leftMs about the time that this scenario and those after it take
 */
export const runScenario = async (
  session: Session,
  scenario: Scenario,
  settings: LoadSettings,
  all: readonly [Place, ...Place[]],
  leftMs: number,
): Promise<LoadScenarioFigures> => {
  const open = (place: Place): Runner => {
    const lane = new OpenLane(place, scenario.id, settings, all.length)
    return { lane, slices: scenario.run(lane), isDone: false }
  }
  const [own, ...others] = all
  const [target, baselines] = [open(own), others.map(open)]
  const runners = [target, ...baselines]
  const { plan, meter } = target.lane
  const held = (): Held => {
    const history = own.calls.historyOf(session.history)
    const sent = history.exchanges.filter(({ check }) => check === scenario.id)
    const { error } = target
    return { plan, figures: meter.figures(), latestMs: meter.latestMs, history, own: sent, error }
  }
  const live = createLive(session, scenario.id, leftMs)
  try {
    await takeTurns(runners, live)
    const again = keysInDoubt(scenario, held())
    if (again.size > 0) {
      const connections = [Math.max(...plan.connections)]
      const keys = plan.keys.filter(({ label }) => scenario.repeats === 'all' || again.has(label))
      target.lane.plan = { ...plan, connections, keys }
      Object.assign(target, { slices: scenario.run(target.lane), isDone: false })
      await takeTurns([target], live)
    }
  } finally {
    live.end()
  }
  for (const { lane, error } of baselines) {
    // An interruption is reported once, for the run.
    if (!(error instanceof Untested) || session.options.signal.aborted) continue
    const why = error.message
    session.note(`${scenario.id}: the column ${lane.column} ended early: ${why}`)
  }
  judgeScenario(session, scenario, held())
  const { leftOut } = meter
  if (leftOut > 0) session.note(`${scenario.id}: ${leftOut} requests were left out of its series`)
  return {
    id: scenario.id,
    says: scenario.says,
    connections: Math.max(...settings.connections),
    columns: Object.fromEntries(
      runners.map(({ lane: { column, meter } }) => [column, meter.figures()]),
    ),
  }
}

/** Records all verdicts of a scenario. */
export const judgeScenario = (session: Session, { id, verdicts }: Scenario, held: Held): void => {
  for (const [at, verdict] of verdicts.entries()) {
    const judged = at === 0 ? { ...verdict, sentAs: id } : verdict
    recordResult(session, judged, judgeVerdict(verdict, held))
  }
}

/** Reports once a second what a scenario does at which server. */
const createLive = ({ sink, budget }: Session, scenario: string, leftMs: number) => {
  const startMs = performance.now()
  let before = { lane: undefined as OpenLane | undefined, sent: 0, ms: startMs }
  const report = () => {
    sink.event({ kind: 'request', sent: budget.sent() })
    const { turn } = live
    if (!turn) return
    const { column, meter } = turn
    const { sent, counts } = meter
    const last = before
    before = { lane: turn, sent, ms: performance.now() }
    // While a key waits, only the wait is reported.
    if (last.lane !== turn || last.sent === sent) return
    const perSecond = Math.round(((sent - last.sent) * 1_000) / (before.ms - last.ms))
    const text = `${scenario} at ${column}, ${perSecond}/s, ${describeCounts(counts)}`
    sink.event({ kind: 'load', text, leftMs: Math.max(0, leftMs - (before.ms - startMs)) })
  }
  const timer = setInterval(report, 1_000)
  const live = { turn: undefined as OpenLane | undefined, end: () => clearInterval(timer) }
  return live
}
