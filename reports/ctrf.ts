// CTRF, the Common Test Report Format: for the actions and dashboards that read it.
import type { CheckResult } from '../engine/run-file.ts'
import { describeFigures, loadColumns } from './load.ts'
import { checkTitle, requirementOfCheck } from './requirements.ts'
import { type Source, totals } from './summary.ts'
import { inertJson, visible } from './visible.ts'

type Status = 'passed' | 'failed' | 'skipped' | 'other'

interface CtrfTest {
  readonly name: string
  readonly status: Status
  readonly rawStatus: string
  readonly duration: number
  readonly suite: readonly string[]
  readonly message?: string
  readonly trace?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** The version of the format that current readers accept. */
const specVersion = '0.0.0'

export const ctrf = ({ run, known }: Source): string => {
  const tests: CtrfTest[] = [
    ...run.checks.map((result) => testOf(result, known.excused.get(result.id))),
    ...loadColumns(run).map(({ scenario, column, figures }) => ({
      name: visible(`${scenario} · ${column}`),
      status: 'other' as const,
      rawStatus: 'measured',
      duration: Math.round(figures.durationMs),
      suite: ['Load'],
      message: describeFigures(figures),
    })),
    ...(run.impossible === null ? [] : [impossible(run.impossible)]),
    ...[...known.stale].map(([id, why]) => stale(id, why)),
  ]
  const count = (status: Status) => tests.filter((test) => test.status === status).length
  const start = Date.parse(run.startedAt)
  const report = {
    reportFormat: 'CTRF',
    specVersion,
    timestamp: run.startedAt,
    generatedBy: `petvet ${run.petvet}`,
    results: {
      tool: { name: 'petvet', version: run.petvet },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: 0,
        other: count('other'),
        start,
        stop: start + Math.round(run.durationMs),
        duration: Math.round(run.durationMs),
      },
      tests,
      environment: {
        appName: 'Animal Store Service',
        testEnvironment: visible(run.target.baseUrl),
        extra: {
          verdict: run.verdict,
          decided: run.decided,
          totals: totals(run),
          seed: run.seed,
          interface: run.interface,
          requests: run.requests,
          notes: run.notes.map(visible),
        },
      },
    },
  }
  return `${inertJson(report, 2)}\n`
}

/** What is untested has neither passed nor failed; a warning violates no must. */
const statuses: Readonly<Record<CheckResult['outcome'], Status>> = {
  pass: 'passed',
  warn: 'passed',
  fail: 'failed',
  error: 'failed',
  observed: 'other',
  untested: 'other',
  inapplicable: 'skipped',
}

const testOf = (result: CheckResult, excuse: string | undefined): CtrfTest => {
  const { id, requirement, level, outcome, because, detail, evidence } = result
  return {
    name: visible(checkTitle(result)),
    status: excuse === undefined ? statuses[outcome] : 'skipped',
    rawStatus: excuse === undefined ? (because ?? outcome) : 'known',
    duration: Math.round(result.durationMs ?? 0),
    suite: [requirementOfCheck(result).section],
    message: visible(excuse === undefined ? detail : `known: ${excuse}; ${detail}`),
    ...(evidence.length > 0 && { trace: evidence.map(({ curl }) => visible(curl)).join('\n') }),
    labels: { level, requirement, check: id },
  }
}

const impossible = (why: string): CtrfTest => ({
  name: 'The run can be held.',
  status: 'failed',
  rawStatus: 'error',
  duration: 0,
  suite: ['Run'],
  message: visible(why),
})

const stale = (id: string, why: string): CtrfTest => ({
  name: `${visible(id)} fails, as it is known to.`,
  status: 'failed',
  rawStatus: 'stale-known',
  duration: 0,
  suite: ['Known failures'],
  message: visible(why),
})
