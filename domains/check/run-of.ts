// The run file of a judgement of domains: the same form as any other run.

import { type Again, type CheckResult, type RunFile, runFileSchema } from '../../engine/run-file.ts'
import { countDecided, rollUp, verdictOf } from '../../engine/verdict.ts'
import { interfaceVersion, version } from '../../engine/version.ts'
import { requirement } from '../../spec/requirements.ts'
import { type Attestation, attestationNotes, attestedResults } from './attestation.ts'
import { evidenceOf, requestsIn } from './evidence.ts'
import type { Facts } from './facts.ts'
import type { Finding, Said } from './finding.ts'
import { domainHow } from './how.ts'

type Told = Pick<CheckResult, 'outcome' | 'because' | 'detail' | 'expected' | 'actual'>

const tell = (said: Said, level: CheckResult['level']): Told => {
  switch (said.kind) {
    case 'breach': {
      const { expected, actual } = said
      const detail = `expected ${expected}; got ${actual}`
      const outcome = level === 'must' ? 'fail' : level === 'should' ? 'warn' : 'observed'
      return { outcome, because: null, detail, expected, actual }
    }
    case 'untested':
      return { outcome: 'untested', because: said.because, detail: said.detail }
    default:
      return { outcome: said.kind, because: null, detail: said.detail }
  }
}

const resultOf = (facts: Facts, finding: Finding): CheckResult => {
  const { check, host } = finding
  const id = domainHow[check]?.requirement
  if (id === undefined) throw new Error(`${check} has no explanation`)
  const { level } = requirement(id)
  const isSeen = finding.said.kind !== 'inapplicable'
  return {
    id: host === null ? check : `${check}@${host}`,
    requirement: id,
    level,
    ...tell(finding.said, level),
    requests: 0,
    evidence: isSeen ? evidenceOf(facts, finding) : [],
  }
}

/** What a domain is not (an apex, a redirect) is not worth a line for each of them. */
const isWorthALine = ({ said, host }: Finding) => said.kind !== 'inapplicable' || host === null

export interface RunNotes {
  readonly attestations: readonly Attestation[]
  readonly notes: readonly string[]
  readonly strict: boolean
  readonly interrupted: boolean
  /** Null where a program looks. */
  readonly again: Again | null
}

export const runOf = (
  facts: Facts,
  findings: readonly Finding[],
  { attestations, notes, strict, interrupted, again }: RunNotes,
): RunFile => {
  const seen = findings.filter(isWorthALine).map((finding) => resultOf(facts, finding))
  const attested = attestedResults(attestations)
  const checks = [...seen, ...attested]
  const bySight = rollUp(seen)
  const { plan } = facts.asked
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
