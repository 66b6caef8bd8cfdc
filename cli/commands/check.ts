// `petvet check`: runs the suites against a target.

import { resolve } from 'node:path'
import { reachNotes } from '../../engine/http/connection-options.ts'
import type { Past } from '../../engine/run/journal.ts'
import { withoutResult } from '../../engine/run/results.ts'
import * as cli from '../command.ts'
import { type CheckFlags, outputFlags, runFlags, targetFlags } from '../flags.ts'
import { finishRun } from '../output/finish.ts'
import { inFolder } from '../output/folder.ts'
import { say } from '../output/progress.ts'
import { comparedWith, readFailed, readOrRefuse, readResumed } from '../run/earlier-run.ts'
import {
  readCheckSettings,
  runChecks,
  runInFolder,
  runToEnd,
  type TargetSettings,
} from '../run/recorded.ts'

export const check = cli.command(
  {
    ...targetFlags,
    ...runFlags,
    ...outputFlags,
    ...cli.grouped('What to run:', {
      failed: cli.argument(
        'the failed checks of a run, with its flags and seed [default: the newest run]',
        { conflicts: ['only', 'skip', 'resume', 'watch'] },
      ),
      resume: cli.text('folder of an interrupted run to resume, with its flags', {
        conflicts: ['only', 'skip', 'out'],
      }),
      watch: cli.toggle('run again at Enter and when the server comes back; failed checks first', {
        conflicts: ['resume', 'json'],
      }),
    }),
  },
  async (flags) => {
    const { failed, ...given } = flags
    if (failed !== undefined) return checkFailed(given, failed)
    if (flags.watch) return (await import('../watch-checks.ts')).watch(flags)
    const { resume } = flags
    if (resume !== undefined) {
      return inFolder(resolve(resume), () => resumeCheck(flags, resume), true)
    }
    const settings = readCheckSettings(flags, process.env, process.cwd())
    return runInFolder(settings, runOf(settings, 'new'))
  },
)

/** Runs what failed in a run, and says what is fixed. @returns 0 only if all of it passes */
const checkFailed = async (flags: CheckFlags, place: string): Promise<number> => {
  const past = readFailed(flags, place)
  if (past.failed.length === 0) {
    say(`nothing failed in ${past.place}`)
    return 0
  }
  const read = readCheckSettings(past.flags, process.env, process.cwd())
  const settings = { ...read, run: { ...read.run, first: past.first } }
  say(past.says, settings)
  const code = await runInFolder(settings, runOf(settings, 'new'))
  const { line, isFixed } = comparedWith(past.failed, readOrRefuse(settings.folder))
  say(line, settings)
  // Where only a whole run shows a failure, what else is untested was not asked.
  const isOfOthers = code === 4 && isFixed && flags.strict !== true
  if (code === 0 && !isFixed) return 4
  return isOfOthers ? 0 : code
}

const resumeCheck = (flags: CheckFlags, place: string): number | Promise<number> => {
  const { settings, past, over } = readResumed(flags, place)
  if (!over) return runToEnd(settings, runOf(settings, past))
  say('nothing is left to do', settings)
  return finishRun(over, settings)
}

const runOf = (settings: TargetSettings, kept: Past | 'new') => async (signal: AbortSignal) => {
  const { checks, run, target } = settings
  const left = withoutResult(checks, kept === 'new' ? [] : kept.results)
  // A run that waits for nothing takes seconds.
  const waits = target.clockUrl === null && !run.noWait
  const measured = waits ? await import('../../proof/measure-run.ts') : undefined
  const forecast = await measured?.measureRun(left, { ...target, ...run })
  printTarget(settings, forecast?.lengthMs ?? 0)
  return runChecks(settings, kept, signal, forecast)
}

const minuteMs = 60_000

/** Printed first: which server is checked, and what makes minutes seconds. */
const printTarget = (settings: TargetSettings, forecastMs: number): void => {
  const { configFile, run, target } = settings
  const configuration = configFile === null ? '' : ` (configuration ${configFile})`
  const lengthMs = Math.min(forecastMs, run.maxTimeMs ?? forecastMs)
  const remedy = 'a test clock (--clock) makes it seconds; --no-wait runs what fits now'
  const length = `about ${Math.round(lengthMs / minuteMs)} min, as keys have a quota per minute`
  const lines = [
    `target ${target.baseUrl}${configuration}`,
    `seed ${run.seed}`,
    ...(lengthMs < minuteMs ? [] : [`${length}; ${remedy}`]),
    ...reachNotes(target.reach, target.baseUrl),
  ]
  for (const line of lines) say(line, settings)
}
