// CTRF, the Common Test Report Format: for the actions and dashboards that read it.
import type { CheckResult } from '../engine/check/run-file.ts'
import { type Case, listCases } from './cases.ts'
import { type Source, totals } from './summary.ts'
import { inertJson, visible } from './visible.ts'

type Status = 'passed' | 'failed' | 'skipped' | 'other'

/** The version of the format that current readers accept. */
const specVersion = '0.0.0'

export const ctrf = (source: Source): string => {
  const { run } = source
  const tests = listCases(source).map(testOf)
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
  return inertJson(report)
}

/** What is untested has neither passed nor failed; a warning violates no must. */
const statuses: Readonly<Record<Case['kind'], Status>> = {
  pass: 'passed',
  warn: 'passed',
  threshold: 'failed',
  fail: 'failed',
  error: 'failed',
  'stale-known': 'failed',
  observed: 'other',
  untested: 'other',
  measured: 'other',
  inapplicable: 'skipped',
  known: 'skipped',
}

const testOf = ({ kind, section, name, message, durationMs = 0, excuse, result }: Case) => ({
  name: visible(name),
  status: statuses[kind],
  rawStatus: result?.because ?? kind,
  duration: Math.round(durationMs),
  suite: [section],
  message: visible(excuse === undefined ? message : `known: ${excuse}; ${message}`),
  ...(result && labelsOf(result)),
})

const labelsOf = ({ id, level, requirement, evidence }: CheckResult) => ({
  ...(evidence.length > 0 && { trace: evidence.map(({ curl }) => visible(curl)).join('\n') }),
  labels: { level, requirement, check: id },
})
