// The newest run of a folder that holds several, as `petvet-runs` does.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { count } from '../engine/count.ts'
import { exchangesName, runFileName } from '../reports/run-folder.ts'

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
  const held = `${place} holds ${count(runs.length, 'run', 'runs')}`
  const says = `${held}; the newest is ${newest.folder}${passedOver(place, newest.writtenMs)}`
  return { place: newest.folder, says }
}

/** What to say of a run that began later and has no run file, as it goes on or was broken off. */
const passedOver = (place: string, writtenMs: number): string => {
  const begun = foldersIn(place).flatMap((folder) => {
    if (statSync(join(folder, runFileName), { throwIfNoEntry: false })) return []
    const file = statSync(join(folder, exchangesName), { throwIfNoEntry: false })
    return file && file.mtimeMs > writtenMs ? [{ folder, beganMs: file.mtimeMs }] : []
  })
  const last = begun.toSorted((a, b) => b.beganMs - a.beganMs)[0]
  return last ? ` that has ended; a later one has not: petvet report ${last.folder}` : ''
}

const foldersIn = (place: string): string[] => {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!isFolder || statSync(join(place, runFileName), { throwIfNoEntry: false })) return []
  return readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .slice(0, foldersMost)
    .map(({ name }) => join(place, name))
}
