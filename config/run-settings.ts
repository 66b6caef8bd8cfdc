// What a run sends and tests, whatever its target: limits, seed and selection.
import { randomInt } from 'node:crypto'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { RunCommand } from '../engine/check/run-file.ts'
import type { RunOptions } from '../engine/run/run-options.ts'
import { catalogue } from '../suites/index.ts'
import type { FoundConfig } from './config-file.ts'
import { type SelectionFlags, select, selectedIds } from './selection.ts'
import type { Target } from './target.ts'
import { seedBounds } from './values.ts'

/** The limits of `check` and `load` alike. */
export interface LimitFlags {
  readonly seed?: number | undefined
  readonly 'max-requests'?: number | undefined
  /** Seconds to wait for a response. */
  readonly timeout?: number | undefined
}

export interface SuiteFlags extends LimitFlags, SelectionFlags {
  /** Seconds that the run may last. */
  readonly 'max-time'?: number | undefined
  readonly strict?: boolean | undefined
  readonly bail?: boolean | undefined
  readonly wait?: boolean | undefined
  /** Requests of walks. */
  readonly walk?: number | undefined
}

export type RunLimits = Pick<RunOptions, 'seed' | 'maxRequests' | 'responseTimeoutMs'>

export interface RunSettings {
  readonly checks: readonly AnyCheck[]
  readonly run: Omit<RunOptions, keyof Target | 'signal'>
}

const defaultMaxRequests = 10_000

/** Seconds: many times as long as the longest run, which waits for the quota of a whole day. */
const defaultMaxTime = 7_200

export const toMilliseconds = (seconds: number): number => Math.round(seconds * 1_000)

/** A flag wins over the configuration, and that over the default. */
export const readLimits = (
  flags: LimitFlags,
  { config }: FoundConfig,
  defaultOfRun = defaultMaxRequests,
): RunLimits => ({
  seed: flags.seed ?? config.seed ?? randomInt(seedBounds.min, seedBounds.max + 1),
  maxRequests: flags['max-requests'] ?? config.maxRequests ?? defaultOfRun,
  responseTimeoutMs: toMilliseconds(flags.timeout ?? 10),
})

/** @param command that repeats the run */
export const readRun = (
  flags: SuiteFlags,
  found: FoundConfig,
  command: RunCommand,
): RunSettings => {
  const { 'max-time': maxTime = defaultMaxTime, strict = false, bail = false } = flags
  const selected = selectedIds(catalogue, flags)
  const walk = flags.walk ?? found.config.walk
  const run = {
    ...readLimits(flags, found, defaultMaxRequests + (walk ?? 0)),
    ...(walk !== undefined && { walk }),
    maxTimeMs: toMilliseconds(maxTime),
    strict,
    bail,
    noWait: flags.wait === false,
    command,
    ...(selected && { selected }),
  }
  return { checks: select(catalogue, flags), run }
}
