// What a run sends and tests, whatever its target: limits, seed, and which checks by globs over ids
// of checks and requirements, and names of suites.

import { randomInt } from 'node:crypto'
import { matchesGlob } from 'node:path'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { RunCommand } from '../engine/check/run-file.ts'
import type { RunOptions } from '../engine/run/run-options.ts'
import { smokeId } from '../engine/run/smoke.ts'
import { judgedWith } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import { withSetUp } from '../suites/set-up.ts'
import type { FoundConfig } from './config-file.ts'
import type { Target } from './target.ts'
import { didYouMean, seedBounds, UsageError } from './values.ts'

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

export interface SelectionFlags {
  readonly only?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
}

/** The part of its requirement's id before the first dot. */
export const suiteName = ({ requirement }: Pick<AnyCheck, 'requirement'>): string =>
  requirement.slice(0, requirement.indexOf('.'))

const namesOf = (check: AnyCheck) => [check.id, ...judgedWith(check.requirement), suiteName(check)]

export const matchesAny = (globs: readonly string[], ...names: readonly string[]): boolean =>
  globs.some((glob) => names.some((name) => matchesGlob(name, glob)))

/** `a,b` is two globs; a comma in braces is the glob's own. */
const globsIn = (given: readonly string[] | undefined): readonly string[] | undefined =>
  given?.flatMap((each) => each.split(/,(?![^{]*\})/)).filter((glob) => glob !== '')

/** The smoke call begins every run: it is not in the list, and may be selected alone. */
export const select = (all: readonly AnyCheck[], flags: SelectionFlags): readonly AnyCheck[] => {
  const [only, skip] = [globsIn(flags.only), globsIn(flags.skip)]
  const matches = (check: AnyCheck, globs: readonly string[]) =>
    matchesAny(globs, ...namesOf(check))
  const isUnused = (glob: string) => !all.some((check) => matches(check, [glob]))
  const isSmoke = (glob: string) => matchesGlob(smokeId, glob)
  const unused = only?.find((glob) => isUnused(glob) && !isSmoke(glob)) ?? skip?.find(isUnused)
  if (unused !== undefined) throw refusalOf(unused, all)
  const kept = all.filter((check) => skip === undefined || !matches(check, skip))
  if (only === undefined && kept.length > 0) return kept
  const chosen = kept.filter((check) => only !== undefined && matches(check, only))
  // A skipped check is not brought back as a set-up of another one.
  if (chosen.length > 0 || only?.some(isSmoke)) return withSetUp(kept, chosen)
  throw new UsageError('--only and --skip leave nothing to run')
}

/** The ids that the globs name, without checks that only set up others; undefined: all. */
const selectedIds = (
  all: readonly AnyCheck[],
  flags: SelectionFlags,
): ReadonlySet<string> | undefined => {
  const only = globsIn(flags.only)
  const chosen = only && all.filter((each) => matchesAny(only, ...namesOf(each)))
  return chosen && new Set(chosen.map(({ id }) => id))
}

const refusalOf = (glob: string, all: readonly AnyCheck[]): UsageError => {
  if (matchesGlob(smokeId, glob)) {
    return new UsageError(`"${glob}" is the call that begins each run: it cannot be left out`)
  }
  const hint = didYouMean(glob, [smokeId, ...all.flatMap(namesOf)], 'petvet list prints all')
  return new UsageError(`"${glob}" matches no check, requirement or suite${hint}`)
}
