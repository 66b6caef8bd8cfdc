// `petvet domains watch`: checks again and again until DNS or certificates are ready.
// `petvet domains removed`: checks a domain, and again after a person removed it and pressed Enter.

import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../../config/values.ts'
import { acquire, acquireAround } from '../../../domains/check/acquire/acquire.ts'
import { type Facts, listHosts, type Probe } from '../../../domains/check/facts.ts'
import { certificateState } from '../../../domains/check/judge/judge-certificate.ts'
import { verifies } from '../../../domains/check/judge/judge-dns.ts'
import { works } from '../../../domains/check/judge/judge-pages.ts'
import { buildScene, describeResponse, type HostScene } from '../../../domains/check/scene.ts'
import * as cli from '../../command.ts'
import { say } from '../../output/progress.ts'
import { aHost, checkFlags, readDomains, runChecks } from './check.ts'

const goals = {
  dns: (host: HostScene) => verifies(host) === true,
  certificate: (host: HostScene) => certificateState(host) === 'good',
  gone: (host: HostScene) => !works(host),
} as const

type Goal = keyof typeof goals

const flags = {
  ...checkFlags,
  until: {
    choices: Object.keys(goals) as Goal[],
    describe: 'what to wait for, of every domain [default: certificate]',
  },
  interval: cli.number('seconds between two checks [default: 30]', { min: 1, max: 3_600 }),
  for: cli.number('minutes after which it ends [default: 35]', { min: 1, max: 3_000 }),
} as const

/** The domains that are not ready yet; with `gone`, those that still work. */
const missingOf = (facts: Facts, goal: Goal): string[] =>
  buildScene(facts)
    .hosts.filter((host) => !goals[goal](host))
    .map(({ host }) => host)

export const watch = cli.command(flags, async (given) => {
  const { until: goal = 'certificate', interval: intervalS = 30, for: minutes = 35 } = given
  return runChecks('watch', given, async (options, output) => {
    const { signal } = options
    const endMs = Date.now() + minutes * 60_000
    const certificateSeen: Record<string, string> = {}
    let last = ''
    const look = async () => {
      const facts = await acquire(options)
      const missing = missingOf(facts, goal)
      const what = missing.length === 0 ? 'all are ready' : `waiting for ${missing.join(', ')}`
      // Each change is printed.
      if (what !== last) say(`${facts.at} ${goal}: ${what}`, output)
      last = what
      const ready = listHosts(facts.config).filter((host) => !missing.includes(host))
      if (goal === 'certificate') for (const host of ready) certificateSeen[host] ??= facts.at
      return { facts, missing }
    }
    let seen = await look()
    while (seen.missing.length > 0 && !signal.aborted && Date.now() < endMs) {
      // After an interruption the facts at hand are the last ones.
      await sleep(intervalS * 1_000, undefined, { signal }).catch(() => {})
      if (!signal.aborted) seen = await look()
    }
    return { ...seen.facts, certificateSeen }
  })
})

const removedFlags = { ...checkFlags, host: cli.text('the domain to be removed', aHost) } as const

export const removed = cli.command(removedFlags, (given) => {
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
