// The folder of a run: never over another run, each line written as it happens, files whole.
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutCommands } from '../history/quote.ts'

export const runFileName = 'run.json'
export const exchangesName = 'exchanges.ndjson'
export const journalName = 'journal.ndjson'

/** A file of a run cannot be written: a full disk, a removed folder. Earlier lines are intact. */
export class WriteFault extends Error {
  constructor(path: string, error: unknown) {
    const { code, message } = error as NodeJS.ErrnoException
    super(`cannot write ${path} (${code ?? message}): the run has ended; its record is intact`)
    this.name = 'WriteFault'
  }
}

/** @throws WriteFault */
const orWriteFault = <T>(path: string, write: () => T): T => {
  try {
    return write()
  } catch (error) {
    throw error instanceof WriteFault ? error : new WriteFault(path, error)
  }
}

const runFiles = [runFileName, exchangesName, journalName]

/** Whether the folder holds a run, which must not be overwritten. */
export const holdsRun = (folder: string): boolean =>
  runFiles.some((name) => fs.existsSync(join(folder, name)))

export const removeRun = (folder: string): void => {
  for (const name of runFiles) fs.rmSync(join(folder, name), { force: true })
}

/**
 * Makes a folder and its parents, and checks that it is writable. One by one, because a recursive
 * `mkdirSync` never returns where a parent refuses with ENOENT, as /proc does.
 */
export const makeFolder = (folder: string): void => {
  if (!fs.existsSync(folder)) {
    makeFolder(dirname(folder))
    fs.mkdirSync(folder)
  }
  // With the dot a file in its place is refused too.
  fs.accessSync(`${folder}/.`, fs.constants.W_OK)
}

/** Truncates a file after its last line end: a kill or a full disk may have left half a line. */
const cutHalfLine = (path: string): void =>
  fs.truncateSync(path, fs.readFileSync(path).lastIndexOf('\n') + 1)

/**
 * A file of JSON lines; each is handed to the system before `append` returns, so a kill loses none.
 * @param resumes whether the file is continued; else it must not exist
 */
export const openLines = (folder: string, name: string, resumes: boolean) => {
  const path = join(folder, name)
  const file = orWriteFault(path, () => {
    if (resumes && fs.existsSync(path)) cutHalfLine(path)
    return fs.openSync(path, resumes ? 'a' : 'ax')
  })
  return {
    append: (line: string): void =>
      orWriteFault(path, () => {
        try {
          fs.appendFileSync(file, `${withoutCommands(line, 'json')}\n`)
        } catch (error) {
          cutHalfLine(path)
          throw error
        }
      }),
    close: (): void => fs.closeSync(file),
  }
}

/** Writes a whole file or none: a reader never sees half of one. */
export const writeWhole = (folder: string, name: string, content: string): void => {
  const path = join(folder, name)
  const part = `${path}.part`
  orWriteFault(path, () => {
    try {
      fs.writeFileSync(part, content)
      fs.renameSync(part, path)
    } catch (error) {
      fs.rmSync(part, { force: true })
      throw error
    }
  })
}
