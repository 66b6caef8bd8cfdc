// The work of `petvet check`: runs the suites, writes the run, tells it, and answers the exit code.
import { printRun } from '../reports/formats.ts'
import { exchangesName, runFileName, writeWhole } from '../reports/run-folder.ts'
import { runSuites } from '../suites/kit/run.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import { startBuiltIn } from './built-in.ts'
import { type CheckFlags, type CheckSettings, readCheckSettings } from './check-settings.ts'
import { claimFolder } from './claim-folder.ts'
import { interruptedCode, onInterrupt } from './interrupt.ts'
import { openNotebookFile } from './notebook-file.ts'
import { recorded } from './recorded.ts'
import type { Target } from './target.ts'
import { tellRun } from './tell-run.ts'

export const runCheck = async (flags: CheckFlags): Promise<number> => {
  const settings = readCheckSettings(flags, process.env, process.cwd())
  const notebook = settings.notebook === null ? {} : openedNotebook(settings.notebook)
  claimFolder(settings.folder)
  if (!settings.quiet) process.stderr.write(`petvet: seed ${settings.seed}\n`)
  const interrupt = onInterrupt()
  try {
    const run = settings.target
      ? await runAndWrite({ ...settings.target, ...notebook }, settings, interrupt.signal)
      : await runBuiltIn(settings, interrupt.signal)
    const code = tellRun(run, settings)
    return interrupt.signal.aborted ? interruptedCode : code
  } finally {
    interrupt.release()
  }
}

const openedNotebook = (file: string) => ({ notebook: openNotebookFile(file) })

const runBuiltIn = async (settings: CheckSettings, signal: AbortSignal): Promise<RunFile> => {
  const { target, close } = await startBuiltIn()
  try {
    return await runAndWrite(target, settings, signal)
  } finally {
    await close()
  }
}

const runAndWrite = async (
  target: Target,
  settings: CheckSettings,
  signal: AbortSignal,
): Promise<RunFile> => {
  const { seed, maxRequests, answerTimeoutMs, strict, bail, questions, folder } = settings
  const options = { ...target, seed, maxRequests, answerTimeoutMs, strict, bail, signal }
  const own = { ...settings, exchanges: exchangesName }
  const run = await recorded(own, (sink) => runSuites(questions, options, sink))
  writeWhole(folder, runFileName, printRun(run))
  if (!settings.withMock || signal.aborted) return run
  if (!settings.quiet) process.stderr.write('petvet: now the Prism mock, as a baseline\n')
  const { runColumn } = await import('./column.ts')
  const beside = { ...settings, exchanges: `prism-${exchangesName}` }
  const prism = await recorded(beside, (sink) => runColumn(questions, options, sink))
  const whole = { ...run, columns: { prism } }
  writeWhole(folder, runFileName, printRun(whole))
  return whole
}
