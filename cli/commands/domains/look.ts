// What `check`, `watch` and `removed` share: they read flags, judge facts and write the run.
import { resolve } from 'node:path'
import type { AcquireOptions } from '../../../domains/check/acquire/acquire.ts'
import { type Attestation, readAttestations } from '../../../domains/check/attestation.ts'
import { exchangeLines } from '../../../domains/check/evidence.ts'
import type { Facts } from '../../../domains/check/facts.ts'
import { judge } from '../../../domains/check/judge/judge.ts'
import { runOf } from '../../../domains/check/run-of.ts'
import { printRun } from '../../../reports/formats.ts'
import { exchangesName, openLines, runFileName, writeWhole } from '../../../reports/run-folder.ts'
import { againOf } from '../../config/reproduce.ts'
import { finishRun } from '../../output/finish.ts'
import { claimFolder } from '../../output/folder.ts'
import { type OutputSettings, readOutput } from '../../output/settings.ts'
import { interruptedCode, onInterrupt } from '../../run/interrupt.ts'
import { UsageError } from '../../usage-error.ts'
import { readDomains, readValue, writeFacts } from './files.ts'
import { acquireOptions, type LookFlags } from './options.ts'

export interface Look {
  readonly options: AcquireOptions
  readonly output: OutputSettings
  /** Creates the folder of the run, right before anything is sent. */
  readonly claim: () => void
}

/**
 * Flags and files are read first, so that a mistake costs nothing.
 * @param gather returns facts to judge, or the exit code where there are none
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
      const code = finishRun(run, output)
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
