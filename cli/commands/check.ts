// `petvet check`: runs the suites against a target, or against the built-in reference.
import type { Past } from '../../engine/resume/past.ts'
import type { RunFile } from '../../engine/run-file.ts'
import { holdsRun } from '../../reports/run-folder.ts'
import { command, text, toggle } from '../command.ts'
import { printReach } from '../config/connection.ts'
import { type CheckFlags, type CheckSettings, readCheckSettings } from '../config/settings.ts'
import { outputFlags, runFlags, selectionFlags, targetFlags } from '../flags.ts'
import { finishPastRun, finishRun, shortPath } from '../output/finish.ts'
import { claimFolder, lockFolder } from '../output/folder.ts'
import { startBuiltIn } from '../run/built-in.ts'
import { interruptedCode, onInterrupt } from '../run/interrupt.ts'
import { openResumed } from '../run/resumed.ts'
import { runAndWrite } from '../run/run-and-write.ts'
import { UsageError } from '../usage-error.ts'

export const check = command(
  {
    ...targetFlags,
    ...selectionFlags,
    ...runFlags,
    ...outputFlags,
    'max-time': text('seconds that the run may last [7200]; the rest is left untested'),
    resume: text('folder of an interrupted run to resume; give its keys again'),
    watch: toggle('run again at Enter and whenever the server comes back; failed checks first'),
    bail: toggle('end at the first failure'),
    mock: { ...toggle('run the Prism mock too, as a baseline for the reference'), default: true },
  },
  async (flags) => {
    if (flags.watch) return (await import('../watch.ts')).watch(flags)
    return flags.resume === undefined ? startCheck(flags) : resumeCheck(flags, flags.resume)
  },
)

const startCheck = async (flags: CheckFlags): Promise<number> => {
  const settings = readCheckSettings(flags, process.env, process.cwd())
  const { folder } = settings
  claimFolder(folder)
  const release = lockFolder(folder)
  try {
    // Another run may have started there in between.
    if (holdsRun(folder)) throw new UsageError(`${folder} already contains a run`)
    return await runCheck(settings, null)
  } finally {
    release()
  }
}

const resumeCheck = async (flags: CheckFlags, place: string): Promise<number> => {
  const { settings, past, over, release } = openResumed(flags, place)
  try {
    return over ? finishPastRun(over, settings) : await runCheck(settings, past)
  } finally {
    release()
  }
}

const runCheck = async (settings: CheckSettings, past: Past | null): Promise<number> => {
  const { target, folder, quiet } = settings
  const interrupt = onInterrupt()
  try {
    if (!quiet) process.stderr.write(`petvet: seed ${settings.seed}\n`)
    if (target && !quiet) printReach(target)
    const run = target
      ? await runAndWrite(target, settings, past, interrupt.signal)
      : await runBuiltIn(settings, interrupt.signal)
    const code = finishRun(run, settings)
    if (!interrupt.signal.aborted) return code
    if (target && !quiet) {
      const resume = `petvet check --resume ${shortPath(folder)}, and its keys`
      process.stderr.write(`petvet: resume with: ${resume}\n`)
    }
    return interruptedCode
  } finally {
    interrupt.release()
  }
}

const runBuiltIn = async (settings: CheckSettings, signal: AbortSignal): Promise<RunFile> => {
  const { target, close } = await startBuiltIn()
  try {
    return await runAndWrite(target, settings, null, signal)
  } finally {
    await close()
  }
}
