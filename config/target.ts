// The target of a run, from the flags and the configuration file: flags win.
import type { RunOptions } from '../engine/run/run-options.ts'
import type { Settings } from './config-file.ts'
import { type Environment, expanded, keyOptions, readHeaders } from './given-keys.ts'
import { readReach } from './target-connection.ts'
import {
  defaultPermissions,
  isLoopback,
  readAddress,
  readBaseUrl,
  readInt64,
  readPermissions,
  UsageError,
} from './values.ts'

/** What is known of a target before anything is sent to it. */
export type Target = Pick<RunOptions, 'baseUrl' | 'keys' | 'clockUrl' | 'categories' | 'allow'> &
  Pick<RunOptions, 'descriptionUrl' | 'shared' | 'headers' | 'secrets' | 'reach'>

/**
 * @param needsKey false where nothing is going to be sent to the target
 * @returns null where neither an address nor a configuration is given
 */
export const readTarget = (
  settings: Settings,
  environment: Environment,
  needsKey = true,
): Target | null => {
  const { config, file, given } = settings
  if (config.target === undefined) {
    // Without a target its flags would mislead.
    if (file === null && Object.keys(given).every((name) => ofAnyRun.includes(name))) return null
    throw new UsageError('no target: give a base URL, or a target in the configuration file')
  }
  const target = targetAt(config.target, settings, environment)
  if (target.keys.length > 0 || !needsKey) return target
  throw new UsageError(
    'no API key: give keys, each with its plan (--key PLAN=KEY, or in petvet.config.yaml)',
  )
}

const ofAnyRun = ['seed', 'maxRequests', 'walk']

const targetAt = (address: string, settings: Settings, environment: Environment): Target => {
  // Usually a variable that is not set.
  if (address === '') throw new UsageError('no target: the base URL is empty')
  const { config } = settings
  const read = (name: string, text: string) => expanded(`the ${name}`, text, environment)
  const baseUrl = readBaseUrl(read('base URL', address))
  refuseOtherTarget(baseUrl, settings, read)
  const addressOf = (name: 'clock' | 'description') => {
    const text = config[name]
    return text === undefined ? null : readAddress(name, read(name, text))
  }
  const [clock, description] = [addressOf('clock'), addressOf('description')]
  const addresses = description ? [baseUrl, description] : [baseUrl]
  const { reach, secrets } = readReach(settings, environment, addresses)
  const further = readHeaders(config.headers ?? {}, environment)
  return {
    baseUrl: withoutSlash(baseUrl),
    clockUrl: clock?.href ?? null,
    descriptionUrl: description?.href ?? null,
    allow: config.allow
      ? readPermissions(config.allow)
      : defaultPermissions(baseUrl, clock !== null),
    keys: keyOptions(config.keys ?? [], environment),
    categories: (config.categories ?? []).map((each) =>
      readInt64('categories', expanded('categories', `${each}`, environment)),
    ),
    shared: config.shared ?? false,
    headers: further.headers,
    secrets: [...further.secrets, ...secrets],
    reach,
  }
}

const withoutSlash = ({ href }: URL): string => href.replace(/\/$/, '')

/** Permissions and the clock of a configuration apply to its own target only. */
const refuseOtherTarget = (
  baseUrl: URL,
  { given, inFile }: Settings,
  read: (name: string, text: string) => string,
): void => {
  const target = inFile.target === undefined ? '' : read('target', inFile.target)
  if (!URL.canParse(target)) return
  const own = new URL(target)
  if (withoutSlash(own) === withoutSlash(baseUrl)) return
  // The address was not checked, and may contain a password.
  const refusal = (member: string, remedy: string) =>
    new UsageError(
      `the ${member} of the configuration is for ${own.origin}${own.pathname}: ` +
        `for another base URL give ${remedy}`,
    )
  const isAllowed = inFile.allow !== undefined && inFile.allow.length > 0
  if (isAllowed && given.allow === undefined && !isLoopback(baseUrl.hostname)) {
    throw refusal('allow', '--allow, or --allow none')
  }
  if (inFile.clock !== undefined && given.clock === undefined) {
    throw refusal('clock', '--clock URL, or --no-config')
  }
}
