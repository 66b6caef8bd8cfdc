// The settings of `petvet check`, read and validated before anything is sent or written.
import { randomInt } from 'node:crypto'
import type { AnyCheck } from '../../engine/check/declare.ts'
import type { RunCommand } from '../../engine/check/run-file.ts'
import type { RunOptions } from '../../engine/run/run-options.ts'
import { catalogue } from '../../suites/index.ts'
import type { CheckFlags, RunFlags } from '../flags.ts'
import { type OutputSettings, readOutput } from '../output/settings.ts'
import { UsageError } from '../usage-error.ts'
import { type FoundConfig, fileFrom } from './file.ts'
import type { Environment } from './keys.ts'
import { againOf } from './reproduce.ts'
import { select, selectedIds } from './selection.ts'
import { readTarget, type Target } from './target.ts'
import { seedBounds } from './values.ts'

/** What a run sends: the same for `check` and `load`. */
export type RunLimits = Pick<RunOptions, 'seed' | 'maxRequests' | 'responseTimeoutMs'>

export interface CheckSettings extends OutputSettings {
  readonly checks: readonly AnyCheck[]
  /** What the run does, whatever its target. */
  readonly run: Omit<RunOptions, keyof Target | 'signal'>
  /** Whether events are printed on standard error, and nothing else. */
  readonly events: boolean
}

/** The same at a target of the user's. */
export interface TargetSettings extends CheckSettings {
  readonly target: Target
  /** The configuration file as messages name it; null: none was read. */
  readonly configFile: string | null
}

/** Seconds: many times as long as the longest run, which waits for the quota of a whole day. */
const defaultMaxTime = 7_200

export const millisecondsOf = (seconds: number): number => Math.round(seconds * 1_000)

/** A flag wins over the configuration, and that over the default. */
export const readLimits = (
  flags: RunFlags,
  { config }: FoundConfig,
  defaultMaxRequests = 10_000,
): RunLimits => ({
  seed: flags.seed ?? config.seed ?? randomInt(seedBounds.min, seedBounds.max + 1),
  maxRequests: flags['max-requests'] ?? config.maxRequests ?? defaultMaxRequests,
  responseTimeoutMs: millisecondsOf(flags.timeout ?? 10),
})

/** @param folder the current one */
export const readCheckSettings = (
  flags: CheckFlags,
  environment: Environment,
  folder: string,
): TargetSettings => {
  const { target, found } = readTarget(flags, environment, folder)
  if (target === null) throw new UsageError(withoutTarget)
  const configFile = fileFrom(folder, found)
  return {
    ...readOutputOf(flags, folder),
    ...readRun(flags, found, againOf('check', flags, configFile)),
    target,
    configFile,
  }
}

const withoutTarget =
  'no target: give a base URL, or a configuration file (petvet init writes one); ' +
  'petvet demo runs on a reference server of its own'

/** The same for the built-in reference. */
export const readDemoSettings = (flags: CheckFlags, folder: string): CheckSettings => ({
  ...readOutputOf(flags, folder),
  ...readRun(flags, { file: null, folder, config: {} }, againOf('demo', flags, null)),
})

const readOutputOf = (flags: CheckFlags, folder: string) => {
  const { resume, events, quiet } = flags
  if (events !== undefined && quiet) throw new UsageError('--quiet and --events exclude each other')
  return { ...readOutput(flags, folder, resume !== undefined), events: events !== undefined }
}

/** What a run does; `again` is its command. */
export const readRun = (flags: CheckFlags, found: FoundConfig, again: RunCommand) => {
  const { 'max-time': maxTime = defaultMaxTime, strict = false, bail = false } = flags
  const selected = selectedIds(catalogue, flags)
  const run = {
    ...readLimits(flags, found),
    maxTimeMs: millisecondsOf(maxTime),
    ...{ strict, bail, noWait: flags.wait === false, again },
    ...(selected && { selected }),
  }
  return { checks: select(catalogue, flags), run }
}
