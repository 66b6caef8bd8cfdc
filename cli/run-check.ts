// The work of `petvet check`: runs the suites, writes the run, tells it, and answers the exit code.
import { relative } from 'node:path'
import type { Past } from '../engine/resume/past.ts'
import type { RunFile } from '../engine/run-file.ts'
import { holdsRun } from '../reports/run-folder.ts'
import { startBuiltIn } from './built-in.ts'
import { type CheckFlags, type CheckSettings, readCheckSettings } from './check-settings.ts'
import { claimFolder } from './claim-folder.ts'
import { interruptedCode, onInterrupt } from './interrupt.ts'
import { openResumed } from './resumed.ts'
import { runAndWrite } from './run-and-write.ts'
import { lockFolder } from './run-lock.ts'
import { tellReach } from './tell-reach.ts'
import { tellOver, tellRun } from './tell-run.ts'
import { UsageError } from './usage-error.ts'

export const runCheck = async (flags: CheckFlags): Promise<number> => {
  if (flags.resume !== undefined) return resumeCheck(flags, flags.resume)
  const settings = readCheckSettings(flags, process.env, process.cwd())
  claimFolder(settings.folder)
  const release = lockFolder(settings.folder)
  try {
    // Another run may have begun there meanwhile.
    if (holdsRun(settings.folder)) throw new UsageError(`${settings.folder} holds a run already`)
    return await holdCheck(settings, null)
  } finally {
    release()
  }
}

const resumeCheck = async (flags: CheckFlags, place: string): Promise<number> => {
  const { settings, past, over, release } = openResumed(flags, place)
  try {
    return over ? tellOver(over, settings) : await holdCheck(settings, past)
  } finally {
    release()
  }
}

const holdCheck = async (settings: CheckSettings, past: Past | null): Promise<number> => {
  const interrupt = onInterrupt()
  try {
    if (!settings.quiet) process.stderr.write(`petvet: seed ${settings.seed}\n`)
    tellReach(settings.target, settings.quiet)
    const { target } = settings
    const run = target
      ? await runAndWrite(target, settings, past, interrupt.signal)
      : await runBuiltIn(settings, interrupt.signal)
    const code = tellRun(run, settings)
    if (!interrupt.signal.aborted) return code
    if (target && !settings.quiet) tellHowToResume(settings.folder)
    return interruptedCode
  } finally {
    interrupt.release()
  }
}

const tellHowToResume = (folder: string): void => {
  const place = relative(process.cwd(), folder)
  const shown = place === '' || place.startsWith('..') ? folder : place
  process.stderr.write(`petvet: resume with: petvet check --resume ${shown}, and its keys\n`)
}

const runBuiltIn = async (settings: CheckSettings, signal: AbortSignal): Promise<RunFile> => {
  const { target, close } = await startBuiltIn()
  try {
    return await runAndWrite(target, settings, null, signal)
  } finally {
    await close()
  }
}
