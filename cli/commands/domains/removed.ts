// `petvet domains removed`: checks a domain, and again after a person removed it and pressed Enter.
import { createInterface } from 'node:readline'
import { UsageError } from '../../../config/values.ts'
import { acquireAround } from '../../../domains/check/acquire/acquire.ts'
import { listHosts, type Probe } from '../../../domains/check/facts.ts'
import { describeResponse } from '../../../domains/check/scene.ts'
import { command, text } from '../../command.ts'
import { say } from '../../output/progress.ts'
import { aHost, checkFlags, readDomains, runChecks } from './check.ts'

const flags = {
  ...checkFlags,
  host: text('the domain to be removed', aHost),
} as const

export const removed = command(flags, (given) => {
  const hosts = listHosts(readDomains(given.domains))
  const { host } = given
  if (!hosts.includes(host)) {
    throw new UsageError(`--host ${host} is not one of the domains: ${hosts.join(', ')}`)
  }
  return runChecks('removed', given, (options) =>
    acquireAround(options, host, async (before) => {
      const { signal } = options
      say(`${host} ${describeBefore(before)}`)
      const fault = await untilEnter(signal)
      if (fault !== null) say(`${fault}; nothing was checked`)
      return fault === null && !signal.aborted
    }),
  )
})

const describeBefore = (before: Probe | undefined): string => {
  if (before === undefined) return 'has no address to connect to'
  const response = describeResponse(before)
  return before.response ? `returns ${response}; the connection is kept open` : `gives ${response}`
}

/** @returns what went wrong; null after Enter, or after an interruption */
const untilEnter = async (signal: AbortSignal): Promise<string | null> => {
  say('remove it in the dashboard now, and then press Enter')
  const input = createInterface({ input: process.stdin, signal })
  const { done } = await input[Symbol.asyncIterator]().next()
  input.close()
  return done && !signal.aborted ? 'standard input ended before Enter' : null
}
