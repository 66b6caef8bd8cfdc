// How a person says that a domain was removed: Enter on standard input, or a file that appears.
import { once } from 'node:events'
import { existsSync, fstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../cli/usage-error.ts'

const lookEachMs = 200
const waitMostMs = 30 * 60_000
/** So soon a pipe that nobody writes to has told of its end. */
const endedSoonMs = 100

export interface Person {
  /** @returns what went wrong, or null once it was said, or the signal came */
  readonly says: (signal: AbortSignal) => Promise<string | null>
  readonly close: () => void
}

/** @throws UsageError where nobody could ever say so, before anything is sent */
export const awaitPerson = async (file: string | undefined): Promise<Person> => {
  if (file !== undefined) return { says: (signal) => untilThere(file, signal), close: () => {} }
  const input = canBePressed() ? createInterface({ input: process.stdin }) : null
  const closing = input && once(input, 'close')
  const isOpen = closing && (await Promise.race([sleep(endedSoonMs, true), closing]))
  if (input && isOpen === true) {
    return { says: (signal) => untilEnter(input, signal), close: () => input.close() }
  }
  throw new UsageError('nobody can press Enter on this standard input: name a file with --signal')
}

/** A terminal, or what a program holds open; the null device and a file have all they will say. */
const canBePressed = (): boolean => {
  if (process.stdin.isTTY) return true
  try {
    const input = fstatSync(0)
    return input.isFIFO() || input.isSocket()
  } catch {
    return false
  }
}

const untilThere = async (file: string, signal: AbortSignal): Promise<string | null> => {
  process.stderr.write(`petvet: remove it now, and then make the file ${file}\n`)
  for (let waitedMs = 0; !existsSync(resolve(file)) && !signal.aborted; waitedMs += lookEachMs) {
    if (waitedMs >= waitMostMs) return `--signal ${file} did not come within 30 minutes`
    await sleep(lookEachMs)
  }
  return null
}

const untilEnter = async (input: Interface, signal: AbortSignal): Promise<string | null> => {
  process.stderr.write('petvet: remove it in the dashboard now, and then press Enter\n')
  const ended = once(input, 'close', { signal }).then(() => 'standard input ended before Enter')
  const pressed = once(input, 'line', { signal }).then(() => null)
  try {
    return await Promise.race([pressed, ended])
  } catch (error) {
    if (!signal.aborted) throw error
    return null
  } finally {
    // Of the two that are raced, one is left over.
    ended.catch(() => {})
    pressed.catch(() => {})
  }
}
