// What `check`, `watch` and `removed` share: flags are read, facts are judged and written.
import { resolve } from 'node:path'
import { againOf } from '../../cli/again.ts'
import { claimFolder } from '../../cli/claim-folder.ts'
import { interruptedCode, onInterrupt } from '../../cli/interrupt.ts'
import { type OutputSettings, readOutput } from '../../cli/output-settings.ts'
import type { OutputFlags } from '../../cli/run-flags.ts'
import { tellRun } from '../../cli/tell-run.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { printRun } from '../../reports/formats.ts'
import { exchangesName, openLines, runFileName, writeWhole } from '../../reports/run-folder.ts'
import type { AcquireOptions } from '../check/acquire/acquire.ts'
import { type Attestation, readAttestations } from '../check/attestation.ts'
import { exchangeLines } from '../check/evidence.ts'
import type { Facts } from '../check/facts.ts'
import { judge } from '../check/judge/judge.ts'
import { runOf } from '../check/run-of.ts'
import { acquireOptions } from './asked.ts'
import { readDomains, readValue, writeFacts } from './files.ts'
import type { AskedFlags, FactsFlags } from './flags.ts'

export type LookFlags = AskedFlags & FactsFlags & OutputFlags

export interface Look {
  readonly options: AcquireOptions
  readonly output: OutputSettings
  /** Makes the folder of the run, right before anything is sent. */
  readonly claim: () => void
}

/**
 * Flags and files are read first, so that a mistake costs nothing.
 * @param gather answers facts, which are judged, or the exit code where there are none
 * @returns the exit code
 */
export const runLook = async (
  command: string,
  flags: LookFlags,
  gather: (look: Look) => Promise<Facts | number>,
): Promise<number> => {
  const conclude = conclusion(command, flags)
  const { config, notes } = readDomains(flags.domains)
  const interrupt = onInterrupt()
  try {
    const options = acquireOptions(flags, config, interrupt.signal)
    const { output } = conclude
    const facts = await gather({ options, output, claim: () => claimFolder(output.folder) })
    return typeof facts === 'number' ? facts : conclude.of(facts, notes, interrupt.signal.aborted)
  } finally {
    interrupt.release()
  }
}

/** @returns the exit code */
export const judgeAgain = (command: string, flags: LookFlags, facts: Facts): number => {
  const conclude = conclusion(command, flags)
  claimFolder(conclude.output.folder)
  return conclude.of(facts, [], false)
}

const conclusion = (command: string, flags: LookFlags) => {
  const output = readOutput(flags, process.cwd())
  const attestations = flags.attest === undefined ? [] : attested(flags.attest)
  const factsOut = flags['facts-out'] === undefined ? null : resolve(flags['facts-out'])
  const again = againOf(`domains ${command}`, flags, null)
  return {
    output,
    of: (facts: Facts, notes: readonly string[], interrupted: boolean): number => {
      const { strict, folder } = output
      if (factsOut !== null) writeFacts(factsOut, facts)
      const lines = openLines(folder, exchangesName, false)
      for (const line of exchangeLines(facts)) lines.append(line)
      lines.close()
      const run = runOf(facts, judge(facts), { attestations, notes, strict, interrupted, again })
      writeWhole(folder, runFileName, printRun(run))
      const code = tellRun(run, output)
      return interrupted ? interruptedCode : code
    },
  }
}

const attested = (file: string): readonly Attestation[] => {
  const { value } = readValue('--attest', file)
  try {
    return readAttestations(value)
  } catch (error) {
    throw new UsageError(`--attest ${file}: ${(error as Error).message}`)
  }
}
