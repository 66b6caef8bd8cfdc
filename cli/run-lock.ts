// The lock of a run's folder: who writes there, so that no other run does. What a killed process
// leaves behind locks nobody out: it names its process by number and by when that began.
import { execFileSync } from 'node:child_process'
import {
  constants,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { UsageError } from './usage-error.ts'

const lockName = 'run.lock'
/** A lock that is left behind is taken away once; who is there again then is alive. */
const triesMost = 2

interface Holder {
  readonly pid: number
  readonly began: string
}

/** When a process began, in the words of its system; undefined where it is gone. */
const beganOf = (pid: number): string | undefined => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined
  }
  return beganBySystem(pid)
}

/** The 3rd and the 22nd word of `stat`, behind the name of the program, which may hold spaces. */
const words = { state: 0, start: 19 }

/** One that has ended and is not reaped stays so in a container whose first process reaps none. */
const endedStates = ['Z', 'X']

const beganBySystem = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const told = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return endedStates.includes(told[words.state] ?? '')
      ? undefined
      : `${boot} ${told[words.start]}`
  } catch {
    return beganByPs(pid)
  }
}

const beganByPs = (pid: number): string => {
  try {
    const asked = ['-p', `${pid}`, '-o', 'lstart=']
    return execFileSync('ps', asked, { encoding: 'utf8', timeout: 5_000 }).trim()
  } catch {
    // Where nobody tells, a process of that number is taken for the one that it was.
    return 'unknown'
  }
}

const holderIn = (path: string): Holder | undefined => {
  try {
    const { pid, began } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>
    return Number.isSafeInteger(pid) && typeof began === 'string'
      ? { pid: pid as number, began }
      : undefined
  } catch {
    return undefined
  }
}

const isAlive = ({ pid, began }: Holder): boolean => pid > 0 && beganOf(pid) === began

/** Makes the lock with all that stands in it at once, where nobody has made it. */
const make = (path: string): boolean => {
  const own = `${path}.${process.pid}`
  const holder: Holder = { pid: process.pid, began: beganOf(process.pid) ?? 'unknown' }
  writeFileSync(own, JSON.stringify(holder))
  try {
    placeAt(own, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

const placeAt = (own: string, path: string): void => {
  try {
    linkSync(own, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Not every file system has links.
    copyFileSync(own, path, constants.COPYFILE_EXCL)
  }
}

/** Takes a lock away whose holder is gone; somebody quicker may have put another one there. */
const takeAway = (path: string): void => {
  const aside = `${path}.${process.pid}.old`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  const holder = holderIn(aside)
  if (holder && isAlive(holder)) renameSync(aside, path)
  else rmSync(aside, { force: true })
}

/** What to say of a folder that a process which is alive has; undefined where none has it. */
export const beingWritten = (folder: string): string | undefined => {
  const holder = holderIn(join(folder, lockName))
  if (!holder || !isAlive(holder)) return undefined
  return `${folder} is being written by another run (process ${holder.pid})`
}

/**
 * Takes a folder for this process.
 * @returns gives it back
 * @throws UsageError where another process that is alive has it
 */
export const lockFolder = (folder: string): (() => void) => {
  const path = join(folder, lockName)
  for (let tries = 0; tries < triesMost; tries += 1) {
    if (make(path)) return () => rmSync(path, { force: true })
    const said = beingWritten(folder)
    if (said !== undefined) throw new UsageError(said)
    takeAway(path)
  }
  throw new UsageError(`${folder} is being written by another run`)
}
