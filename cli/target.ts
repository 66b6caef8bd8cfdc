// What a run is told, from the flags and the configuration file: flags win.
import type { RunOptions } from '../engine/run-options.ts'
import { isLoopback, readAddress, readBaseUrl } from './addresses.ts'
import { type Config, type FoundConfig, findConfig } from './config-file.ts'
import { readHeaders, secretsOf } from './extra-headers.ts'
import { type Environment, keyOptions, splitKey } from './keys.ts'
import { int64Of } from './numbers.ts'
import { readPermissions, usualPermissions } from './permissions.ts'
import { readReach } from './read-reach.ts'
import type { TargetFlags } from './run-flags.ts'
import { UsageError } from './usage-error.ts'

/** What is known of a target before anything is sent to it. */
export type Target = Omit<
  RunOptions,
  'seed' | 'maxRequests' | 'strict' | 'answerTimeoutMs' | 'signal'
>

export interface Asked {
  /** Null where neither an address nor a configuration is given: the built-in reference. */
  readonly target: Target | null
  readonly found: FoundConfig
}

/** @param keyless whether a target without a key will do: nothing is going to be sent to it */
export const readTarget = (
  flags: TargetFlags,
  environment: Environment,
  folder: string,
  keyless: boolean,
): Asked => {
  const found = findConfig(flags.config, folder)
  const { config } = found
  const address = flags['base-url'] ?? config.target
  // Mostly a variable that is not set.
  if (address === '') throw new UsageError('no target: the base-url is empty')
  if (address === undefined) {
    refuseWithoutTarget(flags, found)
    return { target: null, found }
  }
  const place = flags['base-url'] === undefined ? 'target' : 'the base-url'
  const target = targetAt(readBaseUrl(place, address), flags, found, environment, folder)
  if (target.keys.length > 0 || keyless) return { target, found }
  throw new UsageError('no API key: give --key PLAN=KEY, or keys in petvet.config.yaml')
}

/** The same from a configuration alone, as a program gives it. */
export const targetOfConfig = (
  config: Config,
  environment: Environment,
  folder: string,
): Target => {
  const found = { file: null, folder, config }
  if (!config.target) throw new UsageError('no target: give the base address of the API')
  const baseUrl = readBaseUrl('target', config.target)
  const target = targetAt(baseUrl, noFlags, found, environment, folder)
  if (target.keys.length > 0) return target
  throw new UsageError('no API key: give keys, each with its plan')
}

const noFlags: TargetFlags = {
  'base-url': undefined,
  config: false,
  key: undefined,
  allow: undefined,
  clock: undefined,
  description: undefined,
  category: undefined,
}

const targetAt = (
  baseUrl: URL,
  flags: TargetFlags,
  found: FoundConfig,
  environment: Environment,
  folder: string,
): Target => {
  const { config } = found
  refuseOfAnother(baseUrl, flags, found)
  const clockUrl = addressOrNull('the clock', flags.clock ?? config.clock)
  const descriptionUrl = addressOrNull('the description', flags.description ?? config.description)
  const addresses = [baseUrl, ...(descriptionUrl === null ? [] : [new URL(descriptionUrl)])]
  const { reach, secrets } = readReach(flags, found, environment, folder, addresses)
  const allow = flags.allow ?? config.allow
  return {
    baseUrl: baseUrl.href.replace(/\/$/, ''),
    keys: keyOptions(
      flags.key?.map((text) => splitKey(text, '--key')) ?? config.keys ?? [],
      environment,
    ),
    clockUrl,
    categories: readCategories(flags, found),
    allow: allow ? readPermissions(allow) : usualPermissions(baseUrl, clockUrl !== null),
    descriptionUrl,
    shared: config.shared ?? false,
    headers: readHeaders(config.headers ?? {}, environment),
    secrets: [...secretsOf(config.headers ?? {}, environment), ...secrets],
    reach,
  }
}

/** What a configuration says of its own target holds for no other one. */
const refuseOfAnother = (baseUrl: URL, flags: TargetFlags, { config }: FoundConfig): void => {
  if (config.target === undefined || !URL.canParse(config.target)) return
  const { href, origin, pathname } = new URL(config.target)
  if (href.replace(/\/$/, '') === baseUrl.href.replace(/\/$/, '')) return
  const isNamed = config.allow !== undefined && config.allow.length > 0
  const lost =
    isNamed && flags.allow === undefined && !isLoopback(baseUrl.hostname)
      ? 'allow'
      : config.clock !== undefined && flags.clock === undefined && 'clock'
  if (lost === false) return
  const say = lost === 'allow' ? '--allow, or --allow none' : '--clock URL, or --no-config'
  // It was not read, and may hold a password.
  const other = `${origin}${pathname}`
  throw new UsageError(
    `the ${lost} of the configuration is for ${other}: for another base-url say ${say}`,
  )
}

const addressOrNull = (place: string, text: string | undefined): string | null =>
  text === undefined ? null : readAddress(place, text).href

const ofTarget = [
  ...(['key', 'allow', 'clock', 'description', 'category', 'ca', 'cert', 'cert-key'] as const),
  ...(['cert-passphrase', 'insecure', 'proxy'] as const),
]

/**
 * What speaks of a target would be lost on the built-in reference, and that would mislead; and who
 * wrote a configuration, even an empty one, does not mean a server that is always sound.
 */
const refuseWithoutTarget = (flags: TargetFlags, { file }: FoundConfig): void => {
  const flag = ofTarget.find((name) => flags[name] !== undefined)
  if (flag) throw new UsageError(`--${flag} needs a base-url: petvet check BASE-URL --${flag} ...`)
  if (file === null) return
  throw new UsageError(
    `no target: ${file} names none; add one, or give a base-url (without a configuration, or ` +
      'with --no-config, it is the built-in reference)',
  )
}

const readCategories = (flags: TargetFlags, { config }: FoundConfig): bigint[] => {
  if (flags.category) return flags.category.map((text) => int64Of('--category', text))
  return (config.categories ?? []).map((category) => int64Of('categories', String(category)))
}
