// The sample run of the reports, and any run in one of the formats.
import { join } from 'node:path'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { formats } from '../reports/formats.ts'
import { nothingKnown } from '../reports/known-failures.ts'
import { readRun } from '../reports/read-run.ts'
import type { Source } from '../reports/summary.ts'
import { terminal } from '../reports/terminal.ts'
import { root } from './layout/sources.ts'

export const samples = join(root, 'reports/samples')

/** It holds every outcome, and the figures of a load. */
export const wholeSample = readRun(samples)
const { load: _, ...withoutLoad } = wholeSample
export const sample: RunFile = withoutLoad
export const failing = sample.checks.find(({ outcome }) => outcome === 'fail') as CheckResult

export const write = (name: string, run: RunFile, more: Partial<Source> = {}): string =>
  formats[name]?.write({ run, known: nothingKnown, ...more }) ?? ''

export const asText = (
  run: RunFile,
  options: Partial<Parameters<typeof terminal>[1]> = {},
): string =>
  terminal(run, {
    paint: (_style, text) => text,
    verbose: false,
    columns: null,
    known: nothingKnown,
    folder: null,
    htmlUrl: null,
    ...options,
  })

/** The result of a check of a must that one request decided. */
export const result = (id: string, outcome: CheckResult['outcome'], detail = ''): CheckResult => ({
  ...{ id, requirement: 'list.success', level: 'must', outcome, because: null, detail },
  ...{ requests: 1, evidence: [] },
})
