// What a load adds to the results of a run: thresholds, and requests by key.

import type { Exchange } from '../engine/exchange.ts'
import type { Ending } from '../engine/outcome.ts'
import type { LoadScenarioFigures } from '../engine/run-file.ts'
import type { Judged } from '../engine/run-state.ts'
import type { LabelledKey } from '../engine/session.ts'
import { judgeThresholds } from './judge-thresholds.ts'
import type { Scenario } from './scenario.ts'
import type { Thresholds } from './thresholds.ts'

/** A threshold on a scenario that was not selected does not concern the run. */
const endings = {
  pass: (value: string): Ending => ({ kind: 'observed', value }),
  warn: (why: string): Ending => ({ kind: 'warned', why }),
  untested: (why: string): Ending => ({ kind: 'inapplicable', why }),
}

/** A result for each threshold, also if the run ended early. */
export const settleThresholds = (
  thresholds: Thresholds,
  load: readonly LoadScenarioFigures[],
  scenarios: readonly Scenario[],
  record: (judged: Judged, ending: Ending) => void,
): void => {
  const chosen = scenarios.map(({ id }) => id)
  for (const { id, outcome, detail } of judgeThresholds(thresholds, load, chosen)) {
    record({ id, requirement: 'gap.load' }, endings[outcome](detail))
  }
}

/** Requests by key: what the scenarios measured, and what was sent before them. */
export const countByKey = (
  keys: readonly LabelledKey[],
  load: readonly LoadScenarioFigures[],
  before: readonly Pick<Exchange, 'key'>[],
): Record<string, number> =>
  Object.fromEntries(
    keys.map(({ label }) => {
      const measured = load.flatMap(({ columns }) =>
        Object.values(columns.target?.countsByKey[label] ?? {}),
      )
      const own = before.filter(({ key }) => key === label).length
      return [label, measured.reduce((sum, count) => sum + count, own)]
    }),
  )
