// The options of a program: the members of the configuration file, and a selection of checks.
import type { Permission } from '../engine/check/context.ts'
import type { CheckResult } from '../engine/check/run-file.ts'
import type { RunOptions, RunSink } from '../engine/run/run-options.ts'
import { configFault, type RunConfig } from './config-file.ts'
import { commandGiven, type GivenKey } from './given-keys.ts'
import { type RunChoice, readRun } from './run-settings.ts'
import { targetIn } from './target.ts'
import { UsageError } from './values.ts'

export interface VetOptions extends RunConfig, RunChoice {
  /** The base URL of the API, `/v1` included. */
  readonly target: string
  /** API keys; a key of `$NAME` is read from the environment. */
  readonly keys: readonly GivenKey[]
  /** What the run may do; by default reads only, and more on localhost. */
  readonly allow?: readonly Permission[]
  /** Categories known to exist: int64, large ones as bigint or as a string of digits. */
  readonly categories?: readonly (number | bigint | string)[]
  /** Gets each request with its response, as a line of `exchanges.ndjson`: keys are replaced. */
  readonly onExchange?: (line: string) => void
  /** Gets the result of each check once it is recorded. */
  readonly onResult?: (result: CheckResult) => void
  /** Ends the run early; its run file says what was done. */
  readonly signal?: AbortSignal
}

const never = new AbortController().signal

/**
 * The run that the options describe, and who gets what happens in it.
 * @throws UsageError with one line that says what to do
 */
export const readVetOptions = (given: VetOptions) => {
  const { only, skip, strict, bail, noWait, responseTimeoutMs, ...others } = given
  const { signal = never, onExchange = () => {}, onResult, ...config } = others
  const fault = configFault(config)
  if (fault !== undefined) throw new UsageError(fault)
  const [min, max] = [100, 600_000]
  if (responseTimeoutMs !== undefined && !(responseTimeoutMs >= min && responseTimeoutMs <= max)) {
    throw new UsageError(`responseTimeoutMs takes milliseconds from ${min} to ${max}`)
  }
  const { checks, run } = readRun(given, config, commandGiven('check', toFlags(given), null))
  const target = targetIn(config, process.env)
  const options: RunOptions = { ...target, ...run, signal }
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
