// The output of a run, as its flags set it: folder, reports, known failures, verbosity.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../config/usage-error.ts'
import { holdsRun } from '../../reports/run-folder.ts'
import { formatNames, type OutputFlags } from '../flags.ts'
import { beingWritten } from './folder.ts'
import { readKnownFile } from './known-failures-file.ts'

export type OutputSettings = Readonly<ReturnType<typeof readOutput>>

/**
 * @param cwd the current folder
 * @param resumes whether the folder of the run may contain one
 */
export const readOutput = (flags: OutputFlags, cwd: string, resumes = false) => {
  const { quiet = false, verbose = false, json = false, strict = false, known } = flags
  const other = (['json', 'verbose'] as const).find((name) => flags[name])
  if (quiet && other) throw new UsageError(`--quiet and --${other} exclude each other`)
  if (flags['update-known'] && known === undefined) {
    throw new UsageError('--update-known needs the file: --known FILE')
  }
  /** The file that is updated with the run. */
  const updates = flags['update-known'] ? (known ?? null) : null
  // A file that is to be written need not exist yet.
  const isNew = updates !== null && !existsSync(updates)
  const out = flags.out ?? `petvet-runs/${new Date().toISOString().replace(/[:.]/g, '-')}`
  const folder = resolve(cwd, out)
  if (!resumes && holdsRun(folder)) {
    const remedy = 'choose another folder with --out, or use --resume'
    throw new UsageError(beingWritten(folder) ?? `${out} already contains a run: ${remedy}`)
  }
  return {
    strict,
    known: readKnownFile(isNew ? undefined : known, updates !== null, null),
    updates,
    folder,
    formats: readFormats(flags.report ?? [], formatNames),
    verbose,
    quiet,
    json,
  }
}

/** @throws UsageError for an unknown format */
export const readFormats = (
  given: readonly string[],
  available: readonly string[],
): readonly string[] => {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
  const unknown = names.find((name) => !available.includes(name))
  if (unknown === undefined) return [...new Set(names)]
  throw new UsageError(`unknown report format "${unknown}"; available: ${available.join(', ')}`)
}
