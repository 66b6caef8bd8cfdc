// `petvet domains check`, and what `watch` and `removed` share with it: they read flags, gather
// facts, judge them and write the run.
import { type AcquireOptions, acquire } from '../../../domains/check/acquire/acquire.ts'
import { type Attestation, readAttestations } from '../../../domains/check/attestation.ts'
import { exchangeLines } from '../../../domains/check/evidence.ts'
import type { Facts } from '../../../domains/check/facts.ts'
import { judge } from '../../../domains/check/judge/judge.ts'
import { runOf } from '../../../domains/check/run-of.ts'
import type { RunFile } from '../../../engine/run-file.ts'
import { printRun } from '../../../reports/formats.ts'
import { exchangesName, openLines, runFileName, writeWhole } from '../../../reports/run-folder.ts'
import { visible } from '../../../reports/visible.ts'
import { command } from '../../command.ts'
import { againOf } from '../../config/reproduce.ts'
import { finishRun } from '../../output/finish.ts'
import { claimFolder } from '../../output/folder.ts'
import { type OutputSettings, readOutput } from '../../output/settings.ts'
import { interruptedCode, onInterrupt } from '../../run/interrupt.ts'
import { UsageError } from '../../usage-error.ts'
import { readDomains, readValue } from './files.ts'
import { acquireOptions, type LookFlags, lookFlags } from './options.ts'

export interface Look {
  readonly options: AcquireOptions
  readonly output: OutputSettings
  /** Creates the folder of the run, right before anything is sent. */
  readonly claim: () => void
}

/**
 * Flags and files are read first, so that a mistake costs nothing.
 * @param gather returns facts to judge, or the exit code if there are none
 * @returns the exit code
 */
export const runLook = async (
  name: string,
  flags: LookFlags,
  gather: (look: Look) => Promise<Facts | number>,
): Promise<number> => {
  const output = readOutput(flags, process.cwd())
  const { folder, strict } = output
  const attestations = attestationsIn(flags.attest)
  const { config, notes } = readDomains(flags.domains)
  const again = againOf(`domains ${name}`, flags, null)
  const interrupt = onInterrupt()
  try {
    const options = acquireOptions(flags, config, interrupt.signal)
    const facts = await gather({ options, output, claim: () => claimFolder(folder) })
    if (typeof facts === 'number') return facts
    const lines = openLines(folder, exchangesName, false)
    for (const line of exchangeLines(facts)) lines.append(line)
    lines.close()
    const interrupted = interrupt.signal.aborted
    const run = runOf(facts, judge(facts), { attestations, notes, strict, interrupted, again })
    writeWhole(folder, runFileName, printRun(run))
    if (!output.quiet) printDomains(run)
    const code = finishRun(run, output)
    return interrupted ? interruptedCode : code
  } finally {
    interrupt.release()
  }
}

/** One line for each domain: how many of its checks passed, failed, and were not tested. */
const printDomains = ({ checks }: RunFile): void => {
  const byHost = Map.groupBy(checks, ({ id }) => id.split('@')[1] ?? '')
  for (const [host, own] of byHost) {
    const number = (...outcomes: string[]) =>
      own.filter(({ outcome }) => outcomes.includes(outcome)).length
    const counts = `${number('pass', 'observed')} passed, ${number('fail', 'error')} failed`
    const rest = `${number('warn')} warnings, ${number('untested')} untested`
    if (host !== '') process.stderr.write(`petvet: ${visible(host)}: ${counts}, ${rest}\n`)
  }
}

const attestationsIn = (file: string | undefined): readonly Attestation[] => {
  if (file === undefined) return []
  const { value } = readValue('--attest', file)
  try {
    return readAttestations(value)
  } catch (error) {
    throw new UsageError(`--attest ${file}: ${(error as Error).message}`)
  }
}

export const check = command(lookFlags, (flags) =>
  runLook('check', flags, ({ options, claim }) => {
    claim()
    return acquire(options)
  }),
)
