// CTRF, the Common Test Report Format: for the actions and dashboards that read it.
import type { CheckResult } from '../engine/run-file.ts'
import { checkTitle, requirementOf } from './requirements.ts'
import { casesBesides, type Source, totals } from './summary.ts'
import { inertJson, visible } from './visible.ts'

type Status = 'passed' | 'failed' | 'skipped' | 'other'

/** The version of the format that current readers accept. */
const specVersion = '0.0.0'

export const ctrf = (source: Source): string => {
  const { run, known } = source
  const tests = [
    ...run.checks.map((result) => testOf(result, known.excused.get(result.id))),
    ...casesBesides(source).map(({ suite, name, kind, durationMs, message }) => ({
      name,
      status: kind === 'measured' ? ('other' as const) : ('failed' as const),
      rawStatus: kind,
      duration: Math.round(durationMs),
      suite: [suite],
      message: visible(message),
    })),
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

const testOf = (result: CheckResult, excuse: string | undefined) => {
  const { id, requirement, level, outcome, because, detail, evidence } = result
  return {
    name: visible(checkTitle(result)),
    status: excuse === undefined ? statuses[outcome] : 'skipped',
    rawStatus: excuse === undefined ? (because ?? outcome) : 'known',
    duration: Math.round(result.durationMs ?? 0),
    suite: [requirementOf(result).section],
    message: visible(excuse === undefined ? detail : `known: ${excuse}; ${detail}`),
    ...(evidence.length > 0 && { trace: evidence.map(({ curl }) => visible(curl)).join('\n') }),
    labels: { level, requirement, check: id },
  }
}
