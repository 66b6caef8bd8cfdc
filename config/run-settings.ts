// What a run sends and tests, whatever its target: limits, seed, and which checks by globs over ids
// of checks and requirements, and names of suites. And all options of a program: the members of the
// configuration file, and such a choice.

import { randomInt } from 'node:crypto'
import { matchesGlob } from 'node:path'
import type { Permission } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { CheckResult, RunCommand } from '../engine/check/run-file.ts'
import type { RunOptions, RunSink } from '../engine/run/run-options.ts'
import { smokeId } from '../engine/run/smoke.ts'
import { judgedWith } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import { withSetUp } from '../suites/set-up.ts'
import { type Config, configFault, settingsOf } from './config-file.ts'
import { commandGiven, type GivenKey, keyOptions } from './given-keys.ts'
import { readTarget } from './target.ts'
import { didYouMean, readAddress, seedBounds, UsageError } from './values.ts'

/** Globs of the checks, requirements or suites to run, or to leave out. */
interface Selection {
  readonly only?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
}

/** What a run does, besides what a configuration says. */
interface RunChoice extends Selection {
  /** Whether the run ends at its first failure. */
  readonly bail?: boolean | undefined
  /** Whether a check that would have to wait in real time is left untested. */
  readonly noWait?: boolean | undefined
  /** Whether any untested must makes the run undecided. */
  readonly strict?: boolean | undefined
  /** Milliseconds to wait for a response; 10,000 by default. */
  readonly responseTimeoutMs?: number | undefined
  /** Milliseconds to wait for a target that is not up yet; none by default. */
  readonly waitForTargetMs?: number | undefined
}

const defaultMaxRequests = 10_000

/** Many times as long as the longest run, which waits for the quota of a whole day. */
const defaultMaxTimeMs = 7_200_000

export const readLimits = (
  { responseTimeoutMs = 10_000, waitForTargetMs }: RunChoice,
  { seed, maxRequests }: Config,
  defaultOfRun = defaultMaxRequests,
) => ({
  seed: seed ?? randomInt(seedBounds.min, seedBounds.max + 1),
  maxRequests: maxRequests ?? defaultOfRun,
  responseTimeoutMs,
  waitForTargetMs,
})

/** @param command that repeats the run */
export const readRun = (
  choice: RunChoice & { readonly maxTimeMs?: number | undefined },
  config: Config,
  command: RunCommand,
) => {
  const { maxTimeMs = defaultMaxTimeMs, strict = false, bail = false, noWait = false } = choice
  const only = globsIn(choice.only)
  // Without the checks that only set up others.
  const chosen = only && catalogue.filter((each) => matchesAny(only, namesOf(each)))
  const { walk, maxRequests } = config
  const budget = {
    ...(maxRequests !== undefined && { maxRequests }),
    ...(choice.maxTimeMs !== undefined && { maxTimeMs: choice.maxTimeMs }),
  }
  const run = {
    ...readLimits(choice, config, defaultMaxRequests + (walk ?? 0)),
    ...(walk !== undefined && { walk }),
    ...{ budget, maxTimeMs, strict, bail, noWait, command, whole: catalogue },
    ...(chosen && { selected: new Set(chosen.map(({ id }) => id)) }),
  }
  return { checks: select(catalogue, choice), run }
}

/** The part of its requirement's id before the first dot. */
export const suiteName = ({ requirement }: Pick<AnyCheck, 'requirement'>): string =>
  requirement.slice(0, requirement.indexOf('.'))

/** The smoke call, null here, begins every run: it is in no list, and may be selected alone. */
const namesOf = (check: AnyCheck | null) =>
  check === null ? [smokeId] : [check.id, ...judgedWith(check.requirement), suiteName(check)]

const matchesAny = (globs: readonly string[], names: readonly string[]): boolean =>
  globs.some((glob) => names.some((name) => matchesGlob(name, glob)))

/** `a,b` is two globs; a comma in braces is the glob's own. */
const globsIn = (given: readonly string[] | undefined): readonly string[] | undefined =>
  given?.flatMap((each) => each.split(/,(?![^{]*\})/)).filter((glob) => glob !== '')

/** What globs leave of a list of `what`. @throws UsageError for a glob that matches nothing */
export const chosenBy = <T>(
  selection: Selection,
  all: readonly T[],
  namesOf: (each: T) => readonly string[],
  what: string,
): T[] => {
  const [only, skip = []] = [globsIn(selection.only), globsIn(selection.skip)]
  const names = all.flatMap(namesOf)
  const unused = [...(only ?? []), ...skip].find((glob) => !matchesAny([glob], names))
  if (unused !== undefined) {
    throw new UsageError(`"${unused}" matches no ${what}${didYouMean(unused, names)}`)
  }
  return all.filter((each) => {
    const own = namesOf(each)
    return (only === undefined || matchesAny(only, own)) && !matchesAny(skip, own)
  })
}

/** The checks that are selected, and those that set them up. @throws UsageError */
export const select = (
  all: readonly AnyCheck[],
  { only, skip }: Selection,
): readonly AnyCheck[] => {
  const what = 'check, requirement or suite that'
  const kept = chosenBy({ skip }, all, namesOf, `${what} can be left out`)
  const chosen = chosenBy({ only }, [null, ...all], namesOf, `${what} petvet list prints`)
  const checks = kept.filter((check) => chosen.includes(check))
  // A skipped check is not brought back as a set-up of another one.
  if (only === undefined && checks.length > 0) return checks
  if (checks.length > 0 || (only && chosen.includes(null))) return withSetUp(kept, checks)
  throw new UsageError('--only and --skip leave nothing to run')
}

export interface VetOptions extends Config, RunChoice {
  /** The base URL of the API, `/v1` included. */
  readonly target: string
  /** API keys; a key of `$NAME` is read from the environment. */
  readonly keys: readonly GivenKey[]
  /** What the run may do; by default reads only, and more on localhost. */
  readonly allow?: readonly Permission[]
  /** Gets each request with its response, as a line of `exchanges.ndjson`: keys are replaced. */
  readonly onExchange?: (line: string) => void
  /** Gets the result of each check once it is recorded. */
  readonly onResult?: (result: CheckResult) => void
  /** Ends the run early; its run file says what was done. */
  readonly signal?: AbortSignal
}

/**
 * The run that the options describe, and who gets what happens in it.
 * @throws UsageError with one line that says what to do
 */
export const readVetOptions = (given: VetOptions) => {
  const { only, skip, strict, bail, noWait, responseTimeoutMs, ...others } = given
  const { signal, onExchange = () => {}, onResult, ...config } = others
  const fault = configFault(config)
  if (fault !== undefined) throw new UsageError(fault)
  const [min, max] = [100, 600_000]
  if (responseTimeoutMs !== undefined && !(responseTimeoutMs >= min && responseTimeoutMs <= max)) {
    throw new UsageError(`responseTimeoutMs takes milliseconds from ${min} to ${max}`)
  }
  const { checks, run } = readRun(given, config, commandGiven('check', toFlags(given), null))
  const settings = settingsOf(config, { file: null, folder: '', config: {} }, process.cwd())
  const target = readTarget(settings, process.env)
  if (target === null) throw new UsageError('no target: give the base URL of the API')
  const never = new AbortController().signal
  const options: RunOptions = { ...target, ...run, signal: signal ?? never }
  const sink: RunSink = {
    exchange: onExchange,
    event: (event) => event.kind === 'result' && onResult?.(event.result),
  }
  return { checks, options, sink }
}

/** For the command that repeats the run, which a report prints. */
const toFlags = ({ target, keys, allow, categories, ...given }: VetOptions) => ({
  'base-url': target,
  // Only a configuration file gives an enterprise key its numbers.
  key: keys.filter(({ plan }) => plan !== 'enterprise').map(({ plan, key }) => `${plan}=${key}`),
  allow: allow && [allow.join(',') || 'none'],
  wait: given.noWait ? false : undefined,
  clock: given.clock,
  description: given.description,
  category: categories?.map(String),
  ca: given.ca,
  insecure: given.insecure || undefined,
  'max-requests': given.maxRequests,
  walk: given.walk,
})

/** How recorded traffic is judged. */
export interface JudgeOptions extends Selection, Pick<RunChoice, 'strict'> {
  /** The base URL of the API; by default the address ending in /v1 of most requests for pets. */
  readonly base?: string | undefined
  /** Keys whose plan is known; a key of `$NAME` is read from the environment. */
  readonly keys?: readonly GivenKey[] | undefined
  /** Whether the traffic has all calls of its keys, so that no other client used them. */
  readonly alone?: boolean | undefined
}

/** @returns the checks that are selected, and how they judge. @throws UsageError of one line */
export const readJudgeOptions = ({ base, keys = [], alone = false, ...choice }: JudgeOptions) => {
  const flags = { base, alone: alone || undefined, only: choice.only, skip: choice.skip }
  const { checks, run } = readRun(choice, {}, commandGiven('judge', flags, null))
  return {
    checks: checks.filter(({ id }) => run.selected?.has(id) ?? true),
    options: {
      ...{ alone, strict: run.strict, command: run.command },
      base: base === undefined ? base : readAddress('base URL', base).href,
      keys: keyOptions(keys, process.env),
    },
  }
}
