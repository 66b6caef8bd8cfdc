// The run file of a judgement of domains: the same form as any other run.

import { type Again, type CheckResult, type RunFile, runFileSchema } from '../../engine/run-file.ts'
import { countDecided, rollUp, verdictOf } from '../../engine/verdict.ts'
import { interfaceVersion, version } from '../../engine/version.ts'
import { requirement } from '../../spec/requirements.ts'
import { type Attestation, attestationNotes, attestedResults } from './attestation.ts'
import type { Finding, Result } from './declare.ts'
import { evidenceOf, requestsIn } from './evidence.ts'
import type { Facts } from './facts.ts'

type Outcome = Pick<CheckResult, 'outcome' | 'because' | 'detail' | 'expected' | 'actual'>

const outcomeOf = (result: Result, level: CheckResult['level']): Outcome => {
  if (result.kind === 'breach') {
    const { expected, actual } = result
    const detail = `expected ${expected}; got ${actual}`
    const outcome = level === 'must' ? 'fail' : level === 'should' ? 'warn' : 'observed'
    return { outcome, because: null, detail, expected, actual }
  }
  const because = result.kind === 'untested' ? result.because : null
  return { outcome: result.kind, because, detail: result.detail }
}

const resultOf = (facts: Facts, finding: Finding): CheckResult => {
  const { check, host, result } = finding
  const { level } = requirement(finding.requirement)
  return {
    id: host === null ? check : `${check}@${host}`,
    requirement: finding.requirement,
    level,
    ...outcomeOf(result, level),
    requests: 0,
    evidence: result.kind === 'inapplicable' ? [] : evidenceOf(facts, finding),
  }
}

/** What a domain is not (an apex, a redirect) is not worth a line for each of them. */
const isWorthALine = ({ result, host }: Finding) => result.kind !== 'inapplicable' || host === null

export interface RunNotes {
  readonly attestations: readonly Attestation[]
  readonly notes: readonly string[]
  readonly strict: boolean
  readonly interrupted: boolean
  /** Null if no command line made the run. */
  readonly again: Again | null
}

export const runOf = (
  facts: Facts,
  findings: readonly Finding[],
  { attestations, notes, strict, interrupted, again }: RunNotes,
): RunFile => {
  const seen = findings.filter(isWorthALine).map((finding) => resultOf(facts, finding))
  const checks = [...seen, ...attestedResults(attestations)]
  const bySight = rollUp(seen)
  const { plan } = facts.settings
  return {
    schema: runFileSchema,
    petvet: version,
    interface: interfaceVersion,
    seed: 0,
    startedAt: facts.at,
    durationMs: facts.durationMs,
    target: {
      baseUrl: `https://${facts.config.primary}`,
      plans: plan === null ? [] : [plan],
      clock: false,
    },
    ...(again && { again }),
    verdict: verdictOf(checks, false, strict),
    interrupted,
    impossible: null,
    notes: [...notes, ...attestationNotes(attestations)],
    decided: { must: countDecided(bySight, 'must'), should: countDecided(bySight, 'should') },
    requests: requestsIn(facts),
    requestsByKey: {},
    checks,
    requirements: rollUp(checks),
    observations: Object.fromEntries(
      seen.filter(({ outcome }) => outcome === 'observed').map(({ id, detail }) => [id, detail]),
    ),
  }
}
