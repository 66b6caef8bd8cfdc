// The folder that a command writes to: made before anything is sent, so that no run is lost.
import { makeFolder } from '../reports/run-folder.ts'
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
