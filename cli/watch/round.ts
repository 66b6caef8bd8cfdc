// One round of a watch: a run in a folder of its own.
import { printRun } from '../../reports/formats.ts'
import { exchangesName, runFileName, writeWhole } from '../../reports/run-folder.ts'
import type { Carried } from '../../suites/kit/quota/carried.ts'
import { runSuites } from '../../suites/kit/run.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import type { RunEvent, RunSink } from '../../suites/kit/run-options.ts'
import { optionsOfCheck } from '../options-of-check.ts'
import { recorded } from '../recorded.ts'
import { questionsOf, type WatchSettings } from './settings.ts'
import type { Scope } from './wishes.ts'

export interface RoundTask {
  readonly folder: string
  readonly scope: Scope
  /** What failed, and what made it fail. */
  readonly first: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** @param heard told what happens, besides the progress line */
export type RunRound = (task: RoundTask, heard: (event: RunEvent) => void) => Promise<RunFile>

export const createRunRound =
  (settings: WatchSettings, carried: Carried): RunRound =>
  async ({ folder, scope, first, signal }, heard) => {
    const { check, target } = settings
    const options = {
      ...optionsOfCheck(check, target, signal),
      first: scope === 'all' ? new Set<string>() : first,
      carried,
    }
    const questions = questionsOf(settings, scope, first)
    const both = (sink: RunSink): RunSink => ({
      ...sink,
      event: (each) => {
        sink.event(each)
        heard(each)
      },
    })
    const own = { folder, exchanges: exchangesName, quiet: check.quiet, journal: null }
    const run = await recorded(own, signal, (sink, until) =>
      runSuites(questions, { ...options, signal: until }, both(sink)),
    )
    writeWhole(folder, runFileName, printRun(run))
    return run
  }
