// A run while it happens: its exchanges go to a file, its progress to the terminal.
import { openLines } from '../reports/run-folder.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import type { RunSink } from '../suites/kit/run-options.ts'
import { createProgress, noProgress, type Screen } from './progress.ts'

/** Standard error, which nobody reads as a result. */
const screen: Screen = {
  write: (text) => {
    process.stderr.write(text)
  },
  isTerminal: process.stderr.isTTY === true,
  // A terminal of unknown width says 0.
  columns: () => process.stderr.columns || 80,
}

/** How often the time that is left is told anew while nothing happens. */
const tickMs = 1_000

export interface Recording {
  readonly folder: string
  readonly exchanges: string
  readonly quiet: boolean
}

export const recorded = async (
  { folder, exchanges, quiet }: Recording,
  run: (sink: RunSink) => Promise<RunFile>,
): Promise<RunFile> => {
  const progress = quiet ? noProgress : createProgress(screen, () => performance.now())
  const ticking = setInterval(progress.tick, tickMs)
  const lines = openLines(folder, exchanges)
  try {
    return await run({ exchange: lines.append, event: progress.event })
  } finally {
    clearInterval(ticking)
    progress.clear()
    lines.close()
  }
}
