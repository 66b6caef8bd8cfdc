// All that `petvet check` is told, read and held to be sound before anything is sent or written.
import { randomInt } from 'node:crypto'
import type { Question } from '../engine/check.ts'
import type { Again } from '../engine/run-file.ts'
import { catalogue } from '../suites/index.ts'
import { againOf } from './again.ts'
import { type FoundConfig, fileFrom } from './config-file.ts'
import type { Environment } from './keys.ts'
import { secondsOf, seedBounds, wholeNumber } from './numbers.ts'
import { type OutputSettings, readOutput, readOutputAnywhere } from './output-settings.ts'
import type { OutputFlags, RunFlags } from './run-flags.ts'
import { select } from './selection.ts'
import { suiteOf } from './suite-of.ts'
import { readTarget, type Target } from './target.ts'

export interface CheckFlags extends RunFlags, OutputFlags {
  readonly only: string[] | undefined
  readonly skip: string[] | undefined
  readonly bail: boolean | undefined
  readonly resume: string | undefined
  readonly 'max-time': string | undefined
  readonly mock: boolean
}

export interface CheckSettings extends OutputSettings {
  /** Null: the built-in reference. */
  readonly target: Target | null
  readonly questions: readonly Question[]
  readonly seed: number
  readonly maxRequests: number
  readonly answerTimeoutMs: number
  readonly maxTimeMs: number
  readonly bail: boolean
  readonly withMock: boolean
  readonly again: Again
}

export const usualMaxRequests = 10_000
export const usualTimeoutMs = 10_000
/** Many times as long as the longest run, which waits for the quota of a whole day. */
export const usualMaxTimeMs = 7_200_000
const maxRequestsBounds = { least: 1, most: 1_000_000 }
export const timeoutBounds = { least: 0.1, most: 600 }
const maxTimeBounds = { least: 1, most: 604_800 }

export const readCheckSettings = (
  flags: CheckFlags,
  environment: Environment,
  folder: string,
): CheckSettings => {
  const { target, found } = readTarget(flags, environment, folder, false)
  return {
    ...(flags.resume === undefined ? readOutput : readOutputAnywhere)(flags, folder),
    target,
    questions: select(catalogue, suiteOf, flags),
    seed: seedOf(flags, found),
    maxRequests: maxRequestsOf(flags, found),
    answerTimeoutMs:
      flags.timeout === undefined
        ? usualTimeoutMs
        : secondsOf('--timeout', flags.timeout, timeoutBounds),
    maxTimeMs:
      flags['max-time'] === undefined
        ? usualMaxTimeMs
        : secondsOf('--max-time', flags['max-time'], maxTimeBounds),
    bail: flags.bail ?? false,
    withMock: flags.mock && target === null,
    again: againOf('check', flags, fileFrom(folder, found)),
  }
}

export const maxRequestsOf = (
  flags: Pick<RunFlags, 'max-requests'>,
  { config }: FoundConfig,
): number =>
  flags['max-requests'] === undefined
    ? (config.maxRequests ?? usualMaxRequests)
    : wholeNumber('--max-requests', flags['max-requests'], maxRequestsBounds)

export const seedOf = ({ seed }: Pick<RunFlags, 'seed'>, { config }: FoundConfig): number => {
  if (seed !== undefined) return wholeNumber('--seed', seed, seedBounds)
  return config.seed ?? randomInt(seedBounds.least, seedBounds.most + 1)
}
