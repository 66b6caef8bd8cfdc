// The settings of `petvet check`, read and validated before anything is sent or written.
import { randomInt } from 'node:crypto'
import type { AnyCheck } from '../../engine/declare.ts'
import type { Again } from '../../engine/run-file.ts'
import { catalogue } from '../../suites/index.ts'
import type { OutputFlags, RunFlags, SelectionFlags } from '../flags.ts'
import { isInstalled, prismPackages } from '../optional-packages.ts'
import { type OutputSettings, readOutput, readOutputAnywhere } from '../output/settings.ts'
import { type FoundConfig, fileFrom } from './file.ts'
import type { Environment } from './keys.ts'
import { againOf } from './reproduce.ts'
import { select } from './selection.ts'
import { readTarget, type Target } from './target.ts'
import { type Bounds, secondsOf, seedBounds, wholeNumber } from './values.ts'

export interface CheckFlags extends RunFlags, SelectionFlags, OutputFlags {
  readonly bail?: boolean | undefined
  readonly resume?: string | undefined
  readonly 'max-time'?: string | undefined
  readonly mock: boolean
}

/** What a run sends: the same for `check` and `load`. */
export interface RunLimits {
  readonly seed: number
  readonly maxRequests: number
  readonly responseTimeoutMs: number
}

export interface CheckSettings extends OutputSettings, RunLimits {
  /** Null: the built-in reference. */
  readonly target: Target | null
  readonly questions: readonly AnyCheck[]
  readonly maxTimeMs: number
  readonly bail: boolean
  readonly withMock: boolean
  readonly again: Again
}

export const defaultMaxRequests = 10_000
export const defaultTimeoutMs = 10_000
/** Many times as long as the longest run, which waits for the quota of a whole day. */
export const defaultMaxTimeMs = 7_200_000
const maxRequestsBounds: Bounds = { min: 1, max: 1_000_000 }
const timeoutBounds: Bounds = { min: 0.1, max: 600 }
const maxTimeBounds: Bounds = { min: 1, max: 604_800 }

export const randomSeed = (): number => randomInt(seedBounds.min, seedBounds.max + 1)

/** A flag wins over the configuration, and that over the default. */
export const readLimits = (
  flags: RunFlags,
  { config }: FoundConfig,
  defaultRequests = defaultMaxRequests,
  bounds = maxRequestsBounds,
): RunLimits => {
  const { seed, 'max-requests': maxRequests, timeout } = flags
  return {
    seed:
      seed === undefined ? (config.seed ?? randomSeed()) : wholeNumber('--seed', seed, seedBounds),
    maxRequests:
      maxRequests === undefined
        ? (config.maxRequests ?? defaultRequests)
        : wholeNumber('--max-requests', maxRequests, bounds),
    responseTimeoutMs:
      timeout === undefined ? defaultTimeoutMs : secondsOf('--timeout', timeout, timeoutBounds),
  }
}

/** @param folder the current one */
export const readCheckSettings = (
  flags: CheckFlags,
  environment: Environment,
  folder: string,
): CheckSettings => {
  const { target, found } = readTarget(flags, environment, folder)
  const { 'max-time': maxTime } = flags
  return {
    ...(flags.resume === undefined ? readOutput : readOutputAnywhere)(flags, folder),
    ...readLimits(flags, found),
    target,
    questions: select(catalogue, flags),
    maxTimeMs:
      maxTime === undefined ? defaultMaxTimeMs : secondsOf('--max-time', maxTime, maxTimeBounds),
    bail: flags.bail ?? false,
    withMock: flags.mock && target === null && prismPackages.every(isInstalled),
    again: againOf('check', flags, fileFrom(folder, found)),
  }
}
