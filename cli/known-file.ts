// The file of `--known`, read before anything is sent.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { emptyKnown, type KnownFile, readKnown } from '../reports/known.ts'
import { reasonToFillIn, updateKnown } from '../reports/update-known.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import { UsageError } from './usage-error.ts'

/** @param updates whether it is going to be brought up to date */
export const readKnownFile = (file: string | undefined, updates: boolean): KnownFile => {
  if (file === undefined) return emptyKnown
  const known = read(file)
  const [unreasoned] = [...known.failures].find(([, { reason }]) => reason === reasonToFillIn) ?? []
  // The same option may be there to bring the file up to date, and then its lines stay.
  if (unreasoned === undefined || updates) return known
  throw new UsageError(`--known ${file}: say why ${unreasoned} is known to fail`)
}

const read = (file: string): KnownFile => {
  try {
    return readKnown(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(
      `--known ${file}: ${code === 'ENOENT' ? 'there is no such file' : message}`,
    )
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
  const known = readKnown(after)
  const reasoned = [...known.failures].filter(([, { reason }]) => reason !== reasonToFillIn)
  return { ...known, failures: new Map(reasoned) }
}
