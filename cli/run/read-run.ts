// A finished run as a command names it: a run file, its folder, or a folder of several runs.
import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { count } from '../../engine/record/text.ts'
import type { RunFile } from '../../engine/run-file.ts'
import { readRun } from '../../reports/read-run.ts'
import { runFileName } from '../../reports/run-folder.ts'
import { UsageError } from '../usage-error.ts'
import { withoutRunFile } from './read-past-run.ts'

/** @throws UsageError of one line where there is no run */
export const readOrRefuse = (place: string): RunFile => {
  try {
    return readRun(place)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new UsageError(message)
    throw new UsageError(withoutRunFile(place) ?? `${place}: there is no run`)
  }
}

/** The folder with the other files of a run. */
export const folderOf = (run: string): string => {
  const place = resolve(run)
  return place.endsWith('.json') ? dirname(place) : place
}

/** The rest of a larger folder is not looked at. */
const maxFolders = 10_000

interface NewestRun {
  readonly place: string
  /** One line: which run it is, and of how many. */
  readonly says: string
}

/** The newest run of a folder of runs; undefined for the folder of a run, or one without runs. */
export const newestRunIn = (place: string): NewestRun | undefined => {
  const runs = foldersIn(place)
    .map((folder) => ({ folder, endedMs: modifiedMs(join(folder, runFileName)) }))
    .filter(({ endedMs }) => endedMs > 0)
    .toSorted((a, b) => b.endedMs - a.endedMs || b.folder.localeCompare(a.folder))
  const [newest] = runs
  if (newest === undefined) return undefined
  const says = `${place} holds ${count(runs.length, 'run', 'runs')}; the newest is ${newest.folder}`
  return { place: newest.folder, says }
}

/** 0 where there is no such file. */
const modifiedMs = (path: string): number => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.mtimeMs : 0
}

const foldersIn = (place: string): string[] => {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!isFolder || modifiedMs(join(place, runFileName)) > 0) return []
  return readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .slice(0, maxFolders)
    .map(({ name }) => join(place, name))
}
