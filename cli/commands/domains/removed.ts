// `petvet domains removed`: before a person removes a domain, and after it. The person says so by
// Enter at the terminal, or by creating a file.

import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
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
  signal: text('file whose existence says that it was removed [Enter at the terminal]'),
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
    const file = signalFile(given.signal)
    claim()
    const watch = await watchRemoval(options, host)
    try {
      const [before] = watch.before
      const held = before ? heldText(before) : 'has no address to connect to'
      process.stderr.write(`petvet: ${host} ${held}\n`)
      const fault = await (file === undefined ? untilEnter(signal) : untilThere(file, signal))
      if (signal.aborted) return interruptedCode
      if (fault === null) return await watch.after()
      process.stderr.write(`petvet: ${fault}; nothing was judged\n`)
      return couldNotRun
    } finally {
      watch.close()
    }
  }),
)

/** @throws UsageError if nobody could say that it was removed */
const signalFile = (file: string | undefined): string | undefined => {
  if (file === undefined && !process.stdin.isTTY) {
    throw new UsageError('standard input is no terminal for Enter: name a file with --signal')
  }
  if (file !== undefined && existsSync(file)) {
    throw new UsageError(`--signal ${file} already exists: name a file that does not`)
  }
  return file
}

const heldText = (before: Probe): string => {
  const response = describeResponse(before)
  return before.answer ? `returns ${response}; the connection is kept open` : `gives ${response}`
}

const lookEachMs = 200
const maxWaitMs = 30 * 60_000

/** @returns what went wrong; null once the file is there, or after the signal */
const untilThere = async (file: string, signal: AbortSignal): Promise<string | null> => {
  process.stderr.write(`petvet: remove it now, and then create the file ${file}\n`)
  for (let waitedMs = 0; !existsSync(file) && !signal.aborted; waitedMs += lookEachMs) {
    if (waitedMs >= maxWaitMs) return `--signal ${file} did not appear within 30 minutes`
    await sleep(lookEachMs)
  }
  return null
}

/** @returns what went wrong; null after Enter, or after the signal */
const untilEnter = async (signal: AbortSignal): Promise<string | null> => {
  process.stderr.write('petvet: remove it in the dashboard now, and then press Enter\n')
  const input = createInterface({ input: process.stdin, signal })
  const { done } = await input[Symbol.asyncIterator]().next()
  input.close()
  return done && !signal.aborted ? 'standard input ended before Enter' : null
}
