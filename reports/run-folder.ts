// The folder of a run: made once, never over another run, its exchanges written as they happen.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

export const runFileName = 'run.json'
export const exchangesName = 'exchanges.ndjson'

/** Whether another run is there, which must not be written over. */
export const holdsRun = (folder: string): boolean =>
  [runFileName, exchangesName].some((name) => existsSync(join(folder, name)))

export interface Lines {
  readonly append: (line: string) => void
  readonly close: () => void
}

/** A file of lines; each is with the system before `append` returns, so a kill loses none. */
export const openLines = (folder: string, name: string): Lines => {
  mkdirSync(folder, { recursive: true })
  const file = openSync(join(folder, name), 'ax')
  return {
    append: (line) => {
      writeSync(file, `${line}\n`)
    },
    close: () => closeSync(file),
  }
}

/** Writes a whole file, or none: a reader never meets half of one. */
export const writeWhole = (folder: string, name: string, text: string): string => {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  writeFileSync(`${path}.part`, text)
  renameSync(`${path}.part`, path)
  return path
}
