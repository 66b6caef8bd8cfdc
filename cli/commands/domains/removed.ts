// `petvet domains removed`: before a person removes a domain, and after it. The person
// says so by Enter on standard input, or by a file that appears.

import { once } from 'node:events'
import { existsSync, fstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchRemoval } from '../../../domains/check/acquire/removal.ts'
import { hostsOf, type Probe } from '../../../domains/check/facts.ts'
import { describeResponse } from '../../../domains/check/scene.ts'
import { command, text } from '../../command.ts'
import { interruptedCode } from '../../run/interrupt.ts'
import { UsageError } from '../../usage-error.ts'
import { runLook } from './look.ts'
import { hostOf, lookFlags } from './options.ts'

const flags = {
  ...lookFlags,
  host: text('the domain that is to be removed'),
  signal: text('file whose existence says that it was removed [Enter on standard input]'),
} as const

/** The exit code where requests were sent, and nothing could be judged. */
const couldNotRun = 3

export const removed = command(flags, (given) =>
  runLook('removed', given, async ({ options, claim }) => {
    const { config, signal } = options
    const host = hostOf('--host', given.host)
    if (!hostsOf(config).includes(host)) {
      throw new UsageError(
        `--host ${host} is not one of the domains: ${hostsOf(config).join(', ')}`,
      )
    }
    if (given.signal !== undefined && existsSync(given.signal)) {
      throw new UsageError(`--signal ${given.signal} already exists: name a file that does not`)
    }
    const person = await awaitPerson(given.signal)
    claim()
    const watch = await watchRemoval(options, host)
    try {
      const [before] = watch.before
      const held = before ? heldText(before) : 'has no address to connect to'
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
  }),
)

const heldText = (before: Probe): string => {
  const response = describeResponse(before)
  return before.answer ? `returns ${response}; the connection is kept open` : `gives ${response}`
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

/** @throws UsageError where no input can ever arrive, before anything is sent */
const awaitPerson = async (file: string | undefined): Promise<Person> => {
  if (file !== undefined) return { says: (signal) => untilThere(file, signal), close: () => {} }
  const input = canBePressed() ? createInterface({ input: process.stdin }) : null
  const closing = input && once(input, 'close')
  const isOpen = closing && (await Promise.race([sleep(endedSoonMs, true), closing]))
  if (input && isOpen === true) {
    return { says: (signal) => untilEnter(input, signal), close: () => input.close() }
  }
  throw new UsageError('standard input cannot receive Enter: name a file with --signal')
}

/** A terminal, or a pipe that a program holds open: not a file or the null device. */
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
  process.stderr.write(`petvet: remove it now, and then create the file ${file}\n`)
  for (let waitedMs = 0; !existsSync(resolve(file)) && !signal.aborted; waitedMs += lookEachMs) {
    if (waitedMs >= maxWaitMs) return `--signal ${file} did not appear within 30 minutes`
    await sleep(lookEachMs)
  }
  return null
}

const untilEnter = async (input: Interface, signal: AbortSignal): Promise<string | null> => {
  process.stderr.write('petvet: remove it in the dashboard now, and then press Enter\n')
  const ended = once(input, 'close', { signal }).then(() => 'standard input ended before Enter')
  const pressed = once(input, 'line', { signal }).then(() => null)
  // The loser of the race rejects later.
  for (const each of [ended, pressed]) each.catch(() => {})
  try {
    return await Promise.race([pressed, ended])
  } catch (error) {
    if (!signal.aborted) throw error
    return null
  }
}
