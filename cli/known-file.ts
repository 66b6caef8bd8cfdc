// The file of `--known`, read before anything is sent.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { RunFile } from '../engine/run-file.ts'
import {
  emptyKnown,
  idOf,
  type KnownFile,
  readKnown,
  reasonToFillIn,
  updateKnown,
} from '../reports/known.ts'
import { strangeId } from './known-ids.ts'
import { UsageError } from './usage-error.ts'

/**
 * @param updates whether it is going to be brought up to date
 * @param told the run that it is held against, where there is one already
 * @throws UsageError where it cannot be read, or names a check that there is not: that line would
 *   never excuse anything, and never be found to be stale for what it was written for
 */
export const readKnownFile = (
  file: string | undefined,
  updates: boolean,
  told: RunFile | null,
): KnownFile => {
  if (file === undefined) return emptyKnown
  const known = read(file, told)
  const [unreasoned] = [...known.failures].find(([, { reason }]) => reason === reasonToFillIn) ?? []
  // The same option may be there to bring the file up to date, and then its lines stay.
  if (unreasoned === undefined || updates) return known
  throw new UsageError(`--known ${file}: say why ${unreasoned} is known to fail`)
}

const read = (file: string, told: RunFile | null): KnownFile => {
  try {
    const text = readFileSync(file, 'utf8')
    const known = readKnown(text)
    for (const [index, line] of text.split(/\r?\n/).entries()) refuseStrange(line, index + 1, told)
    return known
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(
      `--known ${file}: ${code === 'ENOENT' ? 'there is no such file' : message}`,
    )
  }
}

/** A run of another version may have checks that this one has not. */
const refuseStrange = (line: string, number: number, told: RunFile | null): void => {
  const id = idOf(line)
  if (id === undefined || told?.checks.some((each) => each.id === id)) return
  const fault = strangeId(id)
  if (fault !== undefined) throw new Error(`line ${number}: ${fault}`)
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
