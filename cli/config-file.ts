// The configuration file: found, read, and held against its JSON Schema.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { compileSchema } from '../spec/schemas.ts'
import { lineIn, parseYaml } from '../spec/yaml.ts'
import schema from './config.schema.json' with { type: 'json' }
import type { GivenKey } from './keys.ts'
import { nearest } from './nearest.ts'
import { unread } from './unread.ts'
import { UsageError } from './usage-error.ts'

/** What a configuration file and a program tell of a run in the same words. */
export interface RunSettings {
  /** The address of the target's test clock. */
  readonly clock?: string
  /** The address of the OpenAPI document that the target publishes. */
  readonly description?: string
  /** Whether other clients use these keys too. */
  readonly shared?: boolean
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** A PEM file of certificates to trust besides the system's. */
  readonly ca?: string
  /** PEM files, or one of PKCS#12, shown to the target alone; the passphrase is a `$NAME`. */
  readonly clientCertificate?: {
    readonly cert: string
    readonly key?: string
    readonly passphrase?: string
  }
  /** Whether any certificate of the target will do, for a test; the run file says so. */
  readonly insecure?: boolean
  /**
   * The address of an HTTP proxy, or `$NAME`; false for none. By default what `HTTPS_PROXY`,
   * `HTTP_PROXY` and `NO_PROXY` say.
   */
  readonly proxy?: string | false
  /** The most requests that the run may send; 10,000 by default. */
  readonly maxRequests?: number
  /** The seed of all that is generated; by default a random one, which the run file tells. */
  readonly seed?: number
  /** A file that keeps, over several runs, what is known of a key's day in real time. */
}

export interface Config extends RunSettings {
  readonly target?: string
  readonly keys?: readonly GivenKey[]
  /** A number below 2^53, and beyond it the digits. */
  readonly categories?: readonly (number | string)[]
  readonly allow?: readonly string[]
}

export interface FoundConfig {
  /** Null where there is none. */
  readonly file: string | null
  /** What a relative path in it starts from. */
  readonly folder: string
  readonly config: Config
}

/** Where no configuration is named, one of these is read, and not two of them. */
export const usualNames = ['petvet.config.yaml', 'petvet.config.json']
const longestBytes = 1024 * 1024

/** @param named what `--config` says: a file, false for none, or undefined to look for one */
export const findConfig = (named: string | false | undefined, folder: string): FoundConfig => {
  const file = named === undefined ? usualIn(folder) : named !== false && resolve(folder, named)
  if (!file) return { file: null, folder, config: {} }
  return { file, folder: dirname(file), config: readConfig(file, textOf(file)) }
}

const usualIn = (folder: string): string | undefined => {
  const [first, second] = usualNames.filter((name) => existsSync(resolve(folder, name)))
  if (second === undefined) return first && resolve(folder, first)
  throw new UsageError(`${first} and ${second} are both there: name one with --config`)
}

/** The file as a command in this folder names it; null where none was read. */
export const fileFrom = (folder: string, { file }: FoundConfig): string | null => {
  const below = file === null ? '' : relative(folder, file)
  return below === '' || below.startsWith('..') ? file : below
}

const textOf = (file: string): string => {
  try {
    const bytes = readFileSync(file)
    if (bytes.length <= longestBytes) return bytes.toString('utf8')
  } catch (error) {
    throw unread('the configuration', file, error)
  }
  throw new UsageError(`${file} is longer than a configuration can be`)
}

const check = compileSchema(schema)

/** What is wrong with a configuration that a program gives, without any key; undefined: nothing. */
export const configFault = (value: unknown): string | undefined => {
  const fault = check(digitsKept(value))
  return fault === undefined ? undefined : told(fault)
}

const readConfig = (file: string, text: string): Config => {
  const value = digitsKept(parse(file, text) ?? {})
  const fault = check(value)
  if (fault === undefined) return value as Config
  const path = /^(\/\S*)/.exec(fault)?.[1] ?? ''
  const [, , unknown] = unknownMember.exec(fault) ?? []
  const parts = path.split('/').slice(1)
  const line = lineIn(text, unknown === undefined ? parts : [...parts, unknown])
  const place = line === undefined ? file : `${file}, line ${line}`
  throw new UsageError(`${place}: ${told(fault)}`)
}

const parse = (file: string, text: string): unknown => {
  try {
    return parseYaml(text)
  } catch (error) {
    throw new UsageError(`${file}: ${withoutQuotes((error as Error).message, text)}`)
  }
}

/** What a reader of YAML repeats of a line may be a key that begins with a sign of YAML's own. */
const withoutQuotes = (message: string, text: string): string => {
  const [, number] = /\(line (\d+), column \d+\)$/.exec(message) ?? []
  const line = text.split('\n')[Number(number) - 1] ?? ''
  return message.replace(/[^\s:|>!*&%@"'()]{3,}(?=.*\(line)/g, (word) =>
    line.includes(word) ? '...' : word,
  )
}

/** Integers beyond 2^53 as their digits, which the schema takes where an int64 may stand. */
const digitsKept = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(digitsKept)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, digitsKept(part)]))
}

const unknownMember = /^(the value|\/\S*) must not have (.*)$/s

/** The whole of it may be what belongs into a member, and a key may stand anywhere in its own. */
const secretPlaces = /^(?:the value|\/(?:keys|headers|clientCertificate|proxy)(?:\/.*?)?) must /s

/** What is wrong with a configuration, without what may be a secret in it. */
const told = (fault: string): string => {
  const [, path = '', unknown] = unknownMember.exec(fault) ?? []
  if (unknown !== undefined) return strange(path, unknown)
  return secretPlaces.test(fault) ? fault.replace(/, is .*$/s, '') : fault
}

const { keys, clientCertificate } = schema.properties

/** A name that is near to none, and no member of the whole, may be a key. */
const strange = (path: string, name: string): string => {
  const own = Object.keys(keys.items.properties)
  const known = [
    ...Object.keys(schema.properties),
    ...own,
    ...Object.keys(clientCertificate.properties),
  ]
  const meant = nearest(name, known)
  if (meant !== undefined) return `${name} is not known; did you mean ${meant}?`
  if (path.startsWith('/keys/')) return `${path} may have ${own.join(', ')}, and nothing else`
  return name === '' ? `${path} has a member without a name` : `${name} is not known`
}
