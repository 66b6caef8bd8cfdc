// The work of `petvet check`: runs the suites, writes the run, tells it, and answers the exit code.
import { formats, printRun } from '../reports/formats.ts'
import { judgeKnown, type KnownVerdict, withoutExcused } from '../reports/known.ts'
import { exchangesName, runFileName, writeWhole } from '../reports/run-folder.ts'
import { verdictLine } from '../reports/verdict-line.ts'
import { runSuites } from '../suites/kit/run.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import { exitCodeOf, verdictOf } from '../suites/kit/verdict.ts'
import { startBuiltIn } from './built-in.ts'
import { type CheckFlags, type CheckSettings, readCheckSettings } from './check-settings.ts'
import { claimFolder } from './claim-folder.ts'
import { interruptedCode, onInterrupt } from './interrupt.ts'
import { recorded } from './recorded.ts'
import type { Target } from './target.ts'
import { existsIn, tellTerminal } from './tell-terminal.ts'

export const runCheck = async (flags: CheckFlags): Promise<number> => {
  const settings = readCheckSettings(flags, process.env, process.cwd())
  claimFolder(settings.folder)
  if (!settings.quiet) process.stderr.write(`petvet: seed ${settings.seed}\n`)
  const interrupt = onInterrupt()
  try {
    const run = settings.target
      ? await runAndWrite(settings.target, settings, interrupt.signal)
      : await runBuiltIn(settings, interrupt.signal)
    const known = judgeKnown(run, settings.known, existsIn(run))
    for (const name of settings.formats) {
      const format = formats[name]
      if (format) writeWhole(settings.folder, format.file, format.write(run, known))
    }
    tell(run, known, settings)
    return interrupt.signal.aborted ? interruptedCode : codeOf(run, known, settings.strict)
  } finally {
    interrupt.release()
  }
}

/** What could not be held is excused by nothing. */
const codeOf = (run: RunFile, known: KnownVerdict, strict: boolean): number => {
  if (run.impossible !== null) return exitCodeOf(run)
  if (known.stale.size > 0) return 1
  return exitCodeOf({ ...run, verdict: verdictOf(withoutExcused(run, known), false, strict) })
}

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
  const { seed, maxRequests, answerTimeoutMs, strict, questions, folder } = settings
  const options = { ...target, seed, maxRequests, answerTimeoutMs, strict, signal }
  const own = { ...settings, exchanges: exchangesName }
  const run = await recorded(own, (sink) => runSuites(questions, options, sink))
  writeWhole(folder, runFileName, printRun(run))
  if (!settings.withMock || signal.aborted) return run
  const { runColumn } = await import('./column.ts')
  const beside = { ...settings, exchanges: `prism-${exchangesName}` }
  const prism = await recorded(beside, (sink) => runColumn(questions, options, sink))
  const whole = { ...run, columns: { prism } }
  writeWhole(folder, runFileName, printRun(whole))
  return whole
}

const tell = (run: RunFile, known: KnownVerdict, settings: CheckSettings): void => {
  if (settings.quiet) process.stderr.write(`${verdictLine(run, known)}\n`)
  else if (settings.json) process.stdout.write(printRun(run))
  else process.stdout.write(tellTerminal(run, known, settings))
}
