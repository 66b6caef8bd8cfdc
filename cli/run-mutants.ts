// The work of `petvet mutants`: proves all subjects, and prints the kill table.
import { matchesGlob } from 'node:path'
import { interruptedCode, onInterrupt } from './interrupt.ts'
import { seedBounds, wholeNumber } from './numbers.ts'
import { proveAll } from './proving/pool.ts'
import type { Proof } from './proving/proof.ts'
import { subjects } from './proving/subject.ts'
import { killTable } from './proving/table.ts'
import { UsageError } from './usage-error.ts'

export interface MutantFlags {
  readonly only?: readonly string[] | undefined
  readonly seed?: string | undefined
  readonly json?: boolean | undefined
}

/** The seed of the proofs, where none is given: the same each time. */
const usualSeed = '7'

const selected = (globs: readonly string[] | undefined) => {
  const chosen = subjects.filter(({ id }) => globs?.some((glob) => matchesGlob(id, glob)) ?? true)
  if (chosen.length === 0) throw new UsageError('--only matches no mutant and no variant')
  return chosen
}

const tellProgress = (all: number) => {
  let done = 0
  return (proof: Proof) => {
    done += 1
    if (process.stderr.isTTY) process.stderr.write(`\r${done}/${all} ${proof.id}\u001b[K`)
  }
}

/** @returns 0 when every proof holds, else 1; 130 when interrupted */
export const runMutants = async (flags: MutantFlags): Promise<number> => {
  const chosen = selected(flags.only)
  const seed = wholeNumber('--seed', flags.seed ?? usualSeed, seedBounds)
  const interrupt = onInterrupt()
  const startMs = performance.now()
  try {
    const tell = tellProgress(chosen.length)
    const proofs = await proveAll(chosen, seed, tell, interrupt.signal)
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
    const table = killTable(proofs, performance.now() - startMs)
    process.stdout.write(flags.json ? `${JSON.stringify(proofs, null, 2)}\n` : table)
    if (interrupt.signal.aborted) return interruptedCode
    return proofs.every(({ complaint }) => complaint === null) ? 0 : 1
  } finally {
    interrupt.release()
  }
}
