// The configuration file: found, read, and validated with its JSON Schema.
import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { compileWhole, type SchemaFault } from '../spec/schemas.ts'
import { lineIn, parseYaml } from '../spec/yaml.ts'
import schema from './config.schema.json' with { type: 'json' }
import type { GivenKey } from './given-keys.ts'
import { nearest, orRefuse, UsageError } from './values.ts'

/** What a configuration file says; a program says the same. */
export interface Config {
  readonly target?: string
  readonly keys?: readonly GivenKey[]
  /** Categories known to exist: int64, large ones as a bigint or as a string of digits. */
  readonly categories?: readonly (number | bigint | string)[]
  readonly allow?: readonly string[]
  /** The address of the target's test clock. */
  readonly clock?: string
  /** The address of the OpenAPI document that the target publishes. */
  readonly description?: string
  /** Whether other clients use these keys too. */
  readonly shared?: boolean
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** A PEM file of certificates to trust in addition to the system's. */
  readonly ca?: string
  /** PEM files, or one PKCS#12 file, sent only to the target; the passphrase is a `$NAME`. */
  readonly clientCertificate?: {
    readonly cert: string
    readonly key?: string | undefined
    readonly passphrase?: string | undefined
  }
  /** Accepts any certificate of the target, for a test; the run file says so. */
  readonly insecure?: boolean
  /**
   * The address of an HTTP proxy, or `$NAME`; false for none. By default what `HTTPS_PROXY`,
   * `HTTP_PROXY` and `NO_PROXY` say.
   */
  readonly proxy?: string | false
  /** The maximum number of requests; 10,000 by default. */
  readonly maxRequests?: number
  /** The seed of everything generated; by default a random one, which the run file records. */
  readonly seed?: number
  /** How many requests a run with a test clock spends on walks; 200 by default. */
  readonly walk?: number
}

interface FoundConfig {
  /** Null where there is none. */
  readonly file: string | null
  /** Where its relative paths start. */
  readonly folder: string
  readonly config: Config
}

/**
 * @param given what flags say, which wins over the file
 * @param current where their relative paths start
 */
export const settingsOf = (
  given: Config,
  { file, folder, config: inFile }: FoundConfig,
  current: string,
) => ({
  config: { ...inFile, ...given },
  given,
  inFile,
  current,
  /** The path of the file as a command in this folder names it; null where none was read. */
  file: file === null ? null : nameFrom(current, file),
  folderOf: (member: keyof Config) => (member in given ? current : folder),
})

/** All that flags and the configuration file say of a run. */
export type Settings = ReturnType<typeof settingsOf>

/** Where `--config` is not given one of these is read; two in a folder are an error. */
export const defaultNames = ['petvet.config.yaml', 'petvet.config.yml', 'petvet.config.json']
const maxBytes = 1024 * 1024

/** @param named the value of `--config`: a file, false for none, undefined to look for one */
export const findConfig = (named: string | false | undefined, folder: string): FoundConfig => {
  const file = named === undefined ? defaultIn(folder) : named !== false && resolve(folder, named)
  if (!file) return { file: null, folder, config: {} }
  const text = readText('the configuration', file)
  return { file, folder: dirname(file), config: readConfig(file, text) }
}

/** In the folder, or in the nearest parent that has one. */
const defaultIn = (folder: string): string | undefined => {
  const [first, second] = defaultNames.filter((name) => existsSync(resolve(folder, name)))
  if (second !== undefined) {
    throw new UsageError(`${first} and ${second} both exist: choose one with --config`)
  }
  if (first !== undefined) return resolve(folder, first)
  const parent = dirname(folder)
  return parent === folder ? undefined : defaultIn(parent)
}

/** Relative where it is below the folder. */
export const nameFrom = (folder: string, file: string): string => {
  const below = relative(folder, file)
  return below === '' || below.startsWith('..') ? file : below
}

/** @param what the file is, for messages, which contain nothing of it */
export const readSmall = (what: string, file: string): Buffer => {
  // A variable with the text of a file is easily mistaken for one with its path.
  const isContent = file.length > 300 || /[\n{}]|-----BEGIN/.test(file)
  const bytes = orRefuse(
    () => readFileSync(file),
    ({ code }) =>
      isContent
        ? `cannot read ${what} (${code}): give the path of a file, not its text`
        : `cannot read ${what} ${file}: ${code}`,
  )
  if (bytes.length <= maxBytes) return bytes
  throw new UsageError(`${what} ${file} is longer than 1 MiB: is it the right file?`)
}

/** @throws UsageError that names another encoding than UTF-8 */
export const readText = (what: string, file: string): string => {
  const bytes = readSmall(what, file)
  const isUtf16 = /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2)) || bytes.includes(0)
  if (isUtf8(bytes) && !isUtf16) return bytes.toString().replace(/^\ufeff/, '')
  const encoding = isUtf16 ? 'UTF-16' : 'not UTF-8, but perhaps Latin-1'
  throw new UsageError(`${what} ${file} is ${encoding}: save it as UTF-8`)
}

const validate = compileWhole(schema)

/** The errors in a configuration that a program gives, without any key; undefined: none. */
export const configFault = (value: unknown): string | undefined =>
  validate(digitsKept(value)).map(faultLine).join('; ') || undefined

const readConfig = (file: string, text: string): Config => {
  const value = digitsKept(
    orRefuse(
      () => parseYaml(text),
      // The parser quotes parts of a line, which may be a key.
      ({ message }) => `${file}: no valid YAML${/ \(line .*/.exec(message)?.[0] ?? ''}`,
    ) ?? {},
  )
  const faults = validate(value)
  if (faults.length === 0) return value as Config
  const lines = faults.map((fault) => {
    const unknown = fault.keyword === 'additionalProperties' ? [fault.member ?? ''] : []
    const line = lineIn(text, [...fault.path.split('/').slice(1), ...unknown])
    return `${file}${line === undefined ? '' : `, line ${line}`}: ${faultLine(fault)}`
  })
  throw new UsageError(lines.join('\npetvet: '))
}

/** Integers beyond 2^53 as strings, which the schema accepts for an int64. */
const digitsKept = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(digitsKept)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, digitsKept(part)]))
}

const { keys, clientCertificate } = schema.properties

/** The message of the schema, without values and unknown names, which may be secret. */
const faultLine = ({ path, says, keyword, member = '' }: SchemaFault): string => {
  if (keyword !== 'additionalProperties') return says.replace(/, is .*$/s, '')
  const { properties } = path.startsWith('/keys/')
    ? keys.items
    : path.startsWith('/client')
      ? clientCertificate
      : schema
  const known = Object.keys(properties)
  const meant = nearest(member, known)
  if (meant !== undefined) return `${member} is unknown; did you mean ${meant}?`
  return `${path || 'the configuration'} may have ${known.join(', ')}, and nothing else`
}
