// The lock of a run's folder: a file with the id of the process that writes there.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from './usage-error.ts'

const lockName = 'run.lock'

/** A lock with our id that is not held here is of an earlier process with that id. */
const held = new Set<string>()

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** What to say of a folder that a live process writes to; undefined where there is none. */
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

/** Takes a folder for this process, and returns what releases it. @throws UsageError */
export const lockFolder = (folder: string): (() => void) => {
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
