// The folder that a command writes to, and the files there that a run is resumed with: found to be
// writable before anything is sent, so that no run is lost.
import { join } from 'node:path'
import { exchangesName, expectWritable, journalName, makeFolder } from '../reports/run-folder.ts'
import { UsageError } from './usage-error.ts'

/** @throws UsageError where nothing can be written */
export const claimFolder = (folder: string): void => {
  claim(folder, makeFolder, 'write to', 'name another folder with --out')
}

/** @throws UsageError where a run cannot be resumed with its folder, and the files there */
export const claimAgain = (folder: string): void => {
  const again = (path: string, open: Open) =>
    claim(path, open, 'resume with', 'make it readable and writable, or begin a new run')
  again(folder, makeFolder)
  for (const name of [journalName, exchangesName]) again(join(folder, name), expectWritable)
}

type Open = (path: string) => void

const claim = (path: string, open: Open, purpose: string, todo: string): void => {
  try {
    open(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`cannot ${purpose} ${path} (${code}): ${todo}`)
  }
}
