// The programmatic API: a run as a stream of events, and its run file; recorded traffic, judged.
/// <reference types="node" preserve="true" />
import { runDiagnosed } from './causes/run.ts'
import {
  type JudgeOptions,
  readJudgeOptions,
  readVetOptions,
  type VetOptions,
} from './config/run-settings.ts'
import { readWords, refuse, UsageError } from './config/values.ts'
import type { RunFile } from './engine/check/run-file.ts'
import type { RunEvent } from './engine/run/run-options.ts'
import { formats, printRun, writeFormats } from './reports/formats.ts'
import { nothingKnown } from './reports/known-failures.ts'
import { makeFolder, runFileName, writeWhole } from './reports/run-folder.ts'
import { itemsOf } from './traffic/files.ts'
import { prepareJudge } from './traffic/judge.ts'

export type { JudgeOptions, VetOptions } from './config/run-settings.ts'
export type { Permission } from './engine/check/context.ts'
export type {
  CheckResult,
  Evidence,
  RequirementResult,
  RunFile,
  Verdict,
} from './engine/check/run-file.ts'
export type { RunEvent } from './engine/run/run-options.ts'
export type { Because, Outcome } from './history/outcome.ts'
export { UsageError }

/**
 * Writes `run.json` and other formats of a run to a folder, which is made if it does not exist.
 * @param names `html`, `markdown`, `junit`, `github`, `badge`
 * @throws UsageError for any other name; WriteFault if a file cannot be written
 */
export const writeReports = (run: RunFile, names: readonly string[], folder: string): void => {
  const known = readWords('report format', names, Object.keys(formats))
  makeFolder(folder)
  writeWhole(folder, runFileName, printRun(run))
  writeFormats({ run, known: nothingKnown }, known, folder)
}

export interface Vetting extends AsyncIterable<RunEvent> {
  /** The run file, once the run has ended; also of an interrupted or impossible run. */
  readonly run: Promise<RunFile>
}

/**
 * Vets a server. The run starts at once; its events may be read, and need not be. Leaving the loop
 * over them early interrupts the run.
 * @throws UsageError at once, with one line that says what is wrong with the options
 */
export const vet = (given: VetOptions): Vetting => {
  const left = new AbortController()
  const signal = given.signal ? AbortSignal.any([given.signal, left.signal]) : left.signal
  const { checks, options, sink } = readVetOptions({ ...given, signal })
  let controller: ReadableStreamDefaultController<RunEvent> | undefined
  const events = new ReadableStream<RunEvent>({
    start: (own) => {
      controller = own
    },
    cancel: () => {
      controller = undefined
      left.abort()
    },
  })
  const run = runDiagnosed(checks, options, {
    ...sink,
    event: (event) => {
      sink.event(event)
      controller?.enqueue(event)
    },
  })
  run.then(
    () => controller?.close(),
    (error) => controller?.error(error),
  )
  return { run, [Symbol.asyncIterator]: () => events.values() }
}

/**
 * Judges recorded traffic; sends nothing.
 * @param exchanges entries of a HAR file, or parsed lines of `exchanges.ndjson`
 * @throws UsageError with one line where nothing can be judged
 */
export const judge = async (
  exchanges: Iterable<unknown>,
  given: JudgeOptions = {},
): Promise<RunFile> => {
  const { checks, options } = readJudgeOptions(given)
  const judgeAll = await prepareJudge(checks, itemsOf(exchanges), options).catch(refuse)
  return judgeAll()
}
