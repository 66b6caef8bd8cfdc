// A run of `petvet check`: its files are written while it runs, and its run file at the end.
import { setFlagsFromString } from 'node:v8'
import { withCauses } from '../../causes/diagnose.ts'
import type { Past } from '../../engine/resume/journal.ts'
import { runSuites } from '../../engine/run.ts'
import type { RunFile } from '../../engine/run-file.ts'
import type { RunOptions } from '../../engine/run-options.ts'
import { type Mock, startPrism } from '../../reference/prism.ts'
import { printRun } from '../../reports/formats.ts'
import { isOver, type KnownFile } from '../../reports/known.ts'
import { exchangesName, runFileName, WriteFault, writeWhole } from '../../reports/run-folder.ts'
import type { CheckSettings } from '../config/settings.ts'
import type { Target } from '../config/target.ts'
import { runColumn } from './column.ts'
import { recorded } from './recorded.ts'

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

/** @param past what the run did before, where it is resumed */
export const runAndWrite = async (
  target: Target,
  settings: CheckSettings,
  past: Past | null,
  signal: AbortSignal,
): Promise<RunFile> => {
  const { checks, folder } = settings
  const excused = excusedToday(settings.known)
  const options = { ...target, ...settings.run, excused, signal, ...(past && { past }) }
  // The built-in reference ends with its run, so that there is nothing to resume.
  const fresh = settings.target === null ? null : 'new'
  const journal = past ? 'resumed' : fresh
  const own = { ...settings, excused, exchanges: exchangesName, journal } as const
  // Prism starts while the run on the target continues.
  const starting = settings.withMock ? startPrism(0) : null
  starting?.catch(() => {})
  keepHeapSmall()
  try {
    const run = withCauses(
      await recorded(own, signal, (sink, until) =>
        runSuites(checks, { ...options, signal: until }, sink),
      ),
    )
    writeWhole(folder, runFileName, printRun(run))
    if (starting === null || signal.aborted) return run
    if (!settings.quiet && !settings.events) {
      process.stderr.write('petvet: now the Prism mock, as a baseline\n')
    }
    const whole = await withColumn(run, settings, options, starting)
    writeWhole(folder, runFileName, printRun(whole))
    return whole
  } finally {
    await starting?.then(
      ({ close }) => close(),
      () => {},
    )
  }
}

const withColumn = async (
  run: RunFile,
  settings: CheckSettings,
  options: RunOptions,
  starting: Promise<Mock>,
): Promise<RunFile> => {
  // Its failures and events are not those of the run.
  const quiet = settings.quiet || settings.events
  const own = { ...settings, quiet, exchanges: `prism-${exchangesName}`, journal: null }
  try {
    const mock = await starting
    const prism = await recorded(own, options.signal, (sink, signal) =>
      runColumn(settings.checks, { ...options, signal }, mock, sink),
    )
    return { ...run, columns: { prism } }
  } catch (error) {
    if (error instanceof WriteFault) throw error
    const why = `the column prism is empty: ${(error as Error).message}`
    return { ...run, notes: [...run.notes, why] }
  }
}
