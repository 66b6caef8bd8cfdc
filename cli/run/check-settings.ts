// The settings of `petvet check` and `demo`, read and validated before anything is sent or written;
// how long such a run will take; and the signals that end it.

import { once } from 'node:events'
import type { Settings } from '../../config/config-file.ts'
import { commandGiven, type Environment } from '../../config/given-keys.ts'
import { readRun } from '../../config/run-settings.ts'
import { readTarget } from '../../config/target.ts'
import { UsageError } from '../../config/values.ts'
import type { AnyCheck, SendingCheck } from '../../engine/check/declare.ts'
import type { PlanOptions } from '../../engine/check/spendable-keys.ts'
import { runnableChecks } from '../../engine/run/check-order.ts'
import type { Forecast } from '../../engine/run/run-options.ts'
import { type CheckFlags, choiceIn, readSettings } from '../flags.ts'
import { readOutput } from '../output/finish.ts'

export type CheckSettings = Readonly<ReturnType<typeof readDemoSettings>>
export type TargetSettings = Readonly<ReturnType<typeof readCheckSettings>>

/** @param folder the current one */
export const readCheckSettings = (flags: CheckFlags, environment: Environment, folder: string) => {
  const settings = readSettings(flags, folder)
  const target = readTarget(settings, environment)
  if (target === null) throw new UsageError(withoutTarget)
  return { ...settingsFor('check', flags, settings), target }
}

const withoutTarget =
  'no target: give a base URL, or a configuration file (petvet init writes one); ' +
  'petvet demo runs on a reference server of its own'

/** The built-in reference is the target, and no configuration is read. */
export const readDemoSettings = (flags: CheckFlags, folder: string) =>
  settingsFor('demo', flags, readSettings({ ...flags, config: false }, folder))

const settingsFor = (name: string, flags: CheckFlags, { config, file, current }: Settings) => ({
  ...readOutput(flags, current),
  ...readRun(choiceIn(flags), config, commandGiven(name, flags, file)),
  /** The configuration, as messages name it; null: none was read. */
  configFile: file,
})

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The exit code of an interrupted run. */
export const interruptedCode = 130

/** Works to its end or until a signal. @returns the exit code */
export const interruptible = async (
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> => {
  const controller = new AbortController()
  const { signal } = controller
  const interrupt = () => {
    if (signal.aborted) process.exit(interruptedCode)
    controller.abort()
  }
  for (const name of signals) process.on(name, interrupt)
  try {
    const code = await work(signal)
    return signal.aborted ? interruptedCode : code
  } finally {
    for (const name of signals) process.off(name, interrupt)
  }
}

/** Resolves when a signal asks the process to end. */
export const untilInterrupted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
}

/** A check takes a few requests, but for those of whole minutes. */
const fewRequests = 4

/** Whether some checks may take more than what the keys are served at once. */
const mayWait = (checks: readonly SendingCheck[], { keys }: PlanOptions): boolean =>
  fewRequests * checks.length > keys.reduce((sum, { quota }) => sum + quota.perMinute, 0) ||
  checks.some(({ needs }) => (needs.pets ?? 0) > 10 || needs.allow?.includes('exhaust'))

/** @returns undefined where a run takes seconds: nothing is measured for it */
export const forecastRun = async (
  checks: readonly AnyCheck[],
  options: PlanOptions & { readonly noWait?: boolean; readonly seed?: number },
): Promise<Forecast | undefined> => {
  if (options.clockUrl !== null || options.noWait) return undefined
  if (!mayWait(runnableChecks(checks, options), options)) return undefined
  const { measureRun } = await import('../../proof/measure-run.ts')
  return measureRun(checks, options)
}
