// What becomes of a run, as `check` and `load` are told: its folder, its reports, its voice.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { emptyKnown, type KnownFile } from '../reports/known.ts'
import { holdsRun } from '../reports/run-folder.ts'
import { readKnownFile } from './known-file.ts'
import type { OutputFlags } from './run-flags.ts'
import { beingWritten } from './run-lock.ts'
import { UsageError } from './usage-error.ts'
import { readFormats } from './write-reports.ts'

export interface OutputSettings {
  readonly strict: boolean
  readonly known: KnownFile
  /** The file of the known failures, where it is to be brought up to date. */
  readonly updates: string | null
  readonly folder: string
  readonly formats: readonly string[]
  readonly verbose: boolean
  readonly quiet: boolean
  readonly json: boolean
}

/** @param folder the current one */
export const readOutput = (flags: OutputFlags, folder: string): OutputSettings => {
  const settings = readOutputAnywhere(flags, folder)
  if (!holdsRun(settings.folder)) return settings
  throw new UsageError(
    beingWritten(settings.folder) ??
      `${flags.out} holds a run already: name another with --out, or use --resume`,
  )
}

const refuseTwoVoices = (flags: OutputFlags): void => {
  const other = (['json', 'verbose'] as const).find((name) => flags[name])
  if (flags.quiet && other) throw new UsageError(`--quiet and --${other} exclude each other`)
}

/** The same where the folder may hold a run, which goes on. */
export const readOutputAnywhere = (flags: OutputFlags, folder: string): OutputSettings => {
  refuseTwoVoices(flags)
  const updates = flags['update-known'] ? (flags.known ?? null) : null
  if (flags['update-known'] && updates === null) {
    throw new UsageError('--update-known needs the file: --known FILE')
  }
  const out = flags.out ?? `petvet-runs/${new Date().toISOString().replace(/[:.]/g, '-')}`
  return {
    strict: flags.strict ?? false,
    // A file that is to be written need not be there yet.
    known:
      updates !== null && !existsSync(updates)
        ? emptyKnown
        : readKnownFile(flags.known, updates !== null, null),
    updates,
    folder: resolve(folder, out),
    formats: readFormats(flags.report ?? []),
    verbose: flags.verbose ?? false,
    quiet: flags.quiet ?? false,
    json: flags.json ?? false,
  }
}
