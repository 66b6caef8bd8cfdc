// The settings of `petvet check` and `demo`, read and validated before anything is sent or written.

import { type FoundConfig, fileFrom } from '../../config/config-file.ts'
import { commandGiven } from '../../config/given-command.ts'
import type { Environment } from '../../config/given-keys.ts'
import { readRun } from '../../config/run-settings.ts'
import { readTarget } from '../../config/target.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { CheckFlags } from '../flags.ts'
import { readOutput } from '../output/finish.ts'

export type CheckSettings = Readonly<ReturnType<typeof readDemoSettings>>
export type TargetSettings = Readonly<ReturnType<typeof readCheckSettings>>

/** @param folder the current one */
export const readCheckSettings = (flags: CheckFlags, environment: Environment, folder: string) => {
  const { target, found } = readTarget(flags, environment, folder)
  if (target === null) throw new UsageError(withoutTarget)
  /** As messages name it; null: none was read. */
  const configFile = fileFrom(folder, found)
  return {
    ...readOutputAndEvents(flags, folder),
    ...readRun(flags, found, commandGiven('check', flags, configFile)),
    target,
    configFile,
  }
}

const withoutTarget =
  'no target: give a base URL, or a configuration file (petvet init writes one); ' +
  'petvet demo runs on a reference server of its own'

/** The built-in reference is the target, and no configuration is read. */
export const readDemoSettings = (flags: CheckFlags, folder: string) => {
  const found: FoundConfig = { file: null, folder, config: {} }
  return {
    ...readOutputAndEvents(flags, folder),
    ...readRun(flags, found, commandGiven('demo', flags, null)),
  }
}

const readOutputAndEvents = (flags: CheckFlags, folder: string) => {
  const { resume, events, quiet } = flags
  if (events !== undefined && quiet) throw new UsageError('--quiet and --events exclude each other')
  return {
    ...readOutput(flags, folder, resume !== undefined),
    /** Whether events are printed on standard error, and nothing else. */
    events: events !== undefined,
  }
}
