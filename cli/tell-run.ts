// The end of a run, as `check` and `load` share it: it is reported, told, and judged.
import { printRun } from '../reports/formats.ts'
import { judgeKnown, type KnownVerdict, withoutExcused } from '../reports/known.ts'
import { verdictLine } from '../reports/verdict-line.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import { exitCodeOf, verdictOf } from '../suites/kit/verdict.ts'
import { updateKnownFile } from './known-file.ts'
import type { OutputSettings } from './output-settings.ts'
import { tellGithub } from './tell-github.ts'
import { existsIn, tellTerminal } from './tell-terminal.ts'
import { sourceOf, writeReports } from './write-reports.ts'

/** @returns the exit code of a run that was not interrupted */
export const tellRun = (run: RunFile, settings: OutputSettings): number => {
  // A run that was not held to its end tells nothing to be known.
  const isWhole = run.impossible === null && !run.interrupted
  const file =
    settings.updates !== null && isWhole ? updateKnownFile(settings.updates, run) : settings.known
  const known = judgeKnown(run, file, existsIn(run))
  writeReports(settings.formats, sourceOf(run, known, settings.folder), settings.folder)
  tellGithub(settings.formats, sourceOf(run, known, settings.folder), process.env)
  if (settings.quiet) process.stderr.write(`${verdictLine(run, known)}\n`)
  else if (settings.json) process.stdout.write(printRun(run))
  else process.stdout.write(tellTerminal(run, known, settings))
  return codeOf(run, known, settings.strict)
}

/** The same of a run that has been told before. */
export const codeOfRun = (run: RunFile, { known: file, strict }: OutputSettings) => {
  const known = judgeKnown(run, file, existsIn(run))
  return { known, code: codeOf(run, known, strict) }
}

/** What could not be held is excused by nothing. */
const codeOf = (run: RunFile, known: KnownVerdict, strict: boolean): number => {
  if (run.impossible !== null) return exitCodeOf(run)
  if (known.stale.size > 0) return 1
  return exitCodeOf({ ...run, verdict: verdictOf(withoutExcused(run, known), false, strict) })
}
