// The run file of a run, from its results.

import { reachNotes } from './client/reach.ts'
import type { Answered } from './exchange.ts'
import { statusOf } from './exchange.ts'
import { write } from './quote.ts'
import type { Redactor } from './redact.ts'
import type { CheckResult, Interruption, RunFile } from './run-file.ts'
import { runFileSchema } from './run-file.ts'
import type { RunOptions } from './run-options.ts'
import type { LabelledKey } from './session.ts'
import { countDecided, rollUp, verdictOf } from './verdict.ts'
import { interfaceVersion, version } from './version.ts'

export interface RunFacts {
  readonly startedAt: Date
  readonly durationMs: number
  readonly session: { readonly redactor: Redactor }
  readonly keys: readonly LabelledKey[]
  readonly trace: readonly Answered[]
  readonly requests: number
  readonly results: readonly CheckResult[]
  readonly impossible: string | null
  readonly notes: readonly string[]
  readonly bailedAt?: string
  readonly interruptions?: readonly Interruption[]
}

/**
 * A target that gives one status to everything was given no chance to break a sentence, nor to
 * keep one: what seems to pass there is not decided.
 */
const withoutConstants = (
  results: readonly CheckResult[],
  trace: readonly Answered[],
  isCut: boolean,
): readonly CheckResult[] => {
  const statuses = new Set(trace.map(statusOf))
  if (statuses.size !== 1) return results
  const [status] = statuses
  const alike = `every answer of this run had status ${status}: nothing can be told apart`
  // What it had no time to tell apart is nothing that the target did.
  const untested = isCut
    ? ({ because: 'interrupted', detail: 'the run was interrupted' } as const)
    : ({ because: 'blocked', detail: alike } as const)
  return results.map((result) =>
    result.outcome === 'pass' ? { ...result, outcome: 'untested', ...untested } : result,
  )
}

const countByKey = (facts: RunFacts): Record<string, number> =>
  Object.fromEntries(
    facts.keys.map(({ label }) => [label, facts.trace.filter(({ key }) => key === label).length]),
  )

const reachTold = ({ reach, baseUrl }: RunOptions) => {
  const isSecure = baseUrl.startsWith('https:')
  const proxy = reach.proxyOf(new URL(baseUrl))
  return {
    ...(proxy && { proxy: proxy.origin }),
    ...(isSecure && reach.insecure && { insecure: true as const }),
    ...(isSecure && reach.identity && { clientCertificate: true as const }),
  }
}

export const summarise = (options: RunOptions, facts: RunFacts): RunFile => {
  const checks = withoutConstants(facts.results, facts.trace, options.signal.aborted)
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
      ...reachTold(options),
    },
    ...(options.again && { again: options.again }),
    verdict: verdictOf(checks, facts.impossible !== null, options.strict),
    interrupted: options.signal.aborted,
    ...(facts.bailedAt !== undefined && { bailedAt: facts.bailedAt }),
    ...(facts.interruptions && { interruptions: facts.interruptions }),
    impossible: facts.impossible && write(facts.impossible, facts.session.redactor),
    notes: [...reachNotes(options.reach, options.baseUrl), ...facts.notes],
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
