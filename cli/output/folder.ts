// The folder of a run: writable before anything is sent, and locked while a process writes to it.
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { orRefuse, UsageError } from '../../config/values.ts'
import { exchangesName, holdsRun, journalName, makeFolder } from '../../reports/run-folder.ts'

/** @throws UsageError where nothing can be written */
export const claimFolder = (folder: string): void => {
  orRefuse(
    () => makeFolder(folder),
    ({ code }) => `cannot write to ${folder} (${code}): choose another folder with --out`,
  )
}

/** @throws UsageError where the folder of a run or its files do not allow to resume it */
const claimAgain = (folder: string): void => {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${folder}: no such folder`)
  }
  const claim = (path: string, open: (path: string) => unknown) => {
    const remedy = 'make it readable and writable, or start a new run'
    orRefuse(
      () => open(path),
      ({ code }) => `cannot resume ${path} (${code}): ${remedy}`,
    )
  }
  claim(folder, makeFolder)
  for (const name of [journalName, exchangesName]) {
    // It is left unchanged.
    claim(join(folder, name), (path) => existsSync(path) && closeSync(openSync(path, 'r+')))
  }
}

/** Contains the id of the process that writes to the folder. */
const lockName = 'run.lock'

/** A lock with our id that is not held here is from an earlier process with that id. */
const held = new Set<string>()

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The message about a folder that a live process writes to; undefined where there is none. */
export const beingWritten = (folder: string): string | undefined => {
  const path = join(folder, lockName)
  try {
    const pid = Number(/^[1-9]\d{0,9}$/.exec(readFileSync(path, 'utf8'))?.[0])
    const isHeld = pid === process.pid ? held.has(path) : isAlive(pid)
    const whose = `process ${pid}; if that is another program, delete ${lockName}`
    return isHeld ? `${folder} is being written by another run (${whose})` : undefined
  } catch {
    return undefined
  }
}

/** @returns what releases the folder. @throws UsageError where another process holds it */
const lockFolder = (folder: string): (() => void) => {
  const path = join(folder, lockName)
  const take = () => writeFileSync(path, `${process.pid}`, { flag: 'wx' })
  try {
    take()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const whose = beingWritten(folder)
    if (whose !== undefined) throw new UsageError(whose)
    rmSync(path, { force: true })
    take()
  }
  held.add(path)
  return () => {
    held.delete(path)
    rmSync(path, { force: true })
  }
}

/**
 * Locks the folder of a run while it lasts.
 * @param resumes whether it holds the run, which goes on
 */
export const inFolder = async <T>(
  folder: string,
  work: () => T | Promise<T>,
  resumes = false,
): Promise<T> => {
  const claim = resumes ? claimAgain : claimFolder
  claim(folder)
  const release = lockFolder(folder)
  try {
    // Another run may have started there in between.
    if (!resumes && holdsRun(folder)) throw new UsageError(`${folder} already contains a run`)
    return await work()
  } finally {
    release()
  }
}
