// What a load adds to the results of a run: thresholds, requests by key, and sums that add up.

import type { Ending } from '../engine/outcome.ts'
import type { LoadFigures, LoadScenarioFigures } from '../engine/run-file.ts'
import { type RunState, recordResult } from '../engine/run-state.ts'
import { judgeThresholds } from './judge-thresholds.ts'
import type { Place } from './place.ts'
import type { Scenario } from './scenario.ts'
import type { Thresholds } from './thresholds.ts'

/** A threshold on a scenario that was not selected does not concern the run. */
export const thresholdEndings = {
  pass: (value: string): Ending => ({ kind: 'observed', value }),
  warn: (why: string): Ending => ({ kind: 'warned', why }),
  untested: (why: string): Ending => ({ kind: 'inapplicable', why }),
}

/** Records a result for each threshold, also if the run ended early. */
export const settleThresholds = (
  state: RunState,
  scenarios: readonly Scenario[],
  thresholds: Thresholds | null,
  load: readonly LoadScenarioFigures[],
): void => {
  const chosen = scenarios.map(({ id }) => id)
  for (const each of judgeThresholds(thresholds ?? [], load, chosen)) {
    const { id, outcome, detail } = each
    recordResult(state, { id, requirement: 'gap.load' }, thresholdEndings[outcome](detail))
  }
}

const sentBy = ({ countsByKey }: LoadFigures, label: string): number =>
  Object.values(countsByKey[label] ?? {}).reduce((sum, count) => sum + count, 0)

/** Requests by key: what the scenarios measured, and what was sent before them. */
export const countByKey = (
  { session }: RunState,
  scenarios: readonly Scenario[],
  load: readonly LoadScenarioFigures[],
): Record<string, number> => {
  const ids = new Set(scenarios.map(({ id }) => id))
  return Object.fromEntries(
    session.keys.map(({ label }) => {
      const before = session.trace.filter(({ key, check }) => key === label && !ids.has(check))
      const measured = load.flatMap(({ columns }) => columns.target ?? [])
      return [label, measured.reduce((sum, each) => sum + sentBy(each, label), before.length)]
    }),
  )
}

const sumOf = ({ counts }: LoadFigures): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Whether the server received a request of a failed connection is unknown. */
const unknownOf = ({ counts }: LoadFigures): number => counts.reset + counts.timeout

/**
 * @returns what does not add up, or undefined: a fault of petvet, not of the target
 */
export const uncounted = (
  { column, session, options, received }: Place,
  load: readonly LoadScenarioFigures[],
): string | undefined => {
  const figures = load.flatMap(({ columns }) => columns[column] ?? [])
  const wrong = figures.find((each) => sumOf(each) !== each.sent)
  if (wrong) return `${column}: ${wrong.sent} sent, but the fates add up to ${sumOf(wrong)}`
  if (!received || options.signal.aborted) return undefined
  const sent = session.budget.sent()
  const unknown = figures.reduce((sum, each) => sum + unknownOf(each), 0)
  const counted = received()
  if (counted <= sent && counted >= sent - unknown) return undefined
  return `${column}: ${sent} requests sent, and the server counted ${counted}`
}
