// The work of `petvet mutants`: proves all subjects, and prints the kill table.
import { matchesGlob } from 'node:path'
import { interruptedCode, onInterrupt } from './interrupt.ts'
import { seedBounds, wholeNumber } from './numbers.ts'
import { domainSubjects, proveDomains } from './proving/domain-proof.ts'
import { proveAll } from './proving/pool.ts'
import type { Proof } from './proving/proof.ts'
import { subjects } from './proving/subject.ts'
import { killTable } from './proving/table.ts'
import { UsageError } from './usage-error.ts'

export interface MutantFlags {
  readonly only?: readonly string[] | undefined
  readonly suite?: 'contract' | 'limits' | 'domains' | undefined
  readonly seed?: string | undefined
  readonly seeds?: string | undefined
  readonly json?: boolean | undefined
}

/** The seed of the proofs, where none is given: the same each time. */
const usualSeed = '7'

/** The servers of an API, and the published projects, which have suites of their own. */
const selected = ({ only, suite }: MutantFlags) => {
  const isMeant = ({ id }: { id: string }) => only?.some((glob) => matchesGlob(id, glob)) ?? true
  const servers = subjects.filter((subject) => {
    return suite === undefined || suite === (subject.suite === 'contract' ? 'contract' : 'limits')
  })
  const projects = suite === undefined || suite === 'domains' ? domainSubjects : []
  const chosen = { servers: servers.filter(isMeant), projects: projects.filter(isMeant) }
  if (chosen.servers.length + chosen.projects.length > 0) return chosen
  throw new UsageError('--only matches no mutant and no variant')
}

const seedsBounds = { least: 1, most: 1_000 }

const seedsOf = (flags: MutantFlags): number[] => {
  const first = wholeNumber('--seed', flags.seed ?? usualSeed, seedBounds)
  const count = wholeNumber('--seeds', flags.seeds ?? '1', seedsBounds)
  return Array.from({ length: count }, (_, at) => (first + at) % (seedBounds.most + 1))
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
  const { servers, projects } = selected(flags)
  const seeds = seedsOf(flags)
  const interrupt = onInterrupt()
  const startMs = performance.now()
  const proofs: Proof[] = []
  try {
    const tell = tellProgress(servers.length * seeds.length + projects.length)
    for (const seed of seeds) {
      proofs.push(...(await proveAll(servers, seed, tell, interrupt.signal)))
    }
    // Nothing of these is drawn by a seed.
    if (projects.length > 0) {
      proofs.push(...(await proveDomains(projects, seeds[0] ?? 0, tell, interrupt.signal)))
    }
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
    const table = killTable(proofs, performance.now() - startMs)
    process.stdout.write(flags.json ? `${JSON.stringify(proofs, null, 2)}\n` : table)
    if (interrupt.signal.aborted) return interruptedCode
    return proofs.every(({ complaint }) => complaint === null) ? 0 : 1
  } finally {
    interrupt.release()
  }
}
