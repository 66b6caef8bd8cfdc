// `petvet domains check`, and what `watch` and `removed` share with it: they read flags, gather
// facts, run the checks on them and write the run.

import { commandGiven } from '../../../config/given-command.ts'
import { type AcquireOptions, acquire } from '../../../domains/check/acquire/acquire.ts'
import { type Facts, listHosts } from '../../../domains/check/facts.ts'
import { exchangeLines, toRunFile } from '../../../domains/check/judge/domains-run.ts'
import type { RunFile } from '../../../engine/check/run-file.ts'
import { exchangesName, openLines } from '../../../reports/run-folder.ts'
import { visible } from '../../../reports/visible.ts'
import { command } from '../../command.ts'
import { finishRun } from '../../output/finish.ts'
import { claimFolder } from '../../output/folder.ts'
import { type OutputSettings, readOutput } from '../../output/output-settings.ts'
import { interruptible } from '../../run/interrupt.ts'
import { writeRun } from '../../run/recorded.ts'
import { acquireOptions, type CheckFlags, checkFlags, readDomains } from './options.ts'

interface CheckSetup {
  readonly options: AcquireOptions
  readonly output: OutputSettings
  /** Creates the folder of the run, right before anything is sent. */
  readonly claim: () => void
}

/**
 * Flags and files are read first, so that a mistake costs nothing.
 * @param gather returns the facts to check, or the exit code if there are none
 * @returns the exit code
 */
export const runChecks = async (
  name: string,
  flags: CheckFlags,
  gather: (setup: CheckSetup) => Promise<Facts | number>,
): Promise<number> => {
  const output = readOutput(flags, process.cwd())
  const { folder, strict } = output
  const config = readDomains(flags.domains)
  const command = commandGiven(`domains ${name}`, flags, null)
  return interruptible(async (signal) => {
    const options = acquireOptions(flags, config, signal)
    const facts = await gather({ options, output, claim: () => claimFolder(folder) })
    if (typeof facts === 'number') return facts
    const lines = openLines(folder, exchangesName, false)
    for (const line of exchangeLines(facts)) lines.append(line)
    lines.close()
    const run = toRunFile(facts, { strict, interrupted: signal.aborted, command })
    writeRun(folder, run)
    if (!output.quiet && !output.json) process.stdout.write(domainLines(run, listHosts(config)))
    return finishRun(run, output)
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

export const check = command(checkFlags, (flags) =>
  runChecks('check', flags, ({ options, claim }) => {
    claim()
    return acquire(options)
  }),
)
