// The newest run of a folder that holds several, as `petvet-runs` does.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runFileName } from '../reports/run-folder.ts'
import { count } from '../suites/kit/count.ts'

/** More than anybody keeps; the rest of a larger folder is not looked at. */
const foldersMost = 10_000

export interface NewestRun {
  readonly place: string
  /** One line: which one it is, and of how many. */
  readonly says: string
}

/** Undefined where a run is named itself, or no folder in it holds one. */
export const newestRunIn = (place: string): NewestRun | undefined => {
  const runs = foldersIn(place).flatMap((folder) => {
    const written = statSync(join(folder, runFileName), { throwIfNoEntry: false })
    return written?.isFile() ? [{ folder, writtenMs: written.mtimeMs }] : []
  })
  const newest = runs.toSorted(
    (a, b) => b.writtenMs - a.writtenMs || b.folder.localeCompare(a.folder),
  )[0]
  if (newest === undefined) return undefined
  const held = count(runs.length, 'run', 'runs')
  return { place: newest.folder, says: `${place} holds ${held}; the newest is ${newest.folder}` }
}

const foldersIn = (place: string): string[] => {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!isFolder || statSync(join(place, runFileName), { throwIfNoEntry: false })) return []
  return readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .slice(0, foldersMost)
    .map(({ name }) => join(place, name))
}
