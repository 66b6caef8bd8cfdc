// Reads an interrupted run from the folder that a command names.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Past } from '../../engine/resume/journal.ts'
import { readJournal } from '../../reports/read-run.ts'
import { resumeCommand } from '../../reports/reproduce.ts'
import { journalName } from '../../reports/run-folder.ts'
import { beingWritten } from '../output/folder.ts'
import { UsageError } from '../usage-error.ts'

/** @throws UsageError of one line where there is nothing to resume */
export const readPastRun = (folder: string): Past => {
  if (!existsSync(join(folder, journalName))) {
    const what = 'only a run of petvet check at a target of its own leaves one'
    throw new UsageError(`${folder} has no ${journalName} to resume from: ${what}`)
  }
  try {
    const past = readJournal(folder)
    if (past) return past
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(`${folder}: its journal cannot be resumed from: ${code ?? message}`)
  }
  throw new UsageError(`${folder}: the run was interrupted before it started; begin a new one`)
}

/** The message for a folder whose run has no run file; undefined if it has no run. */
export const withoutRunFile = (folder: string): string | undefined => {
  const written = beingWritten(folder)
  return written === undefined
    ? describeInterrupted(folder)
    : `${written}: it has a report when it ends`
}

const describeInterrupted = (folder: string): string | undefined => {
  if (!existsSync(join(folder, journalName))) return undefined
  const { results, head, seq } = readPastRun(folder)
  const failed = results.filter(({ outcome }) => outcome === 'fail').length
  const tested = `${results.length} of ${head.checks.length} checks`
  const failures = failed === 0 ? '' : `, ${failed} of them failed`
  const what = `the run was interrupted after ${tested}${failures}, ${seq} requests`
  return `${folder}: ${what}; resume with: ${resumeCommand(head.again, folder)}`
}
