// The terminal report with all that it needs besides the run.
import { relative } from 'node:path'
import { styleText } from 'node:util'
import type { RunFile } from '../engine/run-file.ts'
import type { KnownVerdict } from '../reports/known.ts'
import { terminal } from '../reports/terminal.ts'
import { judgeColumn } from './column.ts'
import { knownIds } from './known-ids.ts'
import { readingColumns } from './reading-width.ts'

/** Checks of domains and thresholds are in a run alone. */
export const existsIn = (run: RunFile) => (id: string) =>
  knownIds.has(id) || run.checks.some((each) => each.id === id)

interface Voice {
  readonly verbose: boolean
  /** Where the run lies. */
  readonly folder: string
}

export const tellTerminal = (run: RunFile, known: KnownVerdict, voice: Voice): string =>
  terminal(run, {
    paint: (style, text) => styleText(style, text),
    verbose: voice.verbose,
    known,
    knownOf: Object.fromEntries(
      Object.entries(run.columns ?? {}).map(([name, column]) => [
        name,
        judgeColumn(column, existsIn(run)),
      ]),
    ),
    columns: readingColumns(),
    folder: shortPath(voice.folder),
  })

const shortPath = (path: string): string => {
  const below = relative(process.cwd(), path)
  return below === '' || below.startsWith('..') ? path : below
}
