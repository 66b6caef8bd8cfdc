// `petvet domains watch`: checks again and again until DNS or certificates are ready.
// `petvet domains removed`: checks a domain, and again after a person removed it and pressed Enter.

import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../../config/values.ts'
import { acquire, acquireAround } from '../../../domains/check/acquire/acquire.ts'
import { type Facts, isLost, listHosts, type Probe } from '../../../domains/check/facts.ts'
import { certificateState } from '../../../domains/check/judge/judge-certificate.ts'
import { verifies } from '../../../domains/check/judge/judge-dns.ts'
import { judge } from '../../../domains/check/judge/judge-domain.ts'
import { works } from '../../../domains/check/judge/judge-pages.ts'
import { buildScene, describeResponse, type HostScene } from '../../../domains/check/scene.ts'
import * as cli from '../../command.ts'
import { say } from '../../output/progress.ts'
import { aHost, checkFlags, readDomains, readHost, runChecks } from './check.ts'

/** When a domain is ready, and the checks whose details say why it is not. */
const goals = {
  dns: {
    isReady: (host: HostScene) => verifies(host) === true,
    checks: ['domain-cname', 'domain-apex', 'domain-conflict'],
  },
  certificate: {
    isReady: (host: HostScene) => certificateState(host) === 'good',
    checks: ['domain-certificate'],
  },
  gone: {
    // Silence may have other causes.
    isReady: (host: HostScene) => !works(host) && !host.probes.every(isLost),
    checks: ['domain-primary', 'domain-redirect'],
  },
} as const

type Goal = keyof typeof goals

const flags = {
  ...checkFlags,
  until: {
    choices: Object.keys(goals) as Goal[],
    describe: 'what to wait for [default: certificate]; gone, of one that is removed, needs --host',
  },
  host: cli.text('the domain to wait for [default: all]', { read: readHost }),
  interval: cli.number('seconds between two checks [default: 30]', { min: 1, max: 3_600 }),
  for: cli.number('minutes after which it ends [default: 35]', { min: 1, max: 3_000 }),
} as const

/** The domains that are not ready yet, each with the reason; with `gone`, those that still work. */
const missingOf = (facts: Facts, goal: Goal) => {
  const { isReady, checks } = goals[goal]
  const findings = judge(facts).filter(({ check }) => checks.some((each) => each === check))
  const missing = buildScene(facts).hosts.filter((host) => !isReady(host))
  return missing.map(({ host }) => {
    const own = findings.filter((each) => each.host === host).map(({ result }) => result)
    const applied = own.filter(({ kind }) => kind !== 'inapplicable')
    const why = applied.find(({ kind }) => kind !== 'pass') ?? applied[0]
    return { host, why: why?.actual ?? why?.detail ?? 'nothing is known' }
  })
}

const maxNamed = 3

/** `waiting for www.example.com: no record`, of many domains the first. */
export const describeWait = (missing: ReturnType<typeof missingOf>): string => {
  const named = missing.slice(0, maxNamed).map(({ host, why }) => `${host}: ${why}`)
  const left = missing.length - named.length
  return `waiting for ${[...named, ...(left > 0 ? [`${left} more`] : [])].join('; ')}`
}

const repeatMs = 60_000

/** Prints what is new, and the same again once a minute: a log shows that the watch goes on. */
export const createNotice = (print: (line: string) => void) => {
  let last = { what: '', atMs: 0 }
  return (at: string, what: string): void => {
    const atMs = Date.parse(at)
    if (what === last.what && atMs - last.atMs < repeatMs) return
    last = { what, atMs }
    print(`${at} ${what}`)
  }
}

export const watch = cli.command(flags, async (given) => {
  const { until: goal = 'certificate', interval: intervalS = 30, for: minutes = 35, host } = given
  if (goal === 'gone' && host === undefined) {
    throw new UsageError('--until gone needs --host: the domain that is removed')
  }
  expectListed(host, given.domains)
  return runChecks('watch', given, async (options, output) => {
    const { signal } = options
    const endMs = Date.now() + minutes * 60_000
    const certificateSeen: Record<string, string> = {}
    const notice = createNotice((line) => say(line, output))
    const look = async () => {
      const facts = await acquire(options)
      const missing = missingOf(facts, goal).filter((each) => each.host === (host ?? each.host))
      notice(facts.at, `${goal}: ${missing.length === 0 ? 'all are ready' : describeWait(missing)}`)
      const waiting = missing.map(({ host }) => host)
      const ready = listHosts(facts.config).filter((host) => !waiting.includes(host))
      if (goal === 'certificate') for (const host of ready) certificateSeen[host] ??= facts.at
      return { facts, missing }
    }
    const first = await look()
    let seen = first
    while (seen.missing.length > 0 && !signal.aborted && Date.now() < endMs) {
      // After an interruption the facts at hand are the last ones.
      await sleep(intervalS * 1_000, undefined, { signal }).catch(() => {})
      if (!signal.aborted) seen = await look()
    }
    if (seen.missing.length > 0 && !signal.aborted) {
      say(`gave up after ${minutes} min (--for): still ${describeWait(seen.missing)}`, output)
    }
    const isGone = goal === 'gone' && seen.missing.length === 0
    const removal = isGone && host ? { host, before: first.facts.probes } : null
    return { ...seen.facts, certificateSeen, removal }
  })
})

const expectListed = (host: string | undefined, file: string): void => {
  const hosts = listHosts(readDomains(file))
  if (host === undefined || hosts.includes(host)) return
  throw new UsageError(`--host ${host} is not one of the domains: ${hosts.join(', ')}`)
}

const removedFlags = { ...checkFlags, host: cli.text('the domain to be removed', aHost) } as const

export const removed = cli.command(removedFlags, (given) => {
  const { host } = given
  expectListed(host, given.domains)
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
