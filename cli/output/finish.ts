// The output of a run, as its flags set it: folder, reports, known failures (`--known`), verbosity.
// And its end: its reports are written, its result is printed, its exit code decided.

import { appendFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { styleText } from 'node:util'
import { nameFrom, readText } from '../../config/config-file.ts'
import { didYouMean, orRefuse, readWords, UsageError } from '../../config/values.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import { decideExitCode, decideVerdict } from '../../engine/check/verdict.ts'
import { smokeId } from '../../engine/run/smoke.ts'
import { scenarios } from '../../load/scenarios.ts'
import { formats, github, printRun, writeFormats } from '../../reports/formats.ts'
import {
  judgeKnown,
  type KnownFile,
  type KnownVerdict,
  readKnown,
  withoutExcused,
} from '../../reports/known-failures.ts'
import { markdown } from '../../reports/markdown.ts'
import { holdsUnstarted } from '../../reports/read-run.ts'
import { holdsRun, runFileName, writeWhole } from '../../reports/run-folder.ts'
import { type Source, verdictLine } from '../../reports/summary.ts'
import { terminal } from '../../reports/terminal.ts'
import { visible } from '../../reports/visible.ts'
import { catalogue } from '../../suites/index.ts'
import { type CheckFlags, formatNames, type OutputFlags } from '../flags.ts'
import { beingWritten } from './folder.ts'
import { readingColumns, say } from './progress.ts'

const knownIds: ReadonlySet<string> = new Set([
  smokeId,
  ...catalogue.map(({ id }) => id),
  ...scenarios.flatMap(({ verdicts }) => verdicts.map(({ id }) => id)),
])

/**
 * @param run the finished run that it is applied to, which may be of another version; without a
 *   file its own applies
 * @throws UsageError where it cannot be read, or names an unknown check: that line would never
 *   excuse anything, and never be found stale
 */
export const readKnownFile = (file: string | undefined, run?: RunFile): KnownFile => {
  if (file === undefined) return readKnown(run?.known ?? '')
  const text = readText('--known', file)
  const known = orRefuse(
    () => readKnown(text),
    ({ message }) => `--known ${file}: ${message}`,
  )
  const existing = new Set([...knownIds, ...(run?.checks ?? []).map(({ id }) => id)])
  const ids = [...known.failures.keys(), ...known.pins.keys()]
  // Checks of domains, and thresholds: no list has them.
  const isOnlyInRuns = /@|^(?:load-threshold|project|site|domains)-/
  const unknown = ids.find((id) => !isOnlyInRuns.test(id) && !existing.has(id))
  if (unknown === undefined) return known
  const hint = didYouMean(unknown, [...knownIds], 'petvet list prints all')
  throw new UsageError(`--known ${file}: no check is called "${unknown}"${hint}`)
}

/** `md` is the name of the file. */
export const readFormats = <W extends string>(given: readonly string[], available: readonly W[]) =>
  readWords(
    'report format',
    given.map((each) => each.replace(/\bmd\b/g, 'markdown')),
    available,
  )

export const writeRun = (folder: string, run: RunFile): void =>
  writeWhole(folder, runFileName, printRun(run))

export type OutputSettings = Readonly<ReturnType<typeof readOutput>>

export const readOutput = (flags: Pick<CheckFlags, keyof OutputFlags | 'resume'>) => {
  const { quiet = false, verbose = false, json = false, strict = false, known } = flags
  const out = flags.out ?? `petvet-runs/${new Date().toISOString().replace(/[:.]/g, '-')}`
  const folder = resolve(out)
  if (flags.resume === undefined && holdsRun(folder) && !holdsUnstarted(folder)) {
    const remedy =
      'choose another folder with --out; check --resume goes on with an interrupted one'
    throw new UsageError(beingWritten(folder) ?? `${out} already contains a run: ${remedy}`)
  }
  return {
    strict,
    known: readKnownFile(known),
    folder,
    formats: readFormats(flags.report ?? [], formatNames),
    verbose,
    quiet,
    json,
  }
}

/** Writes and prints a run. @returns its exit code, if it was not interrupted */
export const finishRun = (found: RunFile, settings: OutputSettings): number => {
  const { folder, formats } = settings
  const { text } = settings.known
  const run = text === '' ? found : { ...found, known: text }
  writeRun(folder, run)
  const known = judgeKnown(run, settings.known)
  const source = { run, known }
  writeFormats(source, formats, folder)
  reportToGithub(formats, source)
  // Names the target, as nothing else does.
  const target = `petvet: ${visible(run.target.baseUrl)}: `
  const line = verdictLine(run, known).replace(/^petvet: /, target)
  if (settings.quiet) process.stderr.write(`${line}\n`)
  else if (settings.json) process.stdout.write(printRun(run))
  else process.stdout.write(terminalReport(run, known, settings))
  return exitCodeWithKnown(run, known, settings.strict)
}

/** What a step of GitHub Actions passes on: the summary of its job, and annotations. */
const reportToGithub = (names: readonly string[], source: Source): void => {
  const { GITHUB_ACTIONS: inActions, GITHUB_STEP_SUMMARY: summary } = process.env
  if (summary && names.includes('markdown')) {
    try {
      appendFileSync(summary, markdown(source))
    } catch (error) {
      say(`no summary was written: ${(error as Error).message}`)
    }
  }
  // Commands are read from standard error too, and `--json` owns standard output.
  if (inActions === 'true' && names.includes('github')) process.stderr.write(github(source))
}

/** A run that could not be made is not excused by known failures. */
export const exitCodeWithKnown = (run: RunFile, known: KnownVerdict, strict: boolean): number => {
  if (run.impossible !== null) return decideExitCode(run)
  if (known.stale.size > 0) return 1
  // Nothing of it is excused; and only the run knows which checks were selected.
  if (run.verdict === 'undecided') return decideExitCode(run)
  const verdict = decideVerdict(withoutExcused(run, known), false, strict)
  return decideExitCode({ ...run, verdict })
}

export const terminalReport = (
  run: RunFile,
  known: KnownVerdict,
  { verbose, folder, formats: written }: Pick<OutputSettings, 'verbose' | 'folder' | 'formats'>,
): string =>
  terminal(run, {
    paint: (style, text) => styleText(style, text),
    verbose,
    known,
    columns: readingColumns(),
    folder: nameFrom(process.cwd(), folder),
    htmlUrl: written.includes('html') ? htmlAddress(folder) : null,
  })

/** The address of the HTML report, to be opened in a browser. */
export const htmlAddress = (folder: string): string =>
  pathToFileURL(join(folder, formats.html?.file ?? '')).href
