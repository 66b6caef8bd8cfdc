// `petvet domains removed`: checks a domain before and after a person removes it. Enter at the
// terminal, or a new file, reports that it was removed.
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../../config/values.ts'
import { acquireAround } from '../../../domains/check/acquire/acquire.ts'
import { listHosts, type Probe } from '../../../domains/check/facts.ts'
import { describeResponse } from '../../../domains/check/scene.ts'
import { command, text } from '../../command.ts'
import { say } from '../../output/progress.ts'
import { runChecks } from './check.ts'
import { aHost, checkFlags, readDomains } from './options.ts'

const flags = {
  ...checkFlags,
  host: text('the domain to be removed', aHost),
  signal: text('file to create once it is removed [default: Enter at the terminal]'),
} as const

export const removed = command(flags, (given) => {
  const hosts = listHosts(readDomains(given.domains))
  const { host } = given
  if (!hosts.includes(host)) {
    throw new UsageError(`--host ${host} is not one of the domains: ${hosts.join(', ')}`)
  }
  const file = signalFile(given.signal)
  return runChecks('removed', given, (options) =>
    acquireAround(options, host, async (before) => {
      const { signal } = options
      say(`${host} ${describeBefore(before)}`)
      const fault = await (file === undefined ? untilEnter(signal) : untilCreated(file, signal))
      if (fault !== null) say(`${fault}; nothing was checked`)
      return fault === null && !signal.aborted
    }),
  )
})

/** @throws UsageError if nothing could report the removal */
const signalFile = (file: string | undefined): string | undefined => {
  if (file === undefined && !process.stdin.isTTY) {
    throw new UsageError('standard input is not a terminal: name a file with --signal')
  }
  if (file !== undefined && existsSync(file)) {
    throw new UsageError(`--signal ${file} already exists: name a new file`)
  }
  return file
}

const describeBefore = (before: Probe | undefined): string => {
  if (before === undefined) return 'has no address to connect to'
  const response = describeResponse(before)
  return before.response ? `returns ${response}; the connection is kept open` : `gives ${response}`
}

const pollMs = 200
const maxWaitMs = 30 * 60_000

/** @returns what went wrong; null once the file exists, or after an interruption */
const untilCreated = async (file: string, signal: AbortSignal): Promise<string | null> => {
  say(`remove it now, and then create the file ${file}`)
  for (let waitedMs = 0; !existsSync(file) && !signal.aborted; waitedMs += pollMs) {
    if (waitedMs >= maxWaitMs) return `--signal ${file} did not appear within 30 minutes`
    await sleep(pollMs)
  }
  return null
}

/** @returns what went wrong; null after Enter, or after an interruption */
const untilEnter = async (signal: AbortSignal): Promise<string | null> => {
  say('remove it in the dashboard now, and then press Enter')
  const input = createInterface({ input: process.stdin, signal })
  const { done } = await input[Symbol.asyncIterator]().next()
  input.close()
  return done && !signal.aborted ? 'standard input ended before Enter' : null
}
