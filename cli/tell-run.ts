// The end of a run, as `check` and `load` share it: it is reported, told, and judged.

import type { RunFile } from '../engine/run-file.ts'
import { exitCodeOf, verdictOf } from '../engine/verdict.ts'
import { printRun } from '../reports/formats.ts'
import { judgeKnown, type KnownVerdict, withoutExcused } from '../reports/known.ts'
import { verdictLine } from '../reports/summary.ts'
import { updateKnownFile } from './known-file.ts'
import type { OutputSettings } from './output-settings.ts'
import { tellGithub } from './tell-github.ts'
import { existsIn, tellTerminal } from './tell-terminal.ts'
import { sourceOf, writeReports } from './write-reports.ts'

/** @returns the exit code of a run that was not interrupted */
export const tellRun = (run: RunFile, settings: OutputSettings): number => {
  const { known, code } = reportRun(run, settings)
  if (settings.quiet) process.stderr.write(`${verdictLine(run, known)}\n`)
  else if (settings.json) process.stdout.write(printRun(run))
  else process.stdout.write(tellTerminal(run, known, settings))
  return code
}

/** The same of a run with nothing left to do: whoever held it has seen it all. */
export const tellOver = (past: RunFile, settings: OutputSettings): number => {
  // It may be asked more strictly than it was.
  const run = { ...past, verdict: verdictOf(past.checks, false, settings.strict) }
  const { known, code } = reportRun(run, settings)
  const verdict = verdictLine(run, known).replace(/^petvet: /, '')
  process.stderr.write(`petvet: nothing is left to do: ${verdict}\n`)
  if (settings.json) process.stdout.write(printRun(run))
  return code
}

/** Writes all that was asked for beside the run. */
const reportRun = (run: RunFile, settings: OutputSettings) => {
  const { updates, formats, folder, strict } = settings
  // A run that was not held to its end tells nothing to be known.
  const isWhole = run.impossible === null && !run.interrupted
  const file = updates !== null && isWhole ? updateKnownFile(updates, run) : settings.known
  const known = judgeKnown(run, file, existsIn(run))
  const source = sourceOf(run, known, folder)
  writeReports(formats, source, folder)
  tellGithub(formats, source, process.env)
  return { known, code: codeOf(run, known, strict) }
}

/** What could not be held is excused by nothing. */
const codeOf = (run: RunFile, known: KnownVerdict, strict: boolean): number => {
  if (run.impossible !== null) return exitCodeOf(run)
  if (known.stale.size > 0) return 1
  return exitCodeOf({ ...run, verdict: verdictOf(withoutExcused(run, known), false, strict) })
}
