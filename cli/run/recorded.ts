// A run while it happens: its exchanges go to a file, its progress to the terminal.
import type { RunFile } from '../../engine/check/run-file.ts'
import type { RunSink } from '../../engine/run/run-options.ts'
import { printRun } from '../../reports/formats.ts'
import { journalName, openLines, runFileName, writeWhole } from '../../reports/run-folder.ts'
import { createEventLines, createProgress, noProgress, standardError } from '../output/progress.ts'

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
