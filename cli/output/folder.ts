// What surrounds a run: its folder, writable before anything is sent and locked while a process
// writes to it; and the signals that end it early.

import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { orRefuse, UsageError } from '../../config/values.ts'
import { holdsUnstarted } from '../../reports/read-run.ts'
import { holdsRun, makeFolder, removeRun } from '../../reports/run-folder.ts'

const orNotWritable = <T>(folder: string, act: () => T): T =>
  orRefuse(
    act,
    ({ code }) => `cannot write to ${folder} (${code}): choose another folder with --out`,
  )

/** @throws UsageError where nothing can be written */
export const claimFolder = (folder: string): void => orNotWritable(folder, () => makeFolder(folder))

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

/**
 * Locks the folder of a run while it lasts.
 * @param resumes whether it holds the run, which goes on
 * @throws UsageError where another process holds it, or nothing can be written
 */
export const inFolder = async <T>(
  folder: string,
  work: () => T | Promise<T>,
  resumes = false,
): Promise<T> => {
  if (!resumes) claimFolder(folder)
  else if (!existsSync(folder)) throw new UsageError(`${folder}: no such folder`)
  const path = join(folder, lockName)
  if (existsSync(path)) {
    const whose = beingWritten(folder)
    if (whose !== undefined) throw new UsageError(whose)
    rmSync(path, { force: true })
  }
  orNotWritable(folder, () => writeFileSync(path, `${process.pid}`, { flag: 'wx' }))
  held.add(path)
  try {
    if (!resumes && holdsUnstarted(folder)) removeRun(folder)
    // Another run may have started there in between.
    if (!resumes && holdsRun(folder)) throw new UsageError(`${folder} already contains a run`)
    return await work()
  } finally {
    held.delete(path)
    rmSync(path, { force: true })
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The exit code of an interrupted run. */
export const interruptedCode = 130

/** Works to its end or until a signal. @returns the exit code */
export const interruptible = async (
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> => {
  const controller = new AbortController()
  const { signal } = controller
  const interrupt = () => {
    if (signal.aborted) process.exit(interruptedCode)
    controller.abort()
  }
  for (const name of signals) process.on(name, interrupt)
  try {
    const code = await work(signal)
    return signal.aborted ? interruptedCode : code
  } finally {
    for (const name of signals) process.off(name, interrupt)
  }
}

/** Resolves when a signal asks the process to end. */
export const untilInterrupted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
}
