// The target of a run, from the flags and the configuration file: flags win.
import type { RunOptions } from '../engine/run/run-options.ts'
import { type Config, type FoundConfig, findConfig } from './config-file.ts'
import { type Environment, expanded, keyOptions, readHeaders, splitKey } from './given-keys.ts'
import { type ReachFlags, readReach } from './target-connection.ts'
import {
  defaultPermissions,
  isLoopback,
  Mistakes,
  readAddress,
  readBaseUrl,
  readInt64,
  readPermissions,
  UsageError,
} from './values.ts'

export interface TargetFlags extends ReachFlags {
  readonly 'base-url'?: string | undefined
  /** False: none is read. */
  readonly config?: string | false | undefined
  readonly key?: readonly string[] | undefined
  readonly clock?: string | undefined
  readonly description?: string | undefined
  readonly category?: readonly string[] | undefined
  readonly allow?: readonly string[] | undefined
}

/** What is known of a target before anything is sent to it. */
export type Target = Pick<RunOptions, 'baseUrl' | 'keys' | 'clockUrl' | 'categories' | 'allow'> &
  Pick<RunOptions, 'descriptionUrl' | 'shared' | 'headers' | 'secrets' | 'reach'>

/**
 * @param needsKey false where nothing is going to be sent to the target
 * @returns a target of null where neither an address nor a configuration is given
 */
export const readTarget = (
  flags: TargetFlags,
  environment: Environment,
  folder: string,
  needsKey = true,
) => {
  const found = findConfig(flags.config, folder)
  const address = flags['base-url'] ?? found.config.target
  if (address === undefined) {
    refuseWithoutTarget(flags, found)
    return { target: null, found }
  }
  const target = targetAt(address, flags, found, environment, folder)
  if (target.keys.length > 0 || !needsKey) return { target, found }
  throw new UsageError('no API key: give --key PLAN=KEY, or keys in petvet.config.yaml')
}

/** From a configuration alone, as a program gives it. */
export const targetInConfig = (found: FoundConfig, environment: Environment): Target => {
  const target = targetAt(found.config.target ?? '', {}, found, environment, found.folder)
  if (target.keys.length > 0) return target
  throw new UsageError('no API key: give keys, each with its plan')
}

const targetAt = (
  address: string,
  flags: TargetFlags,
  found: FoundConfig,
  environment: Environment,
  folder: string,
): Target => {
  // Usually a variable that is not set.
  if (address === '') throw new UsageError('no target: the base URL is empty')
  const { config } = found
  const read = (name: string, text: string) => expanded(`the ${name}`, text, environment)
  const baseUrl = readBaseUrl(read('base URL', address))
  refuseOtherTarget(baseUrl, flags, config, read)
  const mistakes = new Mistakes()
  const addressOf = (name: 'clock' | 'description') => {
    const text = flags[name] ?? config[name]
    return mistakes.collect(() =>
      text === undefined ? null : readAddress(name, read(name, text)).href,
    )
  }
  const [clockUrl, descriptionUrl] = [addressOf('clock'), addressOf('description')]
  const addresses = descriptionUrl ? [baseUrl, new URL(descriptionUrl)] : [baseUrl]
  const reached = mistakes.collect(() => readReach(flags, found, environment, folder, addresses))
  const given = flags.key?.map((text) => splitKey(text, '--key')) ?? config.keys ?? []
  const allow = flags.allow ?? config.allow
  const allowed = mistakes.collect(() =>
    allow ? readPermissions(allow) : defaultPermissions(baseUrl, clockUrl !== null),
  )
  const placeOf = (at: number) =>
    (flags.key === undefined && found.placeOf?.(['keys', `${at}`])) || ''
  const keys = mistakes.collect(() => keyOptions(given, environment, placeOf))
  const place = flags.category ? '--category' : 'categories'
  const named = flags.category ?? config.categories ?? []
  const categories = mistakes.collect(() =>
    named.map((each) => readInt64(place, expanded(place, `${each}`, environment))),
  )
  const further = mistakes.collect(() => readHeaders(config.headers ?? {}, environment))
  if (clockUrl === undefined || descriptionUrl === undefined) throw mistakes.error()
  if (!reached || !keys || !categories || !allowed || !further) throw mistakes.error()
  return {
    baseUrl: withoutSlash(baseUrl),
    keys,
    clockUrl,
    categories,
    allow: allowed,
    descriptionUrl,
    shared: config.shared ?? false,
    headers: further.headers,
    secrets: [...further.secrets, ...reached.secrets],
    reach: reached.reach,
  }
}

const withoutSlash = ({ href }: URL): string => href.replace(/\/$/, '')

/** Permissions and the clock of a configuration apply to its own target only. */
const refuseOtherTarget = (
  baseUrl: URL,
  flags: TargetFlags,
  config: Config,
  read: (name: string, text: string) => string,
): void => {
  const target = config.target === undefined ? '' : read('target', config.target)
  if (!URL.canParse(target)) return
  const own = new URL(target)
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
