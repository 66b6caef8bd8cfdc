// The folder of a run: made once, never over another run, its exchanges written as they happen.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutCommands } from '../engine/ci-commands.ts'
import { orWriteFault } from './write-fault.ts'

export const runFileName = 'run.json'
export const exchangesName = 'exchanges.ndjson'
export const journalName = 'journal.ndjson'

/** Whether another run is there, which must not be written over. */
export const holdsRun = (folder: string): boolean =>
  [runFileName, exchangesName, journalName].some((name) => existsSync(join(folder, name)))

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

/**
 * Finds out whether a file that is there can be written, and leaves it as it is.
 * @throws the error of the system where it cannot
 */
export const expectWritable = (path: string): void => {
  if (existsSync(path)) closeSync(openSync(path, 'r+'))
}

export interface Lines {
  readonly append: (line: string) => void
  readonly close: () => void
}

/** Whether the last line of a file is whole. */
export const endsWithLine = (path: string): boolean => {
  const file = openSync(path, 'r')
  try {
    const last = Buffer.alloc(1)
    return readSync(file, last, 0, 1, Math.max(0, fstatSync(file).size - 1)) === 1 && last[0] === 10
  } finally {
    closeSync(file)
  }
}

const tornChunkBytes = 64 * 1024

/** Cuts off what stands behind the last line end: a line that was being written at a kill. */
const cutTorn = (path: string): void => {
  if (!existsSync(path)) return
  const file = openSync(path, 'r+')
  try {
    let endsAt = fstatSync(file).size
    const chunk = Buffer.alloc(tornChunkBytes)
    while (endsAt > 0) {
      const from = Math.max(0, endsAt - tornChunkBytes)
      const read = readSync(file, chunk, 0, endsAt - from, from)
      const lineEnd = chunk.subarray(0, read).lastIndexOf(10)
      if (lineEnd >= 0) {
        ftruncateSync(file, from + lineEnd + 1)
        return
      }
      endsAt = from
    }
    ftruncateSync(file, 0)
  } finally {
    closeSync(file)
  }
}

/** Appends a line, or nothing of it: a disk may be full in its middle. */
const appendWhole = (file: number, line: string): void => {
  const bytes = Buffer.from(line)
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(file, bytes, written)
  } catch (error) {
    if (written > 0) ftruncateSync(file, fstatSync(file).size - written)
    throw error
  }
}

/**
 * A file of lines of JSON; each is with the system before `append` returns, so a kill loses none.
 * @param isThere whether the file is gone on with, or has to be a new one
 */
export const openLines = (folder: string, name: string, isThere: boolean): Lines => {
  const path = join(folder, name)
  const file = orWriteFault(path, () => {
    if (isThere) cutTorn(path)
    return openSync(path, isThere ? 'a' : 'ax')
  })
  return {
    append: (line) =>
      orWriteFault(path, () => appendWhole(file, `${withoutCommands(line, 'json')}\n`)),
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
  const pieces = typeof told === 'string' ? [told] : told
  return orWriteFault(path, () => {
    const part = `${path}.part`
    writePieces(part, pieces)
    renameSync(part, path)
    return path
  })
}

/** What could not be written to its end is taken away again. */
const writePieces = (part: string, pieces: Iterable<string>): void => {
  const file = openSync(part, 'w')
  try {
    for (const piece of joined(pieces)) writeFileSync(file, piece)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
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
