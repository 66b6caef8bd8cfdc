// What is left of a run that was broken off, as a command is given it: the folder it is in.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DamagedJournal } from '../../engine/past/damaged-journal.ts'
import { decidedIn } from '../../engine/past/tell-past.ts'
import { type ReadJournal, readJournal } from '../../reports/read-journal.ts'
import { journalName } from '../../reports/run-folder.ts'
import { beingWritten } from '../output/folder.ts'
import { UsageError } from '../usage-error.ts'

/** @throws UsageError of one line where there is nothing to go on with */
export const readPastRun = (folder: string): ReadJournal => {
  if (!existsSync(join(folder, journalName))) {
    const what = 'only a run of petvet check at a target of its own leaves one'
    throw new UsageError(`${folder} holds no ${journalName} to go on with: ${what}`)
  }
  const read = unlessDamaged(folder)
  if (read) return read
  throw new UsageError(`${folder}: the run was broken off before it began; begin a new one`)
}

const unlessDamaged = (folder: string): ReadJournal | null => {
  try {
    return readJournal(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!(error instanceof DamagedJournal) && code === undefined) throw error
    const why = code ?? message
    throw new UsageError(`${folder}: its journal cannot be gone on with: ${why}`)
  }
}

/** What to say of a folder whose run has no run file; undefined where it holds none at all. */
export const withoutRunFile = (folder: string): string | undefined => {
  const written = beingWritten(folder)
  return written === undefined ? brokenOff(folder) : `${written}: it has a report when it ends`
}

const brokenOff = (folder: string): string | undefined => {
  if (!existsSync(join(folder, journalName))) return undefined
  const { past } = readPastRun(folder)
  const failed = decidedIn(past).filter(({ outcome }) => outcome === 'fail').length
  const decided = `${decidedIn(past).length} of ${past.head.questions.length} questions`
  const failures = failed === 0 ? '' : `, ${failed} of them failed`
  const what = `the run was broken off after ${decided}${failures}, ${past.seq} requests`
  return `${folder}: ${what}; go on with: petvet check --resume ${folder}, and its keys`
}
