// The adapter for vitest: the suites as tests of the project whose server they vet.
/// <reference types="node" preserve="true" />
import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest'
import { runDiagnosed } from './causes/run.ts'
import {
  type JudgeOptions,
  readJudgeOptions,
  readVetOptions,
  type VetOptions,
} from './config/run-settings.ts'
import type { CheckResult, RunFile } from './engine/check/run-file.ts'
import { reduceRun } from './engine/check/verdict.ts'
import { namedRequirement, placeInInterface } from './reports/by-heading.ts'
import { plainLines } from './reports/failure.ts'
import { nothingKnown } from './reports/known-failures.ts'
import { untestedLines, verdictLine } from './reports/summary.ts'
import { visible } from './reports/visible.ts'
import { itemsOf } from './traffic/files.ts'
import { prepareJudge } from './traffic/judge.ts'
import { judgedIds } from './traffic/results.ts'

export interface VettedOptions extends VetOptions {
  /** Milliseconds the whole run may take; by default a quarter of an hour. */
  readonly runTimeoutMs?: number
}

const usualRunTimeoutMs = 15 * 60_000

interface Declared {
  readonly name: string
  readonly ids: readonly string[]
  readonly strict: boolean
  readonly timeoutMs: number
  readonly hold: () => Promise<RunFile>
  /** What else is to be said where it is undecided. */
  readonly hint: () => string
}

/** One test per check; the run is held once, before the first of them. */
const declareTests = ({ name, ids, strict, timeoutMs, hold, hint }: Declared): void => {
  const all = new Set(ids)
  describe(name, () => {
    let run: RunFile | undefined
    const reported = new Set<string>()
    beforeAll(async () => {
      run = await hold()
    }, timeoutMs)
    test.for([...all])('%s', async (id, context) => {
      reported.add(id)
      const result = run?.checks.find((check) => check.id === id)
      if (!run || !result) throw new Error('the run ended without an outcome of this check')
      await reportResult(run, result, context)
    })
    afterAll(() => {
      if (!run) return
      const part = reduceRun(run, (id) => reported.has(id) || !all.has(id), strict)
      judgeWhole(part, all, [...untestedLines(part, strict), hint()])
    })
  })
}

/**
 * Declares one test per check, in a `describe` that names the seed. The run is held once, before
 * the first of them: a violation fails its test, a violated should is an annotation, what was not
 * tested is skipped with its reason. A run whose verdict is undecided, that was interrupted or
 * could not be held fails the `describe`; tests that a filter of vitest leaves out do not count.
 * @throws UsageError while the tests are collected, where the options are wrong
 */
export const vetted = (given: VettedOptions): void => {
  const { runTimeoutMs = usualRunTimeoutMs, ...vetOptions } = given
  const ending = new AbortController()
  const outer = given.signal ? [given.signal] : []
  const signal = AbortSignal.any([ending.signal, ...outer])
  const { checks, options, sink } = readVetOptions({ ...vetOptions, signal })
  const late = `It was ended after ${runTimeoutMs} ms: give it a longer runTimeoutMs.`
  declareTests({
    name: `petvet ${options.baseUrl}, seed ${options.seed}`,
    ids: checks.map(({ id }) => id),
    strict: options.strict,
    timeoutMs: runTimeoutMs + 2 * options.responseTimeoutMs,
    hold: async () => {
      // A run that takes too long is ended, and its results so far are reported.
      const timer = setTimeout(() => ending.abort(), runTimeoutMs)
      const run = await runDiagnosed(checks, options, sink)
      clearTimeout(timer)
      return run
    },
    hint: () => (ending.signal.aborted ? late : ''),
  })
}

/**
 * Declares the same tests of recorded traffic, as of the tests before it in the file.
 * @param exchanges gives entries of a HAR file, or lines of `exchanges.ndjson`, once those have run
 * @throws UsageError while the tests are collected, where the options are wrong
 */
export const judged = (
  exchanges: () => Iterable<unknown> | Promise<Iterable<unknown>>,
  given: JudgeOptions = {},
): void => {
  const { checks, options } = readJudgeOptions(given)
  declareTests({
    name: 'petvet, recorded traffic',
    ids: judgedIds(checks),
    strict: options.strict,
    timeoutMs: usualRunTimeoutMs,
    hold: async () => (await prepareJudge(checks, itemsOf(await exchanges()), options))(),
    hint: () => '',
  })
}

const reportResult = async (
  run: RunFile,
  result: CheckResult,
  context: TestContext,
): Promise<void> => {
  switch (result.outcome) {
    case 'fail':
    case 'error':
      throw violationOf(run, result)
    case 'untested':
    case 'inapplicable':
      return context.skip(visible(`${result.outcome}: ${result.detail}`))
    case 'warn':
    case 'observed':
      await context.annotate(
        visible(result.detail),
        result.outcome === 'warn' ? 'warning' : 'notice',
      )
  }
}

/**
 * Failures of no single test: the smoke call has none, and a run that tests too little
 * is all skipped tests.
 */
const judgeWhole = (run: RunFile, tests: ReadonlySet<string>, decides: readonly string[]): void => {
  const isViolated = ({ id, outcome }: CheckResult) =>
    !tests.has(id) && (outcome === 'fail' || outcome === 'error')
  const violated = run.checks.find(isViolated)
  if (violated) throw violationOf(run, violated)
  const isHeld = run.impossible === null
  if (isHeld && !run.interrupted && run.verdict !== 'undecided') return
  const reasons = isHeld || run.interrupted ? decides : []
  throw plainError(
    [verdictLine(run, nothingKnown, isHeld ? [] : undefined), ...reasons].map(visible),
  )
}

const violationOf = (run: RunFile, result: CheckResult): Error => {
  const { id, requirement, level } = result
  const violated = namedRequirement(result)
  return plainError([
    visible(`${requirement}: ${violated.says} (${placeInInterface(violated)}, ${level})`),
    ...plainLines(run, result),
    `How it is judged: petvet explain ${id}`,
  ])
}

const plainError = (lines: readonly string[]): Error => {
  const error = new Error(lines.filter((line) => line !== '').join('\n'))
  // The server is at fault, so a stack in the harness is of no use.
  error.stack = `${error.name}: ${error.message}`
  return error
}
