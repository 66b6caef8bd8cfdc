// `petvet demo`: the suites on the built-in reference, with the Prism mock as a baseline.
import type { RunFile } from '../../engine/check/run-file.ts'
import { type Mock, startPrism } from '../../reference/prism.ts'
import { exchangesName, WriteFault } from '../../reports/run-folder.ts'
import { command, toggle } from '../command.ts'
import { outputFlags, runFlags, selectionFlags, suiteFlags } from '../flags.ts'
import { say } from '../output/progress.ts'
import { startBuiltIn } from '../run/built-in.ts'
import { type CheckSettings, readDemoSettings } from '../run/check-settings.ts'
import { runColumn } from '../run/prism-baseline.ts'
import { recorded, writeRun } from '../run/recorded.ts'
import { runAndWrite } from '../run/run-and-write.ts'
import { inNewFolder, runToEnd } from './check.ts'

export const demo = command(
  {
    ...selectionFlags,
    ...suiteFlags,
    ...runFlags,
    ...outputFlags,
    mock: { ...toggle('run the Prism mock too, as a baseline'), default: true },
  },
  (flags) => {
    const settings = readDemoSettings(flags, process.cwd())
    return inNewFolder(settings, () =>
      runToEnd(settings, async (signal) => {
        const { target, close } = await startBuiltIn()
        try {
          const what = "petvet's own reference server, which says nothing about yours"
          say(`target ${target.baseUrl}: ${what}`, settings)
          say(`seed ${settings.run.seed}`, settings)
          const run = () => runAndWrite(target, settings, null, signal)
          return await (flags.mock ? withPrism(settings, signal, run) : run())
        } finally {
          await close()
        }
      }),
    )
  },
)

/** @returns the run on the reference, and that on the mock, which starts while it continues */
const withPrism = async (
  settings: CheckSettings,
  signal: AbortSignal,
  runReference: () => Promise<RunFile>,
): Promise<RunFile> => {
  const starting = startPrism(0)
  starting.catch(() => {})
  try {
    const run = await runReference()
    if (signal.aborted) return run
    say('now the Prism mock, as a baseline', settings)
    const whole = await withColumn(run, settings, signal, starting)
    writeRun(settings.folder, whole)
    return whole
  } finally {
    await starting.then(
      ({ close }) => close(),
      () => {},
    )
  }
}

const withColumn = async (
  run: RunFile,
  settings: CheckSettings,
  interrupted: AbortSignal,
  starting: Promise<Mock>,
): Promise<RunFile> => {
  // Its failures and events are not those of the run.
  const quiet = settings.quiet || settings.events
  const own = { ...settings, quiet, exchanges: `prism-${exchangesName}`, journal: null }
  const { maxRequests } = settings.run
  try {
    const mock = await starting
    const prism = await recorded(own, interrupted, (sink, signal) =>
      runColumn(settings.checks, { maxRequests, signal }, mock, sink),
    )
    return { ...run, columns: { prism } }
  } catch (error) {
    if (error instanceof WriteFault) throw error
    const why = `the column prism is empty: ${(error as Error).message}`
    return { ...run, notes: [...run.notes, why] }
  }
}
