// All that `petvet check` is told, read and held to be sound before anything is sent or written.
import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { formats } from '../reports/formats.ts'
import type { KnownFailures } from '../reports/known.ts'
import { holdsRun } from '../reports/run-folder.ts'
import { catalogue } from '../suites/index.ts'
import type { Question } from '../suites/kit/check.ts'
import type { FoundConfig } from './config-file.ts'
import type { Environment } from './keys.ts'
import { readKnownFile } from './known-file.ts'
import { secondsOf, seedBounds, wholeNumber } from './numbers.ts'
import type { RunFlags } from './run-flags.ts'
import { select } from './selection.ts'
import { suiteOf } from './suite-of.ts'
import { readTarget, type Target } from './target.ts'
import { UsageError } from './usage-error.ts'

export interface CheckFlags extends RunFlags {
  readonly only: string[] | undefined
  readonly skip: string[] | undefined
  readonly out: string | undefined
  readonly report: string[] | undefined
  readonly known: string | undefined
  readonly strict: boolean | undefined
  readonly mock: boolean
  readonly verbose: boolean | undefined
  readonly quiet: boolean | undefined
  readonly json: boolean | undefined
}

export interface CheckSettings {
  /** Null: the built-in reference. */
  readonly target: Target | null
  readonly questions: readonly Question[]
  readonly seed: number
  readonly maxRequests: number
  readonly answerTimeoutMs: number
  readonly strict: boolean
  readonly withMock: boolean
  readonly known: KnownFailures
  readonly folder: string
  readonly formats: readonly string[]
  readonly verbose: boolean
  readonly quiet: boolean
  readonly json: boolean
}

const usualMaxRequests = 5_000
const usualTimeoutMs = 10_000
const maxRequestsBounds = { least: 1, most: 1_000_000 }
const timeoutBounds = { least: 0.1, most: 600 }

export const readCheckSettings = (
  flags: CheckFlags,
  environment: Environment,
  folder: string,
): CheckSettings => {
  const { target, found } = readTarget(flags, environment, folder, false)
  if (flags.quiet && flags.json) throw new UsageError('--quiet and --json exclude each other')
  const out = flags.out ?? `petvet-runs/${new Date().toISOString().replace(/[:.]/g, '-')}`
  const settings = {
    target,
    questions: select(catalogue, suiteOf, flags),
    seed: seedOf(flags, found),
    maxRequests:
      flags['max-requests'] === undefined
        ? (found.config.maxRequests ?? usualMaxRequests)
        : wholeNumber('--max-requests', flags['max-requests'], maxRequestsBounds),
    answerTimeoutMs:
      flags.timeout === undefined
        ? usualTimeoutMs
        : secondsOf('--timeout', flags.timeout, timeoutBounds),
    strict: flags.strict ?? false,
    withMock: flags.mock && target === null,
    known: readKnownFile(flags.known),
    folder: resolve(folder, out),
    formats: readFormats(flags.report ?? []),
    verbose: flags.verbose ?? false,
    quiet: flags.quiet ?? false,
    json: flags.json ?? false,
  }
  if (!holdsRun(settings.folder)) return settings
  throw new UsageError(`${out} holds a run already: name another folder with --out`)
}

const seedOf = ({ seed }: CheckFlags, { config }: FoundConfig): number => {
  if (seed !== undefined) return wholeNumber('--seed', seed, seedBounds)
  return config.seed ?? randomInt(seedBounds.least, seedBounds.most + 1)
}

const readFormats = (given: readonly string[]): readonly string[] => {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(formats, name))
  if (unknown === undefined) return [...new Set(names)]
  throw new UsageError(
    `"${unknown}" is no report; what there is: ${Object.keys(formats).join(', ')}`,
  )
}
