// `petvet domains check`, and what `watch` and `removed` share with it: they read flags, gather
// facts, run the checks on them and write the run. `lint` and `plan` use no network: they print the
// file alone, and the DNS records.

import { commandGiven } from '../../../config/given-keys.ts'
import {
  type AcquireOptions,
  acquire,
  plannedOrders,
} from '../../../domains/check/acquire/acquire.ts'
import { type Facts, listHosts } from '../../../domains/check/facts.ts'
import { exchangeLines, toRunFile } from '../../../domains/check/judge/domains-run.ts'
import { recordToSet, registrableDomain } from '../../../domains/rules/host-name.ts'
import type { RunFile } from '../../../engine/check/run-file.ts'
import { exchangesName, openLines } from '../../../reports/run-folder.ts'
import { aligned, visible } from '../../../reports/visible.ts'
import { command } from '../../command.ts'
import { type OutputSettings, readOutput } from '../../output/finish.ts'
import { runInFolder } from '../../run/recorded.ts'
import {
  acquireOptions,
  type CheckFlags,
  checkFlags,
  planFlags,
  readDomainSettings,
  readDomains,
} from './options.ts'

/**
 * Flags and files are read first, so that a mistake costs nothing.
 * @param gather returns the facts to check; null: nothing could be checked
 * @returns the exit code
 */
export const runChecks = async (
  name: string,
  flags: CheckFlags,
  gather: (options: AcquireOptions, output: OutputSettings) => Promise<Facts | null>,
): Promise<number> => {
  const output = readOutput(flags, process.cwd())
  const { folder, strict } = output
  const config = readDomains(flags.domains)
  const command = commandGiven(`domains ${name}`, flags, null)
  const options = acquireOptions(flags, config)
  return runInFolder(output, async (signal) => {
    const facts = await gather({ ...options, signal }, output)
    if (facts === null) return null
    const lines = openLines(folder, exchangesName, false)
    for (const line of exchangeLines(facts)) lines.append(line)
    lines.close()
    const run = toRunFile(facts, { strict, interrupted: signal.aborted, command })
    if (!output.quiet && !output.json) process.stdout.write(domainLines(run, listHosts(config)))
    return run
  })
}

/** From the most important on; of the shoulds, only those that are violated count. */
const outcomes = ['fail', 'error', 'warn', 'untested'] as const

/** A line for each domain: its outcome, and the first check that has it. */
const domainLines = ({ checks }: RunFile, hosts: readonly string[]): string => {
  const width = Math.max(...hosts.map((host) => host.length))
  const lines = hosts.map((host) => {
    const own = checks.filter(({ id }) => id.endsWith(`@${host}`))
    const [worst] = outcomes.flatMap((outcome) =>
      own.filter(
        (each) => each.outcome === outcome && (outcome !== 'untested' || each.level === 'must'),
      ),
    )
    const shown = worst ? `${worst.id.split('@')[0]}: ${visible(worst.detail)}` : ''
    return `  ${(worst?.outcome ?? 'pass').padEnd(8)}  ${host.padEnd(width)}  ${shown}`.trimEnd()
  })
  return `${lines.join('\n')}\n\n`
}

export const check = command(checkFlags, (flags) => runChecks('check', flags, acquire))

export const lint = command({ domains: planFlags.domains }, ({ domains }) => {
  const { primary, redirects } = readDomains(domains)
  const lines = [
    `${domains}: valid`,
    `  ${primary} serves`,
    ...redirects.map(({ from, to, status }) => `  ${from} redirects to ${to} with ${status}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
})

/** A placeholder for the addresses of the platform, which are not resolved here. */
const anyAddress = '192.0.2.1'

export const plan = command(planFlags, (flags) => {
  const config = readDomains(flags.domains)
  const settings = readDomainSettings({ ...flags, 'platform-address': [anyAddress] })
  const { platformHost } = settings
  const orders = plannedOrders({ settings, config }, [])
  const rows = listHosts(config).map((host) => {
    const { name, type, ttl, value } = recordToSet(host, platformHost)
    return [host, registrableDomain(host), name, String(ttl), type, value]
  })
  process.stdout.write(
    [
      'DNS records to set, as the dashboard must show them after Add domain:',
      '',
      ...aligned([['domain', 'zone', 'name', 'TTL', 'type', 'value'], ...rows]),
      '',
      `A check sends ${orders.length} requests (GET and HEAD) to each address of ${platformHost}.`,
      'It follows no redirect and connects to no other address.',
      '',
    ].join('\n'),
  )
  return 0
})
