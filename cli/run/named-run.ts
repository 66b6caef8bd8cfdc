// A run as a command names it: a finished one by its run file, its folder, or a folder of several
// runs; an interrupted one by its folder.

import { existsSync, globSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { orRefuse, UsageError } from '../../config/values.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { Past } from '../../engine/run/journal.ts'
import { count } from '../../history/quote.ts'
import { readJournal, readRun } from '../../reports/read-run.ts'
import { resumeCommand } from '../../reports/reproduce.ts'
import { journalName, runFileName } from '../../reports/run-folder.ts'
import { beingWritten } from '../output/folder.ts'

/** @throws UsageError of one line where there is no run */
export const readOrRefuse = (place: string): RunFile =>
  orRefuse(
    () => readRun(place),
    ({ code, message }) =>
      code === 'ENOENT' ? (withoutRunFile(place) ?? `${place}: there is no run`) : message,
  )

/** @throws UsageError of one line where there is nothing to resume */
export const readPastRun = (folder: string): Past => {
  if (!existsSync(join(folder, journalName))) {
    const what = 'only a run of petvet check at a target of its own leaves one'
    throw new UsageError(`${folder} has no ${journalName} to resume from: ${what}`)
  }
  const past = orRefuse(
    () => readJournal(folder),
    ({ code, message }) => `${folder}: its journal cannot be resumed from: ${code ?? message}`,
  )
  if (past) return past
  throw new UsageError(`${folder}: the run was interrupted before it started; begin a new one`)
}

/** The message for a folder whose run has no run file; undefined if it has no run. */
const withoutRunFile = (folder: string): string | undefined => {
  const written = beingWritten(folder)
  if (written !== undefined) return `${written}: it has a report when it ends`
  if (!existsSync(join(folder, journalName))) return undefined
  const { results, head, seq } = readPastRun(folder)
  const failed = results.filter(({ outcome }) => outcome === 'fail').length
  const tested = `${results.length} of ${head.checks.length} checks`
  const failures = failed === 0 ? '' : `, ${failed} of them failed`
  const what = `the run was interrupted after ${tested}${failures}, ${seq} requests`
  return `${folder}: ${what}; resume with: ${resumeCommand(head.command, folder)}`
}

/** The folder with the other files of a run. */
export const runFolder = (run: string): string => {
  const place = resolve(run)
  return place.endsWith('.json') ? dirname(place) : place
}

/**
 * @param isWanted whether the run in a folder will do
 * @returns the newest run of a folder of runs, and a line that says which of how many it is;
 *   undefined for the folder of a run, or one without runs
 */
export const newestRunIn = (place: string, isWanted = (_folder: string) => true) => {
  if (modifiedMs(join(place, runFileName)) > 0) return undefined
  // `--watch` writes a folder of rounds.
  const runs = globSync(`{*,*/*}/${runFileName}`, { cwd: place })
    .map((file) => join(place, dirname(file)))
    .map((folder) => ({ folder, endedMs: modifiedMs(join(folder, runFileName)) }))
    .toSorted((a, b) => b.endedMs - a.endedMs || b.folder.localeCompare(a.folder))
  const newest = runs.find(({ folder }) => isWanted(folder))
  if (newest === undefined) return undefined
  const says = `${place} holds ${count(runs.length, 'run', 'runs')}; the newest is ${newest.folder}`
  return { place: newest.folder, says }
}

/** 0 where there is no such file. */
const modifiedMs = (path: string): number => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.mtimeMs : 0
}
