// A run while it happens: its exchanges go to a file, its progress to the terminal; its run file is
// written at the end.
import { setFlagsFromString } from 'node:v8'
import { withCauses } from '../../causes/diagnose.ts'
import type { Target } from '../../config/target.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { Past } from '../../engine/run/journal.ts'
import { runSuites } from '../../engine/run/run.ts'
import type { Forecast, RunSink } from '../../engine/run/run-options.ts'
import { printRun } from '../../reports/formats.ts'
import { isOver, type KnownFile } from '../../reports/known-failures.ts'
import { resumeRun } from '../../reports/reproduce.ts'
import {
  exchangesName,
  journalName,
  openLines,
  runFileName,
  writeWhole,
} from '../../reports/run-folder.ts'
import { finishRun, type OutputSettings, shortPath } from '../output/finish.ts'
import {
  createEventLines,
  createProgress,
  noProgress,
  say,
  standardError,
} from '../output/progress.ts'
import { type CheckSettings, interruptible } from './check-settings.ts'

/** How often the remaining time is redrawn while nothing happens. */
const tickMs = 1_000

interface Recording {
  readonly folder: string
  readonly exchanges: string
  readonly quiet: boolean
  readonly events?: boolean
  /** Known failures; null or absent: failures are not printed as they happen. */
  readonly excused?: ReadonlySet<string> | null
  /** Whether the journal is a new one, or that of a resumed run; null: none is kept. */
  readonly journal: 'new' | 'resumed' | null
}

export const writeRun = (folder: string, run: RunFile): void => {
  writeWhole(folder, runFileName, printRun(run))
}

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
  { folder, exchanges, quiet, events, excused, journal }: Recording,
  interrupted: AbortSignal,
  run: (sink: RunSink, signal: AbortSignal) => Promise<RunFile>,
): Promise<RunFile> => {
  const lines = openLines(folder, exchanges, journal === 'resumed')
  const entries = journal && openLines(folder, journalName, journal === 'resumed')
  const nowMs = () => performance.now()
  const shown = events
    ? createEventLines(standardError)
    : createProgress(standardError, nowMs, excused)
  const progress = quiet ? noProgress : shown
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

/** Known failures whose excuse has not expired. */
const excusedToday = ({ failures }: KnownFile): ReadonlySet<string> => {
  const today = new Date().toISOString()
  return new Set([...failures].filter(([, known]) => !isOver(known, today)).map(([id]) => id))
}

/**
 * A quarter less memory, for no time: by itself V8 reserves up to 100 MiB for new objects.
 * `npm run bench -- memory` measures it.
 */
const keepHeapSmall = () => setFlagsFromString('--semi-space-growth-factor=1')

/** @param kept the journal: what the run did before, where it is resumed; null: none is kept */
export const runAndWrite = async (
  target: Target,
  settings: CheckSettings,
  kept: Past | 'new' | null,
  signal: AbortSignal,
  forecast?: Forecast,
): Promise<RunFile> => {
  const { checks, folder, run } = settings
  const excused = excusedToday(settings.known)
  const past = kept === 'new' ? null : kept
  const journal = kept && (kept === 'new' ? kept : ('resumed' as const))
  const own = { ...settings, excused, exchanges: exchangesName, journal }
  keepHeapSmall()
  const more = { excused, ...(past && { past }), ...(forecast && { forecast }) }
  const found = await recorded(own, signal, (sink, until) =>
    runSuites(checks, { ...target, ...run, ...more, signal: until }, sink),
  )
  const explained = withCauses(found)
  writeRun(folder, explained)
  return explained
}

/** Runs until its end or a signal, and prints the result. @returns the exit code */
export const runToEnd = (
  settings: OutputSettings,
  run: (signal: AbortSignal) => Promise<RunFile>,
): Promise<number> =>
  interruptible(async (signal) => {
    const file = await run(signal)
    const code = finishRun(file, settings)
    // The report for a terminal has this line.
    if (signal.aborted && settings.json) {
      say(`resume with: ${resumeRun(file, shortPath(settings.folder))}`, settings)
    }
    return code
  })
