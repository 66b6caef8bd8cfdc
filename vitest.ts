// The adapter for vitest: the suites as tests of the project whose server they vet.
import { beforeAll, describe, type TestContext, test } from 'vitest'
import { readVetOptions, type VetOptions } from './cli/vet-options.ts'
import { tellVariables } from './reports/again.ts'
import { sentenceOfCheck } from './reports/sentences.ts'
import { visible } from './reports/visible.ts'
import { runSuites } from './suites/kit/run.ts'
import type { CheckResult, RunFile } from './suites/kit/run-file.ts'

export interface VettedOptions extends VetOptions {
  /** Milliseconds the whole run may take; by default a quarter of an hour. */
  readonly runTimeoutMs?: number
}

const usualRunTimeoutMs = 15 * 60_000

/**
 * Declares one test per check, in a `describe` that names the seed. The run is held once, before
 * the first of them: a breach fails its test, a broken should is an annotation, what could not be
 * decided is skipped with its reason.
 * @throws UsageError while the tests are collected, where the options are wrong
 */
export const vetted = (given: VettedOptions): void => {
  const { runTimeoutMs = usualRunTimeoutMs, ...vetOptions } = given
  const ending = new AbortController()
  const outer = given.signal ? [given.signal] : []
  const signal = AbortSignal.any([ending.signal, ...outer])
  const { questions, options } = readVetOptions({ ...vetOptions, signal }, vetted)
  describe(`petvet ${options.baseUrl}, seed ${options.seed}`, () => {
    let run: RunFile | undefined
    beforeAll(
      async () => {
        // A run that takes too long is ended, and what it decided by then is told.
        const timer = setTimeout(() => ending.abort(), runTimeoutMs)
        run = await runSuites(questions, options, { exchange: () => {}, event: () => {} })
        clearTimeout(timer)
        if (run.impossible !== null) throw new Error(run.impossible)
      },
      runTimeoutMs + 2 * options.answerTimeoutMs,
    )
    test.for(questions.map(({ id }) => id))('%s', async (id, context) => {
      const result = run?.checks.find((check) => check.id === id)
      if (!run || !result) throw new Error('the run ended without an outcome of this check')
      await tell(run, result, context)
    })
  })
}

const tell = async (run: RunFile, result: CheckResult, context: TestContext): Promise<void> => {
  switch (result.outcome) {
    case 'fail':
    case 'error':
      throw breach(run, result)
    case 'untested':
    case 'inapplicable':
      return context.skip(`${result.outcome}: ${result.detail}`)
    case 'warn':
    case 'observed':
      await context.annotate(result.detail, result.outcome === 'warn' ? 'warning' : 'notice')
  }
}

const breach = (run: RunFile, result: CheckResult): Error => {
  const { id, requirement, level, detail, expected, actual, evidence } = result
  const { says, section } = sentenceOfCheck(result)
  const hasBoth = expected !== undefined && actual !== undefined
  const lines = [
    `${requirement}: ${says} (${section}, ${level})`,
    ...(hasBoth ? [`expected: ${expected}`, `actual:   ${actual}`] : detail.split('\n')),
    // What came before the last one led to it, or is the control beside it.
    ...evidence.slice(-1).map(({ curl }) => curl),
    tellVariables(run).replaceAll('`', ''),
    `What is asked, and what is a breach: petvet explain ${id}`,
  ]
  const error = new Error(
    lines
      .filter((line) => line !== '')
      .map(visible)
      .join('\n'),
  )
  // The breach is the server's; where it was told is of no use.
  error.stack = `${error.name}: ${error.message}`
  return error
}
