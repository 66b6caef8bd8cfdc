// What a run is told, from the flags and the configuration file: flags win.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunOptions } from '../suites/kit/run-options.ts'
import { readAddress, readBaseUrl } from './addresses.ts'
import { type Config, type FoundConfig, findConfig } from './config-file.ts'
import { type Environment, keyOptions, readSecret, splitKey, variableOf } from './keys.ts'
import { int64Of } from './numbers.ts'
import { readPermissions, usualPermissions } from './permissions.ts'
import type { TargetFlags } from './run-flags.ts'
import { UsageError } from './usage-error.ts'

/** What is known of a target before anything is sent to it. */
export type Target = Omit<
  RunOptions,
  'seed' | 'maxRequests' | 'strict' | 'answerTimeoutMs' | 'signal'
>

export interface Asked {
  /** Null where neither an address nor a configured target is given: the built-in reference. */
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
  if (address === undefined) {
    refuseWithoutTarget(flags, found)
    return { target: null, found }
  }
  const place = flags['base-url'] === undefined ? 'target' : 'the base-url'
  const target = targetAt(readBaseUrl(place, address), flags, found, environment)
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
  const target = targetAt(readBaseUrl('target', config.target), noFlags, found, environment)
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
): Target => {
  const { config, folder } = found
  const clockUrl = addressOrNull('the clock', flags.clock ?? config.clock)
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
    descriptionUrl: addressOrNull('the description', flags.description ?? config.description),
    shared: config.shared ?? false,
    headers: readHeaders(config.headers ?? {}, environment),
    secrets: secretsOf(config.headers ?? {}, environment),
    ca: config.ca === undefined ? null : readCertificates(resolve(folder, config.ca)),
    proxy: addressOrNull('the proxy', config.proxy),
  }
}

const addressOrNull = (place: string, text: string | undefined): string | null =>
  text === undefined ? null : readAddress(place, text).href

/** What speaks of a target would be lost on the built-in reference, and that would mislead. */
const refuseWithoutTarget = (flags: TargetFlags, { file, config }: FoundConfig): void => {
  const flag = (['key', 'allow', 'clock', 'description', 'category'] as const).find(
    (name) => flags[name] !== undefined,
  )
  if (flag) throw new UsageError(`--${flag} needs a base-url: petvet check BASE-URL --${flag} ...`)
  if (config.keys || config.allow) {
    throw new UsageError(`${file} names no target: add one, or give a base-url`)
  }
}

const readCategories = (flags: TargetFlags, { config }: FoundConfig): bigint[] => {
  if (flags.category) return flags.category.map((text) => int64Of('--category', text))
  return (config.categories ?? []).map((category) => int64Of('categories', String(category)))
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e]*$/

const readHeaders = (
  headers: Readonly<Record<string, string>>,
  environment: Environment,
): [string, string][] =>
  Object.entries(headers).map(([name, text]) => {
    const value = readSecret(`the header ${name}`, text, environment)
    if (name.toLowerCase() === 'authorization') {
      throw new UsageError('the header Authorization is what the keys are for')
    }
    if (headerName.test(name) && headerValue.test(value)) return [name, value]
    throw new UsageError(`the header ${name} cannot be sent: it has characters no header has`)
  })

/** What came from the environment is not written into a report. */
const secretsOf = (headers: Readonly<Record<string, string>>, environment: Environment) =>
  Object.values(headers).flatMap((text) => {
    const name = variableOf(text)
    return name === undefined ? [] : [{ name, text: environment[name] ?? '' }]
  })

const readCertificates = (file: string): string => {
  try {
    const text = readFileSync(file, 'utf8')
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  } catch (error) {
    throw new UsageError(`cannot read the ca ${file}: ${(error as NodeJS.ErrnoException).code}`)
  }
  throw new UsageError(`the ca ${file} holds no certificate in PEM`)
}
