// The folder of a run: made once, never over another run, its exchanges written as they happen.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export const runFileName = 'run.json'
export const exchangesName = 'exchanges.ndjson'

/** Whether another run is there, which must not be written over. */
export const holdsRun = (folder: string): boolean =>
  [runFileName, exchangesName].some((name) => existsSync(join(folder, name)))

/**
 * Makes a folder and those above it, and finds out whether it can be written. One by one, because
 * a recursive `mkdirSync` never returns where a folder refuses with ENOENT, as /proc does.
 */
export const makeFolder = (folder: string): void => {
  if (!isFolder(folder)) {
    const above = dirname(folder)
    if (above !== folder) makeFolder(above)
    make(folder)
  }
  accessSync(folder, constants.W_OK)
}

/** Another process may have made it in between. */
const make = (folder: string): void => {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!isFolder(folder)) throw error
  }
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

export interface Lines {
  readonly append: (line: string) => void
  readonly close: () => void
}

/** A file of lines; each is with the system before `append` returns, so a kill loses none. */
export const openLines = (folder: string, name: string): Lines => {
  const file = openSync(join(folder, name), 'ax')
  return {
    append: (line) => {
      writeSync(file, `${line}\n`)
    },
    close: () => closeSync(file),
  }
}

/**
 * Writes a whole file, or none: a reader never meets half of one.
 * @param told the text, or its pieces in order
 */
export const writeWhole = (
  folder: string,
  name: string,
  told: string | Iterable<string>,
): string => {
  const path = join(folder, name)
  const part = `${path}.part`
  const file = openSync(part, 'w')
  try {
    const pieces = typeof told === 'string' ? [told] : told
    for (const piece of joined(pieces)) writeFileSync(file, piece)
  } finally {
    closeSync(file)
  }
  renameSync(part, path)
  return path
}

const enoughCharacters = 64 * 1024

/** Small pieces are joined to larger ones, so that each costs no call of its own. */
function* joined(pieces: Iterable<string>): Iterable<string> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < enoughCharacters) continue
    yield text
    text = ''
  }
  yield text
}
