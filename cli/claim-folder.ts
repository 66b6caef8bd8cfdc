// The folder that a command writes to, and the files there that a run goes on with: found to be
// writable before anything is sent, so that no run is lost.
import { join } from 'node:path'
import { exchangesName, expectWritable, journalName, makeFolder } from '../reports/run-folder.ts'
import { UsageError } from './usage-error.ts'

/** @throws UsageError where nothing can be written */
export const claimFolder = (folder: string): void => {
  try {
    makeFolder(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`cannot write to ${folder} (${code}): name another folder with --out`)
  }
}

/** @throws UsageError where a run cannot go on with its folder, and the files that it has there */
export const claimAgain = (folder: string): void => {
  claimed(folder, makeFolder)
  for (const name of [journalName, exchangesName]) claimed(join(folder, name), expectWritable)
}

const claimed = (path: string, claim: (path: string) => void): void => {
  try {
    claim(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const todo = 'let it be read and written, or begin a new run'
    throw new UsageError(`cannot go on with ${path} (${code}): ${todo}`)
  }
}
