// The cases that the formats for machines list: every check, and what else a build has to know.
import type { Outcome } from '../engine/check/outcome.ts'
import { type CheckResult, failedThresholds } from '../engine/check/run-file.ts'
import { namedRequirement } from './by-heading.ts'
import { describeFigures, loadColumns } from './load-lines.ts'
import type { Source } from './summary.ts'

export interface Case {
  /** The outcome of a check, unless its failure is known, or is a violated threshold. */
  readonly kind: Outcome | 'threshold' | 'known' | 'measured' | 'stale-known'
  readonly section: string
  /** No two cases of a report share it. */
  readonly name: string
  readonly message: string
  readonly durationMs?: number | undefined
  /** Why a failure is excused. */
  readonly excuse?: string | undefined
  readonly result?: CheckResult
}

export const listCases = ({ run, known }: Source): Case[] => [
  ...run.checks.map((result): Case => {
    const { id, requirement, detail, durationMs } = result
    const { section, says } = namedRequirement(result)
    const excuse = known.excused.get(id)
    const kind = excuse === undefined ? kindOf(result) : 'known'
    const name = `${requirement} · ${says} · ${id}`
    return { kind, section, name, message: detail, durationMs, excuse, result }
  }),
  // Figures have no verdict: thresholds on them are among the checks.
  ...loadColumns(run).map(({ scenario, says, column, figures }): Case => {
    const name = `${scenario} · ${says} · ${column}`
    const { durationMs } = figures
    return {
      kind: 'measured',
      section: 'Load',
      name,
      message: describeFigures(figures),
      durationMs,
    }
  }),
  ...(run.impossible === null ? [] : [notHeld(run.impossible)]),
  ...[...known.stale].map(([id, message]): Case => {
    const name = `${id} fails, as it is known to.`
    return { kind: 'stale-known', section: 'Known failures', name, message }
  }),
]

const kindOf = (result: CheckResult): Case['kind'] =>
  failedThresholds([result]).violated.length > 0 ? 'threshold' : result.outcome

const notHeld = (message: string): Case => {
  return { kind: 'error', section: 'Run', name: 'The run can be held.', message }
}
