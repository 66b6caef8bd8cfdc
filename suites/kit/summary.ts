// The run file of a run, from its results.
import type { Answered } from './exchange.ts'
import { statusOf } from './exchange.ts'
import type { CheckResult, RunFile } from './run-file.ts'
import { runFileSchema } from './run-file.ts'
import type { RunOptions } from './run-options.ts'
import type { LabelledKey } from './session.ts'
import { countDecided, rollUp, verdictOf } from './verdict.ts'
import { interfaceVersion, version } from './version.ts'

export interface RunFacts {
  readonly startedAt: Date
  readonly durationMs: number
  readonly keys: readonly LabelledKey[]
  readonly trace: readonly Answered[]
  readonly requests: number
  readonly results: readonly CheckResult[]
  readonly impossible: string | null
  readonly notes: readonly string[]
}

/**
 * A target that gives one status to everything was given no chance to break a sentence, nor to
 * keep one: what seems to pass there is not decided.
 */
const withoutConstants = (
  results: readonly CheckResult[],
  trace: readonly Answered[],
): readonly CheckResult[] => {
  const statuses = new Set(trace.map(statusOf))
  if (statuses.size !== 1) return results
  const [status] = statuses
  const detail = `every answer of this run had status ${status}: nothing can be told apart`
  return results.map((result) =>
    result.outcome === 'pass'
      ? { ...result, outcome: 'untested', because: 'blocked', detail }
      : result,
  )
}

const countByKey = (facts: RunFacts): Record<string, number> =>
  Object.fromEntries(
    facts.keys.map(({ label }) => [label, facts.trace.filter(({ key }) => key === label).length]),
  )

export const summarise = (options: RunOptions, facts: RunFacts): RunFile => {
  const checks = withoutConstants(facts.results, facts.trace)
  const requirements = rollUp(checks)
  const observed = checks.filter(({ outcome }) => outcome === 'observed')
  return {
    schema: runFileSchema,
    petvet: version,
    interface: interfaceVersion,
    seed: options.seed,
    startedAt: facts.startedAt.toISOString(),
    durationMs: Math.round(facts.durationMs),
    target: {
      baseUrl: options.baseUrl,
      plans: [...new Set(facts.keys.map(({ plan }) => plan))],
      clock: options.clockUrl !== null,
    },
    verdict: verdictOf(checks, facts.impossible !== null, options.strict),
    interrupted: options.signal.aborted,
    impossible: facts.impossible,
    notes: facts.notes,
    decided: {
      must: countDecided(requirements, 'must'),
      should: countDecided(requirements, 'should'),
    },
    requests: facts.requests,
    requestsByKey: countByKey(facts),
    checks,
    requirements,
    observations: Object.fromEntries(observed.map(({ id, detail }) => [id, detail])),
  }
}
