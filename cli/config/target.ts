// The target of a run, from the flags and the configuration file: flags win.
import type { RunOptions } from '../../engine/run-options.ts'
import { planNames } from '../../spec/plans.ts'
import type { TargetFlags } from '../flags.ts'
import { UsageError } from '../usage-error.ts'
import { readReach } from './connection.ts'
import { type Config, type FoundConfig, findConfig } from './file.ts'
import {
  type Environment,
  type GivenKey,
  keyFault,
  keyOptions,
  readHeaders,
  secretsOf,
  splitKey,
} from './keys.ts'
import {
  defaultPermissions,
  int64Of,
  isLoopback,
  readAddress,
  readBaseUrl,
  readPermissions,
} from './values.ts'

/** What is known of a target before anything is sent to it. */
export type Target = Omit<
  RunOptions,
  'seed' | 'maxRequests' | 'strict' | 'responseTimeoutMs' | 'signal'
>

export interface FoundTarget {
  /** Null where neither an address nor a configuration is given. */
  readonly target: Target | null
  readonly found: FoundConfig
}

/** @param needsKey false where nothing is going to be sent to the target */
export const readTarget = (
  flags: TargetFlags,
  environment: Environment,
  folder: string,
  needsKey = true,
): FoundTarget => {
  const found = findConfig(flags.config, folder, (value, placeOf) =>
    flags.key === undefined ? keyFaultsIn(value, environment, placeOf) : [],
  )
  const address = flags['base-url'] ?? found.config.target
  // Usually a variable that is not set.
  if (address === '') throw new UsageError('no target: the base URL is empty')
  if (address === undefined) {
    refuseWithoutTarget(flags, found)
    return { target: null, found }
  }
  const target = targetAt(readBaseUrl(address), flags, found, environment, folder)
  if (target.keys.length > 0 || !needsKey) return { target, found }
  throw new UsageError('no API key: give --key PLAN=KEY, or keys in petvet.config.yaml')
}

/** The same from a configuration alone, as a program gives it. */
export const targetOfConfig = (
  config: Config,
  environment: Environment,
  folder: string,
): Target => {
  if (!config.target) throw new UsageError('no target: give the base URL of the API')
  const baseUrl = readBaseUrl(config.target)
  const target = targetAt(
    baseUrl,
    {},
    { file: null, folder, config, placeOf: () => '' },
    environment,
    folder,
  )
  if (target.keys.length > 0) return target
  throw new UsageError('no API key: give keys, each with its plan')
}

const targetAt = (
  baseUrl: URL,
  flags: TargetFlags,
  found: FoundConfig,
  environment: Environment,
  folder: string,
): Target => {
  const { config } = found
  refuseOtherTarget(baseUrl, flags, config)
  const faults: string[] = []
  const read = <T>(work: () => T): T | undefined => collected(faults, work)
  const clock = flags.clock ?? config.clock
  const clockUrl = read(() => (clock === undefined ? null : readAddress('clock', clock).href))
  const document = flags.description ?? config.description
  const description = read(() =>
    document === undefined ? null : readAddress('description', document),
  )
  const addresses = description ? [baseUrl, description] : [baseUrl]
  const reached = read(() => readReach(flags, found, environment, folder, addresses))
  const given = flags.key?.map((text) => splitKey(text, '--key')) ?? config.keys ?? []
  const placeOf = (at: number) => (flags.key === undefined ? found.placeOf(['keys', `${at}`]) : '')
  const keys = read(() => keyOptions(given, environment, placeOf))
  const categories = read(() => readCategories(flags, config))
  const allow = flags.allow ?? config.allow
  const allowed = read(() =>
    allow ? readPermissions(allow) : defaultPermissions(baseUrl, clock !== undefined),
  )
  const givenHeaders = config.headers ?? {}
  const headers = Object.entries(givenHeaders).flatMap(
    ([name, text]) => read(() => readHeaders({ [name]: text }, environment)) ?? [],
  )
  if (!reached || !keys || !categories || !allowed || faults.length > 0) {
    throw new UsageError(faults.join('\npetvet: '))
  }
  return {
    baseUrl: withoutSlash(baseUrl),
    keys,
    clockUrl: clockUrl ?? null,
    categories,
    allow: allowed,
    descriptionUrl: description?.href ?? null,
    shared: config.shared ?? false,
    headers,
    secrets: [...secretsOf(givenHeaders, environment), ...reached.secrets],
    reach: reached.reach,
  }
}

/** Mistakes are collected, so that a user is not shown one at a time. */
const collected = <T>(faults: string[], work: () => T): T | undefined => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    faults.push(error.message)
    return undefined
  }
}

const readCategories = (flags: TargetFlags, config: Config): readonly bigint[] =>
  flags.category
    ? flags.category.map((text) => int64Of('--category', text))
    : (config.categories ?? []).map((each) => int64Of('categories', `${each}`))

/** In a file with mistakes: of its keys those that have the form of one. */
const keyFaultsIn = (
  value: unknown,
  environment: Environment,
  placeOf: FoundConfig['placeOf'],
): readonly string[] => {
  const { keys } = Object(value) as { readonly keys?: unknown }
  return (Array.isArray(keys) ? keys : []).flatMap((each, at) =>
    isGivenKey(each) ? keyFault(each, environment, placeOf(['keys', `${at}`])) : [],
  )
}

const isGivenKey = (value: unknown): value is GivenKey => {
  const { plan, key } = Object(value) as { readonly plan?: unknown; readonly key?: unknown }
  return planNames.some((each) => each === plan) && typeof key === 'string'
}

const withoutSlash = ({ href }: URL): string => href.replace(/\/$/, '')

/** Permissions and the clock of a configuration apply to its own target only. */
const refuseOtherTarget = (baseUrl: URL, flags: TargetFlags, config: Config): void => {
  if (config.target === undefined || !URL.canParse(config.target)) return
  const own = new URL(config.target)
  if (withoutSlash(own) === withoutSlash(baseUrl)) return
  // The address was not checked, and may contain a password.
  const refusal = (member: string, remedy: string) =>
    new UsageError(
      `the ${member} of the configuration is for ${own.origin}${own.pathname}: ` +
        `for another base URL give ${remedy}`,
    )
  const isAllowed = config.allow !== undefined && config.allow.length > 0
  if (isAllowed && flags.allow === undefined && !isLoopback(baseUrl.hostname)) {
    throw refusal('allow', '--allow, or --allow none')
  }
  if (config.clock !== undefined && flags.clock === undefined) {
    throw refusal('clock', '--clock URL, or --no-config')
  }
}

const targetOnly = [
  ...(['key', 'allow', 'clock', 'description', 'category', 'ca', 'cert', 'cert-key'] as const),
  ...(['cert-passphrase', 'insecure', 'proxy'] as const),
]

/** Ignoring flags about a target, or a configuration without one, would mislead. */
const refuseWithoutTarget = (flags: TargetFlags, { file }: FoundConfig): void => {
  const flag = targetOnly.find((name) => flags[name] !== undefined)
  if (flag) throw new UsageError(`--${flag} needs a base URL: petvet check BASE-URL --${flag} ...`)
  if (file === null) return
  throw new UsageError(`no target: ${file} has none; add one, or give a base URL`)
}
