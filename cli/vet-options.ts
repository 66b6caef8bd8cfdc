// What a program tells a run: the members of the configuration file, and a choice of questions.
import { randomInt } from 'node:crypto'
import type { Question } from '../engine/check.ts'
import type { Permission } from '../engine/permission.ts'
import type { RunOptions } from '../engine/run-options.ts'
import { catalogue } from '../suites/index.ts'
import { againOf } from './again.ts'
import { usualMaxRequests, usualMaxTimeMs, usualTimeoutMs } from './check-settings.ts'
import { type Config, configFault, type RunSettings } from './config-file.ts'
import type { GivenKey } from './keys.ts'
import { seedBounds } from './numbers.ts'
import { select } from './selection.ts'
import { suiteOf } from './suite-of.ts'
import { targetOfConfig } from './target.ts'
import { UsageError } from './usage-error.ts'

export interface VetOptions extends RunSettings {
  /** The base address of the API, its `/v1` included. */
  readonly target: string
  /** The keys to vet it with; a key of `$NAME` is read from the environment. */
  readonly keys: readonly GivenKey[]
  /** What the run may do; by default reads only, and more on loopback. */
  readonly allow?: readonly Permission[]
  /** Categories known to exist: int64, the large ones as bigint or as digits. */
  readonly categories?: readonly (number | bigint | string)[]
  /** Globs of the checks, sentences or suites to ask, or to leave out. */
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  /** Whether the run ends at its first failure. */
  readonly bail?: boolean
  /** Whether any must that is left untested makes the run undecided. */
  readonly strict?: boolean
  /** Milliseconds to wait for an answer; 10,000 by default. */
  readonly answerTimeoutMs?: number
  /** Ends the run early; what was done is told. */
  readonly signal?: AbortSignal
}

export interface VetSettings {
  readonly questions: readonly Question[]
  readonly options: RunOptions
}

const never = new AbortController().signal

/**
 * @param caller what a program calls: a mistake in the options is one of the program
 * @throws UsageError with one line that says what to do
 */
export const readVetOptions = (
  given: VetOptions,
  caller: (given: never) => unknown,
): VetSettings => {
  try {
    return readOptions(given)
  } catch (error) {
    if (error instanceof UsageError) Error.captureStackTrace(error, caller)
    throw error
  }
}

const readOptions = (given: VetOptions): VetSettings => {
  const {
    only,
    skip,
    strict = false,
    bail = false,
    signal = never,
    answerTimeoutMs,
    ...config
  } = given
  const fault = configFault(config)
  if (fault !== undefined) throw new UsageError(fault)
  if (answerTimeoutMs !== undefined && !(answerTimeoutMs >= 100 && answerTimeoutMs <= 600_000)) {
    throw new UsageError('answerTimeoutMs takes milliseconds from 100 to 600000')
  }
  const chosen = {
    only: only === undefined ? undefined : [...only],
    skip: skip === undefined ? undefined : [...skip],
  }
  const target = targetOfConfig(exact(config), process.env, process.cwd())
  return {
    questions: select(catalogue, suiteOf, chosen),
    options: {
      ...target,
      seed: config.seed ?? randomInt(seedBounds.least, seedBounds.most + 1),
      maxRequests: config.maxRequests ?? usualMaxRequests,
      strict,
      bail,
      answerTimeoutMs: answerTimeoutMs ?? usualTimeoutMs,
      maxTimeMs: usualMaxTimeMs,
      signal,
      again: againOf('check', flagsOf(given), null),
    },
  }
}

/** What a command line can say of it, so that a report can tell how a check is asked again. */
const flagsOf = ({ target, keys, allow, categories, ...given }: VetOptions) => ({
  'base-url': target,
  // Only a configuration file gives an enterprise key its numbers.
  key: keys.filter(({ plan }) => plan !== 'enterprise').map(({ plan, key }) => `${plan}=${key}`),
  allow: allow && [allow.join(',') || 'none'],
  clock: given.clock,
  description: given.description,
  category: categories?.map(String),
  ca: given.ca,
  insecure: given.insecure || undefined,
  'max-requests': given.maxRequests,
})

/** The configuration file has no bigint, but digits. */
const exact = ({ categories, ...config }: Omit<VetOptions, 'only' | 'skip' | 'bail'>): Config =>
  categories === undefined
    ? config
    : {
        ...config,
        categories: categories.map((each) => (typeof each === 'bigint' ? `${each}` : each)),
      }
