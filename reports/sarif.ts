// SARIF 2.1.0: findings that persist and close themselves, at the line of the OpenAPI document.
import { requirementIds } from '../spec/requirements.ts'
import type { CheckResult } from '../suites/kit/run-file.ts'
import { openapiLine } from './openapi-line.ts'
import { sentenceOf, sentenceOfCheck } from './sentences.ts'
import type { Source } from './source.ts'
import { inertJson, visible } from './visible.ts'

const schema =
  'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

/** The document as a repository has it that keeps it beside its code. */
const document = 'spec/openapi.yaml'

/** GitHub reads no more results of one run. */
const mostResults = 25_000
const mostCharacters = 4_000

export const sarif = (source: Source): string => {
  const { run, known } = source
  const found = run.checks.filter(({ outcome }) => outcome !== 'error').slice(0, mostResults)
  const errors = run.checks.filter(({ outcome }) => outcome === 'error')
  const faults = [
    ...errors.map(({ id, detail }) => `${id}: ${detail}`),
    ...(run.impossible === null ? [] : [run.impossible]),
  ]
  const start = Date.parse(run.startedAt)
  const log = {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'petvet', semanticVersion: run.petvet, rules: rulesOf(run.checks) },
        },
        automationDetails: { id: `petvet/${run.interface}/` },
        columnKind: 'utf16CodeUnits',
        redactionTokens: ['$PETVET_KEY'],
        invocations: [
          {
            executionSuccessful: run.impossible === null && errors.length === 0,
            startTimeUtc: run.startedAt,
            endTimeUtc: new Date(start + run.durationMs).toISOString(),
            toolExecutionNotifications: [
              ...faults.map((text) => ({ level: 'error', message: { text: short(text) } })),
              ...run.notes.map((text) => ({ level: 'note', message: { text: short(text) } })),
            ],
          },
        ],
        results: [
          ...found.map((result) => resultOf(result, known.excused.get(result.id))),
          ...[...known.stale].map(([id, why]) => staleOf(id, why)),
        ],
        properties: { verdict: run.verdict, seed: run.seed, target: visible(run.target.baseUrl) },
      },
    ],
  }
  return `${inertJson(log, 2)}\n`
}

const short = (text: string): string => visible(text.slice(0, mostCharacters))

const staleRule = 'known-failures'

const rulesOf = (checks: readonly CheckResult[]) => {
  const met = new Map(checks.map((result) => [result.requirement, result]))
  const order = new Map<string, number>(requirementIds.map((id, index) => [id, index]))
  const last = requirementIds.length
  const placeOf = (id: string) => order.get(id) ?? last
  const ids = [...met.values()].sort((a, b) => placeOf(a.requirement) - placeOf(b.requirement))
  return [
    ...ids.map(({ requirement: id, level }) => {
      const { section, says } = sentenceOf({ id, level })
      return {
        id,
        shortDescription: { text: says },
        fullDescription: { text: `${says} (${section})` },
        defaultConfiguration: { level: level === 'must' ? 'error' : 'warning' },
        properties: { tags: [level] },
      }
    }),
    { id: staleRule, shortDescription: { text: 'Each line of the known failures holds.' } },
  ]
}

type Kind = 'pass' | 'fail' | 'open' | 'informational' | 'notApplicable'

const kinds: Readonly<Record<CheckResult['outcome'], Kind>> = {
  pass: 'pass',
  observed: 'informational',
  inapplicable: 'notApplicable',
  untested: 'open',
  warn: 'fail',
  fail: 'fail',
  error: 'open',
}

const resultOf = (result: CheckResult, excuse: string | undefined) => {
  const { section } = sentenceOfCheck(result)
  const kind = kinds[result.outcome]
  return {
    ruleId: result.requirement,
    kind,
    // What is no finding has no level.
    level: kind === 'fail' ? (result.outcome === 'fail' ? 'error' : 'warning') : 'none',
    message: { text: short(`${result.id}: ${result.detail}`) },
    locations: [locationAt(openapiLine(section))],
    partialFingerprints: { 'petvetCheck/v1': result.id },
    ...(excuse !== undefined && {
      suppressions: [{ kind: 'external', status: 'accepted', justification: short(excuse) }],
    }),
    properties: { check: result.id, outcome: result.outcome, evidence: curlsOf(result) },
  }
}

const curlsOf = ({ evidence }: CheckResult): string[] => evidence.map(({ curl }) => short(curl))

const staleOf = (id: string, why: string) => ({
  ruleId: staleRule,
  kind: 'fail',
  level: 'error',
  message: { text: short(`${id}: ${why}`) },
  locations: [locationAt(1)],
  partialFingerprints: { 'petvetCheck/v1': `${staleRule}/${visible(id)}` },
})

const locationAt = (startLine: number) => ({
  physicalLocation: { artifactLocation: { uri: document }, region: { startLine } },
})
