// The file of `--known`, read before anything is sent.
import { readFileSync } from 'node:fs'
import { type KnownFailures, readKnown } from '../reports/known.ts'
import { UsageError } from './usage-error.ts'

export const readKnownFile = (file: string | undefined): KnownFailures => {
  if (file === undefined) return new Map()
  try {
    return readKnown(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--known ${file}: ${(error as Error).message}`)
  }
}
