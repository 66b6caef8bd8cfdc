// The folders of the rounds: numbered, and no more of them than are of use.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { claimFolder } from '../claim-folder.ts'
import { UsageError } from '../usage-error.ts'

/** Older rounds are removed. */
export const roundsKept = 20

export interface RoundFolders {
  /** A new folder; the oldest of those that this watch made makes room for it. */
  readonly next: () => { readonly number: number; readonly folder: string }
  /** Takes back the last one, which came to nothing. */
  readonly drop: () => void
}

/** @throws UsageError where rounds are there already, or nothing can be written */
export const openRoundFolders = (folder: string): RoundFolders => {
  let number = 0
  const folderOf = (round: number) => join(folder, String(round))
  const remove = (round: number) => rmSync(folderOf(round), { recursive: true, force: true })
  claimFolder(folder)
  if (existsSync(folderOf(1))) {
    throw new UsageError(`${folder} holds rounds already: name another folder with --out`)
  }
  return {
    next: () => {
      number += 1
      if (existsSync(folderOf(number))) {
        throw new UsageError(`${folderOf(number)} is there already, and was not before`)
      }
      claimFolder(folderOf(number))
      if (number > roundsKept) remove(number - roundsKept)
      return { number, folder: folderOf(number) }
    },
    drop: () => {
      remove(number)
      number -= 1
    },
  }
}
