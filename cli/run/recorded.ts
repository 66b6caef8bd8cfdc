// A run of a command: its settings, read before anything is sent or written; its exchanges go to a
// file, its progress to the terminal. At its end it is written, printed, and becomes an exit code.
import { setFlagsFromString } from 'node:v8'
import { runDiagnosed } from '../../causes/run.ts'
import type { Settings } from '../../config/config-file.ts'
import { commandGiven } from '../../config/given-keys.ts'
import { readRun } from '../../config/run-settings.ts'
import { readTarget, type Target } from '../../config/target.ts'
import { UsageError } from '../../config/values.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { Past } from '../../engine/run/journal.ts'
import type { Forecast, RunSink } from '../../engine/run/run-options.ts'
import { isOver } from '../../reports/known-failures.ts'
import { exchangesName, journalName, openLines } from '../../reports/run-folder.ts'
import { type CheckFlags, choiceIn, readSettings } from '../flags.ts'
import { finishRun, type OutputSettings, readOutput } from '../output/finish.ts'
import { inFolder, interruptible } from '../output/folder.ts'
import { createProgress } from '../output/progress.ts'

export type CheckSettings = Readonly<ReturnType<typeof readDemoSettings>>
export type TargetSettings = Readonly<ReturnType<typeof readCheckSettings>>

export const readCheckSettings = (flags: CheckFlags) => {
  const settings = readSettings(flags, process.cwd())
  const target = readTarget(settings, process.env)
  if (target !== null) return { ...settingsFor('check', flags, settings), target }
  throw new UsageError(
    'no target: give a base URL, or a configuration file (petvet init writes one); ' +
      'petvet demo runs on a reference server of its own',
  )
}

/** The built-in reference is the target, and no configuration is read. */
export const readDemoSettings = (flags: CheckFlags) =>
  settingsFor('demo', flags, readSettings({ ...flags, config: false }, process.cwd()))

const settingsFor = (name: string, flags: CheckFlags, { config, file }: Settings) => ({
  ...readOutput(flags),
  ...readRun(choiceIn(flags), config, commandGiven(name, flags, file)),
  /** The configuration, as messages name it; null: none was read. */
  configFile: file,
})

/** How often the remaining time is redrawn while nothing happens. */
const tickMs = 1_000

/** A run ends if a file cannot be written: every request must be recorded. */
const untilFull = (full: AbortController, append: (line: string) => void) => (line: string) => {
  // A line after a missing one would make a record that no kill can leave.
  full.signal.throwIfAborted()
  try {
    append(line)
  } catch (error) {
    full.abort(error)
    throw error
  }
}

/**
 * @param interrupted ends the run early
 * @param run runs the suites until its signal is aborted
 * @throws WriteFault where its files cannot be written
 */
export const recorded = async (
  settings: Pick<OutputSettings, 'folder' | 'quiet'>,
  interrupted: AbortSignal,
  run: (sink: RunSink, signal: AbortSignal) => Promise<RunFile>,
  more: {
    readonly exchanges?: string
    /** Whether one is begun, or that of a resumed run is continued; by default none is kept. */
    readonly journal?: 'new' | 'resumed'
    /** Known failures; by default failures are not printed as they happen. */
    readonly excused?: ReadonlySet<string>
  } = {},
): Promise<RunFile> => {
  const { exchanges = exchangesName, journal, excused } = more
  // A quarter less memory, for no time: by itself V8 reserves up to 100 MiB for new objects.
  setFlagsFromString('--semi-space-growth-factor=1')
  const lines = openLines(settings.folder, exchanges, journal === 'resumed')
  const entries = journal && openLines(settings.folder, journalName, journal === 'resumed')
  const progress = createProgress(settings, excused)
  const ticking = setInterval(progress.tick, tickMs)
  const full = new AbortController()
  const signal = AbortSignal.any([interrupted, full.signal])
  const sink = { exchange: untilFull(full, lines.append), event: progress.event }
  const kept = entries ? { ...sink, journal: untilFull(full, entries.append) } : sink
  try {
    const found = await run(kept, signal)
    full.signal.throwIfAborted()
    return found
  } finally {
    clearInterval(ticking)
    progress.clear()
    lines.close()
    entries?.close()
  }
}

/**
 * Runs the checks.
 * @param kept the journal: what the run did before, where it is resumed; null: none is kept
 */
export const runChecks = async (
  settings: CheckSettings & { readonly target: Target },
  kept: Past | 'new' | null,
  signal: AbortSignal,
  forecast?: Forecast,
): Promise<RunFile> => {
  const { checks, run, target } = settings
  const today = new Date().toISOString()
  const { failures } = settings.known
  // Known failures whose excuse has not expired.
  const current = [...failures].filter(([, known]) => !isOver(known, today))
  const excused = new Set(current.map(([id]) => id))
  const past = kept === 'new' ? null : kept
  const more = { excused, ...(past && { past }), ...(forecast && { forecast }) }
  return recorded(
    settings,
    signal,
    (sink, until) => runDiagnosed(checks, { ...target, ...run, ...more, signal: until }, sink),
    { excused, ...(kept && { journal: past ? 'resumed' : 'new' }) },
  )
}

/**
 * Runs until its end or a signal, in the folder of the settings, and prints the result.
 * @param run null where nothing could be run
 * @returns the exit code
 */
export const runToEnd = (
  settings: OutputSettings,
  run: (signal: AbortSignal) => Promise<RunFile | null>,
): Promise<number> =>
  interruptible(async (signal) => {
    const file = await run(signal)
    return file === null ? 3 : finishRun(file, settings)
  })

/** The same in a new folder. */
export const runInFolder: typeof runToEnd = (settings, run) =>
  inFolder(settings.folder, () => runToEnd(settings, run))
