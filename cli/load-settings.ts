// All that `petvet load` is told, read and held to be sound before anything is sent or written.
import { readFileSync } from 'node:fs'
import { matchesGlob, resolve } from 'node:path'
import type { Again } from '../engine/run-file.ts'
import type { LoadSettings, Scenario } from '../load/scenario.ts'
import { scenarios } from '../load/scenarios.ts'
import { readThresholds, type Thresholds } from '../load/thresholds.ts'
import { againOf } from './again.ts'
import { seedOf, timeoutBounds, usualTimeoutMs } from './check-settings.ts'
import { type FoundConfig, fileFrom } from './config-file.ts'
import type { Environment } from './keys.ts'
import { didYouMean } from './nearest.ts'
import { secondsOf, wholeNumber } from './numbers.ts'
import { type OutputSettings, readOutput } from './output-settings.ts'
import type { OutputFlags, RunFlags } from './run-flags.ts'
import { readTarget, type Target } from './target.ts'
import { UsageError } from './usage-error.ts'

export interface LoadFlags extends Omit<RunFlags, 'description' | 'category'>, OutputFlags {
  readonly scenario: string[] | undefined
  readonly connections: string | undefined
  readonly duration: string | undefined
  readonly thresholds: string | undefined
  readonly mock: boolean
  readonly reference: boolean
}

export interface LoadCommandSettings extends OutputSettings {
  /** Null: the built-in reference. */
  readonly target: Target | null
  readonly scenarios: readonly Scenario[]
  readonly load: LoadSettings
  readonly thresholds: Thresholds | null
  readonly seed: number
  readonly maxRequests: number
  readonly answerTimeoutMs: number
  readonly withMock: boolean
  readonly withReference: boolean
  readonly again: Again
}

const maxRequestsBounds = { least: 1, most: 1_000_000_000 }
const usualMaxRequests = 10_000_000
const connectionsBounds = { least: 1, most: 1_000 }
const stepsMost = 20
const durationBounds = { least: 1, most: 7 * 86_400 }
/** Each step lets a key rest for two minutes, unless the time can be moved. */
const usualConnections = { instant: [1, 10, 50, 200], real: [50] }

export const readLoadSettings = (
  flags: LoadFlags,
  environment: Environment,
  folder: string,
): LoadCommandSettings => {
  const targetFlags = { ...flags, description: undefined, category: undefined }
  const { target: own, found } = readTarget(targetFlags, environment, folder, false)
  const target = own === null ? null : straight(own, flags, found)
  const isInstant = target === null || target.clockUrl !== null
  return {
    ...readOutput(flags, folder),
    target,
    scenarios: chooseScenarios(flags.scenario),
    load: {
      connections:
        flags.connections === undefined
          ? usualConnections[isInstant ? 'instant' : 'real']
          : readConnections(flags.connections),
      durationMs:
        flags.duration === undefined
          ? null
          : secondsOf('--duration', flags.duration, durationBounds),
    },
    thresholds: flags.thresholds === undefined ? null : readFile(flags.thresholds, folder),
    seed: seedOf(flags, found),
    maxRequests:
      flags['max-requests'] === undefined
        ? (found.config.maxRequests ?? usualMaxRequests)
        : wholeNumber('--max-requests', flags['max-requests'], maxRequestsBounds),
    answerTimeoutMs:
      flags.timeout === undefined
        ? usualTimeoutMs
        : secondsOf('--timeout', flags.timeout, timeoutBounds),
    withMock: flags.mock,
    withReference: flags.reference && target !== null,
    again: againOf('load', flags, fileFrom(folder, found)),
  }
}

/** Scenarios of hours run only where they are named. */
const chooseScenarios = (globs: readonly string[] | undefined): readonly Scenario[] => {
  const idle = globs?.find((glob) => !scenarios.some(({ id }) => matchesGlob(id, glob)))
  if (idle !== undefined) {
    const ids = scenarios.map(({ id }) => id)
    const hint = didYouMean(idle, ids, `there are ${ids.join(', ')}`)
    throw new UsageError(`"${idle}" matches no scenario${hint}`)
  }
  return scenarios.filter(({ id, named }) => {
    const matching = (globs ?? ['*']).filter((glob) => matchesGlob(id, glob))
    return matching.some((glob) => glob !== '*') || (matching.length > 0 && !named)
  })
}

const readConnections = (text: string): readonly number[] => {
  const numbers = text
    .split(',')
    .map((each) => wholeNumber('--connections', each.trim(), connectionsBounds))
  if (numbers.length <= stepsMost) return numbers
  throw new UsageError(`--connections takes at most ${stepsMost} numbers`)
}

const readFile = (file: string, folder: string): Thresholds => {
  let text: string
  try {
    text = readFileSync(resolve(folder, file), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`cannot read the thresholds ${file}: ${code}`)
  }
  try {
    return readThresholds(text)
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}

/** A proxy that is named is refused; one of the environment is not used, and that is told. */
const straight = (target: Target, flags: LoadFlags, { config }: FoundConfig): Target => {
  if (typeof (flags.proxy ?? config.proxy) === 'string') {
    const where = flags.proxy === undefined ? 'proxy out of the configuration' : '--proxy out'
    throw new UsageError(`a load does not go through a proxy: leave ${where}`)
  }
  const { reach, baseUrl } = target
  const proxy = reach.proxyOf(new URL(baseUrl))
  const notes = proxy ? [`${proxy.name} is not used: a load goes straight to its target`] : []
  return { ...target, reach: { ...reach, proxyOf: () => null, notes } }
}
