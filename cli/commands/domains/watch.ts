// `petvet domains watch`: checks again and again until DNS or certificates are ready, or a domain
// is gone.
// `petvet domains removed`: checks a domain, and again after a person removed it and pressed Enter.

import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../../config/values.ts'
import { acquire, acquireAround } from '../../../domains/check/acquire/acquire.ts'
import { type Facts, listHosts, type Probe } from '../../../domains/check/facts.ts'
import { judge } from '../../../domains/check/judge/judge-domain.ts'
import { works } from '../../../domains/check/judge/judge-pages.ts'
import { describeResponse } from '../../../domains/check/response.ts'
import { buildScene } from '../../../domains/check/scene.ts'
import * as cli from '../../command.ts'
import { say } from '../../output/progress.ts'
import { aHost, checkFlags, readDomains, readHost, runChecks } from './check.ts'

/** The checks that a domain has to pass to be ready; their details say why it is not. */
const goals = {
  dns: ['domain-cname', 'domain-apex', 'domain-conflict'],
  certificate: ['domain-certificate'],
  gone: ['removed-fresh', 'removed-plain-http'],
} as const

type Goal = keyof typeof goals

const flags = {
  ...checkFlags,
  until: {
    choices: Object.keys(goals) as Goal[],
    describe: 'what to wait for, of every domain or of --host [default: certificate]',
  },
  host: cli.text('the one domain to wait for; required by --until gone', { read: readHost }),
  interval: cli.number('seconds between two checks [default: 30]', { min: 1, max: 3_600 }),
  for: cli.number('minutes after which it ends [default: 35]', { min: 1, max: 3_000 }),
} as const

/** The domains that are not ready yet, each with the reason. */
const missingOf = (facts: Facts, goal: Goal, hosts: readonly string[]) => {
  const findings = judge(facts).filter(
    ({ check, result }) => goals[goal].some((id) => id === check) && result.kind !== 'inapplicable',
  )
  return hosts.flatMap((host) => {
    const own = findings.filter((each) => each.host === host)
    const open = own.find(({ result }) => result.kind !== 'pass')
    if (own.length > 0 && !open) return []
    const { result, grounds = [] } = open ?? {}
    const [still] = grounds
    // When it was removed is not known here.
    const served = goal === 'gone' && still && 'purpose' in still && describeResponse(still)
    return [{ host, why: served || (result?.actual ?? result?.detail ?? 'nothing is known') }]
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

/** @throws UsageError where it is not in the file */
const expectListed = (hosts: readonly string[], host: string): void => {
  if (hosts.includes(host)) return
  throw new UsageError(`--host ${host} is not one of the domains: ${hosts.join(', ')}`)
}

export const watch = cli.command(flags, async (given) => {
  const { until: goal = 'certificate', interval: intervalS = 30, for: minutes = 35, host } = given
  const all = listHosts(readDomains(given.domains))
  if (host !== undefined) expectListed(all, host)
  else if (goal === 'gone') throw new UsageError('--until gone needs --host, the domain to remove')
  const hosts = host === undefined ? all : [host]
  return runChecks('watch', given, async (options, print) => {
    const { signal } = options
    const endMs = Date.now() + minutes * 60_000
    const certificateSeen: Record<string, string> = {}
    const notice = createNotice(print)
    let before: readonly Probe[] | undefined
    const look = async () => {
      const found = await acquire(options)
      before ??= found.probes.filter(({ purpose }) => purpose === 'page')
      const removal = goal === 'gone' && host !== undefined ? { host, before } : null
      const facts = { ...found, removal }
      const missing = missingOf(facts, goal, hosts)
      notice(facts.at, `${goal}: ${missing.length === 0 ? 'all are ready' : describeWait(missing)}`)
      const waiting = missing.map((each) => each.host)
      const ready = hosts.filter((each) => !waiting.includes(each))
      if (goal === 'certificate') for (const each of ready) certificateSeen[each] ??= facts.at
      return { facts, missing }
    }
    let seen = await look()
    const served = buildScene({ ...seen.facts, removal: null }).hosts.filter(works)
    if (goal === 'gone' && served.every((each) => each.host !== host)) {
      print(`${host} does not work: there is nothing to wait for`)
      return null
    }
    while (seen.missing.length > 0 && !signal.aborted && Date.now() < endMs) {
      // After an interruption the facts at hand are the last ones.
      await sleep(intervalS * 1_000, undefined, { signal }).catch(() => {})
      if (!signal.aborted) seen = await look()
    }
    const isOpen = seen.missing.length > 0
    if (isOpen && !signal.aborted) {
      print(`gave up after ${minutes} min (--for): still ${describeWait(seen.missing)}`)
    }
    // It is not known whether the domain was removed at all.
    return isOpen && goal === 'gone' ? null : { ...seen.facts, certificateSeen }
  })
})

const removedFlags = { ...checkFlags, host: cli.text('the domain to be removed', aHost) } as const

export const removed = cli.command(removedFlags, (given) => {
  const { host } = given
  expectListed(listHosts(readDomains(given.domains)), host)
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
