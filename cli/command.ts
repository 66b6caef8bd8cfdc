// The form of a command: a line of the list, flags as data, and its work; and the packages that a
// few of them need, which npm does not install with petvet. The door to yargs.

import { findPackageJSON } from 'node:module'
import type { InferredOptionTypes, Options } from 'yargs'
import { type Bounds, readSeconds, UsageError, wholeNumber } from '../config/values.ts'
import { peerDependencies } from '../engine/run/version.ts'

export const prismPackages = ['@stoplight/prism-cli'] as const
export const domainsPackages = [
  '@peculiar/x509',
  'dns-packet',
  'reflect-metadata',
  'tldts',
] as const

export const isInstalled = (name: string): boolean => {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined
  } catch {
    return false
  }
}

/**
 * @param name of the command that needs the packages
 * @throws UsageError with the line that installs those which are missing
 */
export const expectPackages = (name: string, packages: readonly string[]): void => {
  const missing = packages.filter((each) => !isInstalled(each))
  if (missing.length === 0) return
  const versions = missing.map((each) => `${each}@${peerDependencies[each]?.replace('^', '')}`)
  const install = `npm install --save-dev ${versions.join(' ')}`
  throw new UsageError(`${name} needs ${missing.join(', ')}: ${install}`)
}

export { type Argv, default as yargs } from 'yargs'

/** A number is text to yargs, which would accept "1e3" and turn a typing mistake into NaN. */
export type Flag = Options & {
  /** Reads the text that was typed. @throws UsageError that names the flag */
  readonly read?: (flag: string, text: string) => unknown
  /** Whether `--no-` before it switches off a default. */
  readonly isNegatable?: boolean
}
export type FlagTable = Readonly<Record<string, Flag>>

type Read<O> = O extends { read: (...given: never[]) => infer T }
  ? (O extends { array: true } ? T[] : T) | (O extends { demandOption: true } ? never : undefined)
  : never

/** The values of flags once they are parsed; a flag that was not given is undefined. */
export type Given<F extends FlagTable> = {
  [N in keyof F]: F[N] extends { read: unknown }
    ? Read<F[N]>
    : InferredOptionTypes<F>[N] | (F[N] extends { isNegatable: true } ? false : never)
}

/** Its flags, and the arguments without a name that its usage lists. */
export interface Command {
  readonly flags: FlagTable
  /** @returns the exit code */
  readonly run: (given: unknown) => number | Promise<number>
}

/** A line of a list of commands. */
export interface CommandEntry {
  /** The name and its arguments: `explain <id>`. */
  readonly usage: string
  readonly describe: string
  /** Command lines without `petvet`, for its help: `check http://127.0.0.1:8080/v1`. */
  readonly examples?: readonly string[]
  /** The optional packages that it needs. */
  readonly packages?: readonly string[]
  /** Imports the command, so that help for others loads nothing; none for a group. */
  readonly load?: () => Promise<Command>
  /** The commands of a group. */
  readonly commands?: readonly CommandEntry[]
}

/** The flags under a heading of the help. */
export const grouped = <const F extends FlagTable>(group: string, flags: F) =>
  Object.fromEntries(
    Object.entries(flags).map(([name, option]) => [name, { ...option, group }]),
  ) as { readonly [N in keyof F]: F[N] & { readonly group: string } }

export const command = <const F extends FlagTable>(
  flags: F,
  run: (given: Given<F>) => number | Promise<number>,
): Command => ({ flags, run: (given) => run(given as Given<F>) })

/** A flag with a value. @param more of its form */
export const text = <const M extends Flag = object>(describe: string, more?: M) =>
  ({ type: 'string', requiresArg: true, describe, ...(more as M) }) as const

const numeric = (read: typeof wholeNumber) => (describe: string, bounds: Bounds) =>
  text(describe, {
    // For the help; as a text it is not parsed.
    number: true,
    read: (flag: string, typed: string) => read(flag, typed, bounds),
  })

/** A flag with a whole number. */
export const number = numeric(wholeNumber)

/** A flag with seconds, to the millisecond. */
export const seconds = numeric(readSeconds)

/** A flag with a value that may be repeated. */
export const texts = <const M extends Flag = object>(describe: string, more?: M) =>
  ({ ...text(describe, more), array: true }) as const

/** A flag without a value. */
export const toggle = <const M extends Flag = object>(describe: string, more?: M) =>
  ({ type: 'boolean', describe, ...(more as M) }) as const

/** An argument without a name. */
export const argument = <const M extends Flag = object>(describe: string, more?: M) =>
  ({ type: 'string', describe, ...(more as M) }) as const

/** Reads a text of a form. @param form for the message: `a path such as /docs` */
export const matching = (pattern: RegExp, form: string) => (flag: string, typed: string) => {
  if (pattern.test(typed)) return typed
  throw new UsageError(`${flag} takes ${form}, not "${typed}"`)
}

export const required = { demandOption: true } as const
