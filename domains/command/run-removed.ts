// The work of `petvet domains removed`: before a person removes a domain, and after it. The person
// says so by Enter on standard input, or by a file that appears.
import { once } from 'node:events'
import { existsSync, fstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { interruptedCode } from '../../cli/interrupt.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { watchRemoval } from '../check/acquire/removal.ts'
import { hostsOf, type Probe } from '../check/facts.ts'
import { tellAnswer } from '../check/page.ts'
import { hostOf } from './asked.ts'
import { type LookFlags, runLook } from './look.ts'

interface RemovedFlags extends LookFlags {
  readonly host: string | undefined
  readonly signal: string | undefined
}

/** The exit code where requests were sent, and no judgement came of them. */
const couldNotRun = 3

export const runRemoved = (flags: RemovedFlags): Promise<number> =>
  runLook('removed', flags, async ({ options, claim }) => {
    const { config, signal } = options
    const host = hostOf('--host', flags.host)
    if (!hostsOf(config).includes(host)) {
      throw new UsageError(`--host ${host} is none of the domains: ${hostsOf(config).join(', ')}`)
    }
    if (flags.signal !== undefined && existsSync(flags.signal)) {
      throw new UsageError(`--signal ${flags.signal} is there already: name a file that is not`)
    }
    const person = await awaitPerson(flags.signal)
    claim()
    const watch = await watchRemoval(options, host)
    try {
      const [before] = watch.before
      const held = before ? heldText(before) : 'has no address to ask'
      process.stderr.write(`petvet: ${host} ${held}\n`)
      const fault = await person.says(signal)
      if (signal.aborted) return interruptedCode
      if (fault === null) return await watch.after()
      process.stderr.write(`petvet: ${fault}; nothing was judged\n`)
      return couldNotRun
    } finally {
      watch.close()
      person.close()
    }
  })

const heldText = (before: Probe): string => {
  const response = tellAnswer(before)
  return before.answer ? `answers ${response}; the connection is held` : `gives ${response}`
}

const lookEachMs = 200
const maxWaitMs = 30 * 60_000
/** A pipe without a writer has ended by then. */
const endedSoonMs = 100

interface Person {
  /** @returns what went wrong, or null once it was said, or the signal came */
  readonly says: (signal: AbortSignal) => Promise<string | null>
  readonly close: () => void
}

/** @throws UsageError where nobody could ever say so, before anything is sent */
const awaitPerson = async (file: string | undefined): Promise<Person> => {
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
    if (waitedMs >= maxWaitMs) return `--signal ${file} did not come within 30 minutes`
    await sleep(lookEachMs)
  }
  return null
}

const untilEnter = async (input: Interface, signal: AbortSignal): Promise<string | null> => {
  process.stderr.write('petvet: remove it in the dashboard now, and then press Enter\n')
  const ended = once(input, 'close', { signal }).then(() => 'standard input ended before Enter')
  const pressed = once(input, 'line', { signal }).then(() => null)
  // Of the two that are raced, one is left over.
  for (const each of [ended, pressed]) each.catch(() => {})
  try {
    return await Promise.race([pressed, ended])
  } catch (error) {
    if (!signal.aborted) throw error
    return null
  }
}
