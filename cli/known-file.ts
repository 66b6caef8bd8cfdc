// The file of `--known`, read before anything is sent.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { emptyKnown, type KnownFile, readKnown } from '../reports/known.ts'
import { updateKnown } from '../reports/update-known.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import { UsageError } from './usage-error.ts'

export const readKnownFile = (file: string | undefined): KnownFile => {
  if (file === undefined) return emptyKnown
  try {
    return readKnown(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--known ${file}: ${(error as Error).message}`)
  }
}

/** Brings the file up to date with a run, and answers what it says then. */
export const updateKnownFile = (file: string, run: RunFile): KnownFile => {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const after = updateKnown(before, run)
  try {
    writeFileSync(file, after)
  } catch (error) {
    throw new UsageError(`--known ${file} cannot be written: ${(error as Error).message}`)
  }
  return readKnown(after)
}
