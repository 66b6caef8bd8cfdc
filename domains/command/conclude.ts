// The end of a look at domains: facts are judged, written, and told like any other run.
import { resolve } from 'node:path'
import { againOf } from '../../cli/again.ts'
import { interruptedCode } from '../../cli/interrupt.ts'
import type { OutputSettings } from '../../cli/output-settings.ts'
import { tellRun } from '../../cli/tell-run.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { printRun } from '../../reports/formats.ts'
import { exchangesName, openLines, runFileName, writeWhole } from '../../reports/run-folder.ts'
import type { Again } from '../../suites/kit/run-file.ts'
import type { Attestation } from '../check/attestation.ts'
import { readAttestations } from '../check/attestation.ts'
import { exchangeLines } from '../check/evidence.ts'
import type { Facts } from '../check/facts.ts'
import { judge } from '../check/judge/judge.ts'
import { runOf } from '../check/run-of.ts'
import { writeFacts } from './facts-file.ts'
import { readValue } from './read-domains.ts'

export interface ConcludeFlags {
  readonly 'facts-out': string | undefined
  readonly attest: string | undefined
}

export interface Conclusion {
  readonly output: OutputSettings
  readonly attestations: readonly Attestation[]
  readonly factsOut: string | null
  readonly again: Again
}

/**
 * Read before anything is asked, so that a mistake costs nothing.
 * @param command the name of the command that ends in it
 */
export const readConclusion = (
  command: string,
  flags: ConcludeFlags,
  output: OutputSettings,
): Conclusion => ({
  output,
  attestations: flags.attest === undefined ? [] : attested(flags.attest),
  factsOut: flags['facts-out'] === undefined ? null : resolve(flags['facts-out']),
  again: againOf(`domains ${command}`, flags, null),
})

const attested = (file: string): readonly Attestation[] => {
  const { value } = readValue('--attest', file)
  try {
    return readAttestations(value)
  } catch (error) {
    throw new UsageError(`--attest ${file}: ${(error as Error).message}`)
  }
}

/** @returns the exit code */
export const conclude = (
  facts: Facts,
  notes: readonly string[],
  { output, attestations, factsOut, again }: Conclusion,
  signal: AbortSignal,
): number => {
  if (factsOut !== null) writeFacts(factsOut, facts)
  const lines = openLines(output.folder, exchangesName, false)
  for (const line of exchangeLines(facts)) lines.append(line)
  lines.close()
  const interrupted = signal.aborted
  const run = runOf(facts, judge(facts), {
    attestations,
    notes,
    strict: output.strict,
    interrupted,
    again,
  })
  writeWhole(output.folder, runFileName, printRun(run))
  const code = tellRun(run, output)
  return interrupted ? interruptedCode : code
}
