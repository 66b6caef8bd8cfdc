// The target of a run, from the flags and the configuration file: flags win.
import type { RunOptions } from '../engine/run/run-options.ts'
import { type Config, type Settings, settingsOf } from './config-file.ts'
import { type Environment, expanded, keyOptions, readHeaders } from './given-keys.ts'
import { readReach } from './target-connection.ts'
import {
  defaultPermissions,
  isLoopback,
  readAddress,
  readAll,
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
    const member = targetOnly.find((name) => given[name] !== undefined)
    const flag = member && `--${flagNames[member] ?? member}`
    if (flag) throw new UsageError(`${flag} needs a base URL: petvet check BASE-URL ${flag} ...`)
    if (file === null) return null
    throw new UsageError(`no target: ${file} has none; add one, or give a base URL`)
  }
  const target = targetAt(config.target, settings, environment)
  if (target.keys.length > 0 || !needsKey) return target
  throw new UsageError('no API key: give --key PLAN=KEY, or keys in petvet.config.yaml')
}

/** Flags about a target: without one they would mislead. */
const targetOnly = [
  ...(['keys', 'allow', 'clock', 'description', 'categories', 'ca', 'clientCertificate'] as const),
  ...(['insecure', 'proxy'] as const),
]
const flagNames: Partial<Record<keyof Config, string>> = {
  keys: 'key',
  categories: 'category',
  clientCertificate: 'cert',
}

/** From a configuration alone, as a program gives it. */
export const targetIn = (config: Config, environment: Environment): Target => {
  const folder = process.cwd()
  const settings = settingsOf({}, { file: null, folder, config }, folder)
  const target = targetAt(config.target ?? '', settings, environment)
  if (target.keys.length > 0) return target
  throw new UsageError('no API key: give keys, each with its plan')
}

const targetAt = (address: string, settings: Settings, environment: Environment): Target => {
  // Usually a variable that is not set.
  if (address === '') throw new UsageError('no target: the base URL is empty')
  const { config, given } = settings
  const read = (name: string, text: string) => expanded(`the ${name}`, text, environment)
  const baseUrl = readBaseUrl(read('base URL', address))
  refuseOtherTarget(baseUrl, settings, read)
  const addressOf = (name: 'clock' | 'description') => {
    const text = config[name]
    return text === undefined ? [] : [readAddress(name, read(name, text))]
  }
  const place = 'categories' in given ? '--category' : 'categories'
  const { reached, further, ...own } = readAll({
    clockUrl: () => addressOf('clock')[0]?.href ?? null,
    descriptionUrl: () => addressOf('description')[0]?.href ?? null,
    reached: () => readReach(settings, environment, [baseUrl, ...addressOf('description')]),
    allow: () =>
      config.allow
        ? readPermissions(config.allow)
        : defaultPermissions(baseUrl, config.clock !== undefined),
    keys: () => keyOptions(config.keys ?? [], environment, settings.placeOf),
    categories: () =>
      (config.categories ?? []).map((each) =>
        readInt64(place, expanded(place, `${each}`, environment)),
      ),
    further: () => readHeaders(config.headers ?? {}, environment),
  })
  return {
    baseUrl: withoutSlash(baseUrl),
    ...own,
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
