// A run of `petvet check`: its files are written while it runs, and its run file at the end.
import { setFlagsFromString } from 'node:v8'
import { withCauses } from '../../causes/diagnose.ts'
import type { Target } from '../../config/target.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { Past } from '../../engine/run/journal.ts'
import { runSuites } from '../../engine/run/run.ts'
import { isOver, type KnownFile } from '../../reports/known-failures.ts'
import { exchangesName } from '../../reports/run-folder.ts'
import type { CheckSettings } from './check-settings.ts'
import { recorded, writeRun } from './recorded.ts'

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
): Promise<RunFile> => {
  const { checks, folder, run } = settings
  const excused = excusedToday(settings.known)
  const past = kept === 'new' ? null : kept
  const journal = kept && (kept === 'new' ? kept : ('resumed' as const))
  const own = { ...settings, excused, exchanges: exchangesName, journal }
  keepHeapSmall()
  const found = await recorded(own, signal, (sink, until) =>
    runSuites(checks, { ...target, ...run, excused, signal: until, ...(past && { past }) }, sink),
  )
  const explained = withCauses(found)
  writeRun(folder, explained)
  return explained
}
